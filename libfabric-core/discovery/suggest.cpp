// SPDX-License-Identifier: BSD-2-Clause
//
// Edit distance between provider names, neighbours swapped counting as one.
#include "discovery/suggest.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

namespace fi::core {
namespace {

char lower(char letter)
{
    return static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
}

size_t distance(std::string_view a, std::string_view b)
{
    // Three rows of the usual table: this one, the one above, and the one above that for swapped letters.
    std::vector<size_t> above2(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
    for (size_t j = 0; j <= b.size(); ++j)
        above[j] = j;
    for (size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (size_t j = 1; j <= b.size(); ++j) {
            const bool same = lower(a[i - 1]) == lower(b[j - 1]);
            row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0 : 1)});
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
                row[j] = std::min(row[j], above2[j - 2] + 1);
        }
        above2.swap(above);
        above.swap(row);
    }
    return above[b.size()];
}

} // namespace

std::string_view nearest_name(std::string_view name, std::span<const loader::Provider> providers)
{
    constexpr size_t kLongestName = 64; // the table is quadratic, and the name comes from outside
    if (name.empty() || name.size() > kLongestName)
        return {};
    std::string_view best;
    size_t least = std::min<size_t>(3, name.size());
    for (const loader::Provider& provider : providers) {
        const size_t wrong = distance(name, provider.impl->name);
        if (wrong < least) {
            least = wrong;
            best = provider.impl->name;
        }
    }
    return best;
}

} // namespace fi::core
