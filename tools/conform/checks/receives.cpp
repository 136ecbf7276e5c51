// SPDX-License-Identifier: BSD-2-Clause
//
// Receives of other kinds: one buffer for many messages; looking at messages, reserving and dropping them.
#include "check.hpp"

namespace conform {
namespace {

/// Tagged or untagged messages of a pair: both kinds have the same rules.
class Kind {
  public:
    Kind(const Pair& pair, bool tagged) : pair_(pair), tagged_(tagged) {}

    [[nodiscard]] std::uint64_t flags() const { return FI_RECV | (tagged_ ? FI_TAGGED : FI_MSG); }

    /// A receive by flags, with one segment or none, as the provider answers it.
    [[nodiscard]] ssize_t receive(std::uint64_t flags, void* buffer, std::size_t size, void* context) const
    {
        const iovec iov{buffer, size};
        const std::size_t count = buffer ? 1 : 0;
        if (tagged_) {
            const fi_msg_tagged msg{&iov, nullptr, count, FI_ADDR_UNSPEC, 0, 0, context, 0};
            return fi_trecvmsg(pair_.b.ep.get(), &msg, flags);
        }
        const fi_msg msg{&iov, nullptr, count, FI_ADDR_UNSPEC, context, 0};
        return fi_recvmsg(pair_.b.ep.get(), &msg, flags);
    }
    void post(std::uint64_t flags, void* buffer, std::size_t size, void* context) const
    {
        pair_.post([&] { return receive(flags, buffer, size, context); });
    }
    void send(const void* bytes, std::size_t size) const
    {
        if (tagged_)
            pair_.tsend(bytes, size, 0);
        else
            pair_.post([&] { return fi_send(pair_.a.ep.get(), bytes, size, nullptr, pair_.to_b, nullptr); });
    }
    /// Looks for a message until there is one.
    [[nodiscard]] Completion peek(std::uint64_t flags, void* context) const
    {
        Completion done;
        wait_until(
            [&] {
                post(FI_PEEK | flags, nullptr, 0, context);
                done = pair_.next(pair_.b);
                return !done.failed || done.error.err != FI_ENOMSG;
            },
            [&] { Pair::progress(pair_.a); });
        return done;
    }
    void set_minimum(std::size_t bytes) const
    {
        EXPECT_EQ(fi_setopt(&pair_.b.ep->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, &bytes, sizeof bytes),
                  0)
            << "C165";
    }

