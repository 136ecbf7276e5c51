// SPDX-License-Identifier: BSD-2-Clause
//
// The engine's receives of other kinds: buffers for many messages (FI_MULTI_RECV), and looking at messages,
// reserving and dropping them (FI_PEEK, FI_CLAIM, FI_DISCARD).
#include "engine_support.hpp"

namespace fi::kit {
namespace {

constexpr std::size_t kLarge = 2 * kPartLimit + 12345;
constexpr std::uint64_t kMulti = FI_RECV | FI_TAGGED | FI_MULTI_RECV;
constexpr std::uint64_t kPlain = FI_RECV | FI_TAGGED;

char sent, buffer_first, buffer_second, got, looked, claim, other_claim;

/// Two nodes, and the receives that this file is about.
struct Two {
    memory::Network network;
    Node a;
    Node b;
    fi_addr_t to_b;
    fi_addr_t to_a;

    explicit Two(const NodeOptions& options_of_b = {})
        : a(network, 1), b(network, 2, options_of_b), to_b(a.know(2)), to_a(b.know(1))
    {
    }
    ssize_t multi(std::string& into, void* context, std::uint64_t least = 1, std::uint64_t tag = 0,
                  bool report = true)
    {
        const iovec iov{into.data(), into.size()};
        return b.engine().receive(
            {&iov, 1, FI_ADDR_UNSPEC, tag, 0, context, true, report, FI_MULTI_RECV, least});
    }
    ssize_t look(std::uint64_t special, void* context, std::uint64_t tag = 0,
                 fi_addr_t source = FI_ADDR_UNSPEC)
    {
        return b.engine().receive({nullptr, 0, source, tag, 0, context, true, false, special});
    }
    ssize_t take_claimed(std::string& into, void* context)
    {
        const iovec iov{into.data(), into.size()};
        return b.engine().receive({&iov, 1, FI_ADDR_UNSPEC, 0, 0, context, true, true, FI_CLAIM});
    }
    void settle() { kit::settle(a, b); }
    void send(std::string bytes, std::uint64_t tag = 0)
    {
        under_way.push_back(std::move(bytes));
        ASSERT_EQ(0, a.send(to_b, under_way.back(), &sent, tag));
    }

