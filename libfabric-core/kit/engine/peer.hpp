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

#include <utility>

namespace fi::kit {

/// Frames in order, linked by their `next`.
class OutgoingList {
  public:
    OutgoingList() = default;
    OutgoingList(const OutgoingList&) = delete;
    OutgoingList& operator=(const OutgoingList&) = delete;

    [[nodiscard]] bool empty() const noexcept { return !first_; }
    [[nodiscard]] Outgoing* first() const noexcept { return first_; }
    void append(Outgoing* outgoing) noexcept
    {
        outgoing->next = nullptr;
        *end_ = outgoing;
        end_ = &outgoing->next;
    }
    /// Takes the first one off. Requires that there is one.
    Outgoing* take() noexcept
    {
        Outgoing* taken = first_;
        first_ = taken->next;
        if (!first_)
            end_ = &first_;
        return taken;
    }
    /// Makes the one that was just taken the first again.
    void put_back(Outgoing* outgoing) noexcept
    {
        outgoing->next = first_;
        if (!first_)
            end_ = &outgoing->next;
        first_ = outgoing;
    }
    /// Takes one out of the middle; false: it is not in the list (any more).
    bool remove(const Outgoing* outgoing) noexcept
    {
        for (Outgoing** link_to = &first_; *link_to; link_to = &(*link_to)->next) {
            if (*link_to != outgoing)
                continue;
            *link_to = outgoing->next;
            if (!*link_to)
                end_ = link_to;
            return true;
        }
        return false;
    }
    void clear() noexcept
    {
        first_ = nullptr;
        end_ = &first_;
    }

  private:
    Outgoing* first_ = nullptr;
    Outgoing** end_ = &first_;
};

struct Peer {
    Address address;
    LinkBase* link = nullptr; ///< where we send; nullptr: not connected
    LinkBase* met = nullptr;  ///< one that is up: whose end is the endpoint that this peer is
    Peer* canonical = this;
    bool has_aliases = false;            ///< some other peer's canonical is, or was, this one
    OutgoingList pending;                ///< waiting for the link to be writable
    OutgoingList held;                   ///< from a fence on: waiting for sends to finish (fence.hpp)
    std::size_t before_fence = 0;        ///< those sends, while some are held
    bool releasing = false;              ///< held ones are being sent
    std::size_t unexpected_bytes = 0;    ///< memory of messages kept without a receive
    std::size_t pulls = 0;               ///< receives that wait for bytes from it
    LinkBase* paused = nullptr;          ///< links that wait for unexpected_bytes to fall, by next_paused
    std::size_t references = 0;          ///< fi_addr_t slots, operations and messages that point here
    LinkBase* links = nullptr;           ///< of either direction, by next_of_peer
    bool needed = false;                 ///< of a canonical peer, during a sweep: one of its names is of use
    bool forgotten = false;              ///< during a sweep
    fi_addr_t source = FI_ADDR_NOTAVAIL; ///< what fi_cq_readfrom() reports
    std::uint64_t source_version = 0;    ///< the address vector's version when `source` was looked up

    void add(LinkBase& added) noexcept
    {
        added.peer = this;
        added.next_of_peer = std::exchange(links, &added);
    }
    void remove(const LinkBase& removed) noexcept
    {
        LinkBase** at = &links;
        while (*at != &removed)
            at = &(*at)->next_of_peer;
        *at = removed.next_of_peer;
    }
};

} // namespace fi::kit
