// SPDX-License-Identifier: BSD-2-Clause
//
// The layout that code compiled into applications relies on. When a line here has to change, so does
// FI_HOT_LAYOUT: programs built before then call through the tables instead of reading the wrong bytes.
#include <cstddef>
#include <cstring>
#include <gtest/gtest.h>
#include <rdma/direct/layout.h>
#include <rdma/hot/endpoint.h>
#include <string>
#include <type_traits>
#include <vector>

namespace {

static_assert(FI_HOT_LAYOUT == 3, "then describe the new layout below");
static_assert(sizeof(void*) == 8, "the figures below are those of 64-bit machines");

#define AT(type, member, offset, size)                                                                       \
    static_assert(offsetof(type, member) == (offset) && sizeof(type::member) == (size), #type "::" #member)

AT(fi_hot_completion, op_context, 0, 8);
AT(fi_hot_completion, flags, 8, 8);
AT(fi_hot_completion, len, 16, 8);
AT(fi_hot_completion, buf, 24, 8);
AT(fi_hot_completion, data, 32, 8);
AT(fi_hot_completion, tag, 40, 8);
AT(fi_hot_completion, source, 48, 8);
AT(fi_hot_completion, err, 56, 4);
AT(fi_hot_completion, prov_errno, 60, 4);
static_assert(sizeof(fi_hot_completion) == 64, "one cache line");

AT(fi_hot_completion_ring, head, 0, 8);
AT(fi_hot_completion_ring, tail, 8, 8);
AT(fi_hot_completion_ring, mask, 16, 8);
AT(fi_hot_completion_ring, slots, 24, 8);
static_assert(sizeof(fi_hot_completion_ring) == 32);

AT(fi_hot_cq, fid, 0, sizeof(fid_cq));
AT(fi_hot_cq, ring, 32, 32);
AT(fi_hot_cq, entry_size, 64, 4);
AT(fi_hot_cq, schedule, 72, 96);
AT(fi_hot_schedule, look_at, 0, 8);
AT(fi_hot_schedule, nearest, 8, 16);
AT(fi_hot_schedule, watches, 24, 8);
AT(fi_hot_schedule, watch, 32, 4 * 16);
AT(fi_hot_watch, word, 0, 8);
AT(fi_hot_watch, quiet, 8, 8);
static_assert(sizeof(fid_cq) == 32 && sizeof(fi_hot_cq) == 168 && FI_HOT_WATCHES == 4);

AT(fi_hot_channel, tail, 0, 8);
AT(fi_hot_channel, limit, 8, 8);
AT(fi_hot_channel, parked, 16, 8);
AT(fi_hot_channel, ring_bell, 24, 8);
AT(fi_hot_channel, lap, 32, 2);
static_assert(sizeof(fi_hot_channel) == 40 && FI_HOT_SLOT == 64 && FI_HOT_SLOT_PAYLOAD == 32);
static_assert(sizeof(fi_frame) + FI_HOT_SLOT_PAYLOAD == FI_HOT_SLOT);

AT(fi_hot_ep, fid, 0, sizeof(fid_ep));
AT(fi_hot_ep, segments, sizeof(fid_ep), 8);
AT(fi_hot_ep, inject_size, sizeof(fid_ep) + 8, 8);
static_assert(sizeof(fid_ep) == 80 && sizeof(fi_hot_ep) == 96);
static_assert(FI_HOT_SEGMENT_BITS == 10 && FI_HOT_SEGMENT == 1024 && FI_HOT_MAX_PEERS == 1024 * 1024);

AT(fi_frame, kind, 0, 1);
AT(fi_frame, flags, 1, 1);
AT(fi_frame, reserved, 2, 2);
AT(fi_frame, length, 4, 4);
AT(fi_frame, tag, 8, 8);
AT(fi_frame, data, 16, 8);
AT(fi_frame, transfer, 24, 8);
static_assert(sizeof(fi_frame) == 32 && alignof(fi_frame) == 8);
static_assert(FI_FRAME_EAGER == 1 && FI_FRAME_OFFER == 2 && FI_FRAME_PULL == 3 && FI_FRAME_DATA == 4 &&
              FI_FRAME_DONE == 5);
static_assert(FI_FRAME_TAGGED == 1 && FI_FRAME_DATA64 == 2);

AT(fi_frame_pull, receiver, 0, 8);
AT(fi_frame_pull, length, 8, 8);
static_assert(sizeof(fi_frame_pull) == 16);

AT(fi_direct_layout, size, 0, 8);
AT(fi_direct_layout, version, 8, 4);
AT(fi_direct_layout, table, 16, 8);
static_assert(sizeof(fi_direct_layout) == 24);

static_assert(std::is_standard_layout_v<fi_hot_cq> && std::is_standard_layout_v<fi_hot_ep>);

// The entries of every format are prefixes of a completion, which is what fi_hot_convert() lives on.
AT(fi_cq_tagged_entry, op_context, 0, 8);
AT(fi_cq_tagged_entry, flags, 8, 8);
AT(fi_cq_tagged_entry, len, 16, 8);
AT(fi_cq_tagged_entry, buf, 24, 8);
AT(fi_cq_tagged_entry, data, 32, 8);
AT(fi_cq_tagged_entry, tag, 40, 8);
static_assert(sizeof(fi_cq_entry) == 8 && sizeof(fi_cq_msg_entry) == 24 && sizeof(fi_cq_data_entry) == 40 &&
              sizeof(fi_cq_tagged_entry) == 48);

/// A completion queue as inlined code sees it, with nobody behind it.
struct Queue : testing::Test {
    Queue()
    {
        cq.ring.slots = slots;
        cq.ring.mask = 3;
        cq.entry_size = sizeof(fi_cq_tagged_entry);
        cq.schedule.look_at = fi_hot_clock() + (std::uint64_t{1} << 60);
        fi_hot_watch_words(&cq.schedule, 0);
    }
    static constexpr ssize_t kLeft = 12345; ///< it is left to the slow function
    ssize_t read(std::size_t count)
    {
        ssize_t ret = -1;
        return fi_hot_cq_read(&cq, entries, count, &ret) ? ret : kLeft;
    }
    void push(std::uint64_t tag, int err = 0)
    {
        fi_hot_completion& slot = slots[cq.ring.tail++ & cq.ring.mask];
        slot = {};
        slot.tag = tag;
        slot.err = err;
    }
    fi_hot_completion slots[4] = {};
    fi_hot_cq cq{};
    fi_cq_tagged_entry entries[8];
};

TEST_F(Queue, ThatIsEmptySaysSoUntilALookIsDue)
{
    for (int i = 0; i < 10; i++)
        EXPECT_EQ(-FI_EAGAIN, read(8));
    cq.schedule.look_at = 0;
    EXPECT_EQ(kLeft, read(8));
}

TEST_F(Queue, ThatIsDueForALookLeavesItToTheSlowFunctionAlsoWithEntries)
{
    push(1);
    cq.schedule.look_at = fi_hot_clock();
    EXPECT_EQ(kLeft, read(8));
    EXPECT_EQ(0u, cq.ring.head);
}

TEST_F(Queue, GivesSuccessesAroundTheRingsEnd)
{
    for (std::uint64_t round = 0; round < 5; round++) {
        push(2 * round);
        push(2 * round + 1);
        push(99);
        ASSERT_EQ(2, read(2));
        EXPECT_EQ(2 * round, entries[0].tag);
        EXPECT_EQ(2 * round + 1, entries[1].tag);
        ASSERT_EQ(1, read(8));
        EXPECT_EQ(99u, entries[0].tag);
    }
}

TEST_F(Queue, StopsBeforeAnErrorAndLeavesItToTheSlowFunction)
{
    push(1);
    push(2, FI_EIO);
    push(3);
    EXPECT_EQ(1, read(8));
    EXPECT_EQ(kLeft, read(8));
    EXPECT_EQ(1u, cq.ring.head);
}

TEST_F(Queue, ThatIsEmptyLeavesItToTheSlowFunctionWhenAWatchedWordHasChanged)
{
    for (const std::uint64_t count : {1, 2, 4}) {
        std::uint64_t words[4] = {7, 8, 9, 10};
        for (std::uint64_t i = 0; i < count; i++)
            cq.schedule.watch[i] = {&words[i], words[i]};
        fi_hot_watch_words(&cq.schedule, count);
        EXPECT_EQ(-FI_EAGAIN, read(8));
        for (std::uint64_t i = 0; i < count; i++) {
            words[i]++;
            EXPECT_EQ(kLeft, read(8)) << i << " of " << count;
            words[i]--;
        }
        EXPECT_EQ(-FI_EAGAIN, read(8));
    }
    fi_hot_watch_words(&cq.schedule, 0);
    EXPECT_EQ(-FI_EAGAIN, read(8));
}

/// An endpoint with one open peer, 1025, in its second segment; everybody else leads to a channel without
/// room.
struct Inject : testing::Test {
    Inject()
        : nobody(FI_HOT_SEGMENT, &closed), second(FI_HOT_SEGMENT, &closed),
          segments(FI_HOT_SEGMENT, nobody.data())
    {
        segments[1] = second.data();
        second[1] = &open;
        open.tail = buffer;
        open.limit = buffer + sizeof buffer;
        ep.segments = segments.data();
        ep.inject_size = 64;
    }
    fi_hot_channel closed{};
    fi_hot_channel open{};
    std::vector<fi_hot_channel*> nobody;
    std::vector<fi_hot_channel*> second;
    std::vector<fi_hot_channel**> segments;
    fi_hot_ep ep{};
    unsigned char buffer[128] = {};
};

TEST_F(Inject, AppendsHeaderAndBytes)
{
    ASSERT_EQ(1, fi_hot_tinject(&ep, "eight by", 8, 1025, 0x1234));
    EXPECT_EQ(buffer + 40, open.tail);
    fi_frame frame;
    std::memcpy(&frame, buffer, sizeof frame);
    EXPECT_EQ(FI_FRAME_EAGER, frame.kind);
    EXPECT_EQ(FI_FRAME_TAGGED, frame.flags);
    EXPECT_EQ(0, frame.reserved);
    EXPECT_EQ(8u, frame.length);
    EXPECT_EQ(0x1234u, frame.tag);
    EXPECT_EQ(0u, frame.data);
    EXPECT_EQ(0u, frame.transfer);
    EXPECT_EQ(0, std::memcmp(buffer + 32, "eight by", 8));
}

TEST_F(Inject, UsesTheRoomToTheLastByteAndNoMore)
{
    const std::string bytes(64, 'x');
    ASSERT_EQ(1, fi_hot_tinject(&ep, bytes.data(), 64, 1025, 0)); // 96 of 128
    EXPECT_EQ(0, fi_hot_tinject(&ep, bytes.data(), 1, 1025, 0));
    EXPECT_EQ(buffer + 96, open.tail);
    EXPECT_EQ(1, fi_hot_tinject(&ep, nullptr, 0, 1025, 0));
    EXPECT_EQ(open.limit, open.tail);
    EXPECT_EQ(0, fi_hot_tinject(&ep, nullptr, 0, 1025, 0));
}

/// The same, but the open peer's channel is a ring of two slots.
struct InjectIntoARing : Inject {
    InjectIntoARing()
    {
        open.tail = slots;
        open.limit = slots + sizeof slots;
        open.parked = &parked;
        open.ring_bell = [](fi_hot_channel*) { bells++; };
        open.lap = 3;
        bells = 0;
    }
    alignas(FI_HOT_SLOT) unsigned char slots[2 * FI_HOT_SLOT] = {};
    std::uint32_t parked = 0;
    static inline int bells;
};

TEST_F(InjectIntoARing, FillsOneSlotAndStampsItWithTheLap)
{
    for (std::size_t len = 0; len <= FI_HOT_SLOT_PAYLOAD; len++) {
        const std::string bytes = std::string("abcdefghijklmnopqrstuvwxyz012345").substr(0, len);
        open.tail = slots;
        ASSERT_EQ(1, fi_hot_tinject(&ep, bytes.data(), len, 1025, 0x1234));
        EXPECT_EQ(slots + FI_HOT_SLOT, open.tail);
        fi_frame frame;
        std::memcpy(&frame, slots, sizeof frame);
        EXPECT_EQ(FI_FRAME_EAGER, frame.kind);
        EXPECT_EQ(FI_FRAME_TAGGED, frame.flags);
        EXPECT_EQ(3, frame.reserved);
        EXPECT_EQ(len, frame.length);
        EXPECT_EQ(0x1234u, frame.tag);
        EXPECT_EQ(bytes, std::string(reinterpret_cast<char*>(slots) + 32, len));
    }
    EXPECT_EQ(0, bells);
}

TEST_F(InjectIntoARing, LeavesAFullRingAndALongerMessageToTheSlowFunction)
{
    const std::string bytes(FI_HOT_SLOT_PAYLOAD + 1, 'x');
    EXPECT_EQ(0, fi_hot_tinject(&ep, bytes.data(), bytes.size(), 1025, 0));
    EXPECT_EQ(1, fi_hot_tinject(&ep, "1", 1, 1025, 0));
    EXPECT_EQ(1, fi_hot_tinject(&ep, "2", 1, 1025, 0));
    EXPECT_EQ(0, fi_hot_tinject(&ep, "3", 1, 1025, 0));
    EXPECT_EQ('2', slots[FI_HOT_SLOT + 32]);
}

TEST_F(InjectIntoARing, RingsTheBellOfAReaderThatHasParkedIt)
{
    parked = 1;
    ASSERT_EQ(1, fi_hot_tinject(&ep, "1", 1, 1025, 0));
    EXPECT_EQ(1, bells);
}

TEST_F(Inject, LeavesEverythingElseToTheSlowFunction)
{
    EXPECT_EQ(0, fi_hot_tinject(&ep, "x", 1, 0, 0)) << "not connected";
    EXPECT_EQ(0, fi_hot_tinject(&ep, "x", 1, 1024, 0));
    EXPECT_EQ(0, fi_hot_tinject(&ep, "x", 1, FI_HOT_MAX_PEERS, 0)) << "no such address";
    EXPECT_EQ(0, fi_hot_tinject(&ep, "x", 1, FI_ADDR_UNSPEC, 0));
    EXPECT_EQ(0, fi_hot_tinject(&ep, std::string(65, 'x').data(), 65, 1025, 0)) << "too long";
    EXPECT_EQ(0, fi_hot_tinject(&ep, nullptr, SIZE_MAX, 1025, 0));
    EXPECT_EQ(buffer, open.tail);
}

} // namespace
