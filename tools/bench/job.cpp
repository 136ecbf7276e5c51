// SPDX-License-Identifier: BSD-2-Clause
#include "job.hpp"

#include "failure.hpp"

namespace fi::tools::bench {

void check_bounds(const Config& config)
{
    if (config.window < 1 || config.window > kLargestWindow)
        fail("a window of {} messages is not between 1 and {}", config.window, kLargestWindow);
    if (config.largest > kLargestMessage)
        fail("messages of {} bytes are longer than {}", config.largest, kLargestMessage);
    if (config.peers > kMostPeers)
        fail("{} idle peers are more than {}", config.peers, kMostPeers);
    if (config.check && config.window * config.largest > 4 * kLargestMessage)
        fail("checking wants a buffer for each message of the window: {} of {} bytes are too many",
             config.window, config.largest);
}

void check_bounds(const Job& job, const Config& config)
{
    if (job.size > config.largest || job.count < 1 || job.total() < job.count)
        fail("a run of {} messages of {} bytes was not agreed upon", job.count, job.size);
}

} // namespace fi::tools::bench
