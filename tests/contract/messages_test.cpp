// SPDX-License-Identifier: BSD-2-Clause
//
// Messages between two endpoints: the rules of the data path (D...) that bind FI_MSG and FI_TAGGED on
// FI_EP_RDM.
#include "pair.hpp"

#include <thread>

namespace contract {
namespace {

class Messages : public testing::TestWithParam<fi_threading> {
  protected:
    Wish wish() const
    {
        Wish plain;
        plain.threading = GetParam();
        return plain;
    }
};
INSTANTIATE_TEST_SUITE_P(Threading, Messages, testing::Values(FI_THREAD_SAFE, FI_THREAD_DOMAIN),
                         [](const auto& test) { return test.param == FI_THREAD_SAFE ? "Safe" : "Domain"; });

const std::size_t kSizes[] = {0,    1,    8,     1023,  1024,  1025,    2048,          2049,
                              8191, 8192, 65535, 65536, 65537, 1 << 20, (1 << 20) + 1, 5'000'011};

TEST_P(Messages, D15_ASizeOfAnyKindArrivesWholeWhenItsReceiveIsPosted)
{
    Pair pair(wish());
    for (const std::size_t size : kSizes) {
        const auto sent = pattern(size, static_cast<unsigned>(size));
        std::vector<unsigned char> got(size + 16, 0xEE);
        pair.post([&] {
            return fi_trecv(pair.b.ep.get(), got.data(), size, nullptr, pair.to_a, 7, 0, context(1));
        });
        pair.post(
            [&] { return fi_tsend(pair.a.ep.get(), sent.data(), size, nullptr, pair.to_b, 7, context(2)); });
        const Completion received = pair.next(pair.b);
        ASSERT_FALSE(received.failed) << size;
        EXPECT_EQ(received.entry.op_context, context(1));
        EXPECT_EQ(received.entry.len, size);
        EXPECT_EQ(received.entry.tag, 7u);
        EXPECT_EQ(received.entry.flags, FI_RECV | FI_TAGGED);
        EXPECT_EQ(received.source, pair.to_a);
        EXPECT_TRUE(std::equal(sent.begin(), sent.end(), got.begin())) << size;
        for (std::size_t i = size; i < got.size(); i++)
            ASSERT_EQ(got[i], 0xEE) << "D94: a byte behind the buffer changed, size " << size;
        const Completion done = pair.next(pair.a);
        ASSERT_FALSE(done.failed);
        EXPECT_EQ(done.entry.op_context, context(2));
        EXPECT_EQ(done.entry.flags, FI_SEND | FI_TAGGED);
    }
}

TEST_P(Messages, D55_AMessageWithoutAReceiveWaitsForOne)
{
    Pair pair(wish());
    for (const std::size_t size : kSizes) {
        const auto sent = pattern(size, 3);
        std::vector<unsigned char> got(size);
        pair.post(
            [&] { return fi_send(pair.a.ep.get(), sent.data(), size, nullptr, pair.to_b, context(2)); });
        for (int i = 0; i < 50; i++) {
            Pair::progress(pair.a);
            Pair::progress(pair.b);
        }
        pair.post(
            [&] { return fi_recv(pair.b.ep.get(), got.data(), size, nullptr, FI_ADDR_UNSPEC, context(1)); });
        const Completion received = pair.next(pair.b);
        ASSERT_FALSE(received.failed);
        EXPECT_EQ(received.entry.len, size);
        EXPECT_EQ(received.entry.flags, FI_RECV | FI_MSG);
        EXPECT_EQ(sent, got);
        EXPECT_FALSE(pair.next(pair.a).failed);
    }
}

TEST_P(Messages, D77_ArrivalOrderIsKeptAcrossSizesAndKindsOfCall)
{
    Pair pair(wish());
    const std::size_t sizes[] = {4, 100'000, 16, 3000, 70'000, 8, 1'200'000, 2, 65'536};
    std::vector<std::vector<unsigned char>> messages;
    unsigned seed = 0;
    for (int round = 0; round < 4; round++)
        for (const std::size_t size : sizes)
            messages.push_back(pattern(size, ++seed));
    for (const auto& message : messages)
        pair.post([&] {
            return message.size() <= 16
                       ? fi_tinject(pair.a.ep.get(), message.data(), message.size(), pair.to_b, 5)
                       : fi_tsend(pair.a.ep.get(), message.data(), message.size(), nullptr, pair.to_b, 5,
                                  nullptr);
        });
    for (const auto& message : messages) {
        std::vector<unsigned char> got(2'000'000);
        pair.post([&] {
            return fi_trecv(pair.b.ep.get(), got.data(), got.size(), nullptr, FI_ADDR_UNSPEC, 5, 0, nullptr);
        });
        const Completion received = pair.next(pair.b);
        ASSERT_FALSE(received.failed);
        ASSERT_EQ(received.entry.len, message.size());
        ASSERT_TRUE(std::equal(message.begin(), message.end(), got.begin()));
    }
}

TEST_P(Messages, D53_PostedReceivesAreMatchedInPostingOrder)
{
    Pair pair(wish());
    char got[3][8] = {};
    for (int i = 0; i < 3; i++)
        pair.post([&] {
            return fi_trecv(pair.b.ep.get(), got[i], 8, nullptr, FI_ADDR_UNSPEC, 1, 0,
                            context(static_cast<unsigned>(i)));
        });
    for (int i = 0; i < 3; i++)
        pair.post([&] { return fi_tinject(pair.a.ep.get(), &i, sizeof i, pair.to_b, 1); });
    for (int i = 0; i < 3; i++) {
        EXPECT_EQ(pair.next(pair.b).entry.op_context, context(static_cast<unsigned>(i)));
        EXPECT_EQ(got[i][0], i);
    }
}

TEST_P(Messages, D54_TaggedAndUntaggedNeverMatchEachOther)
{
    Pair pair(wish());
    int untagged = 0, tagged = 0;
    const int one = 1, two = 2;
    pair.post([&] { return fi_inject(pair.a.ep.get(), &one, sizeof one, pair.to_b); });
    pair.post([&] { return fi_tinject(pair.a.ep.get(), &two, sizeof two, pair.to_b, 0); });
    pair.post([&] {
        return fi_trecv(pair.b.ep.get(), &tagged, sizeof tagged, nullptr, FI_ADDR_UNSPEC, 0, ~0ull, nullptr);
    });
    EXPECT_EQ(pair.next(pair.b).entry.flags, FI_RECV | FI_TAGGED);
    EXPECT_EQ(tagged, 2);
    pair.post([&] {
        return fi_recv(pair.b.ep.get(), &untagged, sizeof untagged, nullptr, FI_ADDR_UNSPEC, nullptr);
    });
    EXPECT_EQ(pair.next(pair.b).entry.flags, FI_RECV | FI_MSG);
    EXPECT_EQ(untagged, 1);
}

TEST_P(Messages, D76_IgnoredBitsDoNotMatterAndAllOthersDo)
{
    Pair pair(wish());
    int got = 0;
    for (int i = 1; i <= 2; i++)
        pair.post([&] {
            return fi_tinject(pair.a.ep.get(), &i, sizeof i, pair.to_b,
                              i == 1 ? 0x1100000000000001u : 0x2200000000000001u);
        });
    pair.post([&] {
        return fi_trecv(pair.b.ep.get(), &got, sizeof got, nullptr, FI_ADDR_UNSPEC, 0x2200000000000fffu,
                        0xfff, nullptr);
    });
    const Completion received = pair.next(pair.b);
    EXPECT_EQ(got, 2);
    EXPECT_EQ(received.entry.tag, 0x2200000000000001u) << "D79: the tag is the sender's";
}

TEST_P(Messages, D62_ADirectedReceiveTakesFromItsSourceOnly)
{
    Node server(wish()), first(wish()), second(wish());
    const fi_addr_t from_first = server.insert(first.name());
    const fi_addr_t from_second = server.insert(second.name());
    const fi_addr_t to_server_1 = first.insert(server.name());
    const fi_addr_t to_server_2 = second.insert(server.name());
    int one = 1, two = 2, got = 0;
    const auto drive = [&](Node& waits) {
        Completion done;
        const auto end = std::chrono::steady_clock::now() + kPatience;
        while (!read_one(waits.cq.get(), done) && std::chrono::steady_clock::now() < end)
            for (Node* node : {&server, &first, &second})
                if (node != &waits)
                    Pair::progress(*node);
        return done;
    };
    ASSERT_EQ(fi_send(first.ep.get(), &one, sizeof one, nullptr, to_server_1, nullptr), 0);
    EXPECT_FALSE(drive(first).failed);
    ASSERT_EQ(fi_recv(server.ep.get(), &got, sizeof got, nullptr, from_second, nullptr), 0);
    ASSERT_EQ(fi_send(second.ep.get(), &two, sizeof two, nullptr, to_server_2, nullptr), 0);
    EXPECT_EQ(drive(server).source, from_second);
    EXPECT_EQ(got, 2);
    ASSERT_EQ(fi_recv(server.ep.get(), &got, sizeof got, nullptr, from_first, nullptr), 0);
    EXPECT_EQ(drive(server).source, from_first);
    EXPECT_EQ(got, 1);
}

TEST_P(Messages, D95_B35_TruncationIsAnErrorOfOneReceiveAndNothingElse)
{
    Pair pair(wish());
    for (const std::size_t size : {std::size_t{8}, std::size_t{5000}, std::size_t{300'000}}) {
        for (int round = 0; round < 5; round++) {
            const auto sent = pattern(size, static_cast<unsigned>(round));
            std::vector<unsigned char> got(size, 0xEE);
            pair.post([&] {
                return fi_trecv(pair.b.ep.get(), got.data(), size / 2, nullptr, FI_ADDR_UNSPEC, 1, 0,
                                nullptr);
            });
            pair.post(
                [&] { return fi_tsend(pair.a.ep.get(), sent.data(), size, nullptr, pair.to_b, 1, nullptr); });
            const Completion cut = pair.next(pair.b);
            ASSERT_TRUE(cut.failed);
            EXPECT_EQ(cut.error.err, FI_ETRUNC);
            EXPECT_EQ(cut.error.len, size / 2);
            EXPECT_EQ(cut.error.olen, size - size / 2);
            EXPECT_TRUE(std::equal(got.begin(), got.begin() + static_cast<long>(size / 2), sent.begin()));
            EXPECT_EQ(got[size / 2], 0xEE);
            EXPECT_FALSE(pair.next(pair.a).failed);
            pair.post([&] {
                return fi_trecv(pair.b.ep.get(), got.data(), size, nullptr, FI_ADDR_UNSPEC, 1, 0, nullptr);
            });
            pair.post(
                [&] { return fi_tsend(pair.a.ep.get(), sent.data(), size, nullptr, pair.to_b, 1, nullptr); });
            EXPECT_FALSE(pair.next(pair.b).failed);
            EXPECT_EQ(got, sent);
            EXPECT_FALSE(pair.next(pair.a).failed);
        }
    }
}

TEST_P(Messages, D27_AnInjectMakesNoCompletionAndItsBufferIsFreeAtOnce)
{
    Pair pair(wish());
    constexpr int kCount = 500;
    int number = 0;
    for (int i = 0; i < kCount; i++) {
        number = i;
        pair.post([&] { return fi_tinject(pair.a.ep.get(), &number, sizeof number, pair.to_b, 9); });
        number = -1;
    }
    for (int i = 0; i < kCount; i++) {
        int got = -2;
        pair.post([&] {
            return fi_trecv(pair.b.ep.get(), &got, sizeof got, nullptr, FI_ADDR_UNSPEC, 9, 0, nullptr);
        });
        ASSERT_FALSE(pair.next(pair.b).failed);
        ASSERT_EQ(got, i);
    }
    Completion none;
    EXPECT_FALSE(read_one(pair.a.cq.get(), none));
}

TEST_P(Messages, D30_InjectTakesUpToInjectSizeAndNoMore)
{
    Pair pair(wish());
    const std::size_t limit = pair.a.info->tx_attr->inject_size;
    const auto sent = pattern(limit + 1, 1);
    std::vector<unsigned char> got(limit);
    pair.post([&] { return fi_inject(pair.a.ep.get(), sent.data(), limit, pair.to_b); });
    EXPECT_EQ(fi_inject(pair.a.ep.get(), sent.data(), limit + 1, pair.to_b), -FI_EMSGSIZE);
    EXPECT_EQ(fi_tinject(pair.a.ep.get(), sent.data(), limit + 1, pair.to_b, 0), -FI_EMSGSIZE);
    pair.post([&] { return fi_recv(pair.b.ep.get(), got.data(), limit, nullptr, FI_ADDR_UNSPEC, nullptr); });
    EXPECT_EQ(pair.next(pair.b).entry.len, limit);
    EXPECT_TRUE(std::equal(got.begin(), got.end(), sent.begin()));
}

TEST_P(Messages, D104_RemoteDataArrivesWithEveryDataCallAndOnlyThere)
{
    Pair pair(wish());
    const int payload = 1;
    int got = 0;
    fid_ep* ep = pair.a.ep.get();
    const std::uint64_t data = 0x1122334455667788u;
    const iovec iov{const_cast<int*>(&payload), sizeof payload};
    fi_msg_tagged msg{};
    msg.msg_iov = &iov;
    msg.iov_count = 1;
    msg.addr = pair.to_b;
    msg.data = data;
    const std::function<ssize_t()> with[] = {
        [&] { return fi_tsenddata(ep, &payload, sizeof payload, nullptr, data, pair.to_b, 0, nullptr); },
        [&] { return fi_tinjectdata(ep, &payload, sizeof payload, data, pair.to_b, 0); },
        [&] { return fi_tsendmsg(ep, &msg, FI_REMOTE_CQ_DATA); },
    };
    for (const auto& call : with) {
        pair.post(call);
        pair.post([&] {
            return fi_trecv(pair.b.ep.get(), &got, sizeof got, nullptr, FI_ADDR_UNSPEC, 0, 0, nullptr);
        });
        const Completion received = pair.next(pair.b);
        EXPECT_EQ(received.entry.flags, FI_RECV | FI_TAGGED | FI_REMOTE_CQ_DATA);
        EXPECT_EQ(received.entry.data, data);
    }
    pair.post([&] { return fi_tsendmsg(ep, &msg, 0); });
    pair.post(
        [&] { return fi_trecv(pair.b.ep.get(), &got, sizeof got, nullptr, FI_ADDR_UNSPEC, 0, 0, nullptr); });
    EXPECT_EQ(pair.next(pair.b).entry.flags, FI_RECV | FI_TAGGED);
}

TEST_P(Messages, D13_SegmentsAreOneMessageOnBothSides)
{
    Pair pair(wish());
    for (const std::size_t size : {std::size_t{20}, std::size_t{50'000}, std::size_t{900'001}}) {
        auto sent = pattern(size, 5);
        std::vector<unsigned char> got(size);
        const iovec from[] = {{sent.data(), 3}, {sent.data() + 3, size - 10}, {sent.data() + size - 7, 7}};
        const iovec to[] = {{got.data(), size - 5}, {got.data() + size - 5, 1}, {got.data() + size - 4, 4}};
        pair.post([&] { return fi_trecvv(pair.b.ep.get(), to, nullptr, 3, FI_ADDR_UNSPEC, 1, 0, nullptr); });
        pair.post([&] { return fi_tsendv(pair.a.ep.get(), from, nullptr, 3, pair.to_b, 1, nullptr); });
        EXPECT_EQ(pair.next(pair.b).entry.len, size);
        EXPECT_EQ(sent, got);
        EXPECT_FALSE(pair.next(pair.a).failed);
    }
    const std::vector<iovec> many(pair.a.info->tx_attr->iov_limit + 1);
    EXPECT_EQ(fi_tsendv(pair.a.ep.get(), many.data(), nullptr, many.size(), pair.to_b, 1, nullptr),
              -FI_EINVAL)
        << "D12: refused, not cut";
}

TEST_P(Messages, D98_ACancelledReceiveCompletesOnceWithECANCELED)
{
    Pair pair(wish());
    int first = 0, second = 0;
    const int sent = 42;
    pair.post([&] {
        return fi_trecv(pair.b.ep.get(), &first, sizeof first, nullptr, FI_ADDR_UNSPEC, 3, 0, context(11));
    });
    EXPECT_EQ(fi_cancel(&pair.b.ep->fid, context(11)), 0);
    const Completion cancelled = pair.next(pair.b);
    ASSERT_TRUE(cancelled.failed);
    EXPECT_EQ(cancelled.error.err, FI_ECANCELED);
    EXPECT_EQ(cancelled.error.op_context, context(11));
    EXPECT_EQ(fi_cancel(&pair.b.ep->fid, context(11)), -FI_ENOENT);
    pair.post([&] { return fi_tinject(pair.a.ep.get(), &sent, sizeof sent, pair.to_b, 3); });
    pair.post([&] {
        return fi_trecv(pair.b.ep.get(), &second, sizeof second, nullptr, FI_ADDR_UNSPEC, 3, 0, context(12));
    });
    EXPECT_EQ(pair.next(pair.b).entry.op_context, context(12));
    EXPECT_EQ(second, 42);
    EXPECT_EQ(first, 0) << "D101: the cancelled buffer is the application's";
}

TEST_P(Messages, D39_WithSelectiveCompletionOnlyMarkedOperationsReport)
{
    Wish selective = wish();
    selective.select_transmit = selective.select_receive = FI_SELECTIVE_COMPLETION;
    Pair pair(selective);
    int value = 5, got = 0;
    const iovec from{&value, sizeof value}, to{&got, sizeof got};
    fi_msg out{&from, nullptr, 1, pair.to_b, context(2), 0};
    fi_msg in{&to, nullptr, 1, FI_ADDR_UNSPEC, context(1), 0};
    pair.post(
        [&] { return fi_recv(pair.b.ep.get(), &got, sizeof got, nullptr, FI_ADDR_UNSPEC, context(9)); });
    pair.post([&] { return fi_recvmsg(pair.b.ep.get(), &in, FI_COMPLETION); });
    pair.post([&] { return fi_send(pair.a.ep.get(), &value, sizeof value, nullptr, pair.to_b, context(9)); });
    pair.post([&] { return fi_sendmsg(pair.a.ep.get(), &out, FI_COMPLETION); });
    EXPECT_EQ(pair.next(pair.b).entry.op_context, context(1));
    EXPECT_EQ(pair.next(pair.a).entry.op_context, context(2));
}

TEST_P(Messages, D217_ASmallCompletionQueueLosesNothing)
{
    Wish tiny = wish();
    tiny.queue_size = 2;
    Pair pair(tiny);
    constexpr unsigned kCount = 100;
    std::vector<int> got(kCount);
    for (unsigned i = 0; i < kCount; i++)
        pair.post([&] {
            return fi_trecv(pair.b.ep.get(), &got[i], sizeof(int), nullptr, FI_ADDR_UNSPEC, i, 0, context(i));
        });
    for (unsigned i = 0; i < kCount; i++)
        pair.post([&] { return fi_tinject(pair.a.ep.get(), &i, sizeof i, pair.to_b, i); });
    for (unsigned i = 0; i < kCount; i++) {
        const Completion received = pair.next(pair.b);
        ASSERT_FALSE(received.failed);
        EXPECT_EQ(received.entry.op_context, context(i));
    }
}

TEST_P(Messages, D225_AFullTransmitQueueSaysTryAgainAndRecovers)
{
    Pair pair(wish());
    const auto block = pattern(100'000, 1);
    std::size_t accepted = 0;
    while (fi_tsend(pair.a.ep.get(), block.data(), block.size(), nullptr, pair.to_b, 1, nullptr) == 0)
        ASSERT_LT(++accepted, 100'000u) << "the queue is bounded";
    ASSERT_GT(accepted, 0u);
    std::vector<unsigned char> got(block.size());
    for (std::size_t i = 0; i < accepted; i++) {
        pair.post([&] {
            return fi_trecv(pair.b.ep.get(), got.data(), got.size(), nullptr, FI_ADDR_UNSPEC, 1, 0, nullptr);
        });
        ASSERT_EQ(pair.next(pair.b).entry.len, block.size());
        ASSERT_FALSE(pair.next(pair.a).failed);
    }
    EXPECT_EQ(fi_tsend(pair.a.ep.get(), block.data(), 8, nullptr, pair.to_b, 1, nullptr), 0);
}

TEST_P(Messages, BothDirectionsAtOnceAndToOneself)
{
    Pair pair(wish());
    const auto big = pattern(3'000'000, 1);
    std::vector<unsigned char> at_a(big.size()), at_b(big.size());
    pair.post(
        [&] { return fi_send(pair.a.ep.get(), big.data(), big.size(), nullptr, pair.to_b, context(1)); });
    pair.post(
        [&] { return fi_send(pair.b.ep.get(), big.data(), big.size(), nullptr, pair.to_a, context(1)); });
    pair.post([&] {
        return fi_recv(pair.a.ep.get(), at_a.data(), at_a.size(), nullptr, FI_ADDR_UNSPEC, context(2));
    });
    pair.post([&] {
        return fi_recv(pair.b.ep.get(), at_b.data(), at_b.size(), nullptr, FI_ADDR_UNSPEC, context(2));
    });
    for (int i = 0; i < 2; i++) {
        EXPECT_FALSE(pair.next(pair.a).failed);
        EXPECT_FALSE(pair.next(pair.b).failed);
    }
    EXPECT_EQ(at_a, big);
    EXPECT_EQ(at_b, big);

    const fi_addr_t self = pair.a.insert(pair.a.name());
    int got = 0;
    const int sent = 77;
    pair.post([&] { return fi_tsend(pair.a.ep.get(), &sent, sizeof sent, nullptr, self, 1, context(3)); });
    pair.post([&] {
        return fi_trecv(pair.a.ep.get(), &got, sizeof got, nullptr, FI_ADDR_UNSPEC, 1, 0, context(4));
    });
    EXPECT_FALSE(pair.next(pair.a).failed);
    EXPECT_FALSE(pair.next(pair.a).failed);
    EXPECT_EQ(got, 77);
}

TEST(Threads, D239_PostingAndReadingFromTwoThreadsLosesNothing)
{
    Pair pair;
    constexpr int kCount = 3000;
    std::thread sender([&] {
        for (int i = 0; i < kCount; i++)
            while (fi_tinject(pair.a.ep.get(), &i, sizeof i, pair.to_b, 1) == -FI_EAGAIN)
                Pair::progress(pair.a);
        Completion none;
        while (!read_one(pair.a.cq.get(), none)) // the receiver's answer
            ;
    });
    int answer = 1;
    std::thread poster([&] {
        int got = 0;
        while (fi_trecv(pair.a.ep.get(), &answer, sizeof answer, nullptr, FI_ADDR_UNSPEC, 2, 0, &got) ==
               -FI_EAGAIN)
            ;
    });
    for (int i = 0; i < kCount; i++) {
        int got = -1;
        pair.post([&] {
            return fi_trecv(pair.b.ep.get(), &got, sizeof got, nullptr, FI_ADDR_UNSPEC, 1, 0, nullptr);
        });
        Completion received;
        while (!read_one(pair.b.cq.get(), received))
            ;
        ASSERT_EQ(got, i);
    }
    const int done = 0;
    ASSERT_EQ(fi_tinject(pair.b.ep.get(), &done, sizeof done, pair.to_a, 2), 0);
    poster.join();
    sender.join();
    EXPECT_EQ(answer, 0);
}

} // namespace
} // namespace contract
