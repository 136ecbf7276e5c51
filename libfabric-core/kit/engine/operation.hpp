// SPDX-License-Identifier: BSD-2-Clause
//
// Records of operations that have been accepted and not finished, and the pool they come from.
//
// A record has a handle (pool index and generation) that is good enough to travel to a peer and back:
// whatever number comes back, at() answers with an operation that is still going on or with nothing.
#pragma once

#include "kit/engine/device.hpp"
#include "kit/objects/cq.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

namespace fi::kit {

/// Fields by which a Pool keeps its records.
struct Pooled {
    std::uint32_t index = 0;
    std::uint32_t generation = 0;
    bool active =
        false; ///< accepted and not finished: set by get(), cleared by whoever finishes the operation
};

struct SendOp : CompletionRecord, Pooled {
    Outgoing out;
    Peer* peer = nullptr;
    iovec iov[kIovLimit]{};
    std::uint32_t segments = 0;
    bool report = false;                ///< success makes a completion
    bool awaits_ack = false;            ///< the peer has yet to send FI_FRAME_ACK
    bool all_sent = false;              ///< nothing is missing but that
    bool fence = false;                 ///< FI_FENCE
    bool held = false;                  ///< in the peer's list of those behind a fence
    std::uint64_t size = 0;             ///< bytes of the message
    std::uint64_t wanted = 0;           ///< bytes that the receiver asked for
    std::uint64_t offset = 0;           ///< bytes of them sent
    std::uint64_t receiver = 0;         ///< receiver's handle
    fi_frame_place places[kIovLimit]{}; ///< where it lies, part of an offer
    bool offer_sent = false;            ///< the port has done with the offer: `out` may be used again
    bool fetched = false;               ///< the receiver has read all it wants
    bool pulled = false;                ///< `wanted` and `receiver` are valid
    unsigned char* copy = nullptr;      ///< malloc'ed payload of an inject that had to wait
};

/// An acknowledgement that waits for room on its link.
struct AckOp : CompletionRecord, Pooled {
    Outgoing out;
    Peer* peer = nullptr;
};

/// What a receive is beside the common kind, or'ed together.
enum Special : std::uint8_t {
    Multi = 1 << 0,    ///< FI_MULTI_RECV: its buffer takes many messages (multi_receive.hpp)
    Released = 1 << 1, ///< such a buffer that takes no more
    Part = 1 << 2,     ///< one message in such a buffer
    Discard = 1 << 3,  ///< FI_DISCARD: takes a message and keeps nothing of it
    Pieces = 1 << 4,   ///< any number of segments but one
};

struct ReceiveOp : CompletionRecord, Pooled {
    ReceiveOp* previous = nullptr; ///< posted list
    ReceiveOp* next = nullptr;
    Peer* from = nullptr; ///< nullptr: any source
    std::uint64_t tag = 0;
    std::uint64_t ignore = 0;
    iovec iov[kIovLimit]{};
    std::uint32_t segments = 0;
    bool report = false;
    std::uint64_t room = 0;            ///< bytes of iov
    std::uint8_t special = 0;          ///< Special bits; 0 for all that the common path has to know
    fi_addr_t source = FI_ADDR_UNSPEC; ///< in a shared context, instead of `from`
    // Special::Multi:
    std::uint64_t used = 0;      ///< bytes of the buffer given to messages
    std::uint64_t least = 0;     ///< with fewer bytes left the buffer is released
    std::uint32_t children = 0;  ///< messages that are still arriving in the buffer
    ReceiveOp* parent = nullptr; ///< Special::Part: whose buffer it is
    // While the message is being pulled:
    Outgoing out;
    Peer* peer = nullptr;
    fi_frame frame{};
    std::uint64_t size = 0;     ///< bytes of the message offered
    std::uint64_t received = 0; ///< bytes placed
    fi_frame_pull pull{};
    bool pull_sent = false;
    LinkBase* filling = nullptr; ///< link whose current frame is being placed into this receive
};

/// A growing set of records, never above its limit. get() fails softly; nothing here throws after
/// construction.
template <class T>
class Pool {
  public:
    using Record = T;

