// SPDX-License-Identifier: BSD-2-Clause
//
// What each threading model lets an application do.
#include "check.hpp"

#include <atomic>
#include <thread>

namespace conform {
namespace {

CHECK(D239_PostingAndReadingFromTwoThreadsLosesNothing)
{
    const Pair pair(wish());
    constexpr int kCount = 3000;
    std::thread sender([&] {
        for (int i = 0; i < kCount; i++)
            wait_until([&] { return fi_tinject(pair.a.ep.get(), &i, sizeof i, pair.to_b, 1) != -FI_EAGAIN; },
                       [&] { Pair::progress(pair.a); });
        Completion answer;
        wait_until([&] { return read_one(pair.a.cq.get(), answer); });
    });
    int answer = 1;
    std::thread poster([&] {
        int got = 0;
        wait_until([&] {
            return fi_trecv(pair.a.ep.get(), &answer, sizeof answer, nullptr, FI_ADDR_UNSPEC, 2, 0, &got) !=
                   -FI_EAGAIN;
        });
    });
    for (int i = 0; i < kCount; i++) {
        int got = -1;
        Completion received;
        EXPECT_EQ(fi_trecv(pair.b.ep.get(), &got, sizeof got, nullptr, FI_ADDR_UNSPEC, 1, 0, nullptr), 0);
        if (!wait_until([&] { return read_one(pair.b.cq.get(), received); }))
            break;
        EXPECT_EQ(got, i);
    }
    const int done = 0;
    EXPECT_EQ(fi_tinject(pair.b.ep.get(), &done, sizeof done, pair.to_a, 2), 0);
    poster.join();
    sender.join();
    EXPECT_EQ(answer, 0);
}

CHECK(D240_C73_TwoQueuesOfOneEndpointMayBeReadByTwoThreads)
{
    Wish by_queue = wish();
    by_queue.threading = FI_THREAD_COMPLETION;
    const Node receiver(by_queue), sender(by_queue, false);
    fi_cq_attr attr{};
    attr.format = FI_CQ_FORMAT_TAGGED;
    fid_cq* second = nullptr;
    ASSERT_EQ(fi_cq_open(sender.domain.get(), &attr, &second, nullptr), 0);
    sender.bind(&sender.cq->fid, FI_TRANSMIT);
    sender.bind(&second->fid, FI_RECV);
    sender.bind(&sender.av->fid, 0);
    ASSERT_EQ(fi_enable(sender.ep.get()), 0);
    const fi_addr_t to_receiver = sender.insert(receiver.name());
    constexpr int kCount = 2000;
    std::atomic<bool> done{false};
    std::thread reader([&] {
        while (!done)
            fi_cq_read(second, nullptr, 0);
    });
    std::thread writer([&] {
        for (int i = 0; i < kCount; i++)
            wait_until(
                [&] { return fi_tinject(sender.ep.get(), &i, sizeof i, to_receiver, 1) != -FI_EAGAIN; },
                [&] { Pair::progress(sender); });
        while (!done)
            Pair::progress(sender);
    });
    for (int i = 0; i < kCount; i++) {
        int got = -1;
        Completion received;
        EXPECT_EQ(fi_trecv(receiver.ep.get(), &got, sizeof got, nullptr, FI_ADDR_UNSPEC, 1, 0, nullptr), 0);
        if (!wait_until([&] { return read_one(receiver.cq.get(), received); }))
            break;
        EXPECT_EQ(got, i);
    }
    done = true;
    reader.join();
    writer.join();
    const_cast<Node&>(sender).ep.reset(); // before the queue that it is bound to
    EXPECT_EQ(fi_close(&second->fid), 0);
}

} // namespace
} // namespace conform
