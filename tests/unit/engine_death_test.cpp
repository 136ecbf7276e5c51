// SPDX-License-Identifier: BSD-2-Clause
//
// Peers that die, lie or were never there: every accepted operation still completes exactly once.
#include "engine_support.hpp"

namespace fi::kit {
namespace {

constexpr std::size_t kLarge = kPartLimit + 77; // two parts

char sent_small, sent_large, got_small, got_large, got_directed;

TEST(Death, AnAddressWhereNobodyListensFailsTheSendNotTheCall)
{
    memory::Network network;
    Node a(network, 1);
    ASSERT_EQ(0, a.send(a.know(2), "x", &sent_small));
    a.collect();
    EXPECT_EQ(ECONNREFUSED, a.only(&sent_small).err);
}

TEST(Death, AnAddressThatIsNotInTheVectorIsRefused)
{
    memory::Network network;
    Node a(network, 1);
    std::string buffer(1, '.');
    EXPECT_EQ(-FI_EINVAL, a.send(0, "x", &sent_small));
    EXPECT_EQ(-FI_EINVAL, a.send(FI_ADDR_UNSPEC, "x", &sent_small));
    EXPECT_EQ(-FI_EINVAL, a.receive(buffer, &got_small, 0, 7));
}

/// The same conversation each time, cut after `steps` single steps: messages of both kinds in both
/// directions, some expected and some not. Returns whether it was over before the cut.
bool conversation(bool take, std::size_t piece, int steps, bool cut_second)
{
    memory::Network network;
    network.take = take;
    network.step = piece;
    Node a(network, 1);
    Node b(network, 2);
    const fi_addr_t to_b = a.know(2);
    const fi_addr_t to_a = b.know(1);
    const std::string large(kLarge, 'L');
    std::string large_at_a(kLarge, '.');
    std::string large_at_b(kLarge, '.');
    std::string small_at_b(10, '.');
    std::string small_at_a(10, '.');
    EXPECT_EQ(0, b.receive(large_at_b, &got_large, 1, to_a));
    EXPECT_EQ(0, a.send(to_b, large, &sent_large, 1));
    EXPECT_EQ(0, a.send(to_b, "small", &sent_small, 2));
    EXPECT_EQ(0, b.send(to_a, large, &sent_large, 1));
    EXPECT_EQ(0, b.send(to_a, "small", &sent_small, 2));
    const auto over = [&] { return a.done.size() == 4 && b.done.size() == 4; };
    bool posted = false;
    for (int i = 0; i < steps && !over(); i++) {
        (i % 2 ? a : b).step();
        if (i == 5 && (posted = true)) {
            EXPECT_EQ(0, a.receive(large_at_a, &got_large, 1, to_b));
            EXPECT_EQ(0, a.receive(small_at_a, &got_small, 2, to_b));
            EXPECT_EQ(0, b.receive(small_at_b, &got_small, 2, to_a));
        }
    }
    const bool was_over = over();
    const auto links = a.links();
    if (!links.empty())
        memory::Port::cut(*links[cut_second && links.size() > 1 ? 1 : 0]);
    settle(a, b);
    // What is still under way on the other link, or was connected anew, gets a receive: nothing may wait for
    // ever.
    std::string spare[] = {std::string(kLarge, '.'), std::string(10, '.'), std::string(kLarge, '.'),
                           std::string(10, '.')};
    for (std::size_t i = 0; i < 4; i++)
        EXPECT_EQ(0, (i < 2 ? a : b).receive(spare[i], &spare, 1 + i % 2));
    settle(a, b);
    for (Node* node : {&a, &b}) {
        for (const char* context : {&sent_small, &sent_large})
            EXPECT_EQ(1, node->count(context)) << "cut after step " << steps;
        EXPECT_LE(node->count(&got_small), 1);
        EXPECT_LE(node->count(&got_large), 1);
        // What is still posted can be cancelled, so it was not forgotten.
        for (const char* context : {&got_small, &got_large}) {
            const bool is_posted = posted || (node == &b && context == &got_large);
            if (is_posted && node->count(context) == 0) {
                EXPECT_EQ(0, node->engine().cancel(context)) << "cut after step " << steps;
            }
        }
        for (const Done& done : node->done)
            EXPECT_TRUE(done.err == 0 || done.err == ECONNRESET) << done.err;
    }
    return was_over;
}

class EveryCut : public testing::TestWithParam<std::tuple<bool, std::size_t, bool>> {};
INSTANTIATE_TEST_SUITE_P(Devices, EveryCut,
                         testing::Combine(testing::Bool(), testing::Values(SIZE_MAX, std::size_t{400'000}),
                                          testing::Bool()));

TEST_P(EveryCut, LeavesExactlyOneCompletionForEveryOperation)
{
    const auto [take, piece, second] = GetParam();
    int steps = 0;
    while (!conversation(take, piece, steps, second) && !HasFailure())
        ASSERT_LT(steps++, 200);
    EXPECT_GT(steps, 5);
}

TEST(Death, ADirectedReceiveFailsWithItsPeerAndOthersStayPosted)
{
    memory::Network network;
    Node a(network, 1);
    Node b(network, 2);
    std::string one(1, '.');
    std::string other(1, '.');
    ASSERT_EQ(0, a.send(a.know(2), "x", &sent_small));
    settle(a, b);
    ASSERT_EQ(0, b.receive(one, &got_directed, 5, b.know(1)));
    ASSERT_EQ(0, b.receive(other, &got_small, 5));
    memory::Port::cut(*a.links().front());
    settle(a, b);
    EXPECT_EQ(ECONNRESET, b.only(&got_directed).err);
    EXPECT_EQ(0, b.count(&got_small));
}

TEST(Death, AReceiveDirectedByAnotherNameOfThePeerFailsToo)
{
    memory::Network network;
    Node a(network, 1, {.other_names = {memory::address_of(9)}});
    Node b(network, 2);
    std::string buffer(1, '.');
    ASSERT_EQ(0, b.receive(buffer, &got_directed, 5, b.know(9)));
    ASSERT_EQ(0, a.send(a.know(2), "x", &sent_small));
    settle(a, b);
    memory::Port::cut(*a.links().front());
    settle(a, b);
    EXPECT_EQ(ECONNRESET, b.only(&got_directed).err);
}

TEST(Death, APeerThatComesBackIsReachedAgain)
{
    memory::Network network;
    Node a(network, 1);
    auto b = std::make_unique<Node>(network, 2);
    const fi_addr_t to_b = a.know(2);
    ASSERT_EQ(0, a.send(to_b, "x", &sent_small));
    settle(a, *b);
    b.reset();
    a.step();
    a.step();
    Node again(network, 2);
    std::string buffer(1, '.');
    ASSERT_EQ(0, again.receive(buffer, &got_small));
    ASSERT_EQ(0, a.send(to_b, "y", &sent_large));
    settle(a, again);
    EXPECT_EQ("y", buffer);
}

TEST(Close, WhatWasAcceptedStillArrivesAndNothingIsLeftInTheQueue)
{
    memory::Network network;
    network.take = true;
    Node a(network, 1, {.queue_size = 2});
    Node b(network, 2);
    const fi_addr_t to_b = a.know(2);
    std::vector<std::string> buffers(20, std::string(1, '.'));
    for (auto& buffer : buffers)
        ASSERT_EQ(0, b.receive(buffer, &got_small));
    std::string first(1, '.');
    ASSERT_EQ(0, a.send(to_b, "0", &sent_small));
    settle(a, b); // the link is up
    for (int i = 1; i < 20; i++)
        ASSERT_EQ(0, a.send(to_b, "x", &sent_large));
    a.close(); // completes more than the queue holds: the rest must not stay behind as dangling records
    a.queue.cq_read(nullptr, 0);
    a.collect();
    settle(b);
    EXPECT_EQ(20, b.count(&got_small));
    EXPECT_LE(a.count(&sent_large), 2);
}

TEST(Close, WhatHasComeOnOneOfTwoLinksIsTakenThoughTheEndOfTheOtherIsSeenFirst)
{
    memory::Network network;
    Node a(network, 1);
    Node b(network, 2);
    const fi_addr_t to_b = a.know(2);
    std::string buffers[2] = {".", "....."};
    ASSERT_EQ(0, a.send(to_b, "x", &sent_small));
    ASSERT_EQ(0, b.send(b.know(1), "x", &sent_small)); // both have called
    ASSERT_EQ(0, b.receive(buffers[0], &got_small));
    settle(a, b);
    ASSERT_EQ(2u, b.links().size());
    network.step = 1;
    ASSERT_EQ(0, b.receive(buffers[1], &got_large));
    ASSERT_EQ(0, a.send(to_b, "hello", &sent_large));
    a.close();
    settle(b);
    EXPECT_EQ("hello", buffers[1]);
    EXPECT_EQ(0, b.only(&got_large).err);
    EXPECT_TRUE(b.links().empty());
}

TEST(Close, ACallThatWasNeverAnsweredFailsWhenTheOtherSideCloses)
{
    memory::Network network;
    Node a(network, 1);
    Node b(network, 2);
    Node c(network, 3);
    ASSERT_EQ(0, a.send(a.know(2), "x", &sent_small));
    ASSERT_EQ(0, b.send(b.know(3), "x", &sent_small));
    b.close(); // has not looked: a's call is not accepted, and its own not by c
    settle(a, c);
    EXPECT_EQ(ECONNREFUSED, a.only(&sent_small).err);
    EXPECT_TRUE(c.links().empty());
}

TEST(Close, OperationsThatHaveNotFinishedEndWithoutACompletion)
{
    memory::Network network;
    Node a(network, 1);
    Node b(network, 2);
    const std::string large(kLarge, 'L');
    std::string buffer(1, '.');
    ASSERT_EQ(0, a.send(a.know(2), large, &sent_large)); // never matched
    ASSERT_EQ(0, a.receive(buffer, &got_small));
    settle(a, b);
    a.close();
    a.collect();
    EXPECT_TRUE(a.done.empty());
}

/// Puts a frame that no engine would send on a's link to b.
void forge(Node& a, memory::Network&, fi_frame frame, const void* payload, std::size_t size)
{
    frame.length = static_cast<std::uint32_t>(size);
    const auto* bytes = static_cast<const unsigned char*>(payload);
    a.links().front()->other->incoming.push_back({frame, {bytes, bytes + size}, 0});
}

struct Hostile : testing::Test {
    memory::Network network;
    Node a{network, 1};
    Node b{network, 2};
    fi_addr_t to_b = a.know(2);
    fi_addr_t to_a = b.know(1);

    Hostile()
    {
        EXPECT_EQ(0, a.inject(to_b, "hello", 99));
        settle(a, b);
    }
    bool b_ended_the_link()
    {
        settle(a, b);
        return b.links().empty() && a.links().empty();
    }
    static fi_frame frame(int kind, std::uint64_t transfer = 0, int flags = FI_FRAME_TAGGED)
    {
        fi_frame made{};
        made.kind = static_cast<std::uint8_t>(kind);
        made.flags = static_cast<std::uint8_t>(flags);
        made.transfer = transfer;
        return made;
    }
};

TEST_F(Hostile, AnUnknownKindOfFrameEndsTheLink)
{
    forge(a, network, frame(0), nullptr, 0);
    EXPECT_TRUE(b_ended_the_link());
}

TEST_F(Hostile, AnOfferOfTheWrongLengthEndsTheLink)
{
    forge(a, network, frame(FI_FRAME_OFFER), "1234", 4);
    EXPECT_TRUE(b_ended_the_link());
}

TEST_F(Hostile, APullOfTheWrongLengthEndsTheLink)
{
    forge(a, network, frame(FI_FRAME_PULL), "1234", 4);
    EXPECT_TRUE(b_ended_the_link());
}

TEST_F(Hostile, AnEagerMessageAboveTheLimitEndsTheLink)
{
    const std::string bytes(kEagerLimit + 1, 'x');
    forge(a, network, frame(FI_FRAME_EAGER), bytes.data(), bytes.size());
    EXPECT_TRUE(b_ended_the_link());
}

TEST_F(Hostile, DataThatNobodyPulledEndsTheLink)
{
    std::string buffer(8, '.');
    ASSERT_EQ(0, b.receive(buffer, &got_small)); // posted, handle 0, but not being pulled
    for (const std::uint64_t transfer :
         {std::uint64_t{0}, std::uint64_t{1} << 32, UINT64_MAX, std::uint64_t{12345}}) {
        SCOPED_TRACE(transfer);
        if (a.links().empty()) {
            ASSERT_EQ(0, a.inject(to_b, "again", 99));
            settle(a, b);
        }
        forge(a, network, frame(FI_FRAME_DATA, transfer), "x", 1);
        EXPECT_TRUE(b_ended_the_link());
    }
    EXPECT_EQ("........", buffer);
    EXPECT_EQ(0, b.count(&got_small));
}

TEST_F(Hostile, APullForNothingEndsTheLink)
{
    const fi_frame_pull pull{0, 100};
    for (const std::uint64_t transfer : {std::uint64_t{0}, UINT64_MAX, std::uint64_t{77}}) {
        SCOPED_TRACE(transfer);
        if (a.links().empty()) {
            ASSERT_EQ(0, a.inject(to_b, "again", 99));
            settle(a, b);
        }
        forge(a, network, frame(FI_FRAME_PULL, transfer), &pull, sizeof pull);
        EXPECT_TRUE(b_ended_the_link());
    }
}

TEST_F(Hostile, MoreDataThanWasPulledEndsTheLinkAndTheReceive)
{
    std::string buffer(kEagerLimit, '.');
    const std::uint64_t size = buffer.size();
    ASSERT_EQ(0, b.receive(buffer, &got_large));
    forge(a, network, frame(FI_FRAME_OFFER), &size, sizeof size);
    settle(b);
    const std::string bytes(size + 1, 'x');
    forge(a, network, frame(FI_FRAME_DATA), bytes.data(), bytes.size());
    b.step(); // alone: a's engine would end the link over a pull for what it never offered
    EXPECT_TRUE(b.links().empty());
    EXPECT_EQ(EPROTO, b.only(&got_large).err);
}

TEST_F(Hostile, APullForAnOfferThatHasNotLeftYetBreaksNothing)
{
    const std::string large(kLarge, 'L');
    std::string buffer(kLarge, '.');
    network.room = 0; // b can send nothing for now: its offer waits
    ASSERT_EQ(0, b.send(to_a, large, &sent_large));
    ASSERT_EQ(0, b.send(to_a, "x", &sent_small));
    const fi_frame_pull pull{0, 5};
    forge(a, network, frame(FI_FRAME_PULL, 0), &pull, sizeof pull); // guessed: the first operation's handle
    settle(b);
    network.room = 1000;
    settle(a, b);
    // Both go out as if the pull had come in time, before a's engine ends the link over data that it never
    // asked for.
    EXPECT_EQ(0, b.only(&sent_large).err);
    EXPECT_EQ(0, b.only(&sent_small).err);
}

TEST_F(Hostile, APullForMoreThanWasOfferedEndsTheLinkAndTheSend)
{
    const std::string large(kLarge, 'L');
    ASSERT_EQ(0, b.send(to_a, large, &sent_large));
    settle(b);
    const fi_frame_pull pull{0, kLarge + 1};
    forge(a, network, frame(FI_FRAME_PULL, 0), &pull, sizeof pull);
    EXPECT_TRUE(b_ended_the_link());
    EXPECT_EQ(EPROTO, b.only(&sent_large).err);
}

TEST(Incarnations, AnEndpointUnderANameThatAnotherOneHasIsAnsweredOnItsOwnLink)
{
    // The peer was restarted, or somebody uses its name: the old link has not been seen to end.
    memory::Network network;
    Node a(network, 1);
    auto old = std::make_unique<Node>(network, 2);
    ASSERT_EQ(0, old->send(old->know(1), "x", &sent_small));
    settle(a, *old);
    Node restarted(network, 3, {.other_names = {memory::address_of(2)}});
    const std::string large(kLarge, 'L');
    std::string buffer(kLarge, '.');
    std::string small(1, '.');
    ASSERT_EQ(0, restarted.send(restarted.know(1), large, &sent_large));
    settle(a, *old, restarted);
    ASSERT_EQ(0, a.receive(small, &got_small));
    ASSERT_EQ(0, a.receive(buffer, &got_large));
    settle(a, *old, restarted);
    EXPECT_EQ(large, buffer);
    EXPECT_EQ(1, restarted.count(&sent_large));
    old.reset();
    settle(a, restarted);
    ASSERT_EQ(0, restarted.send(restarted.know(1), large, &sent_large));
    ASSERT_EQ(0, a.receive(buffer, &got_directed, 0, a.know(3)));
    settle(a, restarted);
    EXPECT_EQ(1, a.count(&got_directed));
}

TEST(Incarnations, WhoSaysAnotherOnesNameAndLeavesHarmsNobody)
{
    memory::Network network;
    Node a(network, 1);
    Node b(network, 2);
    const std::string large(kLarge, 'L');
    std::string buffer(kLarge, '.');
    ASSERT_EQ(0, a.receive(buffer, &got_directed, 0, a.know(2)));
    ASSERT_EQ(0, b.send(b.know(1), "x", &sent_small));
    settle(a, b);
    ASSERT_EQ(1, a.count(&got_directed));
    ASSERT_EQ(0, a.receive(buffer, &got_large, 0, a.know(2)));
    {
        Node impostor(network, 3, {.other_names = {memory::address_of(2)}});
        ASSERT_EQ(0, impostor.inject(impostor.know(1), "hello", 99));
        settle(a, b, impostor);
    }
    settle(a, b);
    EXPECT_EQ(0, a.count(&got_large)) << "neither failed nor filled";
    ASSERT_EQ(0, b.send(b.know(1), large, &sent_large));
    settle(a, b);
    EXPECT_EQ(large, buffer);
    EXPECT_EQ(1, a.count(&got_large));
    EXPECT_EQ(1, b.count(&sent_large));
}

TEST_F(Hostile, TwoLinksCannotFillOneReceiveAtTheSameTime)
{
    // A second endpoint that claims a's name answers the pull as well, while a's answer is arriving.
    std::string buffer(1000, '.');
    const std::uint64_t size = buffer.size();
    ASSERT_EQ(0, b.receive(buffer, &got_large));
    Node second(network, 3, {.other_names = {memory::address_of(1)}}); // claims a's name as well
    ASSERT_EQ(0, second.inject(second.know(2), "hello", 99));
    settle(a, b, second);
    forge(a, network, frame(FI_FRAME_OFFER), &size, sizeof size);
    settle(b);
    network.step = 10;
    const std::string bytes(1000, 'x');
    forge(a, network, frame(FI_FRAME_DATA), bytes.data(), bytes.size());
    forge(second, network, frame(FI_FRAME_DATA), bytes.data(), bytes.size());
    b.step();
    network.step = SIZE_MAX;
    settle(b, second); // without a, whose engine would not know the offer
    EXPECT_EQ(0, b.only(&got_large).err);
    EXPECT_TRUE(second.links().empty()) << "the one that came in between is at fault";
    EXPECT_EQ(1u, b.links().size());
}

} // namespace
} // namespace fi::kit
