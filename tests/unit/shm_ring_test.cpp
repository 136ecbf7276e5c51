// SPDX-License-Identifier: BSD-2-Clause
//
// The ring of kit/devices/shm, both ends on one mapping: what is put comes out, in order and whole, however
// the two take turns; and what a peer may write into the memory does no harm.
#include "kit/devices/shm/ring.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <string>
#include <thread>

namespace fi::kit::shm {
namespace {

/// Both ends, and a channel that counts its bells.
struct Ring : testing::TestWithParam<bool> {
    Ring()
    {
        channel.ring_bell = [](fi_hot_channel* self) { static_cast<CountingChannel*>(self)->bells++; };
        reader.attach(*memory, GetParam());
        writer.attach(channel, *memory, GetParam());
    }
    struct CountingChannel : fi_hot_channel {
        std::atomic<int> bells{0};
    };

    /// Tagged with its number, filled with bytes that follow from it.
    int put(std::uint64_t number, std::size_t size)
    {
        const std::string bytes = content(number, size);
        const iovec two[2] = {{const_cast<char*>(bytes.data()), size / 3},
                              {const_cast<char*>(bytes.data()) + size / 3, size - size / 3}};
        return writer.put(header(number, size), two, size ? 2 : 0);
    }
    /// Expects that message; false: there is none.
    bool take(std::uint64_t number, std::size_t size)
    {
        if (!reader.ready())
            return false;
        fi_frame frame;
        const unsigned char* payload = nullptr;
        EXPECT_TRUE(reader.front(frame, payload));
        EXPECT_EQ(number, frame.tag);
        EXPECT_EQ(size, frame.length);
        EXPECT_EQ(0, frame.reserved);
        EXPECT_EQ(content(number, size), std::string(reinterpret_cast<const char*>(payload), frame.length));
        reader.pop(frame.length);
        return true;
    }
    static fi_frame header(std::uint64_t number, std::size_t size)
    {
        fi_frame frame{};
        frame.kind = FI_FRAME_EAGER;
        frame.length = static_cast<std::uint32_t>(size);
        frame.tag = number;
        return frame;
    }
    static std::string content(std::uint64_t number, std::size_t size)
    {
        std::string bytes(size, '\0');
        for (std::size_t i = 0; i < size; i++)
            bytes[i] = static_cast<char>(number * 31 + i * 7);
        return bytes;
    }

