// SPDX-License-Identifier: BSD-2-Clause
//
// When sends end (D143 to D151), fences (D46, D47), and how receivers learn who sent (D61 to D66, D193 to
// D195); messages of no bytes and of no segments (D14).
#include "pair.hpp"

namespace contract {
namespace {

struct Call {
    const char* name;
    bool tagged;
};
class Levels : public testing::TestWithParam<Call> {
  protected:
    [[nodiscard]] static bool tagged() { return GetParam().tagged; }
    /// Sends by flags: one segment, or none at all when bytes is nullptr.
    static ssize_t send(Node& from, fi_addr_t to, const void* bytes, std::size_t size, void* context,
                        std::uint64_t flags)
    {
        const iovec iov{const_cast<void*>(bytes), size};
        const std::size_t count = bytes ? 1 : 0;
        if (tagged()) {
            const fi_msg_tagged msg{count ? &iov : nullptr, nullptr, count, to, 0, 0, context, 0};
            return fi_tsendmsg(from.ep.get(), &msg, flags);
        }
        const fi_msg msg{count ? &iov : nullptr, nullptr, count, to, context, 0};
        return fi_sendmsg(from.ep.get(), &msg, flags);
    }
    static ssize_t receive(Node& at, void* bytes, std::size_t size, void* context,
                           fi_addr_t from = FI_ADDR_UNSPEC)
    {
        return tagged() ? fi_trecv(at.ep.get(), bytes, size, nullptr, from, 0, 0, context)
                        : fi_recv(at.ep.get(), bytes, size, nullptr, from, context);
    }
    /// Lets both sides work for a while; true if that side has nothing to read.
    static bool quiet(Pair& pair, Node& side)
    {
        Completion none;
        for (int i = 0; i < 200; i++) {
            Pair::progress(pair.a);
            Pair::progress(pair.b);
        }
        return !read_one(side.cq.get(), none);
    }
};
INSTANTIATE_TEST_SUITE_P(Kind, Levels, testing::Values(Call{"Untagged", false}, Call{"Tagged", true}),
                         [](const auto& test) { return test.param.name; });

TEST_P(Levels, D147_B49_ADeliveredMessageArrivesThoughItsSenderClosesAtOnce)
{
    for (const std::size_t size : {std::size_t{16}, std::size_t{4096}, std::size_t{1} << 20}) {
        Node receiver;
        const auto message = pattern(size, 1);
        std::vector<unsigned char> got(size);
        ASSERT_EQ(receive(receiver, got.data(), size, context(1)), 0);
        {
            Node sender;
            const fi_addr_t to = sender.insert(receiver.name());
            ASSERT_EQ(send(sender, to, message.data(), size, nullptr, FI_DELIVERY_COMPLETE), 0);
            Completion done;
            while (!read_one(sender.cq.get(), done))
                Pair::progress(receiver);
            ASSERT_FALSE(done.failed);
        }
        Completion received;
        ASSERT_TRUE(read_one(receiver.cq.get(), received)) << "delivered means that it is there now";
        EXPECT_FALSE(received.failed);
        EXPECT_EQ(got, message);
    }
}

TEST_P(Levels, D149_AMatchIsReportedAfterTheReceiveAndNotBefore)
{
    Pair pair;
    // 16 again: over a link that is up, short messages have a way of their own.
    for (const std::size_t size : {std::size_t{16}, std::size_t{300'000}, std::size_t{16}}) {
        const auto message = pattern(size, 1);
        std::vector<unsigned char> got(size);
        pair.post(
            [&] { return send(pair.a, pair.to_b, message.data(), size, context(2), FI_MATCH_COMPLETE); });
        EXPECT_TRUE(quiet(pair, pair.a));
        pair.post([&] { return receive(pair.b, got.data(), size, context(1)); });
        EXPECT_EQ(pair.next(pair.a).entry.op_context, context(2));
        EXPECT_EQ(pair.next(pair.b).entry.op_context, context(1));
        EXPECT_EQ(got, message);
    }
}

TEST_P(Levels, D36_TheDefaultLevelHoldsForCallsWithoutFlagsAndMessageCallsReplaceIt)
{
    Pair pair;
    std::uint64_t flags = FI_TRANSMIT | FI_COMPLETION | FI_MATCH_COMPLETE;
    ASSERT_EQ(fi_control(&pair.a.ep->fid, FI_SETOPSFLAG, &flags), 0);
    flags = FI_TRANSMIT;
    ASSERT_EQ(fi_control(&pair.a.ep->fid, FI_GETOPSFLAG, &flags), 0);
    EXPECT_EQ(flags, FI_COMPLETION | FI_MATCH_COMPLETE);
    char byte = 'x', got = 0;
    pair.post([&] {
        return tagged() ? fi_tsend(pair.a.ep.get(), &byte, 1, nullptr, pair.to_b, 0, context(1))
                        : fi_send(pair.a.ep.get(), &byte, 1, nullptr, pair.to_b, context(1));
    });
    EXPECT_TRUE(quiet(pair, pair.a));
    pair.post([&] { return send(pair.a, pair.to_b, &byte, 1, context(2), 0); });
    EXPECT_EQ(pair.next(pair.a).entry.op_context, context(2));
    for (int i = 0; i < 2; i++) {
        pair.post([&] { return receive(pair.b, &got, 1, nullptr); });
        EXPECT_FALSE(pair.next(pair.b).failed);
    }
    EXPECT_EQ(pair.next(pair.a).entry.op_context, context(1));
}

TEST_P(Levels, D143_EveryLevelEndsWithOneCompletionOfTheSameKind)
{
    Pair pair;
    const std::uint64_t levels[] = {FI_INJECT_COMPLETE, FI_TRANSMIT_COMPLETE, FI_DELIVERY_COMPLETE,
                                    FI_MATCH_COMPLETE, FI_INJECT | FI_DELIVERY_COMPLETE};
    for (const std::uint64_t level : levels) {
        char byte = 'x', got = 0;
        pair.post([&] { return receive(pair.b, &got, 1, nullptr); });
        pair.post([&] { return send(pair.a, pair.to_b, &byte, 1, context(7), level); });
        EXPECT_FALSE(pair.next(pair.b).failed);
        const Completion done = pair.next(pair.a);
        ASSERT_FALSE(done.failed);
        EXPECT_EQ(done.entry.op_context, context(7));
        EXPECT_EQ(done.entry.flags, FI_SEND | (tagged() ? FI_TAGGED : FI_MSG));
    }
    EXPECT_TRUE(quiet(pair, pair.a));
}

TEST_P(Levels, D46_D47_AFencedSendEndsAfterAllThoseBeforeIt)
{
    Wish wish;
    wish.caps |= FI_FENCE;
    Pair pair(wish);
    const auto large = pattern(300'000, 1);
    std::vector<unsigned char> got(large.size());
    char byte = 'x', last = 0;
    pair.post([&] { return send(pair.a, pair.to_b, large.data(), large.size(), context(1), 0); });
    pair.post([&] { return send(pair.a, pair.to_b, &byte, 1, context(2), FI_FENCE); });
    EXPECT_TRUE(quiet(pair, pair.a)) << "the first one has no receive";
    pair.post([&] { return receive(pair.b, got.data(), got.size(), nullptr); });
    pair.post([&] { return receive(pair.b, &last, 1, nullptr); });
    EXPECT_EQ(pair.next(pair.a).entry.op_context, context(1));
    EXPECT_EQ(pair.next(pair.a).entry.op_context, context(2));
    EXPECT_FALSE(pair.next(pair.b).failed);
    EXPECT_FALSE(pair.next(pair.b).failed);
    EXPECT_EQ(got, large);
    EXPECT_EQ(last, 'x');
}

TEST_P(Levels, D49_SendsMarkedWithMoreArriveThoughNoneFollows)
{
    Pair pair;
    char byte = 'x', got = 0;
    pair.post([&] { return send(pair.a, pair.to_b, &byte, 1, context(1), FI_MORE); });
    pair.post([&] { return receive(pair.b, &got, 1, context(2)); });
    EXPECT_EQ(pair.next(pair.b).entry.op_context, context(2));
    EXPECT_EQ(pair.next(pair.a).entry.op_context, context(1));
}

TEST_P(Levels, D14_AMessageMayHaveNoBytesNoSegmentsAndNoBuffer)
{
    Pair pair;
    char untouched = 'u';
    const std::uint64_t ways[] = {0, FI_INJECT, FI_DELIVERY_COMPLETE};
    for (const std::uint64_t flags : ways) {
        pair.post([&] { return receive(pair.b, nullptr, 0, context(1)); });
        pair.post([&] { return send(pair.a, pair.to_b, nullptr, 0, context(2), flags); });
        EXPECT_EQ(pair.next(pair.b).entry.len, 0u);
        EXPECT_FALSE(pair.next(pair.a).failed);
        pair.post([&] { return send(pair.a, pair.to_b, &untouched, 0, context(2), flags); });
        EXPECT_FALSE(pair.next(pair.a).failed);
        pair.post([&] { return receive(pair.b, &untouched, 1, context(1)); });
        EXPECT_EQ(pair.next(pair.b).entry.len, 0u);
    }
    const iovec empty[] = {{nullptr, 0}, {&untouched, 1}, {nullptr, 0}};
    char got = 0;
    pair.post([&] { return fi_tsendv(pair.a.ep.get(), empty, nullptr, 3, pair.to_b, 9, nullptr); });
    pair.post([&] { return fi_trecv(pair.b.ep.get(), &got, 1, nullptr, FI_ADDR_UNSPEC, 9, 0, nullptr); });
    EXPECT_EQ(pair.next(pair.b).entry.len, 1u);
    EXPECT_EQ(got, 'u');
}

TEST_P(Levels, D15_ASizeAboveTheMaximumIsRefused)
{
    Pair pair;
    char byte = 0;
    const std::size_t most = pair.a.info->ep_attr->max_msg_size;
    EXPECT_EQ(send(pair.a, pair.to_b, &byte, most + 1, nullptr, 0), -FI_EMSGSIZE);
}

TEST_P(Levels, D12_MoreSegmentsThanTheLimitAreRefused)
{
    Pair pair;
    std::vector<iovec> many(pair.a.info->rx_attr->iov_limit + 1);
    if (tagged())
        EXPECT_EQ(
            fi_trecvv(pair.a.ep.get(), many.data(), nullptr, many.size(), FI_ADDR_UNSPEC, 0, 0, nullptr),
            -FI_EINVAL);
    else
        EXPECT_EQ(fi_recvv(pair.a.ep.get(), many.data(), nullptr, many.size(), FI_ADDR_UNSPEC, nullptr),
                  -FI_EINVAL);
}

TEST_P(Levels, D51_FlagsOfOtherCallsAreRefused)
{
    Pair pair;
    char byte = 0;
    const std::uint64_t wrong[] = {FI_PEEK, FI_CLAIM, FI_MULTI_RECV, FI_COMMIT_COMPLETE,
                                   std::uint64_t{1} << 63};
    for (const std::uint64_t flags : wrong)
        EXPECT_EQ(send(pair.a, pair.to_b, &byte, 1, nullptr, flags), -FI_EBADFLAGS) << std::hex << flags;
}

TEST_P(Levels, D66_ADirectedReceiveLeavesMessagesOfOthersToLaterOnes)
{
    Node server, first, second;
    const fi_addr_t from_second = server.insert(second.name());
    char one = '1', two = '2', directed = 0, any = 0;
    const auto drive = [&](Node& waits) {
        Completion done;
        const auto end = std::chrono::steady_clock::now() + kPatience;
        while (!read_one(waits.cq.get(), done) && std::chrono::steady_clock::now() < end)
            for (Node* node : {&server, &first, &second})
                if (node != &waits)
                    Pair::progress(*node);
        return done;
    };
    ASSERT_EQ(receive(server, &directed, 1, context(1), from_second), 0);
    ASSERT_EQ(receive(server, &any, 1, context(2)), 0);
    ASSERT_EQ(send(first, first.insert(server.name()), &one, 1, nullptr, 0), 0);
    EXPECT_EQ(drive(server).entry.op_context, context(2));
    ASSERT_EQ(send(second, second.insert(server.name()), &two, 1, nullptr, 0), 0);
    EXPECT_EQ(drive(server).entry.op_context, context(1));
    EXPECT_EQ(any, '1');
    EXPECT_EQ(directed, '2');
}

TEST_P(Levels, D61_D63_WithoutTheCapabilityTheSourceOfAReceiveIsIgnored)
{
    const std::uint64_t kinds[] = {FI_MSG | FI_TAGGED, FI_MSG | FI_TAGGED | FI_TAGGED_DIRECTED_RECV};
    for (const std::uint64_t caps : kinds) {
        Wish wish;
        wish.caps = caps;
        Pair pair(wish);
        char byte = 'x', got = 0;
        const bool counts = tagged() && (caps & FI_TAGGED_DIRECTED_RECV);
        EXPECT_EQ(receive(pair.b, &got, 1, context(1), 12345), counts ? -FI_EINVAL : 0)
            << "no address of that number has been inserted";
        if (counts)
            continue;
        pair.post([&] { return send(pair.a, pair.to_b, &byte, 1, nullptr, 0); });
        EXPECT_EQ(pair.next(pair.b).entry.op_context, context(1));
    }
}

TEST_P(Levels, D195_D190_D191_AnUnknownSenderIsReportedWithAnAddressThatCanBeInserted)
{
    Wish wish;
    wish.caps |= FI_SOURCE | FI_SOURCE_ERR;
    Node server(wish), client(wish);
    ASSERT_GT(server.info->domain_attr->max_err_data, 0u);
    const fi_addr_t to = client.insert(server.name());
    char byte = 'x', got = 0;
    const auto exchange = [&] {
        ASSERT_EQ(receive(server, &got, 1, context(1)), 0);
        ASSERT_EQ(send(client, to, &byte, 1, nullptr, 0), 0);
        fi_cq_tagged_entry entry;
        fi_addr_t source = 0;
        const auto end = std::chrono::steady_clock::now() + kPatience;
        ssize_t ret = -FI_EAGAIN;
        while (ret == -FI_EAGAIN && std::chrono::steady_clock::now() < end) {
            Pair::progress(client);
            ret = fi_cq_readfrom(server.cq.get(), &entry, 1, &source);
        }
        ASSERT_EQ(ret, -FI_EAVAIL);
    };
    exchange();
    fi_cq_err_entry error{};
    ASSERT_EQ(fi_cq_readerr(server.cq.get(), &error, 0), 1);
    EXPECT_EQ(error.err, FI_EADDRNOTAVAIL);
    EXPECT_EQ(error.op_context, context(1));
    EXPECT_EQ(error.len, 1u);
    EXPECT_EQ(error.src_addr, FI_ADDR_NOTAVAIL);
    EXPECT_EQ(got, 'x');
    ASSERT_GT(error.err_data_size, 0u);
    const std::vector<char> address(static_cast<char*>(error.err_data),
                                    static_cast<char*>(error.err_data) + error.err_data_size);
    // The same once more into a buffer of our own, one that is too short.
    exchange();
    char room[6] = {'-', '-', '-', '-', '-', '-'};
    error = {};
    error.err_data = room;
    error.err_data_size = 4;
    ASSERT_EQ(fi_cq_readerr(server.cq.get(), &error, 0), 1);
    EXPECT_EQ(error.err_data, room);
    EXPECT_EQ(error.err_data_size, 4u);
    EXPECT_TRUE(std::equal(room, room + 4, address.begin()));
    EXPECT_EQ(room[4], '-');
    // With it inserted the sender is known, and can be answered.
    const fi_addr_t back = server.insert(address);
    ASSERT_EQ(receive(server, &got, 1, context(2)), 0);
    ASSERT_EQ(send(client, to, &byte, 1, nullptr, 0), 0);
    Completion done;
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (!read_one(server.cq.get(), done) && std::chrono::steady_clock::now() < end)
        Pair::progress(client);
    ASSERT_FALSE(done.failed);
    EXPECT_EQ(done.source, back);
}

} // namespace
} // namespace contract
