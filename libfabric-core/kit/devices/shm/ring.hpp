// SPDX-License-Identifier: BSD-2-Clause
//
// A ring of frames in memory that two processes share: one writes, one reads, in one direction.
//
// What is hard is that each side may be killed between any two stores, or may be hostile, and that neither
// may spend a fence per message. So:
//   - a slot is one cache line, stamped with the lap in its first word, which is stored last: a slot is there
//     whole or not at all, and the reader needs no counter of the writer's;
//   - a payload of more than 32 bytes lies in the bulk area, where both sides work out its place from the
//     lengths alone;
//   - the reader says how far it has come in batches, on a cache line of its own;
//   - who has stopped looking says so in a word (the reader: parked; the writer: waits) before it looks once
//     more; the other side looks at that word after every store. Between the two, every core passes a barrier
//     (barrier.hpp), or both sides have a fence.
// A reader trusts nothing in this memory but what it wrote itself and keeps its own copy of; a writer checks
// the reader's counters. Either can break its own ring only.
//
// Lost alternatives: a counter of the writer's (a second cache line per message), stamps in payload lines
// (copies in pieces of 56 bytes), clearing slots after reading (the reader would take every line back).
#pragma once

#include "kit/engine/device.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

namespace fi::kit::shm {

constexpr std::size_t kSlots = 128;
constexpr std::size_t kBulk = 64 * 1024;       ///< bytes
constexpr std::size_t kMaxPayload = 16 * 1024; ///< bytes of one frame: at most a quarter of kBulk
constexpr std::size_t kBulkAlign = 64;

/// The memory of one ring. Zeroes are a ring in which nothing has happened.
struct RingMemory {
    // Written by the reader, read by the writer when it is short of room.
    alignas(64) std::uint64_t slots_taken;
    std::uint64_t bulk_taken;
    // Written by the reader seldom, read by the writer with each message: a line of its own. 0: it looks;
    // else another number each time that it has stopped.
    alignas(64) std::uint32_t parked;
    // Written by the writer: not 0 when it sleeps until there is room.
    alignas(64) std::uint32_t waits;
    alignas(4096) unsigned char slots[kSlots * FI_HOT_SLOT];
    unsigned char bulk[kBulk];
};
static_assert(sizeof(RingMemory) == 4096 + kSlots * FI_HOT_SLOT + kBulk);
static_assert(kMaxPayload * 4 <= kBulk,
              "with a quarter not yet given back and a skip at the end, one still fits");

/// Where the bulk area's next `size` bytes lie if they begin at `position` or behind it: in one piece.
constexpr std::uint64_t bulk_place(std::uint64_t position, std::size_t size) noexcept
{
    const std::uint64_t left = kBulk - position % kBulk;
    return left < size ? position + left : position;
}
constexpr std::uint64_t bulk_end(std::uint64_t place, std::size_t size) noexcept
{
    return place + (size + kBulkAlign - 1) / kBulkAlign * kBulkAlign;
}

/// The writing end. Its channel is what the hot path puts short messages into.
class Writer {
  public:
    /// The memory stays the caller's and outlives this. channel.ring_bell is set by the caller.
    void attach(fi_hot_channel& channel, RingMemory& memory, bool fenced) noexcept
    {
        channel_ = &channel;
        memory_ = &memory;
        fenced_ = fenced;
        channel.tail = channel.limit = memory.slots;
        channel.parked = &memory.parked;
        channel.lap = 1;
        show_room();
    }

    /// 1: it is in the ring, and the bell has been rung if need be. 0: no room, and the channel stays without
    /// room until reopen(). -1: the reader has written nonsense.
    int put(const fi_frame& frame, const iovec* payload, std::uint32_t segments) noexcept
    {
        const std::size_t size = frame.length;
        const std::uint64_t place = bulk_place(bulk_, size);
        const auto fits = [&] {
            return next() - taken_ < kSlots &&
                   (size <= FI_HOT_SLOT_PAYLOAD || bulk_end(place, size) - bulk_taken_ <= kBulk);
        };
        if (!fits() && !refresh())
            return -1;
        if (!fits()) {
            blocked_ = true;
            channel_->limit = channel_->tail;
            return 0;
        }
        if (channel_->tail == memory_->slots + sizeof memory_->slots) {
            channel_->tail = memory_->slots;
            channel_->lap++;
            base_ += kSlots;
        }
        unsigned char* slot = channel_->tail;
        if (size <= FI_HOT_SLOT_PAYLOAD) {
            if (segments == 1) {
                fi_hot_fill_slot(slot, &frame, payload[0].iov_base, size, channel_->lap);
            } else {
                unsigned char joined[FI_HOT_SLOT_PAYLOAD] = {};
                gather(payload, segments, joined);
                fi_hot_fill_slot(slot, &frame, joined, size, channel_->lap);
            }
        } else {
            gather(payload, segments, memory_->bulk + place % kBulk);
            bulk_ = bulk_end(place, size);
            fi_hot_fill_slot(slot, &frame, nullptr, 0, channel_->lap);
        }
        channel_->tail += FI_HOT_SLOT;
        show_room();
        between_store_and_load();
        if (__atomic_load_n(&memory_->parked, __ATOMIC_RELAXED))
            channel_->ring_bell(channel_);
        return 1;
    }

