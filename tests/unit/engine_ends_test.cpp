// SPDX-License-Identifier: BSD-2-Clause
//
// Peers that end while they have two links with us, because both sides had called: all that they had said on
// either is delivered before they are dead, and nothing waits for ever.
#include "engine_support.hpp"

#include <set>

namespace fi::kit {
namespace {

constexpr std::uint64_t kGreeting = 1, kWords = 2;

char sent, got_words, got_directed, got_kept;

/// Lets a test say which links and callers a poll sees.
struct Fog : memory::Network {
    std::set<const memory::Link*> unseen;
    bool is_impatient = false; ///< calls are made anew whenever they may be

    bool looks_at(const memory::Link& link) override { return !unseen.contains(&link); }
    bool gives_up(const memory::Link&) override { return is_impatient; }
};

/// `b` is looked at. `a` has called it and has been called.
struct Ends : testing::Test {
    Fog network;
    Node a{network, 1};
    Node b{network, 2};
    fi_addr_t to_b = a.know(2);
    fi_addr_t to_a = b.know(1);
    std::string words = std::string(5, '.');
    std::string directed = std::string(1, '.');

    /// Both call. `is_answered`: and answer.
    void meet(bool is_answered)
    {
        ASSERT_EQ(0, a.inject(to_b, "a", kGreeting));
        ASSERT_EQ(0, b.inject(to_a, "b", kGreeting));
        if (is_answered)
            settle(a, b);
        else
            b.step();
        ASSERT_EQ(2u, b.links().size());
        ASSERT_EQ(0, b.receive(words, &got_words, kWords, to_a));
    }
    /// b's half of the link on which it has called, or has been called.
    memory::Link& link(bool is_ours)
    {
        for (memory::Link* link : b.links())
            if ((link->dialled == memory::address_of(1)) == is_ours)
                return *link;
        throw std::logic_error("there is no such link");
    }
    /// As if `a` had said it on that link.
    static void say(memory::Link& on, std::string_view bytes, std::uint64_t tag)
    {
        fi_frame frame{};
        frame.kind = FI_FRAME_EAGER;
        frame.flags = FI_FRAME_TAGGED;
        frame.tag = tag;
        frame.length = static_cast<std::uint32_t>(bytes.size());
        on.incoming.push_back({frame, {bytes.begin(), bytes.end()}, 0});
    }
    /// More than b keeps, so that it makes that link wait; returns how many messages can be received yet.
    std::size_t flood(memory::Link& on)
    {
        const std::string message(kEagerLimit, 'x');
        const std::size_t count = kUnexpectedLimit / kEagerLimit + 1;
        for (std::size_t i = 0; i < count; i++)
            say(on, message, kGreeting + 10);
        b.step();
        EXPECT_TRUE(on.paused);
        return count;
    }
    void expect_words()
    {
        EXPECT_EQ(0, b.only(&got_words).err);
        EXPECT_EQ("words", words);
    }
    /// The peer is dead: a receive that only it could have finished has failed.
    void expect_death()
    {
        EXPECT_EQ(ECONNRESET, b.only(&got_directed).err);
        EXPECT_TRUE(b.links().empty());
    }
};

/// Which of the two links is seen to end first: the one that `a` has called on, or the other.
struct EndsOfTwo : Ends, testing::WithParamInterface<bool> {};
INSTANTIATE_TEST_SUITE_P(Orders, EndsOfTwo, testing::Bool());

TEST_P(EndsOfTwo, WhatWasSaidOnTheSecondIsDeliveredAndThenThePeerIsDead)
{
    meet(true);
    memory::Link& second = link(!GetParam());
    ASSERT_EQ(0, b.receive(directed, &got_directed, kWords + 1, to_a));
    network.unseen = {&second};
    say(second, "words", kWords);
    a.close();
    b.step();
    EXPECT_EQ(2u, b.links().size());
    EXPECT_EQ(0, b.count(&got_directed)) << "it may be what the peer has said yet";
    network.unseen.clear();
    b.step();
    expect_words();
    expect_death();
}

TEST_P(EndsOfTwo, ASendToThePeerFailsWhenBothHaveBeenRead)
{
    meet(true);
    memory::Link& second = link(!GetParam());
    network.unseen = {&second};
    a.close();
    b.step();
    ASSERT_EQ(0, b.send(to_a, "late", &sent));
    b.step();
    EXPECT_EQ(0, b.count(&sent));
    network.unseen.clear();
    b.step();
    EXPECT_EQ(ECONNRESET, b.only(&sent).err);
    EXPECT_TRUE(b.links().empty());
}

TEST_P(EndsOfTwo, TheSecondIsEndedForThePeerToSeeAndIsReadUntilItAnswers)
{
    meet(true);
    memory::Link& first = link(GetParam());
    memory::Link& second = link(!GetParam());
    ASSERT_EQ(0, b.receive(directed, &got_directed, kWords + 1, to_a));
    first.gone = true;
    b.step();
    ASSERT_NE(nullptr, second.other);
    EXPECT_TRUE(second.other->gone) << "a has not been told";
    say(second, "words", kWords); // before it has heard of that
    b.step();
    expect_words();
    EXPECT_EQ(0, b.count(&got_directed));
    settle(a, b);
    expect_death();
    EXPECT_TRUE(a.links().empty());
}

TEST_P(EndsOfTwo, APauseOfOneIsGivenUpForAnOperationOnlyWhenTheOtherHasBeenRead)
{
    meet(true);
    memory::Link& paused = link(GetParam());
    memory::Link& other = link(!GetParam());
    flood(paused);
    network.unseen = {&other};
    say(other, "words", kWords);
    a.close();
    b.step();
    ASSERT_EQ(0, b.send(to_a, "late", &sent)); // only the peer's death can end it
    b.step();
    EXPECT_EQ(0, b.count(&sent));
    network.unseen.clear();
    b.step();
    expect_words();
    EXPECT_EQ(ECONNRESET, b.only(&sent).err);
    EXPECT_TRUE(b.links().empty());
}

TEST_P(EndsOfTwo, APauseOfOneLastsUntilReceivesEndItWhenNothingElseWaits)
{
    meet(true);
    memory::Link& paused = link(GetParam());
    const std::size_t count = flood(paused);
    a.close();
    settle(b);
    EXPECT_EQ(2u, b.links().size());
    std::string into(kEagerLimit, '.');
    for (std::size_t i = 0; i < count; i++)
        ASSERT_EQ(0, b.receive(into, &got_kept, kGreeting + 10));
    settle(b);
    EXPECT_EQ(static_cast<long>(count), b.count(&got_kept));
    EXPECT_TRUE(b.links().empty());
}

TEST_P(EndsOfTwo, AnOperationThatBeginsLaterGivesThePauseUp)
{
    meet(true);
    flood(link(GetParam()));
    a.close();
    settle(b);
    ASSERT_EQ(2u, b.links().size());
    ASSERT_EQ(0, b.send(to_a, "late", &sent));
    settle(b);
    EXPECT_EQ(ECONNRESET, b.only(&sent).err);
    EXPECT_TRUE(b.links().empty());
}

TEST_F(Ends, AnAnswerToACallAndWhatIsBehindItComeBeforeTheDeath)
{
    meet(false);
    memory::Link& call = link(true);
    ASSERT_EQ(0, b.receive(directed, &got_directed, kWords + 1, to_a));
    link(false).gone = true;
    b.step();
    EXPECT_EQ(0, b.count(&got_directed));
    a.step(); // answers
    ASSERT_NE(nullptr, call.other);
    say(call, "words", kWords);
    settle(a, b);
    expect_words();
    expect_death();
}

TEST_F(Ends, ACallThatIsNeverAnsweredEndsWithThePeer)
{
    meet(false);
    ASSERT_EQ(0, b.receive(directed, &got_directed, kWords + 1, to_a));
    link(false).gone = true;
    b.step();
    ASSERT_EQ(0, b.send(to_a, "late", &sent));
    b.step();
    EXPECT_EQ(0, b.count(&got_directed));
    a.close(); // and so refuses it
    settle(b);
    expect_death();
    EXPECT_EQ(1, b.count(&sent));
    EXPECT_NE(0, b.only(&sent).err);
}

TEST_F(Ends, ACallThatIsNeverAnsweredEndsWithThePeerWhoseOtherLinkIsPaused)
{
    meet(false);
    flood(link(false));
    link(false).gone = true;
    b.step();
    ASSERT_EQ(0, b.send(to_a, "late", &sent));
    b.step();
    EXPECT_EQ(0, b.count(&sent));
    a.close();
    settle(b);
    EXPECT_EQ(1, b.count(&sent));
    EXPECT_TRUE(b.links().empty());
}

TEST_F(Ends, ACallIsNotMadeAnewOnceThePeerEnds)
{
    meet(false);
    link(false).gone = true;
    b.step();
    const auto links = b.links();
    network.is_impatient = true;
    b.step();
    EXPECT_EQ(links, b.links());
    EXPECT_TRUE(link(true).called);
}

TEST_F(Ends, ALinkThatComesUpMeanwhileIsEndedWithTheOthers)
{
    Node c(network, 3, {.other_names = {memory::address_of(4)}});
    ASSERT_EQ(0, a.inject(a.know(3), "a", kGreeting));
    ASSERT_EQ(0, c.inject(c.know(1), "c", kGreeting));
    c.step();
    ASSERT_EQ(2u, c.links().size());
    ASSERT_EQ(0, c.receive(directed, &got_directed, kWords, c.know(1)));
    c.links().back()->gone = true;
    c.step();
    ASSERT_EQ(2u, c.links().size()) << "it waits for an answer to its call";
    ASSERT_EQ(0, a.inject(a.know(4), "a", kGreeting)); // a knows of no other endpoint there
    c.step();
    ASSERT_EQ(3u, c.links().size());
    EXPECT_TRUE(c.links().back()->unsendable);
    settle(a, c);
    EXPECT_EQ(ECONNRESET, c.only(&got_directed).err);
    EXPECT_TRUE(c.links().empty());
}

} // namespace
} // namespace fi::kit