    std::unique_ptr<RingMemory> memory = std::make_unique<RingMemory>();
    CountingChannel channel{};
    Reader reader;
    Writer writer;
};

TEST_P(Ring, GivesEverySizeInOrderThroughManyLaps)
{
    std::mt19937 random(7);
    std::uint64_t put_next = 0, take_next = 0;
    std::vector<std::size_t> sizes;
    while (take_next < 5'000) {
        for (std::size_t burst = random() % 200; burst; burst--) {
            const std::size_t size = random() % 4 ? random() % 40 : random() % (kMaxPayload + 1);
            if (put(put_next, size) != 1) {
                ASSERT_TRUE(writer.blocked());
                break;
            }
            sizes.push_back(size);
            put_next++;
        }
        for (std::size_t burst = random() % 200; burst && take_next < put_next; burst--, take_next++)
            ASSERT_TRUE(take(take_next, sizes[take_next]));
        if (take_next == put_next) {
            EXPECT_FALSE(reader.ready());
        }
        ASSERT_TRUE(writer.reopen());
        writer.show_room();
    }
}

TEST_P(Ring, StaysClosedToTheHotPathFromTheFirstRefusalUntilItIsReopened)
{
    std::uint64_t count = 0;
    while (put(count, kMaxPayload) == 1)
        count++;
    EXPECT_EQ(kBulk / kMaxPayload, count);
    EXPECT_EQ(channel.tail, channel.limit) << "slots are left, but what was refused comes first";
    for (std::uint64_t i = 0; i < count; i++)
        ASSERT_TRUE(take(i, kMaxPayload));
    EXPECT_EQ(channel.tail, channel.limit);
    ASSERT_TRUE(writer.has_news());
    ASSERT_TRUE(writer.reopen());
    EXPECT_EQ(1, put(count, kMaxPayload));
    EXPECT_EQ(GetParam(), channel.tail == channel.limit) << "with fences only the slow function is right";
}

TEST_P(Ring, TakesTheLargestPayloadWheneverTheReaderHasTakenAll)
{
    for (std::uint64_t i = 0; i < 1000; i++) {
        const std::size_t size = i % 2 ? kMaxPayload : 33 + i * 61 % 16'000;
        ASSERT_EQ(1, put(i, size)) << i;
        ASSERT_TRUE(take(i, size));
    }
}

TEST_P(Ring, RingsTheBellWhenParkedAndOnlyThen)
{
    ASSERT_EQ(1, put(0, 8));
    EXPECT_EQ(0, channel.bells);
    ASSERT_TRUE(take(0, 8));
    reader.park();
    ASSERT_FALSE(reader.ready());
    ASSERT_EQ(1, put(1, 8));
    EXPECT_EQ(1, channel.bells);
    reader.unpark();
    ASSERT_TRUE(take(1, 8));
    ASSERT_EQ(1, put(2, 8));
    EXPECT_EQ(1, channel.bells);
}

TEST_P(Ring, TellsAWaitingWriterWhenThereIsRoom)
{
    std::uint64_t count = 0;
    while (put(count, 8) == 1)
        count++;
    EXPECT_EQ(kSlots, count);
    writer.wait();
    ASSERT_FALSE(writer.has_news());
    for (std::uint64_t i = 0; i < count; i++)
        ASSERT_TRUE(take(i, 8));
    EXPECT_TRUE(reader.take_wanted());
    EXPECT_TRUE(writer.has_news());
    writer.stop_waiting();
}

TEST_P(Ring, RefusesALengthThatNoFrameHas)
{
    ASSERT_EQ(1, put(0, 8));
    std::uint64_t word;
    std::memcpy(&word, memory->slots, sizeof word);
    word = (word & 0xffffffff) | std::uint64_t{kMaxPayload + 1} << 32;
    std::memcpy(memory->slots, &word, sizeof word);
    ASSERT_TRUE(reader.ready());
    fi_frame frame;
    const unsigned char* payload = nullptr;
    EXPECT_FALSE(reader.front(frame, payload));
}

TEST_P(Ring, RefusesCountersThatRunAheadOrBack)
{
    for (std::uint64_t i = 0; i < 40; i++) {
        ASSERT_EQ(1, put(i, 100));
        ASSERT_TRUE(take(i, 100));
    }
    reader.publish();
    ASSERT_TRUE(writer.reopen());
    for (const std::uint64_t wrong : {std::uint64_t{41}, std::uint64_t{39}, ~std::uint64_t{0}}) {
        memory->slots_taken = wrong;
        EXPECT_FALSE(writer.reopen()) << wrong;
    }
    memory->slots_taken = 40;
    ASSERT_TRUE(writer.reopen());
    memory->bulk_taken += 1;
    EXPECT_FALSE(writer.reopen());
}

TEST_P(Ring, KeepsItsOrderBetweenTwoThreadsThatParkAndBlock)
{
    constexpr std::uint64_t kCount = 10'000;
    const auto size_of = [](std::uint64_t i) { return i % 16 ? i % 41 : i * 613 % kMaxPayload; };
    std::thread reading([&] {
        std::uint64_t taken = 0;
        while (taken < kCount) {
            if (take(taken, size_of(taken))) {
                taken++;
                continue;
            }
            if (taken % 64 == 0) {
                // It goes on looking, so that missing a bell for want of a barrier does no harm here.
                const int bells = channel.bells;
                reader.park();
                std::atomic_thread_fence(std::memory_order_seq_cst);
                while (!reader.ready() && channel.bells == bells)
                    std::this_thread::yield();
                reader.unpark();
            }
        }
    });
    for (std::uint64_t i = 0; i < kCount;) {
        if (put(i, size_of(i)) == 1) {
            i++;
            continue;
        }
        while (!writer.has_news())
            std::this_thread::yield();
        ASSERT_TRUE(writer.reopen());
        writer.show_room();
    }
    reading.join();
}

INSTANTIATE_TEST_SUITE_P(Ordered, Ring, testing::Bool(),
                         [](const auto& way) { return way.param ? "ByFences" : "ByBarriers"; });

} // namespace
} // namespace fi::kit::shm