    /// `owner` and `recycle` are those of every record (CompletionRecord). Throws std::bad_alloc.
    Pool(std::size_t limit, void* owner, void (*recycle)(CompletionRecord*) noexcept)
        : limit_(limit), owner_(owner), recycle_(recycle)
    {
        chunks_.reserve((limit + kChunk - 1) / kChunk);
    }

    /// Whether get() need not grow.
    [[nodiscard]] bool has_free() const noexcept { return free_; }
    [[nodiscard, gnu::always_inline]] T* get() noexcept
    {
        if (!free_ && !grow())
            return nullptr;
        T* record = free_;
        free_ = static_cast<T*>(record->next_done);
        record->next_done = nullptr;
        record->active = true;
        return record;
    }
    void put(T* record) noexcept
    {
        record->generation++;
        record->next_done = free_;
        free_ = record;
    }
    [[nodiscard]] static std::uint64_t handle(const T* record) noexcept
    {
        return std::uint64_t{record->generation} << 32 | record->index;
    }
    /// The record with that handle, or nullptr. The handle may be anything.
    [[nodiscard]] T* at(std::uint64_t handle) noexcept
    {
        const std::size_t index = handle & UINT32_MAX;
        if (index >= chunks_.size() * kChunk)
            return nullptr;
        T* record = &chunks_[index / kChunk][index % kChunk];
        return record->active && record->generation == handle >> 32 ? record : nullptr;
    }
    template <class F>
    void for_each_active(F&& f)
    {
        for (auto& chunk : chunks_)
            for (std::size_t i = 0; i < kChunk; i++)
                if (chunk[i].active)
                    f(chunk[i]);
    }

    /// Records that have been got and not yet put back.
    [[nodiscard]] std::size_t in_use() const noexcept
    {
        std::size_t free_records = 0;
        for (const CompletionRecord* record = free_; record; record = record->next_done)
            free_records++;
        return chunks_.size() * kChunk - free_records;
    }

  private:
    static constexpr std::size_t kChunk = 64;

    bool grow() noexcept
    {
        if ((chunks_.size() + 1) * kChunk > std::max(limit_, kChunk))
            return false;
        auto chunk = std::unique_ptr<T[]>(new (std::nothrow) T[kChunk]);
        if (!chunk)
            return false;
        const auto base = static_cast<std::uint32_t>(chunks_.size() * kChunk);
        for (std::size_t i = kChunk; i-- > 0;) {
            chunk[i].index = base + static_cast<std::uint32_t>(i);
            chunk[i].owner = owner_;
            chunk[i].recycle = recycle_;
            chunk[i].next_done = free_;
            free_ = &chunk[i];
        }
        chunks_.push_back(std::move(chunk)); // reserved in the constructor
        return true;
    }

    std::size_t limit_;
    void* owner_;
    void (*recycle_)(CompletionRecord*) noexcept;
    T* free_ = nullptr;
    std::vector<std::unique_ptr<T[]>> chunks_;
};

/// Sum of the segments' lengths in bytes.
inline std::uint64_t total(const iovec* iov, std::size_t count) noexcept
{
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < count; i++)
        sum += iov[i].iov_len;
    return sum;
}

/// The part [offset, offset + length) of a segment list, written to `out`, which has room for kIovLimit;
/// returns its count.
inline std::uint32_t slice(const iovec* iov, std::size_t count, std::uint64_t offset, std::uint64_t length,
                           iovec* out) noexcept
{
    std::uint32_t used = 0;
    for (std::size_t i = 0; i < count && length; i++) {
        if (offset >= iov[i].iov_len) {
            offset -= iov[i].iov_len;
            continue;
        }
        const std::size_t take = std::min<std::uint64_t>(iov[i].iov_len - offset, length);
        out[used++] = {static_cast<char*>(iov[i].iov_base) + offset, take};
        length -= take;
        offset = 0;
    }
    return used;
}

} // namespace fi::kit