    std::deque<std::string> under_way; ///< what was sent: it may be read until it has been
};

TEST(MultiReceive, D68_EveryMessageGetsItsOwnEntryAndPlaceInTheOrderOfSending)
{
    // Small and offered ones, before and after the buffer is posted, which they overflow.
    for (const std::size_t step : {SIZE_MAX, std::size_t{50'000}}) {
        Two two;
        two.network.step = step;
        std::string first(3 * kLarge, '.');
        std::string second(3 * kLarge, '.');
        std::vector<std::string> messages;
        for (const std::size_t size : {std::size_t{10}, kLarge, std::size_t{0}, std::size_t{5000}, kLarge + 1,
                                       std::size_t{7}, kLarge, kLarge, std::size_t{1}})
            messages.emplace_back(size, static_cast<char>('A' + messages.size()));
        for (std::size_t i = 0; i < 4; i++)
            two.send(messages[i]);
        two.settle();
        ASSERT_EQ(0, two.multi(first, &buffer_first, 100));
        ASSERT_EQ(0, two.multi(second, &buffer_second, 100));
        for (std::size_t i = 4; i < messages.size(); i++)
            two.send(messages[i]);
        two.settle();
        // One message apart from the others does not fit into what is left of the first buffer.
        EXPECT_EQ(messages.size(), two.b.done.size() - two.b.only_release(&buffer_first));
        std::size_t at[2] = {};
        std::vector<bool> seen(messages.size());
        for (const Done& done : two.b.done) {
            ASSERT_EQ(0, done.err);
            if (done.flags == FI_MULTI_RECV)
                continue;
            const std::string& whole = done.context == &buffer_first ? first : second;
            const auto* place = static_cast<const char*>(done.buf);
            ASSERT_GE(place, whole.data());
            ASSERT_LE(place + done.len, whole.data() + whole.size());
            std::size_t which = 0;
            while (which < messages.size() &&
                   (seen[which] || std::string_view(place, done.len) != messages[which]))
                which++;
            ASSERT_LT(which, messages.size()) << "no such message, or it came twice";
            seen[which] = true;
            at[done.context == &buffer_second] += done.len;
        }
        EXPECT_LE(at[0], first.size());
        EXPECT_LE(at[1], second.size());
        // In the buffers they lie in the order of sending.
        std::string expected;
        for (const std::string& message : messages)
            expected += message;
        EXPECT_TRUE(first.substr(0, at[0]) + second.substr(0, at[1]) == expected);
        EXPECT_EQ(static_cast<long>(messages.size()), two.a.count(&sent));
    }
}

TEST(MultiReceive, D69_ABufferIsReleasedWithTheMessageThatLeavesLessThanTheMinimum)
{
    Two two;
    std::string buffer(100, '.');
    ASSERT_EQ(0, two.multi(buffer, &buffer_first, 40));
    two.send(std::string(50, 'x'));
    two.settle();
    ASSERT_EQ(1u, two.b.done.size());
    EXPECT_EQ(kPlain, two.b.done[0].flags) << "50 bytes are left";
    two.send(std::string(10, 'y'));
    two.settle();
    ASSERT_EQ(2u, two.b.done.size());
    EXPECT_EQ(kPlain, two.b.done[1].flags) << "40 are not below 40";
    two.send("z");
    two.settle();
    ASSERT_EQ(3u, two.b.done.size());
    EXPECT_EQ(kMulti, two.b.done[2].flags);
    EXPECT_EQ(-FI_ENOENT, two.b.engine().cancel(&buffer_first));
    two.send("later");
    two.settle();
    EXPECT_EQ(3, two.b.count(&buffer_first)) << "D71: after the release no entry has that context";
    EXPECT_EQ(std::string(50, 'x') + std::string(10, 'y') + "z" + std::string(39, '.'), buffer);
}

TEST(MultiReceive, D70_TheReleaseIsToldWithTheEntryThatComesLastAlsoWhenOnlySomeReport)
{
    Two two;
    std::string buffer(kLarge + 10, '.');
    ASSERT_EQ(0, two.multi(buffer, &buffer_first, 5, 0, false));
    two.network.step = 100'000;
    two.send(std::string(kLarge, 'L')); // still arriving when the small one has filled the buffer
    two.send(std::string(10, 's'));
    two.b.step();
    two.settle();
    const Done done = two.b.only(&buffer_first);
    EXPECT_EQ(kMulti, done.flags);
    EXPECT_TRUE(std::string(kLarge, 'L') + std::string(10, 's') == buffer);
}

TEST(MultiReceive, D73_AMessageThatDoesNotFitGoesToTheNextBufferAndTheFirstIsReleasedAlone)
{
    Two two;
    std::string first(100, '.');
    std::string second(100, '.');
    ASSERT_EQ(0, two.multi(first, &buffer_first));
    two.send(std::string(60, 'x'));
    two.settle();
    two.send(std::string(60, 'y')); // waits
    two.settle();
    ASSERT_EQ(2, two.b.count(&buffer_first));
    EXPECT_EQ(std::uint64_t{FI_MULTI_RECV}, two.b.done.back().flags) << "D70: in an entry with no other flag";
    ASSERT_EQ(0, two.multi(second, &buffer_second));
    two.settle();
    EXPECT_EQ(60u, two.b.only(&buffer_second).len);
    EXPECT_EQ(std::string(60, 'y'), second.substr(0, 60));
}

TEST(MultiReceive, D95_AMessageLongerThanAWholeBufferIsCutAndTheBufferReleased)
{
    Two two;
    std::string buffer(100, '.');
    for (const std::size_t size : {std::size_t{150}, kLarge}) {
        two.b.done.clear();
        ASSERT_EQ(0, two.multi(buffer, &buffer_first));
        two.send(std::string(size, 'x'));
        two.settle();
        const Done done = two.b.only(&buffer_first);
        EXPECT_EQ(FI_ETRUNC, done.err);
        EXPECT_EQ(100u, done.len);
        EXPECT_EQ(size - 100, done.olen);
        EXPECT_EQ(kMulti, done.flags);
    }
}

TEST(MultiReceive, D74_B32_ACancelledBufferEndsInOneErrorEntryWithTheFlag)
{
    Two two;
    std::string buffers[] = {std::string(100, '.'), std::string(100, '.'), std::string(100, '.')};
    for (auto& buffer : buffers)
        ASSERT_EQ(0, two.multi(buffer, &buffer));
    two.send("used");
    two.settle();
    for (auto& buffer : buffers)
        EXPECT_EQ(0, two.b.engine().cancel(&buffer));
    two.b.collect();
    ASSERT_EQ(4u, two.b.done.size());
    for (std::size_t i = 1; i < 4; i++) {
        EXPECT_EQ(FI_ECANCELED, two.b.done[i].err);
        EXPECT_EQ(kMulti, two.b.done[i].flags);
        EXPECT_EQ(&buffers[i - 1], two.b.done[i].context);
    }
}

TEST(MultiReceive, D71_TheEntryOfACancelledBufferComesAfterThoseOfItsMessages)
{
    Two two;
    std::string buffer(kLarge + 100, '.');
    ASSERT_EQ(0, two.multi(buffer, &buffer_first));
    two.network.step = 100'000;
    two.send(std::string(kLarge, 'L'));
    for (int i = 0; i < 10; i++)
        two.a.step(), two.b.step();
    EXPECT_EQ(0, two.b.engine().cancel(&buffer_first));
    two.b.collect();
    EXPECT_TRUE(two.b.done.empty());
    two.settle();
    ASSERT_EQ(2u, two.b.done.size());
    EXPECT_EQ(kLarge, two.b.done[0].len);
    EXPECT_EQ(0, two.b.done[0].err);
    EXPECT_EQ(FI_ECANCELED, two.b.done[1].err);
}

TEST(MultiReceive, D75_OnlyMessagesThatMatchTheTagAreTaken)
{
    Two two;
    std::string buffer(100, '.');
    std::string other(1, '.');
    ASSERT_EQ(0, two.multi(buffer, &buffer_first, 1, 7));
    two.send("a", 7);
    two.send("b", 8);
    two.send("c", 7);
    two.settle();
    EXPECT_EQ(2, two.b.count(&buffer_first));
    ASSERT_EQ(0, two.b.receive(other, &got, 8));
    two.settle();
    EXPECT_EQ("ac.", buffer.substr(0, 3));
    EXPECT_EQ("b", other);
}

TEST(MultiReceive, AMessageWhoseSenderDiesLeavesTheBufferToTheOthers)
{
    Two two;
    Node c(two.network, 3);
    std::string buffer(2 * kLarge, '.');
    ASSERT_EQ(0, two.multi(buffer, &buffer_first));
    two.network.step = 100'000;
    two.send(std::string(kLarge, 'L'));
    for (int i = 0; i < 10; i++)
        two.a.step(), two.b.step();
    memory::Port::cut(*two.a.links().front());
    two.settle();
    ASSERT_EQ(1, two.b.count(&buffer_first));
    EXPECT_EQ(ECONNRESET, two.b.done.back().err);
    EXPECT_EQ(kPlain, two.b.done.back().flags) << "the buffer is still posted";
    ASSERT_EQ(0, c.send(c.know(2), "still", &got));
    kit::settle(two.a, two.b, c);
    EXPECT_EQ(5u, two.b.done.back().len);
    EXPECT_EQ(0, two.b.engine().cancel(&buffer_first));
}

TEST(MultiReceive, D217_ABufferWhoseMessagesNobodyReadsMakesTheSenderWaitAndLosesNothing)
{
    // Two completions fit the queue and 63 records of messages wait for it: then the sender's link has to.
    Two two({.queue_size = 2, .operations = 64});
    std::string buffer(1000, '.');
    std::string last(10, '.');
    ASSERT_EQ(0, two.multi(buffer, &buffer_first, 900));
    for (int i = 0; i < 200; i++) {
        const char byte = static_cast<char>('a' + i % 26);
        ASSERT_EQ(0, two.a.inject(two.to_b, std::string_view(&byte, i % 2)));
    }
    for (int i = 0; i < 50; i++) {
        two.a.step();
        two.b.engine().look(true);
    }
    EXPECT_TRUE(two.b.links().front()->paused);
    EXPECT_EQ(-FI_EAGAIN, two.b.receive(last, &got)) << "it would overtake the buffer";
    two.settle();
    EXPECT_EQ(200u, two.b.done.size());
    std::string expected;
    for (int i = 1; i < 200; i += 2)
        expected += static_cast<char>('a' + i % 26);
    EXPECT_EQ(expected, buffer.substr(0, 100));
    EXPECT_EQ(0, two.b.engine().cancel(&buffer_first));
    EXPECT_EQ(0, two.b.receive(last, &got));
}

TEST(MultiReceive, OfferedMessagesKeepTheirPlaceInTheOrderWhileRecordsAreShort)
{
    Two two({.queue_size = 2, .operations = 64});
    std::string buffer(70 + 2 * kLarge, '.');
    ASSERT_EQ(0, two.multi(buffer, &buffer_first));
    std::string expected;
    for (int i = 0; i < 70; i++) {
        ASSERT_EQ(0, two.a.inject(two.to_b, "s"));
        expected += "s";
        if (i == 63 || i == 65) {
            two.send(std::string(kLarge, static_cast<char>(i)));
            expected += std::string(kLarge, static_cast<char>(i));
        }
    }
    for (int i = 0; i < 50; i++) {
        two.a.step();
        two.b.engine().look(true);
    }
    two.settle();
    EXPECT_TRUE(expected == buffer);
    EXPECT_EQ(72u, two.b.done.size());
}

TEST(Peek, D85_NoMessageIsAnErrorEntryWithENOMSG)
{
    Two two;
    ASSERT_EQ(0, two.look(FI_PEEK, &looked, 5));
    two.b.collect();
    EXPECT_EQ(FI_ENOMSG, two.b.only(&looked).err);
    EXPECT_EQ(-FI_ENOENT, two.b.engine().cancel(&looked)) << "D84: it never stays queued";
}

TEST(Peek, D86_AMatchTellsAllAboutTheMessageAndLeavesItThere)
{
    for (const std::size_t size : {std::size_t{4}, kLarge}) {
        Two two;
        std::string message(size, 'm');
        const iovec iov{message.data(), message.size()};
        ASSERT_EQ(0, two.a.engine().send({&iov, 1, two.to_b, 9, 0xdada, &sent,
                                          FI_FRAME_TAGGED | FI_FRAME_DATA64, false, true}));
        two.settle();
        ASSERT_EQ(0, two.look(FI_PEEK, &looked, 9));
        two.b.collect();
        const Done done = two.b.only(&looked);
        EXPECT_EQ(0, done.err);
        EXPECT_EQ(kPlain | FI_REMOTE_CQ_DATA, done.flags);
        EXPECT_EQ(size, done.len);
        EXPECT_EQ(9u, done.tag);
        EXPECT_EQ(0xdadau, done.data);
        EXPECT_EQ(two.to_a, done.source);
        std::string into(size, '.');
        ASSERT_EQ(0, two.b.receive(into, &got, 9)) << "D87: nothing is reserved";
        two.settle();
        EXPECT_TRUE(message == into);
    }
}

TEST(Peek, D91_TagAndSourceCountAsForAReceive)
{
    Two two;
    Node c(two.network, 3);
    two.send("x", 5);
    two.settle();
    ASSERT_EQ(0, two.look(FI_PEEK, &looked, 6));
    ASSERT_EQ(0, two.look(FI_PEEK, &claim, 5, two.b.know(3)));
    ASSERT_EQ(0, two.look(FI_PEEK, &got, 5, two.to_a));
    two.b.collect();
    EXPECT_EQ(FI_ENOMSG, two.b.only(&looked).err);
    EXPECT_EQ(FI_ENOMSG, two.b.only(&claim).err);
    EXPECT_EQ(0, two.b.only(&got).err);
}

TEST(Claim, D88_AReservedMessageIsItsClaimersAlone)
{
    for (const std::size_t size : {std::size_t{5}, kLarge}) {
        Two two;
        two.send(std::string(size, '1'));
        two.send("second");
        two.settle();
        ASSERT_EQ(0, two.look(FI_PEEK | FI_CLAIM, &claim));
        ASSERT_EQ(0, two.look(FI_PEEK, &looked));
        std::string next(6, '.');
        ASSERT_EQ(0, two.b.receive(next, &got));
        two.settle();
        EXPECT_EQ(size, two.b.only(&claim).len);
        EXPECT_EQ(6u, two.b.only(&looked).len);
        EXPECT_EQ("second", next);
        std::string into(size, '.');
        ASSERT_EQ(0, two.take_claimed(into, &claim));
        two.settle();
        EXPECT_TRUE(std::string(size, '1') == into);
        EXPECT_EQ(2, two.b.count(&claim));
        EXPECT_EQ(kPlain, two.b.done.back().flags);
        EXPECT_EQ(2, two.a.count(&sent));
    }
}

TEST(Claim, D89_TheContextIsTheKeyAndAnotherOneIsRefused)
{
    Two two;
    two.send("1", 1);
    two.send("2", 2);
    two.settle();
    ASSERT_EQ(0, two.look(FI_PEEK | FI_CLAIM, &claim, 1));
    ASSERT_EQ(0, two.look(FI_PEEK | FI_CLAIM, &other_claim, 2));
    std::string into(1, '.');
    EXPECT_EQ(-FI_EINVAL, two.take_claimed(into, &looked));
    ASSERT_EQ(0, two.take_claimed(into, &other_claim));
    EXPECT_EQ("2", into);
    EXPECT_EQ(-FI_EINVAL, two.take_claimed(into, &other_claim)) << "it has been taken";
    ASSERT_EQ(0, two.take_claimed(into, &claim));
    EXPECT_EQ("1", into);
}

TEST(Claim, AMessageThatIsStillArrivingMayBeClaimedAndIsWaitedFor)
{
    Two two;
    const std::string message(1000, 'm');
    two.send(message);
    two.a.step();
    two.b.step();
    two.network.step = 100;
    two.a.step();
    two.b.step();
    std::string into(1000, '.');
    ASSERT_EQ(0, two.look(FI_PEEK | FI_CLAIM, &claim));
    two.b.collect();
    ASSERT_EQ(0, two.b.only(&claim).err);
    ASSERT_EQ(0, two.take_claimed(into, &claim));
    EXPECT_EQ(1, (two.b.collect(), two.b.count(&claim)));
    two.settle();
    EXPECT_EQ(2, two.b.count(&claim));
    EXPECT_EQ(message, into);
}

TEST(Claim, AClaimedMessageWhoseSenderDiesIsAnErrorWhenItIsTaken)
{
    for (const bool offered : {true, false}) {
        Two two;
        two.network.step = offered ? SIZE_MAX : 1000;
        two.send(std::string(offered ? kLarge : 5000, 'm'));
        for (int i = 0; i < 4; i++)
            two.a.step(), two.b.step();
        ASSERT_EQ(0, two.look(FI_PEEK | FI_CLAIM, &claim));
        memory::Port::cut(*two.a.links().front());
        two.settle();
        std::string into(kLarge, '.');
        ASSERT_EQ(0, two.take_claimed(into, &claim));
        two.settle();
        ASSERT_EQ(2, two.b.count(&claim));
        EXPECT_EQ(ECONNRESET, two.b.done.back().err);
    }
}

TEST(Discard, D90_AMessageIsDroppedLookedAtOrClaimedAndItsSenderIsDone)
{
    for (const std::size_t size : {std::size_t{5}, std::size_t{0}, kLarge}) {
        Two two;
        two.send(std::string(size, '1'), 1);
        two.send(std::string(size, '2'), 2);
        two.send("kept", 1);
        two.settle();
        ASSERT_EQ(0, two.look(FI_PEEK | FI_DISCARD, &looked, 1));
        ASSERT_EQ(0, two.look(FI_PEEK | FI_CLAIM, &claim, 2));
        ASSERT_EQ(0, two.look(FI_CLAIM | FI_DISCARD, &claim));
        ASSERT_EQ(0, two.look(FI_PEEK | FI_DISCARD, &other_claim, 2));
        two.settle();
        const Done dropped = two.b.only(&looked);
        EXPECT_EQ(0, dropped.err);
        EXPECT_EQ(size, dropped.len);
        EXPECT_EQ(1u, dropped.tag);
        EXPECT_EQ(kPlain, dropped.flags);
        EXPECT_EQ(2, two.b.count(&claim));
        for (const Done& done : two.b.done)
            EXPECT_EQ(done.context == &other_claim ? FI_ENOMSG : 0, done.err);
        EXPECT_EQ(FI_ENOMSG, two.b.only(&other_claim).err);
        EXPECT_EQ(3, two.a.count(&sent));
        std::string into(4, '.');
        ASSERT_EQ(0, two.b.receive(into, &got, 1));
        two.settle();
        EXPECT_EQ("kept", into);
    }
}

} // namespace
} // namespace fi::kit
