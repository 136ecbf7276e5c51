// SPDX-License-Identifier: BSD-2-Clause
//
// The usual reason for "no such provider" is a slip of the finger.
#pragma once

#include <span>
#include <string_view>

#include "loader/registry.hpp"

namespace fi::core {

/// The registered provider name that `name` most likely was meant to be: at most two letters wrong, missing,
/// extra or swapped. Empty when none is that close.
[[nodiscard]] std::string_view nearest_name(std::string_view name,
                                            std::span<const loader::Provider> providers);

} // namespace fi::core
