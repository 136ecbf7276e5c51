// SPDX-License-Identifier: BSD-2-Clause
//
// fi_getinfo: one walk over the providers. Each is asked with the caller's own arguments, what it returns is
// named and appended, and whatever goes wrong inside one provider stays there.
#pragma once

#include <cstdint>
#include <span>

#include <rdma/fabric.h>

#include "discovery/filter.hpp"
#include "discovery/findings.hpp"
#include "loader/registry.hpp"

namespace fi::core::query {

/// The arguments of fi_getinfo(3), borrowed for the duration of the call.
struct Request {
    uint32_t version;
    const char* node;
    const char* service;
    uint64_t flags;
    const fi_info* hints;
};

/// Asks `providers` in order. *out is set to the list (freed by the caller) or, when nothing matches, to NULL
/// with -FI_ENODATA; a requested version above the library's own is -FI_ENOSYS and leaves *out alone. A
/// provider's error is never the result. With `findings`, each provider's log lines are captured on this
/// thread and the reasons of those that contributed nothing are appended; without it nothing is recorded.
/// Keeps no state, takes no lock: any number of threads may be in here. Throws std::bad_alloc.
[[nodiscard]] int walk(std::span<const loader::Provider> providers, const Filter& filter,
                       const Request& request, fi_info** out, Findings* findings = nullptr);

/// walk() over the registered providers with the FI_PROVIDER of this moment. When an application's query
/// finds nothing and warnings are enabled, the reasons are logged. -FI_ENOMEM when memory is short.
[[nodiscard]] int getinfo(const Request& request, fi_info** out) noexcept;

} // namespace fi::core::query
