// SPDX-License-Identifier: BSD-2-Clause
// The clock and the socket are looked at rarely, because most waits of a latency test end within
// microseconds.

#include "patience.hpp"

#include <thread>

#include <rdma/fi_errno.h>

#include "report.hpp"

namespace fi::tools::pingpong {

void Patience::pause()
{
    if (++looks_ % 64 != 0)
        return;
    const auto now = Clock::now();
    if (start_ == Clock::time_point{}) {
        start_ = now;
        next_look_ = now + std::chrono::milliseconds(1);
    }
    // With fewer processors than busy processes, the peer gets to answer only when this one steps aside.
    if (now - start_ > std::chrono::microseconds(50))
        std::this_thread::yield();
    if (now < next_look_)
        return;
    next_look_ = now + std::chrono::milliseconds(1);
    look(now);
}

void Patience::look(Clock::time_point now)
{
    if (gone_since_ == Clock::time_point{} && control_.peer_gone())
        gone_since_ = now;
    if (gone_since_ != Clock::time_point{} && now - gone_since_ > std::chrono::seconds(1))
        fail_because("the peer closed its control connection while this side waited for a " +
                         std::string(what_),
                     -FI_ECONNABORTED);
    if (now - start_ > control_.patience())
        fail_because("no " + std::string(what_) + " in " + std::to_string(control_.patience().count()) +
                         " s, although the peer is still connected",
                     -FI_ETIMEDOUT);
}

} // namespace fi::tools::pingpong
