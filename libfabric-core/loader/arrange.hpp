// SPDX-License-Identifier: BSD-2-Clause
// Who wins when two plugins bring the same provider, and where each one stands (docs/loader.md, L43-L55).
#pragma once

#include <string>
#include <vector>

#include "loader/registry.hpp"

namespace fi::core::loader {

/// A checked provider that wants to be registered.
struct Contender {
    fi_provider* impl = nullptr;
    bool preferred = false;
    std::string path; ///< empty when linked in
};

/// The provider list for contenders given in registration order. Each name has one active provider; the
/// others of that name follow it directly, inactive, in registration order. Fills in type and layering; does
/// not touch the provider objects.
std::vector<Provider> arrange(const std::vector<Contender>& contenders, bool first_found_wins);

} // namespace fi::core::loader
