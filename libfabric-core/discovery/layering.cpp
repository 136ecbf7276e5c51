// SPDX-License-Identifier: BSD-2-Clause
//
// The layered-name rule: who is asked for which prov_name hint.
#include "discovery/layering.hpp"

#include <algorithm>

#include <strings.h>

namespace fi::core::layering {
namespace {

bool is_utility_name(std::string_view name)
{
    constexpr std::string_view kPrefix = "ofi_";
    return name.size() >= kPrefix.size() && same_name(name.substr(0, kPrefix.size()), kPrefix);
}

bool wants_nothing_on_top(std::string_view name, std::span<const loader::Provider> providers)
{
    return std::any_of(providers.begin(), providers.end(), [name](const loader::Provider& provider) {
        return provider.layering_disabled && same_name(provider.impl->name, name);
    });
}

} // namespace

bool same_name(std::string_view a, std::string_view b)
{
    return a.size() == b.size() && ::strncasecmp(a.data(), b.data(), a.size()) == 0;
}

std::vector<std::string_view> split(std::string_view text, char delimiter)
{
    std::vector<std::string_view> pieces;
    for (;;) {
        const size_t end = text.find(delimiter);
        pieces.push_back(text.substr(0, end));
        if (end == text.npos)
            return pieces;
        text.remove_prefix(end + 1);
    }
}

std::string_view top(std::string_view prov_name)
{
    const size_t last = prov_name.rfind(kDelimiter);
    return last == prov_name.npos ? prov_name : prov_name.substr(last + 1);
}

Hint::Hint(const char* prov_name)
{
    if (!prov_name)
        return;
    names_ = split(prov_name, kDelimiter);
    // Only a tail of "^name" excludes: a utility provider appends its own, so that it is not asked again.
    while (!names_.empty() && names_.back().starts_with('^')) {
        excluded_.push_back(names_.back().substr(1));
        names_.pop_back();
    }
}

bool Hint::admits(const loader::Provider& provider, uint64_t flags,
                  std::span<const loader::Provider> providers) const
{
    using loader::ProviderType;
    const std::string_view name = provider.impl->name;
    const auto is_this = [name](std::string_view other) { return same_name(name, other); };

    if (std::any_of(excluded_.begin(), excluded_.end(), is_this))
        return false;
    if (flags & kCoreOnly) {
        if (provider.type != ProviderType::Core)
            return false;
        if (names_.empty() && provider.layering_disabled)
            return false;
    }
    if (names_.empty())
        return true;

    // A core provider named alone may be served through any utility provider that can stand on it.
    if (names_.size() == 1 && provider.type == ProviderType::Utility && !is_utility_name(names_[0]))
        return !wants_nothing_on_top(names_[0], providers);

    // Both orders are accepted: "ofi_rxm;verbs" means "verbs;ofi_rxm".
    if (names_.size() == 2 && is_utility_name(names_[0]) && !is_utility_name(names_[1]))
        return is_this(names_[0]);
    return is_this(names_.back());
}

} // namespace fi::core::layering
