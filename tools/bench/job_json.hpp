// SPDX-License-Identifier: BSD-2-Clause
// How a configuration and a job travel.
#pragma once

#include <nlohmann/json.hpp>

#include "job.hpp"

namespace fi::tools::bench {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Config, provider, fabric, domain, address, threading, progress, tagged,
                                   inject, check, window, largest, peers)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Job, size, warmup, count)

} // namespace fi::tools::bench
