// SPDX-License-Identifier: BSD-2-Clause
//
// A peer: one remote endpoint as the engine sees it, connected or not.
//
// A peer is known by its address before anything is sent, and by its names once a link has told them. When it
// turns out that several addresses are one endpoint, one of their peers becomes the canonical one, which is
// what sources are compared by.
#pragma once

#include "kit/engine/operation.hpp"
#include "kit/objects/address.hpp"

namespace fi::kit {

struct Peer {
    Address address;
    LinkBase* link = nullptr; ///< where we send; nullptr: not connected
    Peer* canonical = this;
    bool has_aliases = false;    ///< some other peer's canonical is, or was, this one
    Outgoing* pending = nullptr; ///< in order; waiting for the link to be writable
    Outgoing** pending_end = &pending;
    std::size_t unexpected_bytes = 0;    ///< memory of messages kept without a receive
    LinkBase* paused = nullptr;          ///< links that wait for unexpected_bytes to fall, by next_paused
    std::size_t references = 0;          ///< fi_addr_t slots, operations and messages that point here
    std::size_t links = 0;               ///< links of either direction
    fi_addr_t source = FI_ADDR_NOTAVAIL; ///< what fi_cq_readfrom() reports
    std::uint64_t source_version = 0;    ///< the address vector's version when `source` was looked up

    void append(Outgoing* outgoing) noexcept
    {
        outgoing->next = nullptr;
        *pending_end = outgoing;
        pending_end = &outgoing->next;
    }
    Outgoing* take_pending() noexcept
    {
        Outgoing* first = pending;
        pending = first->next;
        if (!pending)
            pending_end = &pending;
        return first;
    }
    /// Makes the one that was just taken the first again.
    void put_back(Outgoing* outgoing) noexcept
    {
        outgoing->next = pending;
        if (!pending)
            pending_end = &outgoing->next;
        pending = outgoing;
    }
    /// Takes one out of the middle; false: it is not in the list (any more).
    bool remove_pending(const Outgoing* outgoing) noexcept
    {
        for (Outgoing** link_to = &pending; *link_to; link_to = &(*link_to)->next) {
            if (*link_to != outgoing)
                continue;
            *link_to = outgoing->next;
            if (!*link_to)
                pending_end = link_to;
            return true;
        }
        return false;
    }
};

} // namespace fi::kit