    [[nodiscard]] bool blocked() const noexcept { return blocked_; }
    /// A blocked writer tries again. False: the reader has written nonsense.
    bool reopen() noexcept
    {
        if (!refresh())
            return false;
        blocked_ = false;
        return true;
    }
    /// To be called when everything that waited has been put (or put() has answered 0 again).
    void show_room() noexcept
    {
        if (blocked_ || fenced_) {
            channel_->limit = channel_->tail;
            return;
        }
        const std::uint64_t room = kSlots - (next() - taken_);
        const auto ahead =
            static_cast<std::uint64_t>(memory_->slots + sizeof memory_->slots - channel_->tail);
        channel_->limit = channel_->tail + std::min<std::uint64_t>(room * FI_HOT_SLOT, ahead);
    }
    /// Nothing more may be put.
    void close() noexcept
    {
        blocked_ = true;
        channel_->limit = channel_->tail;
    }

    /// Changes whenever the reader has made room.
    [[nodiscard]] fi_hot_watch room_watch() const noexcept { return {&memory_->slots_taken, taken_}; }
    /// Before sleeping: has the reader ring our bell when it makes room. After the barrier, ask has_room().
    void wait() noexcept { __atomic_store_n(&memory_->waits, 1u, __ATOMIC_RELAXED); }
    void stop_waiting() noexcept { __atomic_store_n(&memory_->waits, 0u, __ATOMIC_RELAXED); }
    [[nodiscard]] bool has_news() const noexcept
    {
        return __atomic_load_n(&memory_->slots_taken, __ATOMIC_RELAXED) != taken_;
    }
    /// Whether the reader has taken everything.
    [[nodiscard]] bool drained() noexcept { return refresh() && taken_ == next(); }

  private:
    [[nodiscard]] std::uint64_t next() const noexcept
    {
        return base_ + static_cast<std::uint64_t>(channel_->tail - memory_->slots) / FI_HOT_SLOT;
    }
    void between_store_and_load() const noexcept
    {
        if (fenced_)
            std::atomic_thread_fence(std::memory_order_seq_cst);
        else
            std::atomic_signal_fence(std::memory_order_seq_cst);
    }
    bool refresh() noexcept
    {
        // Pairs with the release in Reader::publish(): what the reader took, it has copied.
        const std::uint64_t taken = __atomic_load_n(&memory_->slots_taken, __ATOMIC_ACQUIRE);
        const std::uint64_t bulk_taken = __atomic_load_n(&memory_->bulk_taken, __ATOMIC_RELAXED);
        if (taken - taken_ > next() - taken_ || bulk_taken - bulk_taken_ > bulk_ - bulk_taken_)
            return false;
        taken_ = taken;
        bulk_taken_ = bulk_taken;
        return true;
    }
    static void gather(const iovec* payload, std::uint32_t segments, unsigned char* to) noexcept
    {
        for (std::uint32_t i = 0; i < segments; i++) {
            if (payload[i].iov_len)
                std::memcpy(to, payload[i].iov_base, payload[i].iov_len);
            to += payload[i].iov_len;
        }
    }

    fi_hot_channel* channel_ = nullptr;
    RingMemory* memory_ = nullptr;
    std::uint64_t base_ = 0;       ///< slots of the laps before this one
    std::uint64_t bulk_ = 0;       ///< bytes of the bulk area used so far, skips included
    std::uint64_t taken_ = 0;      ///< slots that the reader has said it took
    std::uint64_t bulk_taken_ = 0; ///< likewise
    bool fenced_ = false;
    bool blocked_ = false; ///< put() has answered 0
};

/// The reading end.
class Reader {
  public:
    void attach(RingMemory& memory, bool fenced) noexcept
    {
        memory_ = &memory;
        slot_ = memory.slots;
        fenced_ = fenced;
    }

