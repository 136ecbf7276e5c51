// SPDX-License-Identifier: BSD-2-Clause
//
// The mutex of kit/objects/lock.hpp: one at a time, nobody left asleep.
#include "kit/objects/lock.hpp"

#include <gtest/gtest.h>
#include <mutex>
#include <thread>
#include <vector>

namespace fi::kit {
namespace {

TEST(Mutex, LetsOneThreadInAtATimeAndLosesNoWakeUp)
{
    constexpr int kThreads = 4, kRounds = 20'000;
    Mutex mutex;
    int inside = 0;
    long count = 0; // not atomic: the mutex is what orders it
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; t++)
        threads.emplace_back([&] {
            for (int i = 0; i < kRounds; i++) {
                const std::lock_guard guard(mutex);
                EXPECT_EQ(1, ++inside);
                count++;
                if (i % 1000 == 0)
                    std::this_thread::yield(); // long enough for the others to go to sleep
                inside--;
            }
        });
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(long{kThreads} * kRounds, count);
}

} // namespace
} // namespace fi::kit
