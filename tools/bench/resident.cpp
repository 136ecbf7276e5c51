// SPDX-License-Identifier: BSD-2-Clause
#include "resident.hpp"

#include <fstream>
#include <string>

#include "failure.hpp"

namespace fi::tools::bench {

std::int64_t resident_bytes()
{
    std::ifstream file("/proc/self/smaps_rollup");
    for (std::string word; file >> word;) {
        std::int64_t kilobytes = 0;
        if (word == "Rss:" && file >> kilobytes)
            return kilobytes * 1024;
    }
    fail("/proc/self/smaps_rollup does not say how much is resident");
}

} // namespace fi::tools::bench