    [[nodiscard]] bool ready() noexcept
    {
        seen_ = __atomic_load_n(word(), __ATOMIC_ACQUIRE); // pairs with fi_hot_fill_slot()
        return static_cast<std::uint16_t>(seen_ >> 16) == lap_;
    }
    /// Changes when the next frame is there.
    [[nodiscard]] fi_hot_watch watch() const noexcept { return {word(), seen_}; }

    /// After ready(): the frame, read once, and where its payload lies. False: it breaks the rules.
    bool front(fi_frame& frame, const unsigned char*& payload) const noexcept
    {
        const std::uint64_t* const words = word(); // one by one: they stay in registers where they can
        frame.kind = static_cast<std::uint8_t>(seen_);
        frame.flags = static_cast<std::uint8_t>(seen_ >> 8);
        frame.reserved = 0;
        frame.length = static_cast<std::uint32_t>(seen_ >> 32);
        frame.tag = words[1];
        frame.data = words[2];
        frame.transfer = words[3];
        payload = slot_ + sizeof frame;
        if (frame.length > FI_HOT_SLOT_PAYLOAD)
            payload = memory_->bulk + bulk_place(bulk_, frame.length) % kBulk;
        return frame.length <= kMaxPayload;
    }
    /// After front(), which gave that length: the payload has been copied.
    void pop(std::size_t length) noexcept
    {
        slot_ += FI_HOT_SLOT;
        if (length > FI_HOT_SLOT_PAYLOAD)
            bulk_ = bulk_end(bulk_place(bulk_, length), length);
        if (reinterpret_cast<std::uintptr_t>(slot_) % kBatch == 0)
            end_batch();
        else if (length > FI_HOT_SLOT_PAYLOAD && bulk_ - bulk_published_ >= kBulk / 4)
            publish();
    }
    /// Gives back what was taken. True: the writer sleeps and wants to hear the bell.
    bool publish() noexcept
    {
        __atomic_store_n(&memory_->bulk_taken, bulk_, __ATOMIC_RELAXED);
        __atomic_store_n(&memory_->slots_taken, taken(), __ATOMIC_RELEASE);
        published_ = taken();
        bulk_published_ = bulk_;
        between_store_and_load();
        wanted_ = wanted_ || __atomic_load_n(&memory_->waits, __ATOMIC_RELAXED);
        return wanted_;
    }
    /// Whether a bell is due since the last call.
    bool take_wanted() noexcept { return std::exchange(wanted_, false); }
    [[nodiscard]] bool unpublished() const noexcept { return taken() != published_; }

    /// Says that nobody looks any more. After the barrier, ask ready() once more.
    void park() noexcept
    {
        if (++parkings_ == 0)
            parkings_ = 1;
        __atomic_store_n(&memory_->parked, parkings_, __ATOMIC_RELAXED);
    }
    void unpark() noexcept { __atomic_store_n(&memory_->parked, 0u, __ATOMIC_RELAXED); }

  private:
    static constexpr std::size_t kBatch = kSlots / 4 * FI_HOT_SLOT; ///< bytes of slots given back together
    static_assert(offsetof(RingMemory, slots) % kBatch == 0 && alignof(RingMemory) % kBatch == 0);

    [[nodiscard]] const std::uint64_t* word() const noexcept
    {
        return reinterpret_cast<const std::uint64_t*>(slot_);
    }
    [[nodiscard]] std::uint64_t taken() const noexcept
    {
        return base_ + static_cast<std::uint64_t>(slot_ - memory_->slots) / FI_HOT_SLOT;
    }
    void end_batch() noexcept
    {
        if (slot_ == memory_->slots + sizeof memory_->slots) {
            slot_ = memory_->slots;
            lap_++;
            base_ += kSlots;
        }
        publish();
    }
    void between_store_and_load() const noexcept
    {
        if (fenced_)
            std::atomic_thread_fence(std::memory_order_seq_cst);
        else
            std::atomic_signal_fence(std::memory_order_seq_cst);
    }

    RingMemory* memory_ = nullptr;
    const unsigned char* slot_ = nullptr; ///< the next one
    std::uint64_t base_ = 0;              ///< slots of the laps before this one
    std::uint64_t bulk_ = 0;              ///< bytes of the bulk area taken, skips included
    std::uint64_t published_ = 0;
    std::uint64_t bulk_published_ = 0;
    std::uint64_t seen_ = 0; ///< first word of the next slot when it was last looked at
    std::uint16_t lap_ = 1;
    std::uint32_t parkings_ = 0;
    bool fenced_ = false;
    bool wanted_ = false;
};

} // namespace fi::kit::shm
