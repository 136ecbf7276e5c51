// SPDX-License-Identifier: BSD-2-Clause
// What a provider's name decides: its type, its place in the list, whether utility providers may sit on it
// (docs/loader.md, L40-L44).
#pragma once

#include <span>
#include <string_view>

#include "loader/registry.hpp"

namespace fi::core::loader {

/// Same length and equal without regard to ASCII case: what "the same provider" means everywhere in the core.
bool same_name(std::string_view a, std::string_view b);

/// The names that have a place of their own, first asked first.
std::span<const std::string_view> order_table();

/// Index into order_table(), or its size for a name without a place.
size_t place_of(std::string_view name);

/// provider.name must be valid.
ProviderType type_of(const fi_provider& provider);

bool layering_disabled_for(std::string_view name, ProviderType type);

} // namespace fi::core::loader
