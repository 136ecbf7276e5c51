// SPDX-License-Identifier: BSD-2-Clause
//
// Sends that end later than their transport says: acknowledged deliveries and matches, and fences; and the
// senders that nobody knows.
#include "engine_support.hpp"

namespace fi::kit {
namespace {

constexpr std::size_t kLarge = 2 * kPartLimit + 12345;

char sent_first, sent_second, sent_third, got_first, got_second;

struct Two {
    memory::Network network;
    Node a;
    Node b;
    fi_addr_t to_b;
    fi_addr_t to_a;

    explicit Two(bool fetches = false, bool take = false)
        : a(network, 1), b(network, 2), to_b(a.know(2)), to_a(b.know(1))
    {
        network.fetches = fetches;
        network.take = take;
    }
    void settle() { kit::settle(a, b); }
};

/// Everything at once or with frames taken, and read where they lie or pulled.
class Levels : public testing::TestWithParam<std::tuple<bool, bool>> {
  protected:
    Two two{std::get<0>(GetParam()), std::get<1>(GetParam())};
};
INSTANTIATE_TEST_SUITE_P(Devices, Levels, testing::Combine(testing::Bool(), testing::Bool()));

TEST_P(Levels, D147_ADeliveredMessageIsInItsReceiveOrKeptWholeAtTheTarget)
{
    const std::string small(1000, 's');
    const std::string large(kLarge, 'L');
    std::string at_once(1000, '.');
    std::string later(1000, '.');
    std::string offered(kLarge, '.');
    ASSERT_EQ(0, two.b.receive(at_once, &got_first));
    ASSERT_EQ(0, two.a.send_flagged(two.to_b, small, &sent_first, FI_FRAME_DELIVERY));
    two.settle();
    EXPECT_EQ(0, two.a.only(&sent_first).err);
    EXPECT_EQ(std::uint64_t{FI_SEND | FI_TAGGED}, two.a.only(&sent_first).flags);
    EXPECT_EQ(small, at_once);
    ASSERT_EQ(0, two.a.send_flagged(two.to_b, small, &sent_second, FI_FRAME_DELIVERY));
    two.settle();
    EXPECT_EQ(1, two.a.count(&sent_second)) << "nobody has posted a receive, but the target has the bytes";
    ASSERT_EQ(0, two.a.send_flagged(two.to_b, large, &sent_third, FI_FRAME_DELIVERY));
    two.settle();
    EXPECT_EQ(0, two.a.count(&sent_third)) << "what is only offered is not delivered";
    ASSERT_EQ(0, two.b.receive(later, &got_first));
    ASSERT_EQ(0, two.b.receive(offered, &got_second));
    two.settle();
    EXPECT_EQ(small, later);
    EXPECT_TRUE(large == offered);
    EXPECT_EQ(1, two.a.count(&sent_third));
    EXPECT_EQ(3u, two.a.done.size()) << "nothing is told twice";
}

TEST_P(Levels, D149_AMatchIsToldOnlyWhenAReceiveHasTakenTheMessage)
{
    for (const std::size_t size : {std::size_t{0}, std::size_t{1000}, kLarge}) {
        two.a.done.clear();
        const std::string message(size, 'm');
        std::string into(size, '.');
        ASSERT_EQ(0, two.a.send_flagged(two.to_b, message, &sent_first, FI_FRAME_MATCH));
        two.settle();
        EXPECT_EQ(0, two.a.count(&sent_first));
        ASSERT_EQ(0, two.b.receive(into, &got_first));
        two.settle();
        EXPECT_EQ(0, two.a.only(&sent_first).err);
        EXPECT_TRUE(message == into);
    }
}

TEST_P(Levels, D92_ADiscardIsAMatch)
{
    for (const std::size_t size : {std::size_t{1000}, kLarge}) {
        two.a.done.clear();
        const std::string message(size, 'm');
        ASSERT_EQ(0, two.a.send_flagged(two.to_b, message, &sent_first, FI_FRAME_MATCH));
        two.settle();
        ASSERT_EQ(0, two.b.engine().receive(
                         {nullptr, 0, FI_ADDR_UNSPEC, 0, 0, &got_first, true, true, FI_PEEK | FI_DISCARD}));
        two.settle();
        EXPECT_EQ(0, two.a.only(&sent_first).err);
    }
}

TEST_P(Levels, D96_AMessageThatIsCutIsDeliveredAllTheSame)
{
    for (const std::size_t size : {std::size_t{1000}, kLarge}) {
        two.a.done.clear();
        const std::string message(size, 'm');
        std::string into(10, '.');
        ASSERT_EQ(0, two.b.receive(into, &got_first));
        ASSERT_EQ(0, two.a.send_flagged(two.to_b, message, &sent_first, FI_FRAME_DELIVERY));
        two.settle();
        EXPECT_EQ(0, two.a.only(&sent_first).err);
        EXPECT_EQ(FI_ETRUNC, two.b.done.back().err);
    }
}

TEST_P(Levels, AnswersThatFindNoRoomFollowWhenThereIsSome)
{
    constexpr int kCount = 300;
    for (int i = 0; i < kCount; i++)
        ASSERT_EQ(0, two.a.send_flagged(two.to_b, "x", &sent_first, FI_FRAME_DELIVERY));
    two.a.step();
    two.b.step();
    two.network.room = 1;
    two.settle();
    EXPECT_EQ(kCount, two.a.count(&sent_first));
}

TEST_P(Levels, BothSidesMayFloodEachOtherAndAllIsAnswered)
{
    constexpr int kCount = 300;
    two.network.room = 2;
    for (int i = 0; i < kCount; i++) {
        ASSERT_EQ(0, two.a.send_flagged(two.to_b, "x", &sent_first, FI_FRAME_DELIVERY));
        ASSERT_EQ(0, two.b.send_flagged(two.to_a, "x", &sent_second, FI_FRAME_MATCH));
    }
    std::string into(1, '.');
    for (int i = 0; i < kCount; i++)
        ASSERT_EQ(0, two.a.receive(into, &got_first));
    two.settle();
    EXPECT_EQ(kCount, two.a.count(&sent_first));
    EXPECT_EQ(kCount, two.b.count(&sent_second));
}

TEST_P(Levels, APeerThatDiesBeforeItAnswersFailsTheSend)
{
    ASSERT_EQ(0, two.a.send_flagged(two.to_b, "x", &sent_first, FI_FRAME_MATCH));
    two.settle();
    ASSERT_EQ(0, two.a.count(&sent_first));
    memory::Port::cut(*two.a.links().front());
    two.settle();
    EXPECT_EQ(ECONNRESET, two.a.only(&sent_first).err);
}

TEST_P(Levels, ALinkThatDiesWithAnswersWaitingForRoomLeavesNothingBehind)
{
    for (int i = 0; i < 10; i++)
        ASSERT_EQ(0, two.a.send_flagged(two.to_b, "x", &sent_first, FI_FRAME_DELIVERY));
    two.a.step();
    two.b.step(); // connected
    two.a.step();
    two.network.room = 0;
    two.b.step();
    memory::Port::cut(*two.b.links().front());
    two.network.room = 1000;
    two.settle();
    EXPECT_EQ(10, two.a.count(&sent_first));
    std::string into(1, '.');
    ASSERT_EQ(0, two.b.receive(into, &got_first));
    ASSERT_EQ(0, two.a.send_flagged(two.to_b, "y", &sent_second, FI_FRAME_DELIVERY));
    two.settle();
    EXPECT_EQ(0, two.a.only(&sent_second).err);
}

TEST_P(Levels, AMessageThatOutlivesItsLinkIsTakenWithoutAWordToItsSender)
{
    ASSERT_EQ(0, two.a.send_flagged(two.to_b, "x", &sent_first, FI_FRAME_MATCH));
    two.settle();
    memory::Port::cut(*two.a.links().front());
    two.settle();
    ASSERT_EQ(ECONNRESET, two.a.only(&sent_first).err);
    ASSERT_EQ(0, two.a.send_flagged(two.to_b, "y", &sent_second, FI_FRAME_MATCH));
    two.settle();
    std::string first(1, '.');
    std::string second(1, '.');
    ASSERT_EQ(0, two.b.receive(first, &got_first));
    two.settle();
    EXPECT_EQ("x", first);
    EXPECT_EQ(0, two.a.count(&sent_second)) << "the new link has heard nothing that could end it";
    ASSERT_EQ(0, two.b.receive(second, &got_second));
    two.settle();
    EXPECT_EQ("y", second);
    EXPECT_EQ(0, two.a.only(&sent_second).err);
}

TEST_P(Levels, D29_AnInjectWithALevelEndsWithThatLevelAndItsBufferIsFreeAtOnce)
{
    std::string bytes = "keep";
    std::string into(4, '.');
    ASSERT_EQ(0, two.a.inject(two.to_b, "hello", 9)); // the link stands
    two.settle();
    ASSERT_EQ(0, two.a.send_flagged(two.to_b, bytes, &sent_first, FI_FRAME_MATCH, false, true));
    bytes = "gone";
    two.settle();
    EXPECT_EQ(0, two.a.count(&sent_first));
    ASSERT_EQ(0, two.b.receive(into, &got_first));
    two.settle();
    EXPECT_EQ("keep", into);
    EXPECT_EQ(1, two.a.count(&sent_first));
}

TEST(Acknowledgements, OneThatNobodyAskedForEndsTheLink)
{
    for (const std::uint64_t transfer : {std::uint64_t{0}, std::uint64_t{1} << 32, UINT64_MAX}) {
        Two two;
        ASSERT_EQ(0, two.a.send(two.to_b, "plain", &sent_first));
        two.settle();
        fi_frame frame{};
        frame.kind = FI_FRAME_ACK;
        frame.transfer = transfer;
        two.b.links().front()->other->incoming.push_back({frame, {}});
        two.settle();
        EXPECT_TRUE(two.a.links().empty());
    }
}

TEST(Acknowledgements, OneWithAPayloadEndsTheLink)
{
    Two two;
    ASSERT_EQ(0, two.a.send_flagged(two.to_b, "x", &sent_first, FI_FRAME_MATCH));
    two.settle();
    fi_frame frame{};
    frame.kind = FI_FRAME_ACK;
    frame.length = 1;
    two.b.links().front()->other->incoming.push_back({frame, {1}});
    two.settle();
    EXPECT_EQ(EPROTO, two.a.only(&sent_first).err);
}

TEST(Acknowledgements, APeerThatAsksAndNeverReadsLosesItsLink)
{
    Two two;
    ASSERT_EQ(0, two.a.inject(two.to_b, "hello", 9));
    two.settle();
    two.network.room = 0; // b can answer nothing
    fi_frame frame{};
    frame.kind = FI_FRAME_EAGER;
    frame.flags = FI_FRAME_TAGGED | FI_FRAME_DELIVERY;
    std::string into(1, '.');
    for (std::size_t i = 0; i <= kAckLimit && !two.b.links().empty(); i++) {
        ASSERT_EQ(0, two.b.receive(into, &got_first)); // so that it is not the unexpected ones that stop it
        two.a.links().front()->other->incoming.push_back({frame, {}});
        if (i % 1000 == 0)
            two.b.step();
    }
    two.b.step();
    EXPECT_TRUE(two.b.links().empty());
}

TEST(Fence, D46_AFencedSendAndThoseBehindItWaitForTheEarlierOnesOfThatPeerOnly)
{
    Two two;
    Node c(two.network, 3);
    const fi_addr_t to_c = two.a.know(3);
    const std::string large(kLarge, 'L');
    std::string first(kLarge, '.');
    std::string second(1, '.');
    std::string third(1, '.');
    std::string at_c(1, '.');
    ASSERT_EQ(0, two.a.send(two.to_b, large, &sent_first)); // offered, and nobody has posted a receive
    two.settle();
    ASSERT_EQ(0, two.a.send_flagged(two.to_b, "2", &sent_second, 0, true));
    ASSERT_EQ(0, two.a.inject(two.to_b, "3"));
    ASSERT_EQ(0, two.a.send(to_c, "c", &sent_third));
    kit::settle(two.a, two.b, c);
    ASSERT_EQ(0, c.receive(at_c, &got_first));
    EXPECT_EQ(0, two.a.count(&sent_second));
    EXPECT_EQ(1, two.a.count(&sent_third));
    ASSERT_EQ(
        0, two.b.engine().receive({nullptr, 0, FI_ADDR_UNSPEC, 0, ~0ull, &got_second, true, true, FI_PEEK}));
    two.b.collect();
    EXPECT_EQ(kLarge, two.b.only(&got_second).len) << "the only one that has been sent";
    for (std::string* into : {&first, &second, &third})
        ASSERT_EQ(0, two.b.receive(*into, into));
    kit::settle(two.a, two.b, c);
    EXPECT_TRUE(large == first);
    EXPECT_EQ("2", second);
    EXPECT_EQ("3", third) << "an inject does not overtake the fence";
    EXPECT_EQ("c", at_c);
    // All is as before: the next one waits for nothing.
    ASSERT_EQ(0, two.a.send_flagged(two.to_b, "4", &sent_third, 0, true));
    ASSERT_EQ(0, two.b.receive(second, &got_first));
    two.settle();
    EXPECT_EQ("4", second);
}

TEST(Fence, D47_EarlierSendsHaveReachedTheirLevelWhenTheFencedOneEnds)
{
    for (const bool inject : {false, true}) {
        Two two;
        std::string into(1, '.');
        ASSERT_EQ(0, two.a.send_flagged(two.to_b, "1", &sent_first, FI_FRAME_MATCH));
        ASSERT_EQ(0, two.a.send_flagged(two.to_b, "2", &sent_second, 0, true, inject));
        ASSERT_EQ(0, two.a.send_flagged(two.to_b, "3", &sent_third, 0, true, inject));
        two.settle();
        EXPECT_TRUE(two.a.done.empty());
        ASSERT_EQ(0, two.b.receive(into, &got_first));
        two.settle();
        ASSERT_EQ(3u, two.a.done.size());
        EXPECT_EQ(&sent_first, two.a.done[0].context);
        EXPECT_EQ(&sent_second, two.a.done[1].context);
        EXPECT_EQ(&sent_third, two.a.done[2].context);
    }
}

TEST(Fence, SendsBehindAFenceEndWithTheirPeerOrWhenTheyAreCancelled)
{
    for (const bool cancel : {false, true}) {
        Two two;
        ASSERT_EQ(0, two.a.send_flagged(two.to_b, "1", &sent_first, FI_FRAME_MATCH));
        two.settle();
        ASSERT_EQ(0, two.a.send_flagged(two.to_b, "2", &sent_second, 0, true));
        ASSERT_EQ(0, two.a.send(two.to_b, "3", &sent_third));
        if (cancel) {
            EXPECT_EQ(0, two.a.engine().cancel(&sent_second));
            two.settle();
            EXPECT_EQ(FI_ECANCELED, two.a.only(&sent_second).err);
            EXPECT_EQ(0, two.a.only(&sent_third).err) << "nothing holds it back any more";
            continue;
        }
        memory::Port::cut(*two.a.links().front());
        two.settle();
        for (const char* context : {&sent_first, &sent_second, &sent_third})
            EXPECT_EQ(ECONNRESET, two.a.only(context).err);
    }
}

TEST(Fence, WhatIsHeldWhenTheEndpointClosesEndsWithoutACompletion)
{
    Two two;
    ASSERT_EQ(0, two.a.send_flagged(two.to_b, "1", &sent_first, FI_FRAME_MATCH));
    ASSERT_EQ(0, two.a.send_flagged(two.to_b, "2", &sent_second, 0, true, true));
    two.settle();
    two.a.close();
    two.a.collect();
    EXPECT_TRUE(two.a.done.empty());
}

TEST(SourceError, D195_AnUnknownSenderIsAnErrorEntryWithItsAddressAndTheMessageIsThere)
{
    memory::Network network;
    Node a(network, 1);
    Node b(network, 2, {.report_unknown = true});
    const fi_addr_t to_b = a.know(2);
    const std::string large(kLarge, 'L');
    for (const std::string& message : {std::string("hello"), large}) {
        std::string into(message.size(), '.');
        ASSERT_EQ(0, b.receive(into, &got_first, 5));
        ASSERT_EQ(0, a.send(to_b, message, &sent_first, 5));
        settle(a, b);
        const Done done = b.only(&got_first);
        EXPECT_EQ(FI_EADDRNOTAVAIL, done.err);
        EXPECT_EQ(std::uint64_t{FI_RECV | FI_TAGGED}, done.flags);
        EXPECT_EQ(message.size(), done.len);
        EXPECT_EQ(5u, done.tag);
        EXPECT_EQ(0u, done.olen);
        EXPECT_TRUE(into == message);
        const Address sender = memory::address_of(1);
        EXPECT_EQ(
            std::string(static_cast<const char*>(static_cast<const void*>(sender.data())), sender.size()),
            done.error_data);
        b.done.clear();
    }
    std::string into(1, '.');
    const fi_addr_t known = b.know(1);
    ASSERT_EQ(0, b.receive(into, &got_second));
    ASSERT_EQ(0, a.send(to_b, "x", &sent_second));
    settle(a, b);
    EXPECT_EQ(0, b.only(&got_second).err);
    EXPECT_EQ(known, b.only(&got_second).source);
}

TEST(SourceError, WhatNobodyReadsIsFreedWithItsQueueAndItsEndpoint)
{
    memory::Network network;
    Node a(network, 1);
    Node b(network, 2, {.queue_size = 2, .report_unknown = true});
    std::vector<std::string> buffers(10, std::string(1, '.'));
    for (auto& buffer : buffers) {
        ASSERT_EQ(0, b.receive(buffer, &got_first));
        ASSERT_EQ(0, a.inject(a.know(2), "x"));
    }
    for (int i = 0; i < 10; i++) {
        a.step();
        b.engine().look(true);
    }
    b.close(); // eight wait behind the two that the queue holds; the leak checker counts
}

} // namespace
} // namespace fi::kit
