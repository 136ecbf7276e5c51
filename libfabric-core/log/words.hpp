// SPDX-License-Identifier: BSD-2-Clause
//
// The words for log levels and subsystems: in log lines, in the FI_LOG_* variables and in fi_tostr.
#pragma once

#include <array>

#include <rdma/providers/fi_log.h>

namespace fi::core::log {

inline constexpr std::array<const char*, 4> kLevelWords = {"warn", "trace", "info", "debug"};
static_assert(FI_LOG_WARN == 0 && FI_LOG_TRACE == 1 && FI_LOG_INFO == 2 && FI_LOG_DEBUG == 3);

inline constexpr std::array<const char*, 10> kSubsysWords = {"core", "fabric", "domain", "ep_ctrl", "ep_data",
                                                             "av",   "cq",     "eq",     "mr",      "cntr"};
static_assert(FI_LOG_CORE == 0 && FI_LOG_EP_DATA == 4 && FI_LOG_CNTR == 9);

} // namespace fi::core::log
