// SPDX-License-Identifier: BSD-2-Clause
#include "rules.hpp"

#include <algorithm>
#include <iterator>

namespace conform {
namespace {

struct Rule {
    std::string_view number, text;
};

constexpr Rule kRules[] = {
#include "rules.inc"
};

bool is_number(std::string_view word)
{
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    return word.size() > 1 && (word[0] == 'B' || word[0] == 'C' || word[0] == 'D') &&
           std::all_of(word.begin() + 1, word.end(), is_digit);
}

} // namespace

std::vector<std::string> rules_in(std::string_view name)
{
    std::vector<std::string> found;
    for (;;) {
        const std::string_view word = name.substr(0, name.find('_'));
        if (!is_number(word))
            return found;
        found.emplace_back(word);
        name.remove_prefix(std::min(name.size(), word.size() + 1));
    }
}

std::string_view rule_text(std::string_view number)
{
    const auto* rule = std::find_if(std::begin(kRules), std::end(kRules),
                                    [&](const Rule& each) { return each.number == number; });
    return rule == std::end(kRules) ? std::string_view() : rule->text;
}

} // namespace conform
