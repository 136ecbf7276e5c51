// SPDX-License-Identifier: BSD-2-Clause
//
// What receives are posted to: the queues, the messages that have no receive yet, and the records. An
// endpoint has one of its own or shares one with others (fi_srx_context); the engine's code is the same for
// both.
//
// What is hard about sharing: a peer is an object of one engine. So a message knows the engine that it came
// to, which finishes whatever receive it meets, on its own completion queue (D23); and a receive from one
// source names it by its fi_addr_t, which the sharers' one address vector gives the same meaning for all.
#pragma once

#include "kit/engine/matching.hpp"

#include <rdma/providers/fi_prov.h>
#include <vector>

namespace fi::kit {

/// E: the engine. Used under its domain's lock.
template <class E>
struct ReceiveContext {
    /// Throws std::bad_alloc. size: receives that may be posted. only: the one engine that uses it; nullptr:
    /// it is shared.
    ReceiveContext(const fi_provider& of, std::size_t size, E* only)
        : provider(of), receives(size, only, E::recycle_receive), shared(!only)
    {
    }

    MatchQueue& queue(bool is_tagged) noexcept { return is_tagged ? tagged : untagged; }

    const fi_provider& provider; ///< for log lines
    Pool<ReceiveOp> receives;
    MatchQueue tagged;
    MatchQueue untagged;
    bool starved = false; ///< a message cannot be matched for want of a record: nothing is, until feed()
    const bool shared;
    std::vector<E*> engines;         ///< whose messages are matched here
    const void* addresses = nullptr; ///< the address vector of those that share
};

} // namespace fi::kit
