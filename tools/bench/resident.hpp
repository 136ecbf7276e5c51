// SPDX-License-Identifier: BSD-2-Clause
// Memory that an endpoint and its peers keep.
#pragma once

#include <cstdint>

namespace fi::tools::bench {

// Resident bytes of this process now, shared ones included (Rss of /proc/self/smaps_rollup). Throws Failure.
[[nodiscard]] std::int64_t resident_bytes();

// What one more costs, on average over many.
struct Resident {
    double endpoint = 0; // bytes; with fabric, domain, address vector and queue of its own, idle
    double peer = 0;     // bytes, after one short message each way
};

} // namespace fi::tools::bench
