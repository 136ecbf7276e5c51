// SPDX-License-Identifier: BSD-2-Clause
//
// Which receive gets which message: order, tags, sources, cancelling.
#include "check.hpp"

namespace conform {
namespace {

CHECK_MODELS(D77_D161_D162_ArrivalOrderIsKeptAcrossSizesAndKindsOfCall)
{
    const Pair pair(wish());
    if (!(pair.a.info->tx_attr->msg_order & pair.b.info->rx_attr->msg_order & FI_ORDER_SAS))
        GTEST_SKIP() << "FI_ORDER_SAS is not claimed";
    const std::size_t sizes[] = {4, 100'000, 16, 3000, 70'000, 8, 1'200'000, 2, 65'536};
    std::vector<std::vector<unsigned char>> messages;
    unsigned seed = 0;
    for (int round = 0; round < 4; round++)
        for (const std::size_t size : sizes)
            messages.push_back(pattern(size, ++seed));
    const std::size_t inject = std::min<std::size_t>(16, pair.a.info->tx_attr->inject_size);
    for (const auto& message : messages)
        if (message.size() <= inject)
            pair.tinject(message.data(), message.size(), 5);
        else
            pair.tsend(message.data(), message.size(), 5);
    for (const auto& message : messages) {
        std::vector<unsigned char> got(2'000'000);
        pair.trecv(got.data(), got.size(), 5);
        const Completion received = pair.next(pair.b);
        ASSERT_FALSE(received.failed);
        ASSERT_EQ(received.entry.len, message.size());
        ASSERT_TRUE(std::equal(message.begin(), message.end(), got.begin()));
    }
}

CHECK_MODELS(D53_PostedReceivesAreMatchedInPostingOrder)
{
    const Pair pair(wish());
    int got[3] = {};
    for (unsigned i = 0; i < 3; i++)
        pair.trecv(&got[i], sizeof got[i], 1, 0, context(i));
    for (int i = 0; i < 3; i++)
        pair.tinject(&i, sizeof i, 1);
    for (int i = 0; i < 3; i++)
        EXPECT_FALSE(pair.next(pair.b).failed);
    for (int i = 0; i < 3; i++)
        EXPECT_EQ(got[i], i);
}

CHECK_MODELS(D54_TaggedAndUntaggedNeverMatchEachOther)
{
    const Pair pair(wish());
    int untagged = 0, tagged = 0;
    const int one = 1, two = 2;
    pair.post([&] { return fi_inject(pair.a.ep.get(), &one, sizeof one, pair.to_b); });
    pair.tinject(&two, sizeof two, 0);
    pair.trecv(&tagged, sizeof tagged, 0, ~0ull);
    EXPECT_FALSE(pair.next(pair.b).failed);
    EXPECT_EQ(tagged, 2);
    pair.post([&] {
        return fi_recv(pair.b.ep.get(), &untagged, sizeof untagged, nullptr, FI_ADDR_UNSPEC, nullptr);
    });
    EXPECT_FALSE(pair.next(pair.b).failed);
    EXPECT_EQ(untagged, 1);
}

CHECK_MODELS(D76_D79_IgnoredBitsDoNotMatterAndAllOthersDo)
{
    const Pair pair(wish());
    for (int round = 0; round < 2; round++) { // a message that waits, and a receive that waits
        int got = 0;
        const auto receive = [&] { pair.trecv(&got, sizeof got, 0x220000000000fffu, 0xfff); };
        if (round == 1)
            receive();
        for (int i = 1; i <= 2; i++)
            pair.tinject(&i, sizeof i, i == 1 ? 0x110000000000001u : 0x220000000000001u);
        if (round == 0)
            receive();
        const Completion received = pair.next(pair.b);
        EXPECT_EQ(got, 2);
        EXPECT_EQ(received.entry.tag, 0x220000000000001u) << "D79: the tag is the sender's";
        pair.trecv(&got, sizeof got, 0x110000000000001u);
        EXPECT_FALSE(pair.next(pair.b).failed);
        EXPECT_EQ(got, 1);
    }
}

CHECK_MODELS(D78_AReceiveThatIgnoresTheWholeTagTakesAny)
{
    const Pair pair(wish());
    for (const std::uint64_t tag : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{0x00ff00ff00ff00ff}}) {
        int got = 0;
        const int sent = 5;
        pair.trecv(&got, sizeof got, 0, ~0ull);
        pair.tinject(&sent, sizeof sent, tag);
        EXPECT_EQ(pair.next(pair.b).entry.tag, tag);
        EXPECT_EQ(got, 5);
    }
}

CHECK_MODELS(D62_D66_ADirectedReceiveTakesFromItsSourceOnly)
{
    const Wish directed = wish(FI_MSG | FI_DIRECTED_RECV);
    const Node server(directed), first(directed), second(directed);
    const fi_addr_t from_first = server.insert(first.name());
    const fi_addr_t from_second = server.insert(second.name());
    const fi_addr_t to_server_1 = first.insert(server.name());
    const fi_addr_t to_server_2 = second.insert(server.name());
    const int one = 1, two = 2;
    int got = 0;
    const auto drive = [&](const Node& waits) {
        Completion done;
        EXPECT_TRUE(wait_until([&] { return read_one(waits.cq.get(), done); },
                               [&] {
                                   for (const Node* node : {&server, &first, &second})
                                       if (node != &waits)
                                           Pair::progress(*node);
                               }));
        return done;
    };
    ASSERT_EQ(fi_send(first.ep.get(), &one, sizeof one, nullptr, to_server_1, nullptr), 0);
    EXPECT_FALSE(drive(first).failed);
    ASSERT_EQ(fi_recv(server.ep.get(), &got, sizeof got, nullptr, from_second, nullptr), 0);
    ASSERT_EQ(fi_send(second.ep.get(), &two, sizeof two, nullptr, to_server_2, nullptr), 0);
    EXPECT_FALSE(drive(server).failed);
    EXPECT_EQ(got, 2);
    ASSERT_EQ(fi_recv(server.ep.get(), &got, sizeof got, nullptr, from_first, nullptr), 0);
    EXPECT_FALSE(drive(server).failed);
    EXPECT_EQ(got, 1);
}

CHECK_MODELS(C49_D61_WithoutDirectedReceiveTheSourceHasNoEffect)
{
    const Pair pair(wish());
    int got = 0;
    const int sent = 6;
    const fi_addr_t stranger = pair.b.insert(pair.b.name());
    pair.trecv(&got, sizeof got, 1, 0, nullptr, stranger);
    pair.tinject(&sent, sizeof sent, 1);
    EXPECT_FALSE(pair.next(pair.b).failed);
    EXPECT_EQ(got, 6);
}

CHECK_MODELS(D98_D101_C154_ACancelledReceiveCompletesOnceWithECANCELED)
{
    const Pair pair(wish());
    int first = 0, second = 0;
    const int sent = 42;
    pair.trecv(&first, sizeof first, 3, 0, context(11));
    EXPECT_EQ(fi_cancel(&pair.b.ep->fid, context(11)), 0);
    const Completion cancelled = pair.next(pair.b);
    ASSERT_TRUE(cancelled.failed);
    EXPECT_EQ(cancelled.error.err, FI_ECANCELED);
    EXPECT_EQ(cancelled.error.op_context, context(11)) << "D188";
    pair.tinject(&sent, sizeof sent, 3);
    pair.trecv(&second, sizeof second, 3, 0, context(12));
    EXPECT_EQ(pair.next(pair.b).entry.op_context, context(12));
    EXPECT_EQ(second, 42);
    EXPECT_EQ(first, 0) << "D101: the cancelled buffer is the application's";
}

CHECK_MODELS(D99_C155_CancelTakesOneOfSeveralWithTheSameContext)
{
    const Pair pair(wish());
    int got[3] = {};
    const int sent = 9;
    for (int& each : got)
        pair.trecv(&each, sizeof each, 3, 0, context(5));
    EXPECT_EQ(fi_cancel(&pair.b.ep->fid, context(5)), 0);
    const Completion cancelled = pair.next(pair.b);
    ASSERT_TRUE(cancelled.failed);
    EXPECT_EQ(cancelled.error.err, FI_ECANCELED);
    for (int i = 0; i < 2; i++)
        pair.tinject(&sent, sizeof sent, 3);
    for (int i = 0; i < 2; i++)
        EXPECT_FALSE(pair.next(pair.b).failed);
    Completion none;
    EXPECT_FALSE(pair.anything(pair.b, none));
}

CHECK_MODELS(D100_CancellingAnUnknownContextDoesNothing)
{
    const Pair pair(wish());
    int got = 0;
    const int sent = 9;
    pair.trecv(&got, sizeof got, 3, 0, context(5));
    fi_cancel(&pair.b.ep->fid, context(6)); // what it returns is open
    Completion none;
    EXPECT_FALSE(pair.anything(pair.b, none));
    pair.tinject(&sent, sizeof sent, 3);
    EXPECT_EQ(pair.next(pair.b).entry.op_context, context(5));
}

} // namespace
} // namespace conform
