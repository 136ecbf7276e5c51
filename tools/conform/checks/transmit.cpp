// SPDX-License-Identifier: BSD-2-Clause
//
// The kinds of sending calls: inject, remote data, flags, and what happens when there is no room.
#include "check.hpp"

namespace conform {
namespace {

CHECK_MODELS(D26_D27_AnInjectMakesNoCompletionAndItsBufferIsFreeAtOnce)
{
    const Pair pair(wish());
    constexpr int kCount = 500;
    int number = 0;
    for (int i = 0; i < kCount; i++) {
        number = i;
        pair.tinject(&number, sizeof number, 9);
        number = -1;
    }
    for (int i = 0; i < kCount; i++) {
        int got = -2;
        pair.trecv(&got, sizeof got, 9);
        ASSERT_FALSE(pair.next(pair.b).failed);
        ASSERT_EQ(got, i);
    }
    Completion none;
    EXPECT_FALSE(pair.anything(pair.a, none));
}

CHECK_MODELS(D29_TheInjectFlagFreesTheBufferAndStillCompletes)
{
    const Pair pair(wish());
    int value = 4, got = 0;
    const iovec iov{&value, sizeof value};
    const fi_msg msg{&iov, nullptr, 1, pair.to_b, context(3), 0};
    pair.post([&] { return fi_sendmsg(pair.a.ep.get(), &msg, FI_INJECT | FI_COMPLETION); });
    value = -1;
    EXPECT_EQ(pair.next(pair.a).entry.op_context, context(3));
    pair.post([&] { return fi_recv(pair.b.ep.get(), &got, sizeof got, nullptr, FI_ADDR_UNSPEC, nullptr); });
    EXPECT_FALSE(pair.next(pair.b).failed);
    EXPECT_EQ(got, 4);
}

CHECK_MODELS(D30_InjectTakesUpToInjectSizeAndNoMore)
{
    const Pair pair(wish());
    const std::size_t limit = pair.a.info->tx_attr->inject_size;
    const auto sent = pattern(limit + 1, 1);
    std::vector<unsigned char> got(limit);
    pair.post([&] { return fi_inject(pair.a.ep.get(), sent.data(), limit, pair.to_b); });
    EXPECT_REFUSED(fi_inject(pair.a.ep.get(), sent.data(), limit + 1, pair.to_b));
    EXPECT_REFUSED(fi_tinject(pair.a.ep.get(), sent.data(), limit + 1, pair.to_b, 0));
    pair.post([&] { return fi_recv(pair.b.ep.get(), got.data(), limit, nullptr, FI_ADDR_UNSPEC, nullptr); });
    EXPECT_EQ(pair.next(pair.b).entry.len, limit);
    EXPECT_TRUE(std::equal(got.begin(), got.end(), sent.begin()));
}

CHECK_MODELS(D104_D106_RemoteDataArrivesWithEveryDataCallAndOnlyThere)
{
    const Pair pair(wish());
    const std::size_t size = pair.a.info->domain_attr->cq_data_size;
    if (size == 0)
        GTEST_SKIP() << "cq_data_size is 0";
    const int payload = 1;
    int got = 0;
    fid_ep* ep = pair.a.ep.get();
    // D105: bits above the size are not promised.
    const std::uint64_t data = 0x1122334455667788u & (size < 8 ? (std::uint64_t{1} << 8 * size) - 1 : ~0ull);
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
        pair.trecv(&got, sizeof got, 0);
        const Completion received = pair.next(pair.b);
        EXPECT_TRUE(received.entry.flags & FI_REMOTE_CQ_DATA);
        EXPECT_EQ(received.entry.data, data);
    }
    pair.post([&] { return fi_tsendmsg(ep, &msg, 0); });
    pair.trecv(&got, sizeof got, 0);
    EXPECT_FALSE(pair.next(pair.b).entry.flags & FI_REMOTE_CQ_DATA);
}

CHECK_MODELS(D51_AnUnknownFlagIsRefusedNotIgnored)
{
    const Pair pair(wish());
    constexpr std::uint64_t kNamelessBit = std::uint64_t{1} << 62;
    int value = 0;
    const iovec iov{&value, sizeof value};
    const fi_msg msg{&iov, nullptr, 1, pair.to_b, nullptr, 0};
    EXPECT_REFUSED(fi_sendmsg(pair.a.ep.get(), &msg, kNamelessBit));
    EXPECT_REFUSED(fi_recvmsg(pair.a.ep.get(), &msg, kNamelessBit));
}

CHECK_MODELS(D46_D51_AFlagWithoutItsCapabilityIsRefused)
{
    const Pair pair(wish());
    int value = 0;
    const iovec iov{&value, sizeof value};
    const fi_msg msg{&iov, nullptr, 1, pair.to_b, nullptr, 0};
    if (!(pair.a.info->caps & FI_FENCE)) {
        EXPECT_REFUSED(fi_sendmsg(pair.a.ep.get(), &msg, FI_FENCE));
    }
    if (!(pair.a.info->caps & FI_MULTI_RECV)) {
        EXPECT_REFUSED(fi_recvmsg(pair.a.ep.get(), &msg, FI_MULTI_RECV)) << "D67";
    }
}

CHECK_MODELS(D38_D39_D40_WithSelectiveCompletionOnlyMarkedOperationsReport)
{
    Wish selective = wish();
    selective.select_transmit = selective.select_receive = FI_SELECTIVE_COMPLETION;
    const Pair pair(selective);
    int value = 5, got[2] = {};
    const iovec from{&value, sizeof value}, to{&got[1], sizeof got[1]};
    fi_msg out{&from, nullptr, 1, pair.to_b, context(2), 0};
    fi_msg in{&to, nullptr, 1, FI_ADDR_UNSPEC, context(1), 0};
    pair.post([&] {
        return fi_recv(pair.b.ep.get(), &got[0], sizeof got[0], nullptr, FI_ADDR_UNSPEC, context(9));
    });
    pair.post([&] { return fi_recvmsg(pair.b.ep.get(), &in, FI_COMPLETION); });
    pair.post([&] { return fi_send(pair.a.ep.get(), &value, sizeof value, nullptr, pair.to_b, context(9)); });
    pair.post([&] { return fi_sendmsg(pair.a.ep.get(), &out, FI_COMPLETION); });
    EXPECT_EQ(pair.next(pair.b).entry.op_context, context(1));
    EXPECT_EQ(pair.next(pair.a).entry.op_context, context(2));
    EXPECT_EQ(got[0], 5);
    EXPECT_EQ(got[1], 5);
    Completion none;
    EXPECT_FALSE(pair.anything(pair.a, none));
    EXPECT_FALSE(pair.anything(pair.b, none));
}

CHECK_MODELS(D39_C140_WithSelectiveCompletionErrorsAreReportedAllTheSame)
{
    Wish selective = wish();
    selective.select_transmit = selective.select_receive = FI_SELECTIVE_COMPLETION;
    const Pair pair(selective);
    int got = 0;
    pair.trecv(&got, sizeof got, 3, 0, context(11));
    EXPECT_EQ(fi_cancel(&pair.b.ep->fid, context(11)), 0);
    const Completion cancelled = pair.next(pair.b);
    ASSERT_TRUE(cancelled.failed);
    EXPECT_EQ(cancelled.error.err, FI_ECANCELED);
}

CHECK_MODELS(D216_D225_AFullTransmitQueueSaysTryAgainAndRecovers)
{
    const Pair pair(wish());
    const auto block = pattern(100'000, 1);
    std::size_t accepted = 0;
    ssize_t ret = 0;
    while ((ret = fi_tsend(pair.a.ep.get(), block.data(), block.size(), nullptr, pair.to_b, 1, nullptr)) == 0)
        if (++accepted == 20'000)
            GTEST_SKIP() << "the queue takes more than " << accepted << " sends";
    EXPECT_EQ(ret, -FI_EAGAIN);
    ASSERT_GT(accepted, 0u);
    std::vector<unsigned char> got(block.size());
    for (std::size_t i = 0; i < accepted; i++) {
        pair.trecv(got.data(), got.size(), 1);
        ASSERT_EQ(pair.next(pair.b).entry.len, block.size());
        ASSERT_FALSE(pair.next(pair.a).failed);
    }
    Completion none;
    EXPECT_FALSE(pair.anything(pair.a, none)) << "D2: what was refused makes no completion";
    pair.tsend(block.data(), 8, 1);
    EXPECT_FALSE(pair.next(pair.a).failed);
}

} // namespace
} // namespace conform
