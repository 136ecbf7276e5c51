// SPDX-License-Identifier: BSD-2-Clause
//
// Programs that end: whatever they were doing, they end at once, with their own status, and objects that are
// closed leave nothing behind.
#include "talk.hpp"

#include <cstdlib>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace faults {
namespace {

constexpr int kStatus = 42;

/// Runs `what` in a process that then leaves main(), so to say, and expects its status. What it leaves open
/// is kept in statics, which no leak checker minds.
void expect_exit(const std::function<void(const Channel&)>& what)
{
    limit(60);
    Process process([&](const Channel& channel) {
        what(channel);
        std::exit(testing::Test::HasFailure() ? 1 : kStatus);
    });
    const int status = process.wait();
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == kStatus) << "status " << status;
}

TEST(Exit, B08_OfAProgramThatNeverCalledTheLibrary)
{
    expect_exit([](const Channel&) {});
}

TEST(Exit, B08_AfterAQuery)
{
    expect_exit([](const Channel&) {
        fi_info* found = nullptr;
        EXPECT_EQ(fi_getinfo(FI_VERSION(2, 6), nullptr, nullptr, 0, nullptr, &found), 0);
        fi_freeinfo(found);
    });
}

TEST(Exit, B08_WithEverythingOpen)
{
    expect_exit([](const Channel&) { [[maybe_unused]] static auto* talker = new Talker; });
}

TEST(Exit, B08_WithOperationsUnderWay)
{
    expect_exit([](const Channel&) {
        static auto* pair = new contract::Pair;
        static const Bytes bytes(1 << 20);
        static Bytes into(100);
        for (std::uintptr_t i = 0; i < 10; i++) {
            EXPECT_EQ(fi_tsend(pair->a.ep.get(), bytes.data(), bytes.size(), nullptr, pair->to_b, 1,
                               contract::context(i)),
                      0);
            EXPECT_EQ(fi_trecv(pair->b.ep.get(), into.data(), into.size(), nullptr, pair->to_a, 2, 0,
                               contract::context(i)),
                      0);
        }
        for (int looks = 0; looks < 100; looks++) {
            contract::Pair::progress(pair->a);
            contract::Pair::progress(pair->b);
        }
    });
}

TEST(Exit, B08_WhileAnotherThreadReads)
{
    expect_exit([](const Channel&) {
        static auto* talker = new Talker;
        std::thread([] {
            for (;;)
                talker->progress();
        }).detach();
        usleep(20'000);
    });
}

TEST(Exit, B08_WhileAnotherThreadSleeps)
{
    expect_exit([](const Channel&) {
        contract::Wish wish;
        wish.wait = FI_WAIT_UNSPEC;
        static auto* talker = new Talker(wish);
        std::thread([] {
            fi_cq_tagged_entry entry;
            for (;;)
                (void)!fi_cq_sread(talker->node().cq.get(), &entry, 1, nullptr, -1);
        }).detach();
        usleep(20'000);
    });
}

TEST(Exit, B08_OfAForkedChildThatDoesNothing)
{
    expect_exit([](const Channel&) {
        static auto* pair = new contract::Pair;
        contract::Pair::progress(pair->a);
        const pid_t child = fork();
        if (child == 0)
            std::exit(kStatus);
        int status = 0;
        EXPECT_EQ(waitpid(child, &status, 0), child);
        EXPECT_EQ(WEXITSTATUS(status), kStatus);
        Bytes bytes(5000, 1);
        Bytes into(5000);
        pair->post([&] {
            return fi_trecv(pair->b.ep.get(), into.data(), into.size(), nullptr, pair->to_a, 1, 0,
                            contract::context(1));
        });
        pair->post([&] {
            return fi_tsend(pair->a.ep.get(), bytes.data(), bytes.size(), nullptr, pair->to_b, 1,
                            contract::context(2));
        });
        EXPECT_FALSE(pair->next(pair->b).failed);
        EXPECT_TRUE(into == bytes);
    });
}

TEST(Closing, B09_ObjectsThatAreOpenedAndClosedOverAndOverLeaveNothing)
{
    limit(200);
    Process process(
        [](const Channel&) {
            const int times = rounds(100, 1000);
            std::size_t memory_before = 0;
            std::size_t open_before = 0;
            for (int i = 0; i < times; i++) {
                state.numbers[0] = i;
                if (i == times / 10) {
                    memory_before = resident();
                    open_before = descriptors();
                }
                contract::Pair pair;
                Bytes bytes(100);
                pair.post([&] {
                    return fi_tsend(pair.a.ep.get(), bytes.data(), bytes.size(), nullptr, pair.to_b, 1,
                                    contract::context(1));
                });
                EXPECT_FALSE(pair.next(pair.a).failed);
            }
            const std::size_t memory = resident();
            std::printf("resident %zu KiB, after a tenth %zu KiB\n", memory / 1024, memory_before / 1024);
            EXPECT_EQ(descriptors(), open_before);
            EXPECT_EQ(mappings("memfd:fabric"), 0u);
            EXPECT_TRUE(!memory_is_ours() || memory < memory_before + 512 * 1024);
        },
        180);
    process.expect_success();
}

} // namespace
} // namespace faults
