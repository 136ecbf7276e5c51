// SPDX-License-Identifier: BSD-2-Clause
//
// Ring and doorbell of kit/devices/shm in every order in which their steps can happen (shm_model.hpp), and
// the real writer stopped behind every instruction.
#include "kit/devices/shm/ring.hpp"
#include "shm_model.hpp"

#include <csignal>
#include <gtest/gtest.h>
#include <new>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fi::kit::shm {
namespace {

using model::Findings;
using model::Model;
using model::Rules;

class EveryOrder : public testing::TestWithParam<std::uint8_t> {
  protected:
    static Findings explore(Rules rules)
    {
        rules.batch = GetParam();
        const Findings found = Model(rules).explore();
        EXPECT_GT(found.states, 10'000u);
        return found;
    }
    static bool finds(bool Findings::*what, Rules rules)
    {
        rules.batch = GetParam();
        return Model(rules).explore(what).*what;
    }
};
INSTANTIATE_TEST_SUITE_P(GivingBack, EveryOrder, testing::Values(std::uint8_t{1}, std::uint8_t{2}),
                         [](const auto& batch) { return std::to_string(batch.param) + "_at_once"; });

TEST_P(EveryOrder, WithTheBarrierWhoSleepsIsWoken)
{
    const Findings found = explore({.barrier = true});
    EXPECT_FALSE(found.lost_wake_up);
    EXPECT_FALSE(found.torn_frame);
}

TEST_P(EveryOrder, WithAFenceOnBothSidesWhoSleepsIsWoken)
{
    const Findings found = explore({.fences = true});
    EXPECT_FALSE(found.lost_wake_up);
    EXPECT_FALSE(found.torn_frame);
}

TEST_P(EveryOrder, WithNeitherAWakeUpIsLost)
{
    EXPECT_TRUE(finds(&Findings::lost_wake_up, {}));
}

TEST_P(EveryOrder, WithoutANewNumberForEachParkingAWakeUpIsLost)
{
    EXPECT_TRUE(finds(&Findings::lost_wake_up, {.barrier = true, .new_numbers = false}));
}

TEST_P(EveryOrder, AWriterKilledBetweenAnyTwoStoresLeavesWholeFramesAndAllOfThem)
{
    for (const bool fences : {false, true}) {
        const Findings found = explore({.barrier = !fences, .fences = fences, .writer_may_die = true});
        EXPECT_FALSE(found.torn_frame);
        EXPECT_FALSE(found.lost_frame);
        EXPECT_FALSE(found.lost_wake_up);
    }
}

TEST_P(EveryOrder, AStampThatIsStoredFirstLetsTheReaderTakeHalfAFrame)
{
    EXPECT_TRUE(finds(&Findings::torn_frame, {.barrier = true, .stamp_last = false}));
}

/// Memory that a child shares.
struct SharedRing {
    SharedRing()
    {
        void* shared =
            mmap(nullptr, sizeof(RingMemory), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (shared == MAP_FAILED)
            throw std::bad_alloc();
        memory = static_cast<RingMemory*>(shared);
    }
    ~SharedRing() { munmap(memory, sizeof *memory); }
    SharedRing(const SharedRing&) = delete;
    SharedRing& operator=(const SharedRing&) = delete;

    RingMemory* memory;
};

constexpr std::size_t kSizes[] = {0, 8, FI_HOT_SLOT_PAYLOAD, 33, 200};

/// The child: puts one frame of each size between two stops, and is single-stepped meanwhile.
[[noreturn]] void put_all(RingMemory& memory, bool fenced)
{
    fi_hot_channel channel{};
    channel.ring_bell = [](fi_hot_channel*) {};
    Writer writer;
    writer.attach(channel, memory, fenced);
    unsigned char bytes[200];
    ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    raise(SIGSTOP);
    for (const std::size_t size : kSizes) {
        fi_frame frame{};
        frame.kind = FI_FRAME_EAGER;
        frame.length = static_cast<std::uint32_t>(size);
        frame.tag = frame.data = frame.transfer = 0x0101010101010101u * (size + 1);
        std::memset(bytes, static_cast<int>(size + 1), sizeof bytes);
        const iovec payload{bytes, size};
        writer.put(frame, &payload, 1);
    }
    _exit(0);
}

class EveryInstruction : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Fences, EveryInstruction, testing::Bool(),
                         [](const auto& fenced) { return fenced.param ? "fenced" : "not_fenced"; });

TEST_P(EveryInstruction, OfTheRealWriterLeavesWholeFrames)
{
    const SharedRing ring;
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0)
        put_all(*ring.memory, GetParam());
    int status = 0;
    ASSERT_EQ(child, waitpid(child, &status, 0));
    if (!WIFSTOPPED(status))
        GTEST_SKIP() << "no process may trace another one here";
    Reader reader;
    reader.attach(*ring.memory, GetParam());
    std::size_t frames = 0;
    std::size_t instructions = 0;
    for (;;) {
        // What the reader would find if the writer were killed here.
        if (reader.ready()) {
            ASSERT_LT(frames, std::size(kSizes));
            const std::size_t size = kSizes[frames];
            fi_frame frame;
            const unsigned char* payload = nullptr;
            ASSERT_TRUE(reader.front(frame, payload));
            EXPECT_EQ(size, frame.length);
            for (const std::uint64_t word : {frame.tag, frame.data, frame.transfer})
                EXPECT_EQ(0x0101010101010101u * (size + 1), word);
            for (std::size_t i = 0; i < size; i++)
                ASSERT_EQ(size + 1, payload[i])
                    << "byte " << i << " after " << instructions << " instructions";
            reader.pop(frame.length);
            frames++;
        }
        if (ptrace(PTRACE_SINGLESTEP, child, nullptr, nullptr) || waitpid(child, &status, 0) != child ||
            !WIFSTOPPED(status))
            break;
        instructions++;
    }
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(std::size(kSizes), frames);
    EXPECT_GT(instructions, 100u);
}

} // namespace
} // namespace fi::kit::shm