  private:
    const Pair& pair_;
    bool tagged_;
};

/// Runs a body over a fresh pair for untagged and tagged messages into buffers for many.
void for_both(const Wish& wish, const std::function<void(const Pair&, const Kind&)>& body)
{
    for (const bool tagged : {false, true}) {
        Wish multi = wish;
        multi.caps = tagged ? FI_TAGGED | FI_TAGGED_MULTI_RECV : FI_MSG | FI_MULTI_RECV;
        const Pair pair(multi);
        body(pair, Kind(pair, tagged));
    }
}

CHECK_MODELS(D68_D70_D71_ManyMessagesFillOneBufferAndTheLastEntryReleasesIt)
{
    for_both(wish(), [](const Pair& pair, const Kind& kind) {
        kind.set_minimum(1000);
        const std::size_t sizes[] = {8, 100'000, 0, 3000, 1'500'000, 40};
        std::vector<std::vector<unsigned char>> messages;
        std::size_t sum = 0;
        for (const std::size_t size : sizes) {
            messages.push_back(pattern(size, static_cast<unsigned>(size)));
            sum += size;
        }
        // Gaps for alignment are allowed: then some message finds no room, and its sender waits.
        std::vector<unsigned char> buffer(sum + 999, 0xEE);
        kind.post(FI_MULTI_RECV, buffer.data(), buffer.size(), context(1));
        for (const auto& message : messages)
            kind.send(message.data(), message.size());
        std::vector<bool> seen(messages.size());
        bool released = false;
        const unsigned char* end = buffer.data();
        while (!released) {
            const Completion done = pair.next(pair.b);
            ASSERT_FALSE(done.failed);
            EXPECT_EQ(done.entry.op_context, context(1));
            released = done.entry.flags & FI_MULTI_RECV;
            if (done.entry.flags == FI_MULTI_RECV)
                break; // a release that comes alone
            EXPECT_EQ(done.entry.flags & ~FI_MULTI_RECV, kind.flags());
            const auto* place = static_cast<const unsigned char*>(done.entry.buf);
            ASSERT_TRUE(place >= buffer.data() && place + done.entry.len <= buffer.data() + buffer.size());
            std::size_t which = 0;
            while (which < messages.size() && (seen[which] || messages[which].size() != done.entry.len))
                which++;
            ASSERT_LT(which, messages.size()) << "an entry whose length no message has";
            EXPECT_TRUE(std::equal(messages[which].begin(), messages[which].end(), place));
            seen[which] = true;
            end = std::max(end, place + done.entry.len);
        }
        for (; end != buffer.data() + buffer.size(); end++)
            ASSERT_EQ(*end, 0xEE) << "a byte behind the last message changed";
    });
}

CHECK_MODELS(D67_AsADefaultFlagItHoldsForTheCallsWithoutFlags)
{
    for_both(wish(), [](const Pair& pair, const Kind& kind) {
        std::uint64_t flags = FI_RECV | FI_COMPLETION | FI_MULTI_RECV;
        ASSERT_EQ(fi_control(&pair.b.ep->fid, FI_SETOPSFLAG, &flags), 0) << "C151";
        kind.set_minimum(2);
        char buffer[4] = {};
        pair.post([&] {
            return kind.flags() & FI_TAGGED
                       ? fi_trecv(pair.b.ep.get(), buffer, 4, nullptr, FI_ADDR_UNSPEC, 0, 0, nullptr)
                       : fi_recv(pair.b.ep.get(), buffer, 4, nullptr, FI_ADDR_UNSPEC, nullptr);
        });
        kind.send("a", 1);
        const Completion first = pair.next(pair.b);
        EXPECT_EQ(first.entry.flags, kind.flags());
        EXPECT_EQ(*static_cast<char*>(first.entry.buf), 'a');
        kind.send("bcd", 3);
        const Completion last = pair.next(pair.b);
        EXPECT_TRUE(last.failed || (last.entry.flags & FI_MULTI_RECV))
            << "D69: less than the minimum is left";
    });
}

CHECK_MODELS(D74_CancellingABufferEndsItInAnError)
{
    for_both(wish(), [](const Pair& pair, const Kind& kind) {
        char buffers[2][100];
        for (auto& buffer : buffers)
            kind.post(FI_MULTI_RECV, buffer, sizeof buffer, buffer);
        kind.send("some", 4);
        EXPECT_EQ(pair.next(pair.b).entry.op_context, buffers[0]);
        for (auto& buffer : buffers) {
            EXPECT_EQ(fi_cancel(&pair.b.ep->fid, buffer), 0);
            const Completion done = pair.next(pair.b);
            ASSERT_TRUE(done.failed);
            EXPECT_EQ(done.error.err, FI_ECANCELED);
            EXPECT_EQ(done.error.op_context, buffer);
        }
    });
}

CHECK_MODELS(D72_C165_TheMinimumIsReadBackAndItsSizeIsChecked)
{
    for_both(wish(), [](const Pair& pair, const Kind& kind) {
        std::size_t value = 0, size = sizeof value;
        kind.set_minimum(12345);
        EXPECT_EQ(fi_getopt(&pair.b.ep->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, &value, &size), 0);
        EXPECT_EQ(value, 12345u);
        EXPECT_EQ(size, sizeof value);
        EXPECT_REFUSED(fi_setopt(&pair.b.ep->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, &value, 4))
            << "C172";
    });
}

CHECK_MODELS(D84_D85_D86_APeekTellsOfAMessageAndLeavesIt)
{
    const Pair pair(wish(FI_TAGGED | FI_SOURCE));
    const Kind kind(pair, true);
    kind.post(FI_PEEK, nullptr, 0, context(3));
    const Completion nothing = pair.next(pair.b);
    ASSERT_TRUE(nothing.failed);
    EXPECT_EQ(nothing.error.err, FI_ENOMSG);
    EXPECT_EQ(nothing.error.op_context, context(3));
    for (const std::size_t size : {std::size_t{100}, std::size_t{300'000}}) {
        const auto message = pattern(size, 1);
        kind.send(message.data(), size);
        const Completion seen = kind.peek(0, context(4));
        ASSERT_FALSE(seen.failed);
        EXPECT_EQ(seen.entry.len, size);
        EXPECT_EQ(seen.entry.op_context, context(4));
        EXPECT_EQ(seen.source, pair.to_a);
        std::vector<unsigned char> got(size);
        pair.trecv(got.data(), size, 0);
        EXPECT_EQ(pair.next(pair.b).entry.len, size);
        EXPECT_EQ(got, message);
    }
}

CHECK_MODELS(D88_D89_AClaimedMessageGoesToItsClaimerOnly)
{
    const Pair pair(wish(FI_TAGGED));
    const Kind kind(pair, true);
    fi_context2 claim{};
    for (const std::size_t size : {std::size_t{100}, std::size_t{300'000}}) {
        const auto first = pattern(size, 1), second = pattern(size, 2);
        kind.send(first.data(), size);
        kind.send(second.data(), size);
        ASSERT_FALSE(kind.peek(FI_CLAIM, &claim).failed);
        std::vector<unsigned char> got(size);
        pair.trecv(got.data(), size, 0);
        EXPECT_FALSE(pair.next(pair.b).failed);
        EXPECT_EQ(got, second);
        kind.post(FI_CLAIM, got.data(), size, &claim);
        const Completion done = pair.next(pair.b);
        EXPECT_EQ(done.entry.op_context, &claim);
        EXPECT_EQ(done.entry.len, size);
        EXPECT_EQ(got, first);
        EXPECT_FALSE(pair.next(pair.a).failed);
        EXPECT_FALSE(pair.next(pair.a).failed);
    }
}

CHECK_MODELS(D90_D92_DiscardedMessagesAreGoneAndTheirSenderIsDone)
{
    const Pair pair(wish(FI_TAGGED));
    const Kind kind(pair, true);
    fi_context2 claim{};
    for (const std::size_t size : {std::size_t{100}, std::size_t{300'000}}) {
        const auto message = pattern(size, 1);
        for (int i = 0; i < 2; i++)
            kind.send(message.data(), size);
        EXPECT_FALSE(kind.peek(FI_DISCARD, context(5)).failed);
        ASSERT_FALSE(kind.peek(FI_CLAIM, &claim).failed);
        kind.post(FI_CLAIM | FI_DISCARD, nullptr, 0, &claim);
        EXPECT_EQ(pair.next(pair.b).entry.op_context, &claim);
        EXPECT_FALSE(pair.next(pair.a).failed);
        EXPECT_FALSE(pair.next(pair.a).failed);
        kind.post(FI_PEEK, nullptr, 0, nullptr);
        EXPECT_EQ(pair.next(pair.b).error.err, FI_ENOMSG);
    }
}

} // namespace
} // namespace conform
