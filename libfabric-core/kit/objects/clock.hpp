// SPDX-License-Identifier: BSD-2-Clause
//
// Periods in ticks of fi_hot_clock().
#pragma once

#include <cstdint>
#include <rdma/hot/clock.h>

namespace fi::kit {

/// Ticks per microsecond, at least 1. Measured once per process, at the first call, within about 100
/// microseconds.
std::uint64_t ticks_per_microsecond() noexcept;

} // namespace fi::kit
