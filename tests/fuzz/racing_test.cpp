// SPDX-License-Identifier: BSD-2-Clause
//
// Shared memory that changes while it is read: a peer that rewrites slots, payloads and counters from another
// thread all the time, so also between a check and the use of what was checked. (Such a peer is a data race
// by intention: not for the thread sanitizer.)
#include "application.hpp"
#include "enemy.hpp"

#include <atomic>
#include <gtest/gtest.h>
#include <random>
#include <thread>

namespace fuzz {
namespace {

/// Puts frames of all kinds and overwrites them at once, until told to stop.
void rewrite(Connection& to_port, std::uint64_t seed, const std::atomic<bool>& stop)
{
    std::mt19937_64 random(seed);
    std::vector<unsigned char> payload(shm::kMaxPayload);
    while (!stop.load(std::memory_order_relaxed)) {
        fi_frame frame{};
        frame.kind = static_cast<std::uint8_t>(1 + random() % 6);
        frame.flags = static_cast<std::uint8_t>(random());
        frame.tag = random() % 4;
        frame.transfer = random() % 40;
        frame.length =
            static_cast<std::uint32_t>(frame.kind == FI_FRAME_PULL    ? sizeof(fi_frame_pull)
                                       : frame.kind == FI_FRAME_OFFER ? 8 + 16 * (random() % 5)
                                                                      : random() % (shm::kMaxPayload + 1));
        const iovec whole{payload.data(), frame.length};
        if (to_port.writer().put(frame, &whole, 1) == 0)
            to_port.writer().reopen();
        for (int i = 0; i < 8; i++) {
            auto* words = reinterpret_cast<std::uint64_t*>(to_port.theirs()->slots);
            // Its length, its members, or what looks like another lap.
            __atomic_store_n(&words[random() % (sizeof to_port.theirs()->slots / 8)],
                             random() % 4 ? random() % (1 << 16) << 32 | random() % 8 | (random() % 4) << 16
                                          : random(),
                             __ATOMIC_RELAXED);
        }
        if (random() % 64 == 0)
            __atomic_store_n(&to_port.ours()->slots_taken, random() % 200, __ATOMIC_RELAXED);
    }
}

TEST(Racing, MemoryThatChangesBetweenCheckAndUseHarmsOnlyItsOwnLink)
{
    std::mt19937_64 random(1);
    const int before = open_descriptors();
    for (int round = 0; round < 60; round++) {
        Application<shm::Port> application(shm::PortConfig{&test_provider, hello_of(1), false});
        application.know(address_of(2));
        Connection to_port(2);
        to_port.connect();
        while (!to_port.up())
            application.step();
        std::atomic<bool> stop{false};
        std::thread enemy([&, seed = random()] { rewrite(to_port, seed, stop); });
        for (int moves = 0; moves < 400; moves++) {
            std::uint64_t words[4];
            for (auto& word : words)
                word = random();
            Input input(reinterpret_cast<const std::uint8_t*>(words), sizeof words);
            application.act(moves % Application<shm::Port>::kMoves, input);
            application.step();
        }
        stop.store(true);
        enemy.join();
    }
    EXPECT_EQ(open_descriptors(), before);
}

} // namespace
} // namespace fuzz
