// SPDX-License-Identifier: BSD-2-Clause
//
// The engine over a device in memory: every way of a message, and every end.
#include "engine_support.hpp"

namespace fi::kit {
namespace {

/// Bytes that differ at every place, so that a wrong offset shows.
std::string pattern(std::size_t size)
{
    std::string bytes(size, '\0');
    for (std::size_t i = 0; i < size; i++)
        bytes[i] = static_cast<char>(i * 131 + i / 251);
    return bytes;
}

constexpr std::size_t kLarge = 2 * kPartLimit + 12345;

/// Contexts: their addresses are what counts.
char sent_first, sent_second, sent_third, got_first, got_second;

struct Pair {
    memory::Network network;
    Node a{network, 1};
    Node b{network, 2};
    fi_addr_t to_b = a.know(2);
    fi_addr_t to_a = b.know(1);
};

/// The ways a device may answer: at once or later, with little room, byte by byte.
struct Manner {
    const char* name;
    bool take;
    std::size_t room;
    std::size_t step;
};
class EveryManner : public testing::TestWithParam<Manner> {
  protected:
    EveryManner()
    {
        pair.network.take = GetParam().take;
        pair.network.room = GetParam().room;
        pair.network.step = GetParam().step;
    }
    Pair pair;
};
INSTANTIATE_TEST_SUITE_P(Devices, EveryManner,
                         testing::Values(Manner{"prompt", false, 1000, SIZE_MAX},
                                         Manner{"taking", true, 1000, SIZE_MAX},
                                         Manner{"cramped", false, 1, SIZE_MAX},
                                         Manner{"taking_cramped", true, 1, 70'000},
                                         Manner{"in_pieces", false, 1000, 60'001}),
                         [](const auto& manner) { return manner.param.name; });

TEST_P(EveryManner, EveryMessageArrivesOnceInOrderWithItsBytes)
{
    std::vector<std::string> messages;
    std::vector<std::string> buffers;
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, kEagerLimit,
                                   kEagerLimit + 1, kLarge, std::size_t{8}, kPartLimit, std::size_t{3}}) {
        messages.push_back(pattern(size));
        buffers.emplace_back(size, '.');
    }
    for (std::size_t i = 0; i < messages.size(); i++) {
        ASSERT_EQ(0, pair.a.send(pair.to_b, messages[i], &messages[i]));
        // Half of them are posted before the message can be there, half after.
        if (i % 2)
            settle(pair.a, pair.b);
        ASSERT_EQ(0, pair.b.receive(buffers[i], &buffers[i]));
    }
    settle(pair.a, pair.b);
    ASSERT_EQ(messages.size(), pair.a.done.size());
    ASSERT_EQ(messages.size(), pair.b.done.size());
    for (std::size_t i = 0; i < messages.size(); i++) {
        EXPECT_EQ(0, pair.a.only(&messages[i]).err) << i;
        EXPECT_EQ(0, pair.b.only(&buffers[i]).err) << i;
        EXPECT_EQ(messages[i].size(), pair.b.only(&buffers[i]).len) << i;
        EXPECT_TRUE(messages[i] == buffers[i]) << i;
    }
}

TEST_P(EveryManner, SendsThatWaitTogetherForTheLinkAllGoOut)
{
    std::vector<std::string> buffers(20, std::string(4, '.'));
    std::vector<std::string> messages;
    for (int i = 0; i < 20; i++)
        messages.push_back(std::to_string(1000 + i));
    for (auto& message : messages)
        ASSERT_EQ(0, pair.a.send(pair.to_b, message, &message));
    for (auto& buffer : buffers)
        ASSERT_EQ(0, pair.b.receive(buffer, &buffer));
    settle(pair.a, pair.b);
    EXPECT_EQ(messages, buffers);
    EXPECT_EQ(20u, pair.a.done.size());
}

TEST_P(EveryManner, ALongMessageIsCutToAShorterReceiveAndSaysByHowMuch)
{
    for (const std::size_t size : {std::size_t{900}, kLarge}) {
        for (const std::size_t room : {std::size_t{0}, std::size_t{1}, size / 2}) {
            const std::string message = pattern(size);
            std::string buffer(room + 8, '.');
            const iovec iov{buffer.data(), room};
            ASSERT_EQ(0, pair.a.send(pair.to_b, message, &sent_first));
            ASSERT_EQ(0, pair.b.engine().receive({&iov, 1, FI_ADDR_UNSPEC, 0, 0, &got_first, true, true}));
            settle(pair.a, pair.b);
            const Done done = pair.b.only(&got_first);
            EXPECT_EQ(FI_ETRUNC, done.err);
            EXPECT_EQ(room, done.len);
            EXPECT_EQ(size - room, done.olen);
            EXPECT_TRUE(buffer.compare(0, room, message, 0, room) == 0);
            EXPECT_EQ("........", buffer.substr(room));
            EXPECT_EQ(0, pair.a.only(&sent_first).err);
            pair.a.done.clear();
            pair.b.done.clear();
        }
    }
}

TEST_P(EveryManner, SegmentsAreGatheredAndScattered)
{
    for (const std::size_t part : {std::size_t{10}, std::size_t{700'001}}) {
        const std::string message = pattern(4 * part);
        std::string buffer(4 * part, '.');
        iovec from[4];
        iovec into[3];
        for (std::size_t i = 0; i < 4; i++)
            from[i] = {const_cast<char*>(message.data()) + i * part, part};
        into[0] = {buffer.data(), 3};
        into[1] = {buffer.data() + 3, 2 * part};
        into[2] = {buffer.data() + 3 + 2 * part, 2 * part - 3};
        ASSERT_EQ(0, pair.b.engine().receive({into, 3, FI_ADDR_UNSPEC, 0, 0, &got_first, true, true}));
        ASSERT_EQ(
            0, pair.a.engine().send({from, 4, pair.to_b, 0, 0, &sent_first, FI_FRAME_TAGGED, false, true}));
        settle(pair.a, pair.b);
        EXPECT_TRUE(message == buffer);
    }
}

TEST_P(EveryManner, BothSidesMayBeginAtTheSameTime)
{
    const std::string from_a = pattern(kLarge);
    const std::string from_b = pattern(kLarge + 1);
    std::string at_a(from_b.size(), '.');
    std::string at_b(from_a.size(), '.');
    ASSERT_EQ(0, pair.a.send(pair.to_b, from_a, &sent_first));
    ASSERT_EQ(0, pair.b.send(pair.to_a, from_b, &sent_second));
    ASSERT_EQ(0, pair.a.receive(at_a, &got_first));
    ASSERT_EQ(0, pair.b.receive(at_b, &got_second));
    settle(pair.a, pair.b);
    EXPECT_TRUE(at_a == from_b);
    EXPECT_TRUE(at_b == from_a);
    EXPECT_EQ(2u, pair.a.done.size());
    EXPECT_EQ(2u, pair.b.done.size());
}

TEST_P(EveryManner, InjectedBytesAreTheCallersAgainAtOnce)
{
    std::string buffer(4, '.');
    std::string bytes = "keep";
    ASSERT_EQ(0, pair.a.inject(pair.to_b, bytes)); // the link does not exist yet: it has to be copied
    bytes = "gone";
    ASSERT_EQ(0, pair.b.receive(buffer, &got_first));
    settle(pair.a, pair.b);
    EXPECT_EQ("keep", buffer);
    EXPECT_TRUE(pair.a.done.empty()) << "D27: an inject that succeeds writes no entry";
}

TEST(Engine, SourceTagAndDataAreTold)
{
    Pair pair;
    std::string buffer(2, '.');
    std::string bytes = "hi";
    const iovec iov{bytes.data(), 2};
    ASSERT_EQ(0, pair.b.receive(buffer, &got_first, 0x77));
    ASSERT_EQ(0, pair.a.engine().send({&iov, 1, pair.to_b, 0x77, 0xdada, &sent_first,
                                       FI_FRAME_TAGGED | FI_FRAME_DATA64, false, true}));
    settle(pair.a, pair.b);
    const Done done = pair.b.only(&got_first);
    EXPECT_EQ(std::uint64_t{FI_RECV | FI_TAGGED | FI_REMOTE_CQ_DATA}, done.flags);
    EXPECT_EQ(0xdadau, done.data);
    EXPECT_EQ(0x77u, done.tag);
    EXPECT_EQ(pair.to_a, done.source);
    EXPECT_EQ(std::uint64_t{FI_SEND | FI_TAGGED}, pair.a.only(&sent_first).flags);
}

TEST(Engine, TaggedAndUntaggedMessagesNeverMatchD54)
{
    Pair pair;
    std::string tagged(1, '.');
    std::string untagged(1, '.');
    const iovec into{untagged.data(), 1};
    char byte = 'u';
    const iovec from{&byte, 1};
    ASSERT_EQ(0, pair.b.receive(tagged, &got_first));
    ASSERT_EQ(0, pair.b.engine().receive({&into, 1, FI_ADDR_UNSPEC, 0, 0, &got_second, false, true}));
    ASSERT_EQ(0, pair.a.engine().send({&from, 1, pair.to_b, 0, 0, &sent_first, 0, false, true}));
    ASSERT_EQ(0, pair.a.send(pair.to_b, "t", &sent_second));
    settle(pair.a, pair.b);
    EXPECT_EQ("t", tagged);
    EXPECT_EQ("u", untagged);
}

TEST(Engine, AReceiveTakesTheEarliestMessageOfItsTagD77)
{
    Pair pair;
    ASSERT_EQ(0, pair.a.send(pair.to_b, "1", &sent_first, 5));
    ASSERT_EQ(0, pair.a.send(pair.to_b, "2", &sent_second, 6));
    ASSERT_EQ(0, pair.a.send(pair.to_b, "3", &sent_third, 6));
    settle(pair.a, pair.b);
    std::string six(1, '.');
    std::string any(1, '.');
    ASSERT_EQ(0, pair.b.receive(six, &got_first, 6));
    const iovec iov{any.data(), 1};
    ASSERT_EQ(0, pair.b.engine().receive({&iov, 1, FI_ADDR_UNSPEC, 0, ~0ull, &got_second, true, true}));
    settle(pair.a, pair.b);
    EXPECT_EQ("2", six);
    EXPECT_EQ("1", any);
}

TEST(Engine, ADirectedReceiveWaitsForItsSource)
{
    memory::Network network;
    Node a(network, 1);
    Node b(network, 2);
    Node c(network, 3);
    std::string buffer(1, '.');
    ASSERT_EQ(0, b.receive(buffer, &got_first, 0, b.know(3)));
    ASSERT_EQ(0, a.send(a.know(2), "a", &sent_first));
    settle(a, b, c);
    EXPECT_EQ(0, b.count(&got_first));
    ASSERT_EQ(0, c.send(c.know(2), "c", &sent_second));
    settle(a, b, c);
    EXPECT_EQ("c", buffer);
}

TEST(Engine, AnAddressThatIsAnotherNameOfTheSourceMatchesToo)
{
    memory::Network network;
    Node a(network, 1, {.other_names = {memory::address_of(9)}});
    Node b(network, 2);
    // Posted before anybody can know that 10.0.0.9 is the endpoint which calls itself 10.0.0.1.
    const fi_addr_t alias = b.know(9);
    std::string buffer(1, '.');
    ASSERT_EQ(0, b.receive(buffer, &got_first, 0, alias));
    ASSERT_EQ(0, a.send(a.know(2), "x", &sent_first));
    settle(a, b);
    EXPECT_EQ("x", buffer);
    EXPECT_EQ(alias, b.only(&got_first).source);
}

TEST(Engine, AnotherNameIsRememberedThoughADifferentPeerWasForgottenMeanwhile)
{
    memory::Network network;
    Node a(network, 1, {.other_names = {memory::address_of(9)}});
    Node b(network, 2);
    auto c = std::make_unique<Node>(network, 3);
    ASSERT_EQ(0, a.send(a.know(2), "x", &sent_first, 1));
    ASSERT_EQ(0, c->send(c->know(2), "c", &sent_second, 2));
    settle(a, b, *c);
    c.reset();
    settle(a, b);
    std::string buffer(1, '.');
    ASSERT_EQ(0, b.receive(buffer, &got_first, 1, b.know(9)));
    EXPECT_EQ(1, (b.collect(), b.count(&got_first)));
    EXPECT_EQ("x", buffer);
}

TEST(Cancel, APostedReceiveCompletesOnceWithECANCELED)
{
    Pair pair;
    std::string buffer(5, '.');
    ASSERT_EQ(0, pair.b.receive(buffer, &got_first));
    EXPECT_EQ(0, pair.b.engine().cancel(&got_first));
    EXPECT_EQ(-FI_ENOENT, pair.b.engine().cancel(&got_first));
    ASSERT_EQ(0, pair.a.send(pair.to_b, "later", &sent_first));
    settle(pair.a, pair.b);
    EXPECT_EQ(FI_ECANCELED, pair.b.only(&got_first).err);
    EXPECT_EQ(".....", buffer) << "D101";
    ASSERT_EQ(0, pair.b.receive(buffer, &got_second));
    pair.b.collect();
    EXPECT_EQ("later", buffer) << "D101: the message stays for the next receive";
}

TEST(Cancel, ASendThatStillWaitsForItsLinkCompletesOnceWithECANCELEDAndTheOthersGo)
{
    Pair pair;
    ASSERT_EQ(0, pair.a.send(pair.to_b, "1", &sent_first));
    ASSERT_EQ(0, pair.a.send(pair.to_b, "2", &sent_second));
    ASSERT_EQ(0, pair.a.send(pair.to_b, "3", &sent_third));
    EXPECT_EQ(0, pair.a.engine().cancel(&sent_second));
    std::string one(1, '.');
    std::string other(1, '.');
    ASSERT_EQ(0, pair.b.receive(one, &got_first));
    ASSERT_EQ(0, pair.b.receive(other, &got_second));
    settle(pair.a, pair.b);
    EXPECT_EQ(FI_ECANCELED, pair.a.only(&sent_second).err);
    EXPECT_EQ("1", one);
    EXPECT_EQ("3", other);
}

TEST(Cancel, AMessageUnderWayIsNotFound)
{
    Pair pair;
    const std::string message = pattern(kLarge);
    std::string buffer(kLarge, '.');
    pair.network.step = 1000;
    ASSERT_EQ(0, pair.b.receive(buffer, &got_first));
    ASSERT_EQ(0, pair.a.send(pair.to_b, message, &sent_first));
    for (int i = 0; i < 20; i++)
        pair.a.step(), pair.b.step();
    EXPECT_EQ(-FI_ENOENT, pair.b.engine().cancel(&got_first));
    pair.network.step = SIZE_MAX;
    settle(pair.a, pair.b);
    EXPECT_TRUE(message == buffer);
}

TEST(Limits, AFullPoolOfRecordsSaysTryAgainUntilOneIsFree)
{
    memory::Network network;
    Node a(network, 1, {.operations = 64});
    Node b(network, 2);
    const fi_addr_t to_b = a.know(2);
    std::vector<std::string> buffers(65, std::string(1, '.'));
    for (int i = 0; i < 64; i++)
        ASSERT_EQ(0, a.send(to_b, "x", &sent_first));
    EXPECT_EQ(-FI_EAGAIN, a.send(to_b, "x", &sent_second));
    for (auto& buffer : buffers)
        ASSERT_EQ(0, b.receive(buffer, &got_first));
    settle(a, b);
    EXPECT_EQ(0, a.send(to_b, "x", &sent_second));
    settle(a, b);
    EXPECT_EQ(64, a.count(&sent_first));
    EXPECT_EQ(65, b.count(&got_first));
}

TEST(Limits, AnEndpointThatNobodyReadsFromLosesNoCompletion)
{
    memory::Network network;
    Node a(network, 1);
    Node b(network, 2, {.queue_size = 4});
    const fi_addr_t to_b = a.know(2);
    std::vector<std::string> buffers(50, std::string(1, '.'));
    for (auto& buffer : buffers) {
        ASSERT_EQ(0, b.receive(buffer, &buffer));
        ASSERT_EQ(0, a.send(to_b, "x", &sent_first));
    }
    for (int i = 0; i < 100; i++) {
        a.step();
        b.engine().look(true);
    }
    b.collect();
    ASSERT_EQ(50u, b.done.size());
    for (std::size_t i = 0; i < 50; i++)
        EXPECT_EQ(&buffers[i], b.done[i].context);
}

TEST(Limits, UnexpectedMessagesArePausedAtTheLimitAndNoneIsLost)
{
    Pair pair;
    const std::size_t count = kUnexpectedLimit / kEagerLimit + 20;
    const std::string message = pattern(kEagerLimit);
    std::string small(1, '.');
    for (std::size_t i = 0; i < count; i++)
        ASSERT_EQ(0, pair.a.send(pair.to_b, message, &sent_first));
    settle(pair.a, pair.b);
    EXPECT_TRUE(pair.b.links().front()->paused);
    std::string buffer(kEagerLimit, '.');
    for (std::size_t i = 0; i < count; i++) {
        ASSERT_EQ(0, pair.b.receive(buffer, &got_first));
        pair.b.step();
    }
    settle(pair.a, pair.b);
    EXPECT_EQ(static_cast<long>(count), pair.b.count(&got_first));
    EXPECT_TRUE(buffer == message);
}

TEST(Limits, AReceiveForTheVeryMessageThatWaitsTakesItThoughTheLimitIsReached)
{
    Pair pair;
    const std::size_t count = kUnexpectedLimit / kEagerLimit + 1;
    const std::string message = pattern(kEagerLimit);
    std::string buffer(kEagerLimit, '.');
    // The last two do not fit: a whole message with a tag of its own, or an offer.
    for (const std::size_t size : {kEagerLimit, kLarge}) {
        Pair fresh;
        const std::string last = pattern(size);
        std::string into(size, '.');
        std::size_t kept = 0;
        for (; kept < count && (fresh.b.links().empty() || !fresh.b.links().front()->paused); kept++) {
            ASSERT_EQ(0, fresh.a.send(fresh.to_b, message, &sent_first, 1));
            settle(fresh.a, fresh.b);
        }
        ASSERT_TRUE(fresh.b.links().front()->paused);
        ASSERT_EQ(0, fresh.b.receive(buffer, &got_second,
                                     1)); // makes room for the one that waits, which fills it again
        settle(fresh.a, fresh.b);
        ASSERT_EQ(0, fresh.a.send(fresh.to_b, last, &sent_second, 2));
        settle(fresh.a, fresh.b);
        ASSERT_EQ(0, fresh.b.receive(into, &got_first, 2));
        settle(fresh.a, fresh.b);
        EXPECT_EQ(1, fresh.b.count(&got_first)) << size;
        EXPECT_TRUE(into == last);
    }
}

TEST(Limits, EmptyMessagesCountTooSoThatAFloodOfThemIsPaused)
{
    Pair pair;
    const std::size_t most = kUnexpectedLimit / sizeof(Unexpected) + 100;
    for (std::size_t i = 0; i < most; i++) {
        ASSERT_EQ(0, pair.a.inject(pair.to_b, ""));
        pair.a.step();
        if (i % 512 == 0)
            pair.b.step();
    }
    pair.b.step();
    EXPECT_TRUE(pair.b.links().front()->paused);
}

} // namespace
} // namespace fi::kit
