// SPDX-License-Identifier: BSD-2-Clause
//
// Matching: posted receives against messages that came before their receive. One MatchQueue for tagged and
// one for untagged messages, because the two never match each other (D54).
//
// Order is the whole point: posted receives are searched in posting order (D53), unexpected messages in
// arrival order (D77), so a message enters the queue when its header arrives, while its bytes may still be on
// the way.
#pragma once

#include "kit/engine/peer.hpp"

namespace fi::kit {

/// A message without a receive. Owns its payload.
struct Unexpected {
    Unexpected* previous = nullptr;
    Unexpected* next = nullptr;
    void* engine = nullptr; ///< the one it came to
    Peer* from = nullptr;
    fi_frame frame{};
    std::uint64_t size = 0; ///< bytes of the message
    std::size_t kept = 0;   ///< bytes of memory that count against the peer's limit
    unsigned char* payload =
        nullptr;              ///< frame.length bytes, malloc'ed; nullptr for an offer or an empty message
    LinkBase* link = nullptr; ///< that an offer came by; the offer goes when the link does
    fi_frame_place places[kIovLimit]{}; ///< of an offer
    std::uint32_t place_count = 0;
    bool complete = false;         ///< all of the payload is here
    ReceiveOp* taker = nullptr;    ///< a receive that was posted while the payload was arriving
    const void* claimer = nullptr; ///< context of the FI_PEEK | FI_CLAIM that reserved it
    int error = 0;                 ///< a claimed message whose sender died before its bytes were here
};

/// An intrusive doubly linked list in order of insertion.
template <class T>
class Fifo {
  public:
    void append(T* item) noexcept
    {
        item->previous = last_;
        item->next = nullptr;
        (last_ ? last_->next : first_) = item;
        last_ = item;
    }
    void remove(T* item) noexcept
    {
        (item->previous ? item->previous->next : first_) = item->next;
        (item->next ? item->next->previous : last_) = item->previous;
    }
    /// The first item for which `wanted` is true, or nullptr.
    template <class F>
    T* find(F&& wanted) const noexcept
    {
        T* item = first_;
        while (item && !wanted(*item))
            item = item->next;
        return item;
    }
    [[nodiscard]] T* first() const noexcept { return first_; }
    [[nodiscard]] std::size_t count() const noexcept
    {
        std::size_t items = 0;
        for (const T* item = first_; item; item = item->next)
            items++;
        return items;
    }

  private:
    T* first_ = nullptr;
    T* last_ = nullptr;
};

/// Whether the receive may take a message with that tag from that source (canonical peer). Which peer is the
/// canonical one may have changed since the receive was posted.
inline bool matches(const ReceiveOp& receive, std::uint64_t tag, const Peer* from) noexcept
{
    return ((receive.tag ^ tag) & ~receive.ignore) == 0 && (!receive.from || receive.from->canonical == from);
}

struct MatchQueue {
    Fifo<ReceiveOp> posted;
    Fifo<Unexpected> unexpected;
    Fifo<Unexpected> claimed; ///< reserved: no receive but its claimer's gets them (D88)

    /// The first posted receive for that message, or nullptr. It stays in the list.
    [[nodiscard]] ReceiveOp* find_posted(std::uint64_t tag, const Peer* from) const noexcept
    {
        return posted.find([&](const ReceiveOp& receive) { return matches(receive, tag, from); });
    }
    /// The list that a message is in.
    Fifo<Unexpected>& list_of(const Unexpected& message) noexcept
    {
        return message.claimer ? claimed : unexpected;
    }
    /// The first unexpected message for that receive, or nullptr; one that has a taker is spoken for.
    Unexpected* find_unexpected(const ReceiveOp& receive) const noexcept
    {
        return unexpected.find([&](const Unexpected& message) {
            return !message.taker && matches(receive, message.frame.tag, message.from->canonical);
        });
    }
};

} // namespace fi::kit
