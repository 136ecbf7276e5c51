// SPDX-License-Identifier: BSD-2-Clause
//
// FI_PROVIDER in its two stages: which providers are asked, and which entries of the answer stay.
#include "discovery/filter.hpp"

#include <algorithm>

#include "discovery/layering.hpp"
#include "param/param.hpp"

namespace fi::core {
namespace {

/// "tcp" covers "tcp" and everything that stands on it: "tcp;ofi_rxm".
bool covers(std::string_view listed, std::string_view prov_name)
{
    if (prov_name.size() > listed.size() && prov_name[listed.size()] == layering::kDelimiter)
        prov_name = prov_name.substr(0, listed.size());
    return layering::same_name(listed, prov_name);
}

} // namespace

Filter::Filter(std::optional<std::string> text) : text_(std::move(text)) {}

Filter Filter::current()
{
    return Filter(param::lookup("FI_PROVIDER"));
}

std::vector<std::string_view> Filter::names() const
{
    std::string_view list = *text_;
    if (negated())
        list.remove_prefix(1);
    return layering::split(list, ',');
}

bool Filter::hides(const loader::Provider& provider) const
{
    if (!text_)
        return false;
    const std::string_view name = provider.impl->name;
    const auto listed = names();
    if (negated())
        return std::any_of(listed.begin(), listed.end(),
                           [name](std::string_view entry) { return layering::same_name(entry, name); });
    if (provider.type != loader::ProviderType::Core)
        return false;
    // Listed alone, or as what "name;something" stands on.
    return std::none_of(listed.begin(), listed.end(), [name](std::string_view entry) {
        return layering::same_name(entry.substr(0, entry.find(layering::kDelimiter)), name);
    });
}

bool Filter::drops(std::string_view prov_name) const
{
    if (!text_)
        return false;
    const auto listed = names();
    const bool matches = std::any_of(listed.begin(), listed.end(), [prov_name](std::string_view entry) {
        return covers(entry, prov_name);
    });
    return matches == negated();
}

std::vector<std::string_view> Filter::unknown(std::span<const loader::Provider> providers) const
{
    std::vector<std::string_view> strange;
    if (!text_)
        return strange;
    for (std::string_view entry : names())
        for (std::string_view part : layering::split(entry, layering::kDelimiter))
            if (std::none_of(providers.begin(), providers.end(), [part](const loader::Provider& provider) {
                    return layering::same_name(provider.impl->name, part);
                }))
                strange.push_back(part);
    return strange;
}

} // namespace fi::core
