// SPDX-License-Identifier: BSD-2-Clause
//
// Several threads at one endpoint, and what they may do to each other: nothing.
#include "talk.hpp"

#include <atomic>
#include <thread>

namespace faults {
namespace {

TEST(Threads, B44_HostsOfOneByteMessagesInBothDirectionsPassEachOther)
{
    limit(200);
    const int count = rounds(5000, 100'000);
    const auto side = [&](const Channel& channel) {
        contract::Wish wish;
        wish.threading = FI_THREAD_SAFE;
        const Talker talker(wish);
        channel.send(talker.name());
        const fi_addr_t other = talker.insert(channel.receive());
        std::thread poster([&] {
            static const Bytes byte(1, 42);
            for (int i = 0; i < count;) {
                const ssize_t ret = talker.try_send(byte, other, 1);
                ASSERT_TRUE(ret == 0 || ret == -FI_EAGAIN);
                i += ret == 0;
            }
        });
        Bytes bytes(1);
        talker.receive(bytes, 2);
        int sent = 0;
        int received = 0;
        while ((sent < count || received < count) && !testing::Test::HasFailure()) {
            const Completion done = talker.next();
            ASSERT_FALSE(done.failed);
            if (done.entry.op_context == contract::context(1)) {
                sent++;
            } else if (++received < count) {
                EXPECT_EQ(bytes[0], 42);
                talker.receive(bytes, 2);
            }
            state.numbers[0] = sent;
            state.numbers[1] = received;
        }
        poster.join();
        channel.send("done");
        while (!channel.try_receive())
            talker.progress();
    };
    Process first(side, 180), second(side, 180);
    introduce(first, second);
    meet(first, second, "done");
    first.expect_success();
    second.expect_success();
}

TEST(Threads, B45_PostingReadingWaitingInsertingAndCancellingAtOnce)
{
    limit(200);
    const int count = rounds(1500, 30'000);
    const auto side = [&](const Channel& channel) {
        contract::Wish wish;
        wish.wait = FI_WAIT_FD;
        const Talker talker(wish);
        channel.send(talker.name());
        const auto others_name = channel.receive();
        const fi_addr_t other = talker.insert(others_name);
        std::atomic<bool> over{false};
        std::atomic<int> cancelled{0};
        std::atomic<int> seen_cancelled{0};
        static const Bytes bytes(3000, 42);
        std::thread poster([&] {
            for (int i = 0; i < count;) {
                const ssize_t ret = talker.try_send(bytes, other, 1);
                EXPECT_TRUE(ret == 0 || ret == -FI_EAGAIN);
                i += ret == 0;
            }
        });
        std::thread inserter([&] {
            while (!over)
                talker.remove(talker.insert(others_name));
        });
        // Receives that nobody will ever send to.
        std::thread canceller([&] {
            Bytes unused(8);
            while (!over) {
                if (cancelled - seen_cancelled > 20)
                    continue; // the reader is behind
                if (fi_trecv(talker.node().ep.get(), unused.data(), unused.size(), nullptr, FI_ADDR_UNSPEC,
                             99, 0, contract::context(3)))
                    continue;
                EXPECT_EQ(fi_cancel(&talker.node().ep->fid, contract::context(3)), 0);
                cancelled++;
            }
        });
        Bytes into(3000);
        talker.receive(into, 2);
        int sent = 0;
        int received = 0;
        fid* queue = &talker.node().cq->fid;
        while (sent < count || received < count || !over || seen_cancelled < cancelled) {
            state.numbers[0] = sent;
            state.numbers[1] = received;
            state.numbers[2] = seen_cancelled.load();
            if (testing::Test::HasFailure())
                break;
            (void)fi_trywait(talker.node().fabric.get(), &queue, 1);
            Completion done;
            if (talker.read(done)) {
                if (done.failed) {
                    EXPECT_EQ(done.error.err, FI_ECANCELED);
                    seen_cancelled++;
                } else if (done.entry.op_context == contract::context(1)) {
                    sent++;
                } else if (++received < count) {
                    EXPECT_TRUE(into == bytes);
                    talker.receive(into, 2);
                }
            }
            if (sent == count && received == count && !over) {
                over = true;
                inserter.join();
                canceller.join();
            }
        }
        over = true;
        for (std::thread* thread : {&poster, &inserter, &canceller})
            if (thread->joinable())
                thread->join();
        channel.send("done");
        while (!channel.try_receive())
            talker.progress();
    };
    Process first(side, 180), second(side, 180);
    introduce(first, second);
    meet(first, second, "done");
    first.expect_success();
    second.expect_success();
}

TEST(Threads, B25_AWaitObjectIsQuietWhenAllThatCameHasBeenRead)
{
    limit(90);
    Process peer([](const Channel& channel) {
        const Talker talker;
        channel.send(talker.name());
        const Bytes eight(8);
        talker.send(eight, talker.insert(channel.receive()), 1);
        talker.expect(1);
        (void)channel.receive(); // alive, connected, silent
    });
    const auto name = peer.channel().receive();
    Process sleeper([&](const Channel& channel) {
        contract::Wish wish;
        wish.wait = FI_WAIT_FD;
        const Talker talker(wish);
        Bytes bytes(8);
        talker.receive(bytes, 1);
        channel.send(talker.name());
        talker.expect(1);
        int fd = -1;
        ASSERT_EQ(fi_control(&talker.node().cq->fid, FI_GETWAIT, &fd), 0);
        fid* queue = &talker.node().cq->fid;
        int woken = 0;
        for (int sleeps = 0; sleeps < 3;) {
            if (fi_trywait(talker.node().fabric.get(), &queue, 1) == -FI_EAGAIN) {
                talker.progress();
                continue;
            }
            pollfd one{fd, POLLIN, 0};
            if (poll(&one, 1, 1000) == 0)
                sleeps++;
            else
                woken++;
            talker.progress();
            ASSERT_LE(woken, 6) << "after " << sleeps << " seconds of sleep";
        }
    });
    peer.channel().send(sleeper.channel().receive());
    sleeper.expect_success();
    peer.channel().send("over");
    peer.expect_success();
}

} // namespace
} // namespace faults
