// SPDX-License-Identifier: BSD-2-Clause
//
// fi_open("mr_cache"): an application that knows when memory mappings change offers that knowledge to whoever
// caches registrations in this library.
#pragma once

#include <cstddef>
#include <cstdint>

#include <rdma/fabric.h>

namespace fi::core::memory_monitor {

/// Opens the object that a monitor is imported into (fi_provider(3)). Its bind takes one fid_mem_monitor at a
/// time
/// (-FI_EBUSY for a second one); the import outlives the opened object and ends when the monitor's own fid is
/// closed. -FI_EINVAL: version below 1.13 or attr_len not 0; -FI_EBADFLAGS: any flag; -FI_ENOMEM.
[[nodiscard]] int open(uint32_t version, size_t attr_len, uint64_t flags, fid** out, void* context) noexcept;

} // namespace fi::core::memory_monitor
