// SPDX-License-Identifier: BSD-2-Clause
//
// Sleeping until something completes: no wake-up is lost, no sleep outlives its time.
#include "check.hpp"
#include "isolated.hpp"

#include <atomic>
#include <poll.h>
#include <thread>

namespace conform {
namespace {

CHECK_MODELS(D199_AReaderAsleepIsWokenByAMessage)
{
    // One thread sleeps while another sends, over two domains: that is within every threading model.
    Wish sleeping = wish();
    sleeping.wait = FI_WAIT_UNSPEC;
    const Pair pair(sleeping);
    for (int round = 0; round < 200; round++) {
        int got = -1;
        pair.trecv(&got, sizeof got, 1);
        std::thread sender([&] {
            wait_until(
                [&] {
                    return fi_tsend(pair.a.ep.get(), &round, sizeof round, nullptr, pair.to_b, 1, nullptr) !=
                           -FI_EAGAIN;
                },
                [&] { Pair::progress(pair.a); });
            Completion done;
            wait_until([&] { return read_one(pair.a.cq.get(), done); });
        });
        fi_cq_tagged_entry entry;
        EXPECT_EQ(fi_cq_sread(pair.b.cq.get(), &entry, 1, nullptr, static_cast<int>(patience().count())), 1);
        sender.join();
        EXPECT_EQ(got, round);
    }
}

CHECK_MODELS(D200_ATimeoutIsTryAgainAndNotEarly)
{
    Wish sleeping = wish();
    sleeping.wait = FI_WAIT_UNSPEC;
    const Node node(sleeping);
    fi_cq_tagged_entry entry;
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(fi_cq_sread(node.cq.get(), &entry, 1, nullptr, 30), -FI_EAGAIN);
    EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(30));
}

CHECK_MODELS(D203_ASignalEndsTheSleep)
{
    Wish sleeping = wish();
    sleeping.wait = FI_WAIT_UNSPEC;
    const Node node(sleeping);
    // A signal may be kept for a later sleep or lost if nobody sleeps, so it is repeated.
    std::atomic<bool> woken{false};
    std::thread signaller([&] {
        wait_until([&] { return woken.load(); },
                   [&] {
                       EXPECT_EQ(fi_cq_signal(node.cq.get()), 0);
                       std::this_thread::yield();
                   });
    });
    fi_cq_tagged_entry entry;
    EXPECT_EQ(fi_cq_sread(node.cq.get(), &entry, 1, nullptr, -1), -FI_EAGAIN);
    woken = true;
    signaller.join();
}

CHECK_MODELS(D201_ThereIsNoSleepWithoutAWaitObject)
{
    const Node node(wish());
    fi_cq_tagged_entry entry;
    EXPECT_REFUSED(fi_cq_sread(node.cq.get(), &entry, 1, nullptr, 0));
}

CHECK_MODELS(D206_D207_C252_TheDescriptorOfAQueueThatMayBeSleptOnTellsOfAMessage)
{
    Wish sleeping = wish();
    sleeping.wait = FI_WAIT_FD;
    const Pair pair(sleeping);
    int fd = -1;
    ASSERT_EQ(fi_control(&pair.b.cq->fid, FI_GETWAIT, &fd), 0);
    for (int round = 0; round < 50; round++) {
        int got = -1;
        pair.trecv(&got, sizeof got, 1);
        pair.tinject(&round, sizeof round, 1);
        Completion done;
        wait_until([&] { return read_one(pair.b.cq.get(), done); },
                   [&] {
                       Pair::progress(pair.a);
                       fid* fids[] = {&pair.b.cq->fid};
                       pollfd wait{fd, POLLIN, 0};
                       if (fi_trywait(pair.b.fabric.get(), fids, 1) == 0)
                           poll(&wait, 1, 1);
                   });
        EXPECT_EQ(got, round);
    }
}

CHECK_MODELS(D208_AQueueWithAnEntryMayNotBeSleptOn)
{
    Wish sleeping = wish();
    sleeping.wait = FI_WAIT_FD;
    const Pair pair(sleeping);
    int got = 0;
    pair.trecv(&got, sizeof got, 1, 0, context(3));
    ASSERT_EQ(fi_cancel(&pair.b.ep->fid, context(3)), 0);
    fi_cq_tagged_entry entry;
    ASSERT_TRUE(wait_until([&] { return fi_cq_read(pair.b.cq.get(), &entry, 1) == -FI_EAVAIL; }));
    fid* fids[] = {&pair.b.cq->fid};
    EXPECT_EQ(fi_trywait(pair.b.fabric.get(), fids, 1), -FI_EAGAIN);
}

CHECK_MODELS(D210_ADescriptorThatMayBeSleptOnIsNotAlwaysReady)
{
    Wish sleeping = wish();
    sleeping.wait = FI_WAIT_FD;
    const Node node(sleeping);
    int fd = -1;
    ASSERT_EQ(fi_control(&node.cq->fid, FI_GETWAIT, &fd), 0);
    fid* fids[] = {&node.cq->fid};
    // A wake-up may yield nothing (D211), but not for ever.
    wait_until([&] {
        Pair::progress(node);
        pollfd wait{fd, POLLIN, 0};
        return fi_trywait(node.fabric.get(), fids, 1) == 0 && poll(&wait, 1, 0) == 0;
    });
}

} // namespace
} // namespace conform
