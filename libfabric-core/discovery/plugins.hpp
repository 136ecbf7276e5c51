// SPDX-License-Identifier: BSD-2-Clause
//
// Which plugin files there are, and what became of each: the loader knows what it loaded, FI_PROVIDER what is
// used.
#pragma once

#include <span>
#include <vector>

#include "discovery/filter.hpp"
#include "loader/registry.hpp"

namespace fi::core {

/// The loader's list with those that FI_PROVIDER keeps from being asked marked hidden, and the reason said.
[[nodiscard]] std::vector<loader::PluginFile> plugins(std::span<const loader::PluginFile> files,
                                                      std::span<const loader::Provider> providers,
                                                      const Filter& filter);

} // namespace fi::core
