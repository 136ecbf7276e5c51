// SPDX-License-Identifier: BSD-2-Clause
//
// Opening a fabric: the one place where a name becomes a provider's object, and where hooks get in between.
#pragma once

#include <span>

#include <rdma/fabric.h>

#include "loader/registry.hpp"

namespace fi::core::fabric {

/// fi_fabric(3) over the given providers: the provider is the last name of attr.prov_name, active ones only,
/// filters do not matter. `hooks` is the value of FI_HOOK (names separated by ';', NULL: none): each hook
/// that can be found wraps what the one before returned, and a hook that fails is left out. -FI_EINVAL for
/// missing attr, prov_name or name, -FI_ENODEV for an unknown provider, else what the provider says.
[[nodiscard]] int open(std::span<const loader::Provider> providers, const char* hooks, fi_fabric_attr* attr,
                       fid_fabric** fabric, void* context);

/// The same over the registered providers and the process's FI_HOOK: what fi_fabric calls.
[[nodiscard]] int open(fi_fabric_attr* attr, fid_fabric** fabric, void* context) noexcept;

} // namespace fi::core::fabric
