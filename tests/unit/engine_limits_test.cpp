// SPDX-License-Identifier: BSD-2-Clause
//
// The engine where room ends: links that were made to wait and then hang up, and memory that cannot be had.
#include "engine_support.hpp"

namespace {

/// While true, nothing that is allocated without exceptions can be had.
bool out_of_memory = false;

} // namespace

void* operator new(std::size_t size, const std::nothrow_t&) noexcept
{
    if (out_of_memory)
        return nullptr;
    try {
        return ::operator new(size);
    } catch (...) {
        return nullptr;
    }
}

namespace fi::kit {
namespace {

constexpr std::size_t kLarge = kPartLimit + 77;

char sent, got, other;

struct Two {
    memory::Network network;
    Node a{network, 1};
    Node b{network, 2};
    fi_addr_t to_b = a.know(2);
    fi_addr_t to_a = b.know(1);

    void settle() { kit::settle(a, b); }
    /// Sends until b has made the link wait; returns how many messages that took.
    std::size_t fill()
    {
        static const std::string message(kEagerLimit, 'x');
        std::size_t count = 0;
        while (count < 1000 && (b.links().empty() || !b.links().front()->paused)) {
            EXPECT_EQ(0, a.send(to_b, message, &sent));
            settle();
            count++;
        }
        EXPECT_LT(count, 1000u);
        return count;
    }
};

TEST(PausedLink, ThatHangsUpInGoodOrderStillDeliversWhatItHeldBack)
{
    Two two;
    const std::size_t count = two.fill();
    two.a.close();
    settle(two.b);
    std::string into(kEagerLimit, '.');
    for (std::size_t i = 0; i < count; i++) {
        ASSERT_EQ(0, two.b.receive(into, &got));
        settle(two.b);
    }
    EXPECT_EQ(static_cast<long>(count), two.b.count(&got));
    for (const Done& done : two.b.done)
        EXPECT_EQ(0, done.err);
    EXPECT_TRUE(two.b.links().empty());
}

TEST(PausedLink, ThatHasHungUpEndsWhenAReceiveWaitsForMoreFromItsPeer)
{
    Two two;
    const std::string large(kLarge, 'L');
    ASSERT_EQ(0, two.a.send(two.to_b, large, &other)); // offered
    two.fill();
    two.a.close();
    settle(two.b);
    ASSERT_TRUE(two.b.links().front()->paused);
    std::string into(kLarge, '.');
    ASSERT_EQ(0, two.b.receive(into, &got)); // it alone could end the pause, and takes the offer
    settle(two.b);
    EXPECT_EQ(ECONNRESET, two.b.only(&got).err);
    EXPECT_TRUE(two.b.links().empty());
}

TEST(PausedLink, IsNoneWhileTheBytesThatAReceiveWaitsForAreBehindWhatItWouldHoldBack)
{
    Two two;
    const std::string large(kLarge, 'L');
    ASSERT_EQ(0, two.a.send(two.to_b, large, &other));
    two.settle();
    std::string into(kLarge, '.');
    ASSERT_EQ(0, two.b.receive(into, &got)); // asks for them
    const std::string message(kEagerLimit, 'x');
    for (std::size_t kept = 0; kept <= kUnexpectedLimit; kept += kEagerLimit)
        ASSERT_EQ(0, two.a.send(two.to_b, message, &sent));
    two.settle();
    EXPECT_EQ(0, two.b.only(&got).err);
    EXPECT_TRUE(large == into);
}

TEST(PausedLink, ThatBreaksIsForgottenAndReceivesGoOn)
{
    Two two;
    const std::size_t count = two.fill();
    memory::Port::cut(*two.b.links().front());
    two.settle();
    EXPECT_TRUE(two.b.links().empty());
    // Each of these would have made the link go on: what was kept is still there, the last one is not.
    std::string into(kEagerLimit, '.');
    for (std::size_t i = 0; i < count; i++) {
        ASSERT_EQ(0, two.b.receive(into, &got));
        two.settle();
    }
    EXPECT_EQ(static_cast<long>(count) - 1, two.b.count(&got));
    EXPECT_EQ(0, two.b.engine().cancel(&got));
}

TEST(PausedLink, ASecondOneOfTheSamePeerGoesOnWithTheFirst)
{
    Two two;
    // Both call at once, so that there are two links.
    ASSERT_EQ(0, two.a.inject(two.to_b, "a", 1));
    ASSERT_EQ(0, two.b.inject(two.to_a, "b", 1));
    two.settle();
    auto links = two.b.links();
    ASSERT_EQ(2u, links.size());
    fi_frame frame{};
    frame.kind = FI_FRAME_EAGER;
    frame.flags = FI_FRAME_TAGGED;
    frame.length = kEagerLimit;
    const std::size_t each = kUnexpectedLimit / kEagerLimit;
    for (memory::Link* link : links)
        for (std::size_t i = 0; i < each; i++)
            link->incoming.push_back({frame, std::vector<unsigned char>(kEagerLimit, 'x')});
    two.settle();
    EXPECT_TRUE(links[0]->paused);
    EXPECT_TRUE(links[1]->paused);
    std::string into(kEagerLimit, '.');
    for (std::size_t i = 0; i < 2 * each; i++) {
        ASSERT_EQ(0, two.b.receive(into, &got));
        two.settle();
    }
    EXPECT_EQ(static_cast<long>(2 * each), two.b.count(&got));
    EXPECT_FALSE(links[0]->paused);
    EXPECT_FALSE(links[1]->paused);
}

TEST(PausedLink, OneOfTwoThatBreaksTakesTheOtherWithItAndNeitherIsLeftInTheList)
{
    Two two;
    ASSERT_EQ(0, two.a.inject(two.to_b, "a", 1));
    ASSERT_EQ(0, two.b.inject(two.to_a, "b", 1));
    two.settle();
    fi_frame frame{};
    frame.kind = FI_FRAME_EAGER;
    frame.flags = FI_FRAME_TAGGED;
    frame.length = kEagerLimit;
    for (memory::Link* link : two.b.links())
        for (std::size_t i = 0; i < kUnexpectedLimit / kEagerLimit; i++)
            link->incoming.push_back({frame, std::vector<unsigned char>(kEagerLimit, 'x')});
    two.settle();
    memory::Port::cut(*two.b.links().back());
    two.settle();
    EXPECT_TRUE(two.b.links().empty());
    std::string into(kEagerLimit, '.');
    for (std::size_t i = 0; i < 100; i++)
        ASSERT_EQ(0, two.b.receive(into, &got));
    two.settle();
    EXPECT_GT(two.b.count(&got), 0);
}

TEST(Memory, AnOfferThatCannotBeKeptEndsTheLinkAndTheSend)
{
    Two two;
    const std::string large(kLarge, 'L');
    ASSERT_EQ(0, two.a.inject(two.to_b, "hello", 9));
    two.settle();
    ASSERT_EQ(0, two.a.send(two.to_b, large, &sent));
    two.a.step();
    out_of_memory = true;
    two.b.step();
    out_of_memory = false;
    two.settle();
    EXPECT_TRUE(two.b.links().empty());
    EXPECT_EQ(ENOMEM, two.a.only(&sent).err);
    // The peer is reached again.
    std::string into(kLarge, '.');
    ASSERT_EQ(0, two.b.receive(into, &got));
    ASSERT_EQ(0, two.a.send(two.to_b, large, &other));
    two.settle();
    EXPECT_TRUE(large == into);
}

TEST(Memory, AnEagerMessageThatCannotBeKeptWaitsWhileOthersCanMakeRoom)
{
    Two two;
    ASSERT_EQ(0, two.a.inject(two.to_b, "first"));
    two.settle();
    ASSERT_EQ(0, two.a.inject(two.to_b, "second"));
    out_of_memory = true;
    two.b.step();
    out_of_memory = false;
    ASSERT_TRUE(two.b.links().front()->paused);
    std::string first(5, '.');
    std::string second(6, '.');
    ASSERT_EQ(0, two.b.receive(first, &got));
    two.settle();
    ASSERT_EQ(0, two.b.receive(second, &got));
    two.settle();
    EXPECT_EQ("first", first);
    EXPECT_EQ("second", second);
}

TEST(Memory, AnUnknownSendersMessageIsReportedWithoutItsAddressWhenThatCannotBeStored)
{
    memory::Network network;
    Node a(network, 1);
    Node b(network, 2, {.report_unknown = true});
    std::string into(1, '.');
    ASSERT_EQ(0, a.inject(a.know(2), "x"));
    settle(a, b);
    out_of_memory = true;
    ASSERT_EQ(0, b.receive(into, &got));
    out_of_memory = false;
    b.collect();
    EXPECT_EQ(FI_EADDRNOTAVAIL, b.only(&got).err);
    EXPECT_TRUE(b.only(&got).error_data.empty());
    EXPECT_EQ("x", into);
}

} // namespace
} // namespace fi::kit
