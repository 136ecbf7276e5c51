// SPDX-License-Identifier: BSD-2-Clause
//
// Messages of every size from one endpoint to another: whole, once, in order, cut where the receive is short.
#include "check.hpp"

namespace conform {
namespace {

const std::size_t kSizes[] = {0,    1,    8,     1023,  1024,  1025,    2048,          2049,
                              8191, 8192, 65535, 65536, 65537, 1 << 20, (1 << 20) + 1, 5'000'011};

CHECK_MODELS(D15_D52_D94_ASizeOfAnyKindArrivesWholeWhenItsReceiveIsPosted)
{
    const Pair pair(wish());
    for (const std::size_t size : kSizes) {
        const auto sent = pattern(size, static_cast<unsigned>(size));
        std::vector<unsigned char> got(size + 16, 0xEE);
        pair.trecv(got.data(), size, 7, 0, context(1));
        pair.tsend(sent.data(), size, 7, context(2));
        const Completion received = pair.next(pair.b);
        ASSERT_FALSE(received.failed) << size;
        EXPECT_EQ(received.entry.len, size);
        EXPECT_TRUE(std::equal(sent.begin(), sent.end(), got.begin())) << size;
        for (std::size_t i = size; i < got.size(); i++)
            ASSERT_EQ(got[i], 0xEE) << "D94: a byte behind the buffer changed, size " << size;
        ASSERT_FALSE(pair.next(pair.a).failed);
    }
}

CHECK_MODELS(D14_AMessageOfNoBytesNeedsNoBuffer)
{
    const Pair pair(wish());
    pair.trecv(nullptr, 0, 3, 0, context(1));
    pair.tsend(nullptr, 0, 3, context(2));
    const Completion received = pair.next(pair.b);
    ASSERT_FALSE(received.failed);
    EXPECT_EQ(received.entry.len, 0u);
    EXPECT_EQ(received.entry.op_context, context(1));
    EXPECT_FALSE(pair.next(pair.a).failed);
    // No segments at all, and segments without bytes beside others.
    const fi_msg_tagged nothing{nullptr, nullptr, 0, pair.to_b, 3, 0, context(2), 0};
    pair.post([&] { return fi_tsendmsg(pair.a.ep.get(), &nothing, FI_COMPLETION); });
    char untouched = 'u', got = 0;
    pair.trecv(&untouched, 1, 3);
    EXPECT_EQ(pair.next(pair.b).entry.len, 0u);
    EXPECT_FALSE(pair.next(pair.a).failed);
    EXPECT_EQ(untouched, 'u');
    if (pair.a.info->tx_attr->iov_limit < 3)
        return;
    const iovec empty[] = {{nullptr, 0}, {&untouched, 1}, {nullptr, 0}};
    pair.post([&] { return fi_tsendv(pair.a.ep.get(), empty, nullptr, 3, pair.to_b, 3, nullptr); });
    pair.trecv(&got, 1, 3);
    EXPECT_EQ(pair.next(pair.b).entry.len, 1u);
    EXPECT_EQ(got, 'u');
}

CHECK_MODELS(D15_AMessageBeyondTheLimitIsRefused)
{
    const Pair pair(wish());
    const std::size_t limit = pair.a.info->ep_attr->max_msg_size;
    if (limit >= SIZE_MAX / 2)
        GTEST_SKIP() << "max_msg_size is beyond all memory";
    static char byte;
    EXPECT_REFUSED(fi_tsend(pair.a.ep.get(), &byte, limit + 1, nullptr, pair.to_b, 1, nullptr));
}

CHECK_MODELS(D55_C83_AMessageWithoutAReceiveWaitsForOne)
{
    const Pair pair(wish());
    for (const std::size_t size : kSizes) {
        const auto sent = pattern(size, 3);
        std::vector<unsigned char> got(size);
        pair.post([&] { return fi_send(pair.a.ep.get(), sent.data(), size, nullptr, pair.to_b, nullptr); });
        for (int i = 0; i < 50; i++) {
            Pair::progress(pair.a);
            Pair::progress(pair.b);
        }
        pair.post(
            [&] { return fi_recv(pair.b.ep.get(), got.data(), size, nullptr, FI_ADDR_UNSPEC, nullptr); });
        const Completion received = pair.next(pair.b);
        ASSERT_FALSE(received.failed);
        EXPECT_EQ(received.entry.len, size);
        EXPECT_EQ(sent, got);
        EXPECT_FALSE(pair.next(pair.a).failed);
    }
}

CHECK_MODELS(D13_SegmentsAreOneMessageOnBothSides)
{
    const Pair pair(wish());
    if (pair.a.info->tx_attr->iov_limit < 3 || pair.b.info->rx_attr->iov_limit < 3)
        GTEST_SKIP() << "iov_limit is below 3";
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
}

CHECK_MODELS(D11_TheArrayOfSegmentsIsFreeOnReturn)
{
    const Pair pair(wish());
    if (pair.a.info->tx_attr->iov_limit < 2 || pair.b.info->rx_attr->iov_limit < 2)
        GTEST_SKIP() << "iov_limit is below 2";
    auto sent = pattern(300'000, 5);
    std::vector<unsigned char> got(sent.size());
    iovec to[] = {{got.data(), 100'000}, {got.data() + 100'000, 200'000}};
    pair.post([&] { return fi_trecvv(pair.b.ep.get(), to, nullptr, 2, FI_ADDR_UNSPEC, 1, 0, nullptr); });
    std::memset(to, 0, sizeof to);
    iovec from[] = {{sent.data(), 7}, {sent.data() + 7, sent.size() - 7}};
    pair.post([&] { return fi_tsendv(pair.a.ep.get(), from, nullptr, 2, pair.to_b, 1, nullptr); });
    std::memset(from, 0, sizeof from);
    EXPECT_FALSE(pair.next(pair.b).failed);
    EXPECT_EQ(sent, got);
}

CHECK_MODELS(D12_MoreSegmentsThanTheLimitAreRefusedNotCut)
{
    const Pair pair(wish());
    std::vector<iovec> many(pair.a.info->tx_attr->iov_limit + 1);
    EXPECT_REFUSED(fi_tsendv(pair.a.ep.get(), many.data(), nullptr, many.size(), pair.to_b, 1, nullptr));
    many.resize(pair.a.info->rx_attr->iov_limit + 1);
    EXPECT_REFUSED(
        fi_trecvv(pair.a.ep.get(), many.data(), nullptr, many.size(), FI_ADDR_UNSPEC, 1, 0, nullptr));
}

CHECK_MODELS(D95_B35_TruncationIsAnErrorOfOneReceiveAndNothingElse)
{
    const Pair pair(wish());
    for (const std::size_t size : {std::size_t{8}, std::size_t{5000}, std::size_t{300'000}}) {
        for (unsigned round = 0; round < 5; round++) {
            const auto sent = pattern(size, round);
            std::vector<unsigned char> got(size, 0xEE);
            pair.trecv(got.data(), size / 2, 1, 0, context(7));
            pair.tsend(sent.data(), size, 1);
            const Completion cut = pair.next(pair.b);
            if (cut.failed) {
                EXPECT_EQ(cut.error.err, FI_ETRUNC);
                EXPECT_EQ(cut.error.len, size / 2);
                EXPECT_EQ(cut.error.olen, size - size / 2);
                EXPECT_EQ(cut.error.op_context, context(7)) << "D188";
            } else {
                EXPECT_EQ(cut.entry.len, size / 2) << "a success tells what was placed";
            }
            EXPECT_TRUE(std::equal(got.begin(), got.begin() + static_cast<long>(size / 2), sent.begin()));
            EXPECT_EQ(got[size / 2], 0xEE) << "D94";
            pair.next(pair.a); // D96: a success or an error
            pair.trecv(got.data(), size, 1);
            pair.tsend(sent.data(), size, 1);
            EXPECT_FALSE(pair.next(pair.b).failed);
            EXPECT_EQ(got, sent);
            EXPECT_FALSE(pair.next(pair.a).failed);
        }
    }
}

CHECK_MODELS(D3_BothDirectionsAtOnceCompleteOnceEach)
{
    const Pair pair(wish());
    const auto big = pattern(3'000'000, 1);
    std::vector<unsigned char> at_a(big.size()), at_b(big.size());
    const auto send = [&](const Node& from, fi_addr_t to) {
        pair.post([&] { return fi_send(from.ep.get(), big.data(), big.size(), nullptr, to, context(1)); });
    };
    const auto receive = [&](const Node& at, std::vector<unsigned char>& into) {
        pair.post([&] {
            return fi_recv(at.ep.get(), into.data(), into.size(), nullptr, FI_ADDR_UNSPEC, context(2));
        });
    };
    send(pair.a, pair.to_b);
    send(pair.b, pair.to_a);
    receive(pair.a, at_a);
    receive(pair.b, at_b);
    for (int i = 0; i < 2; i++) {
        EXPECT_FALSE(pair.next(pair.a).failed);
        EXPECT_FALSE(pair.next(pair.b).failed);
    }
    EXPECT_EQ(at_a, big);
    EXPECT_EQ(at_b, big);
    Completion none;
    EXPECT_FALSE(pair.anything(pair.a, none));
    EXPECT_FALSE(pair.anything(pair.b, none));
}

CHECK_MODELS(C52_WithLocalCommunicationAnEndpointReachesItself)
{
    const Node node(wish(FI_TAGGED | FI_LOCAL_COMM));
    const fi_addr_t self = node.insert(node.name());
    int got = 0;
    const int sent = 77;
    ASSERT_EQ(fi_trecv(node.ep.get(), &got, sizeof got, nullptr, FI_ADDR_UNSPEC, 1, 0, context(4)), 0);
    wait_until(
        [&] {
            return fi_tsend(node.ep.get(), &sent, sizeof sent, nullptr, self, 1, context(3)) != -FI_EAGAIN;
        },
        [&] { Pair::progress(node); });
    for (int i = 0; i < 2; i++) {
        Completion done;
        ASSERT_TRUE(wait_until([&] { return read_one(node.cq.get(), done); }));
        EXPECT_FALSE(done.failed);
    }
    EXPECT_EQ(got, 77);
}

} // namespace
} // namespace conform
