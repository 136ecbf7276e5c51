// SPDX-License-Identifier: BSD-2-Clause
//
// Receives of other kinds (D67 to D75, D84 to D92): one buffer for many messages; looking at messages,
// reserving and dropping them.
#include "pair.hpp"

namespace contract {
namespace {

/// A receive by flags, tagged or not, with one segment or none.
ssize_t receive(Node& node, bool tagged, std::uint64_t flags, void* buffer, std::size_t size, void* context,
                std::uint64_t tag = 0, fi_addr_t source = FI_ADDR_UNSPEC)
{
    const iovec iov{buffer, size};
    const std::size_t count = buffer ? 1 : 0;
    if (tagged) {
        const fi_msg_tagged msg{&iov, nullptr, count, source, tag, 0, context, 0};
        return fi_trecvmsg(node.ep.get(), &msg, flags);
    }
    const fi_msg msg{&iov, nullptr, count, source, context, 0};
    return fi_recvmsg(node.ep.get(), &msg, flags);
}

class Receives : public testing::TestWithParam<bool> {
  protected:
    [[nodiscard]] static bool tagged() { return GetParam(); }
    [[nodiscard]] static std::uint64_t kind() { return FI_RECV | (tagged() ? FI_TAGGED : FI_MSG); }
    [[nodiscard]] static Wish wish()
    {
        Wish multi;
        multi.caps |= FI_MULTI_RECV | FI_TAGGED_MULTI_RECV;
        return multi;
    }
    static void send(Pair& pair, const void* bytes, std::size_t size, std::uint64_t tag = 0)
    {
        pair.post([&] {
            return tagged() ? fi_tsend(pair.a.ep.get(), bytes, size, nullptr, pair.to_b, tag, nullptr)
                            : fi_send(pair.a.ep.get(), bytes, size, nullptr, pair.to_b, nullptr);
        });
    }
    /// Looks for a message until there is one.
    static Completion peek(Pair& pair, std::uint64_t flags, void* context)
    {
        for (Completion done;;) {
            pair.post([&] { return receive(pair.b, tagged(), FI_PEEK | flags, nullptr, 0, context); });
            done = pair.next(pair.b);
            if (!done.failed || done.error.err != FI_ENOMSG || testing::Test::HasFailure())
                return done;
            Pair::progress(pair.a);
        }
    }
    static void set_minimum(Node& node, std::size_t bytes)
    {
        ASSERT_EQ(fi_setopt(&node.ep->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, &bytes, sizeof bytes), 0);
    }
};
INSTANTIATE_TEST_SUITE_P(Kind, Receives, testing::Bool(),
                         [](const auto& test) { return test.param ? "Tagged" : "Untagged"; });

TEST_P(Receives, D68_D70_ManyMessagesFillOneBufferAndTheLastEntryReleasesIt)
{
    Pair pair(wish());
    set_minimum(pair.b, 1000);
    const std::size_t sizes[] = {8, 100'000, 0, 3000, 1'500'000, 40};
    std::size_t sum = 0;
    for (const std::size_t size : sizes)
        sum += size;
    std::vector<unsigned char> buffer(sum + 999, 0xEE);
    pair.post(
        [&] { return receive(pair.b, tagged(), FI_MULTI_RECV, buffer.data(), buffer.size(), context(1)); });
    std::vector<std::vector<unsigned char>> messages;
    for (const std::size_t size : sizes) {
        messages.push_back(pattern(size, static_cast<unsigned>(size)));
        send(pair, messages.back().data(), size);
    }
    const unsigned char* place = buffer.data();
    std::vector<const unsigned char*> places;
    for (const auto& message : messages) {
        places.push_back(place);
        place += message.size();
    }
    for (std::size_t i = 0; i < messages.size(); i++) {
        const Completion done = pair.next(pair.b);
        ASSERT_FALSE(done.failed);
        EXPECT_EQ(done.entry.op_context, context(1));
        EXPECT_EQ(done.entry.flags, kind() | (i + 1 == messages.size() ? FI_MULTI_RECV : 0));
        std::size_t which = 0;
        while (which < messages.size() &&
               (places[which] != done.entry.buf || messages[which].size() != done.entry.len))
            which++;
        ASSERT_LT(which, messages.size()) << "an entry with a place or a length that no message has";
        EXPECT_TRUE(std::equal(messages[which].begin(), messages[which].end(), places[which]));
        places[which] = nullptr;
    }
    for (std::size_t i = sum; i < buffer.size(); i++)
        ASSERT_EQ(buffer[i], 0xEE);
    EXPECT_EQ(fi_cancel(&pair.b.ep->fid, context(1)), -FI_ENOENT);
}

TEST_P(Receives, D67_AsADefaultFlagItHoldsForTheCallsWithoutFlags)
{
    Pair pair(wish());
    std::uint64_t flags = FI_RECV | FI_COMPLETION | FI_MULTI_RECV;
    ASSERT_EQ(fi_control(&pair.b.ep->fid, FI_SETOPSFLAG, &flags), 0);
    set_minimum(pair.b, 2);
    char buffer[4] = {};
    pair.post([&] {
        return tagged() ? fi_trecv(pair.b.ep.get(), buffer, 4, nullptr, FI_ADDR_UNSPEC, 0, 0, nullptr)
                        : fi_recv(pair.b.ep.get(), buffer, 4, nullptr, FI_ADDR_UNSPEC, nullptr);
    });
    send(pair, "ab", 2);
    EXPECT_EQ(pair.next(pair.b).entry.flags, kind());
    send(pair, "c", 1);
    const Completion last = pair.next(pair.b);
    EXPECT_EQ(last.entry.flags, kind() | FI_MULTI_RECV);
    EXPECT_EQ(last.entry.buf, buffer + 2);
    EXPECT_STREQ(buffer, "abc");
}

TEST_P(Receives, B32_CancelledBuffersAreGivenBackWithTheFlag)
{
    Pair pair(wish());
    char buffers[3][100];
    for (auto& buffer : buffers)
        pair.post([&] { return receive(pair.b, tagged(), FI_MULTI_RECV, buffer, sizeof buffer, buffer); });
    send(pair, "some", 4);
    EXPECT_EQ(pair.next(pair.b).entry.op_context, buffers[0]);
    for (auto& buffer : buffers) {
        EXPECT_EQ(fi_cancel(&pair.b.ep->fid, buffer), 0);
        const Completion done = pair.next(pair.b);
        ASSERT_TRUE(done.failed);
        EXPECT_EQ(done.error.err, FI_ECANCELED);
        EXPECT_EQ(done.error.flags, kind() | FI_MULTI_RECV);
        EXPECT_EQ(done.error.op_context, buffer);
    }
}

TEST_P(Receives, D72_TheMinimumIsReadBackAndItsSizeIsChecked)
{
    Node node(wish());
    std::size_t value = 0, size = sizeof value;
    set_minimum(node, 12345);
    EXPECT_EQ(fi_getopt(&node.ep->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, &value, &size), 0);
    EXPECT_EQ(value, 12345u);
    EXPECT_EQ(fi_setopt(&node.ep->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, &value, 4), -FI_EINVAL);
}

TEST_P(Receives, D85_D86_APeekTellsOfAMessageAndLeavesIt)
{
    Pair pair;
    pair.post([&] { return receive(pair.b, tagged(), FI_PEEK, nullptr, 0, context(3)); });
    const Completion nothing = pair.next(pair.b);
    ASSERT_TRUE(nothing.failed);
    EXPECT_EQ(nothing.error.err, FI_ENOMSG);
    EXPECT_EQ(nothing.error.op_context, context(3));
    for (const std::size_t size : {std::size_t{100}, std::size_t{300'000}}) {
        const auto message = pattern(size, 1);
        send(pair, message.data(), size);
        const Completion seen = peek(pair, 0, context(4));
        ASSERT_FALSE(seen.failed);
        EXPECT_EQ(seen.entry.len, size);
        EXPECT_EQ(seen.entry.flags, kind());
        EXPECT_EQ(seen.source, pair.to_a);
        std::vector<unsigned char> got(size);
        pair.post([&] { return receive(pair.b, tagged(), 0, got.data(), size, nullptr); });
        EXPECT_EQ(pair.next(pair.b).entry.len, size);
        EXPECT_EQ(got, message);
    }
}

TEST_P(Receives, D88_AClaimedMessageGoesToItsClaimerOnly)
{
    Pair pair;
    fi_context claim{};
    for (const std::size_t size : {std::size_t{100}, std::size_t{300'000}}) {
        const auto first = pattern(size, 1);
        const auto second = pattern(size, 2);
        send(pair, first.data(), size);
        send(pair, second.data(), size);
        ASSERT_FALSE(peek(pair, FI_CLAIM, &claim).failed);
        std::vector<unsigned char> got(size);
        pair.post([&] { return receive(pair.b, tagged(), 0, got.data(), size, nullptr); });
        EXPECT_FALSE(pair.next(pair.b).failed);
        EXPECT_EQ(got, second);
        pair.post([&] { return receive(pair.b, tagged(), FI_CLAIM, got.data(), size, &claim); });
        const Completion done = pair.next(pair.b);
        EXPECT_EQ(done.entry.op_context, &claim);
        EXPECT_EQ(done.entry.len, size);
        EXPECT_EQ(got, first);
        EXPECT_FALSE(pair.next(pair.a).failed);
        EXPECT_FALSE(pair.next(pair.a).failed);
    }
    EXPECT_EQ(receive(pair.b, tagged(), FI_CLAIM, nullptr, 0, &claim), -FI_EINVAL) << "nothing is claimed";
}

TEST_P(Receives, D90_DiscardedMessagesAreGoneAndTheirSenderIsDone)
{
    Pair pair;
    fi_context claim{};
    for (const std::size_t size : {std::size_t{100}, std::size_t{300'000}}) {
        const auto message = pattern(size, 1);
        for (int i = 0; i < 2; i++)
            send(pair, message.data(), size);
        const Completion dropped = peek(pair, FI_DISCARD, context(5));
        EXPECT_FALSE(dropped.failed);
        EXPECT_EQ(dropped.entry.len, size);
        ASSERT_FALSE(peek(pair, FI_CLAIM, &claim).failed);
        pair.post([&] { return receive(pair.b, tagged(), FI_CLAIM | FI_DISCARD, nullptr, 0, &claim); });
        EXPECT_EQ(pair.next(pair.b).entry.op_context, &claim);
        EXPECT_FALSE(pair.next(pair.a).failed);
        EXPECT_FALSE(pair.next(pair.a).failed);
        pair.post([&] { return receive(pair.b, tagged(), FI_PEEK, nullptr, 0, nullptr); });
        EXPECT_EQ(pair.next(pair.b).error.err, FI_ENOMSG);
    }
}

TEST_P(Receives, D51_FlagsThatDoNotGoTogetherAreRefused)
{
    Node node(wish());
    char byte = 0;
    const std::uint64_t wrong[] = {FI_DISCARD,
                                   FI_PEEK | FI_CLAIM | FI_DISCARD,
                                   FI_PEEK | FI_MULTI_RECV,
                                   FI_CLAIM | FI_MULTI_RECV,
                                   FI_INJECT,
                                   FI_FENCE,
                                   std::uint64_t{1} << 63};
    for (const std::uint64_t flags : wrong)
        EXPECT_EQ(receive(node, tagged(), flags, &byte, 1, &byte), -FI_EBADFLAGS) << std::hex << flags;
    EXPECT_EQ(receive(node, tagged(), FI_PEEK | FI_CLAIM, nullptr, 0, nullptr), -FI_EINVAL)
        << "D89: a claim is known by its context";
    EXPECT_EQ(receive(node, tagged(), FI_MULTI_RECV, nullptr, 0, nullptr), -FI_EINVAL);
}

} // namespace
} // namespace contract
