// SPDX-License-Identifier: BSD-2-Clause
//
// Peers that die in this or that state, come back, or only fall silent: what their partners get to see.
#include "talk.hpp"

#include <chrono>
#include <csignal>
#include <fstream>
#include <netinet/in.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace faults {
namespace {

/// How far a peer has come when its end comes.
enum class When { BeforeContact, Idle, InTransfer, StoppedInTransfer };

const char* name_of(const testing::TestParamInfo<When>& test)
{
    constexpr const char* kNames[] = {"BeforeContact", "Idle", "InTransfer", "StoppedInTransfer"};
    return kNames[static_cast<int>(test.param)];
}

class Deaths : public testing::TestWithParam<When> {};
INSTANTIATE_TEST_SUITE_P(When, Deaths,
                         testing::Values(When::BeforeContact, When::Idle, When::InTransfer,
                                         When::StoppedInTransfer),
                         name_of);

/// Is there, answers one message, and does nothing more.
void answers_once(const Channel& channel)
{
    const Talker talker;
    channel.send(talker.name());
    const fi_addr_t peer = talker.insert(channel.receive());
    Bytes bytes(100);
    talker.receive(bytes, 1);
    talker.expect(1);
    talker.send(bytes, peer, 2);
    talker.expect(2);
    channel.send("answered");
    (void)channel.receive();
}

TEST_P(Deaths, B41_EachOperationEndsInAnErrorAndTheSendersMemoryIsItsOwnAgain)
{
    constexpr std::uintptr_t kSends = 100;
    limit(90);
    Process peer(answers_once);
    const auto name = peer.channel().receive();
    Process sender([&](const Channel& channel) {
        const Talker talker;
        channel.send(talker.name());
        const fi_addr_t to = talker.insert(name);
        Bytes answer(100);
        if (GetParam() != When::BeforeContact) {
            state.doing = "getting to know the peer";
            talker.receive(answer, 1, to);
            const Bytes hundred(100);
            talker.send(hundred, to, 2);
            (void)talker.next();
            (void)talker.next();
        }
        const auto post = [&] {
            static const Bytes large(1 << 20, 5);
            for (std::uintptr_t i = 0; i < kSends; i++)
                talker.send(large, to, i);
            if (GetParam() != When::BeforeContact)
                talker.receive(answer, kSends, to, 99);
        };
        const bool in_transfer = GetParam() == When::InTransfer || GetParam() == When::StoppedInTransfer;
        if (in_transfer)
            post();
        for (int looks = 0; looks < 1000; looks++) // some of it is under way
            talker.progress();
        channel.send("posted");
        (void)channel.receive(); // now it is dead
        if (!in_transfer)
            post();
        state.doing = "waiting for all to fail";
        std::vector<bool> ended(kSends + 1);
        // A receive from a peer that has been there ends with it; while nobody knows of its end, a message
        // that was sent can be complete as far as anybody can tell.
        for (std::uintptr_t i = 0; i < kSends + (GetParam() != When::BeforeContact); i++) {
            const Completion done = talker.next();
            const auto which =
                reinterpret_cast<std::uintptr_t>(done.failed ? done.error.op_context : done.entry.op_context);
            ASSERT_LE(which, kSends);
            ASSERT_FALSE(ended[which]) << "completed twice";
            ended[which] = true;
            ASSERT_TRUE(done.failed) << "a message that nobody took";
            state.numbers[0]++;
        }
        for (int looks = 0; looks < 1000; looks++) {
            Completion more;
            ASSERT_FALSE(talker.read(more));
        }
    });
    peer.channel().send(sender.channel().receive());
    ASSERT_TRUE(GetParam() == When::BeforeContact || peer.channel().receive_text() == "answered");
    ASSERT_EQ(sender.channel().receive_text(), "posted");
    if (GetParam() == When::StoppedInTransfer)
        peer.signal(SIGSTOP);
    peer.kill();
    sender.channel().send("dead");
    sender.expect_success();
}

TEST(Silence, ThreeTimesTheConnectTimeoutIsNoReasonToGiveUpAPeerThatLives)
{
    limit(90);
    setenv("FI_SOFT_CONNECT_TIMEOUT", "300", 1);
    const std::size_t sizes[] = {8, 50'000, 3'000'000};
    Process peer([&](const Channel& channel) {
        const Talker talker;
        channel.send(talker.name());
        (void)channel.receive(); // computes
        for (const std::size_t size : sizes) {
            Bytes bytes(size);
            talker.receive(bytes, 1);
            talker.expect(1);
            EXPECT_TRUE(bytes == contract::pattern(size, 1));
        }
    });
    const auto name = peer.channel().receive();
    Process sender([&](const Channel& channel) {
        const Talker talker;
        const fi_addr_t to = talker.insert(name);
        std::vector<Bytes> messages;
        for (const std::size_t size : sizes)
            messages.push_back(contract::pattern(size, 1));
        for (std::uintptr_t i = 0; i < messages.size(); i++)
            talker.send(messages[i], to, i);
        state.doing = "waiting out the silence";
        std::size_t ended = 0;
        const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(900);
        Completion done;
        while (std::chrono::steady_clock::now() < end)
            if (talker.read(done)) {
                EXPECT_FALSE(done.failed) << fi_strerror(done.error.err);
                ended++;
            }
        channel.send("patient");
        for (; ended < messages.size(); ended++)
            EXPECT_FALSE(talker.next().failed);
    });
    EXPECT_EQ(sender.channel().receive_text(), "patient");
    peer.channel().send("go");
    sender.expect_success();
    peer.expect_success();
}

// A receiver that takes nothing fills the sender's window; its host answers the sender's probes all the same.
TEST(Silence, LongerThanThePeerTimeoutIsNoReasonToGiveUpAPeerWhoseStreamIsFull)
{
    limit(90);
    setenv("FI_SOFT_PEER_TIMEOUT", "1000", 1); // four seconds are the least
    constexpr std::size_t kMessages = 3000, kSize = 16'000;
    Process peer([&](const Channel& channel) {
        const Talker talker;
        channel.send(talker.name());
        Bytes bytes(kSize);
        for (std::size_t i = 0; i <= kMessages; i++) {
            talker.receive(bytes, 1);
            talker.expect(1);
            EXPECT_TRUE(bytes == contract::pattern(kSize, 1));
            if (i == 0)
                (void)channel.receive(); // computes
        }
        channel.send("all");
    });
    const auto name = peer.channel().receive();
    Process sender([&](const Channel& channel) {
        const Talker talker;
        const fi_addr_t to = talker.insert(name);
        const Bytes message = contract::pattern(kSize, 1);
        talker.send(message, to, 1);
        talker.expect(1);
        std::size_t left = kMessages, open = 0;
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(8);
        state.doing = "waiting out the silence";
        const auto take_and_send = [&] {
            if (left > 0 && fi_tsend(talker.node().ep.get(), message.data(), message.size(), nullptr, to, 7,
                                     contract::context(1)) == 0) {
                left--;
                open++;
            }
            Completion done;
            if (talker.read(done)) {
                ASSERT_FALSE(done.failed) << fi_strerror(done.error.err);
                open--;
            }
        };
        while (std::chrono::steady_clock::now() < end && !HasFailure())
            take_and_send();
        channel.send("patient");
        while (left + open > 0 && !HasFailure())
            take_and_send();
    });
    EXPECT_EQ(sender.channel().receive_text(), "patient");
    peer.channel().send("go");
    sender.expect_success();
    peer.expect_success();
}

TEST(Silence, B39_AMessageToAPeerThatComputesIsAcceptedAtOnce)
{
    limit(90);
    Process peer([](const Channel& channel) {
        const Talker talker;
        Bytes bytes(8);
        talker.receive(bytes, 1);
        channel.send(talker.name());
        (void)channel.receive();
        const Completion done = talker.expect(1);
        EXPECT_EQ(done.entry.data, 0x1234u);
    });
    const auto name = peer.channel().receive();
    Process sender([&](const Channel& channel) {
        const Talker talker;
        const Bytes bytes(8);
        EXPECT_EQ(fi_tsenddata(talker.node().ep.get(), bytes.data(), 8, nullptr, 0x1234, talker.insert(name),
                               7, contract::context(1)),
                  0);
        channel.send("accepted");
        talker.expect(1);
    });
    EXPECT_EQ(sender.channel().receive_text(), "accepted");
    peer.channel().send("go");
    peer.expect_success();
    sender.expect_success();
}

TEST(Silence, B41_WhatHasNotLeftCanBeCancelled)
{
    limit(90);
    Process peer([](const Channel& channel) {
        const Talker talker;
        channel.send(talker.name());
        (void)channel.receive();
    });
    const auto name = peer.channel().receive();
    Process sender([&](const Channel&) {
        const Talker talker;
        const fi_addr_t to = talker.insert(name);
        const Bytes bytes(200'000);
        for (std::uintptr_t i = 1; i <= 20; i++)
            talker.send(bytes, to, i);
        int cancelled = 0;
        for (std::uintptr_t i = 1; i <= 20; i++)
            cancelled += fi_cancel(&talker.node().ep->fid, contract::context(i)) == 0;
        EXPECT_EQ(cancelled, 20) << "the peer has not even been reached";
        for (int i = 0; i < cancelled; i++) {
            const Completion done = talker.next();
            EXPECT_TRUE(done.failed);
            EXPECT_EQ(done.error.err, FI_ECANCELED);
        }
    });
    sender.expect_success();
}

TEST(Parents, APeerWhoseChildHasItsDescriptorsIsDeadWhenItIsDead)
{
    if (!over_shared_memory())
        return; // of a process elsewhere nothing is known but what its sockets say
    limit(90);
    Process peer([](const Channel& channel) {
        const Talker talker;
        channel.send(talker.name());
        const fi_addr_t partner = talker.insert(channel.receive());
        Bytes bytes(8);
        talker.receive(bytes, 1);
        talker.expect(1);
        talker.send(bytes, partner, 2);
        talker.expect(2);
        // Not by fork(), which the library could know of.
        if (syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr) == 0) {
            (void)channel.receive(); // until the test is over
            _exit(0);
        }
        channel.send("has a child");
        for (;;)
            pause();
    });
    const auto name = peer.channel().receive();
    Process survivor([&](const Channel& channel) {
        const Talker talker;
        channel.send(talker.name());
        const fi_addr_t to = talker.insert(name);
        Bytes bytes(8);
        talker.receive(bytes, 1, to);
        talker.send(bytes, to, 2);
        (void)talker.next();
        (void)talker.next();
        talker.receive(bytes, 3, to);
        channel.send("posted");
        state.doing = "waiting for the end of a process";
        EXPECT_NE(talker.expect_error(3), 0);
    });
    peer.channel().send(survivor.channel().receive());
    EXPECT_EQ(peer.channel().receive_text(), "has a child");
    EXPECT_EQ(survivor.channel().receive_text(), "posted");
    peer.kill();
    survivor.expect_success();
}

/// A port that is free now.
std::string free_port()
{
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in any{};
    any.sin_family = AF_INET;
    socklen_t size = sizeof any;
    EXPECT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&any), sizeof any), 0);
    EXPECT_EQ(getsockname(fd, reinterpret_cast<sockaddr*>(&any), &size), 0);
    close(fd);
    return std::to_string(ntohs(any.sin_port));
}

std::size_t lines_with(const char* file, const std::string& text)
{
    std::ifstream all(file);
    std::size_t count = 0;
    for (std::string line; std::getline(all, line);)
        count += line.find(text) != line.npos;
    return count;
}

TEST(Restart, B40_B51_AServerThatIsKilledAndStartsAgainUnderItsNameIsTheServerAgain)
{
    limit(120);
    const std::string port = free_port();
    contract::Wish wish;
    wish.service = port.c_str();
    const auto server = [&](const Channel& channel) {
        const Talker talker(wish);
        channel.send(talker.name());
        serve(talker, channel, 400'000);
    };
    auto running = std::make_unique<Process>(server);
    const auto name = running->channel().receive();
    Process client([&](const Channel& channel) {
        const Talker talker;
        const fi_addr_t to = talker.insert(name);
        unsigned number = 0;
        while (!channel.receive().empty()) {
            state.numbers[0] = ++number;
            state.doing = "asking the server that lives";
            // The first question may meet the end of the server that was.
            while (!ask(talker, to, number * 30'000, number) && !testing::Test::HasFailure()) {
            }
            channel.send("answered");
        }
    });
    for (int life = 0; life < 10 && !HasFailure(); life++) {
        client.channel().send("ask");
        EXPECT_EQ(client.channel().receive_text(), "answered");
        running->kill();
        // The new one takes up the name at once, whatever its forerunner has left.
        running = std::make_unique<Process>(server);
        EXPECT_EQ(running->channel().receive(), name);
        Process fresh([&](const Channel&) {
            const Talker talker;
            EXPECT_TRUE(ask(talker, talker.insert(name), 1000, 1));
        });
        fresh.expect_success();
    }
    running->kill();
    EXPECT_EQ(lines_with("/proc/net/unix", ":" + port), 0u);
}

TEST(Restart, B49_WhatIsCompleteArrivesHoweverSoonItsSenderIsGone)
{
    limit(1100);
    const std::size_t sizes[] = {16, 4096, 1 << 20};
    for (int round = 0; round < rounds(10, 334) && !HasFailure(); round++) {
        state.numbers[0] = round;
        Process receiver([&](const Channel& channel) {
            const Talker talker;
            channel.send(talker.name());
            std::vector<Bytes> buffers;
            for (std::uintptr_t i = 0; i < std::size(sizes); i++) {
                buffers.emplace_back(sizes[i]);
                talker.receive(buffers.back(), i, FI_ADDR_UNSPEC, i);
            }
            for (std::size_t i = 0; i < std::size(sizes); i++)
                EXPECT_FALSE(talker.next().failed);
            for (std::size_t i = 0; i < std::size(sizes); i++)
                EXPECT_TRUE(buffers[i] == contract::pattern(sizes[i], 9));
        });
        const auto name = receiver.channel().receive();
        std::vector<Process> senders;
        for (std::uintptr_t i = 0; i < std::size(sizes); i++)
            senders.emplace_back([&, i](const Channel&) {
                const Bytes bytes = contract::pattern(sizes[i], 9);
                const Talker talker;
                talker.send(bytes, talker.insert(name), 1, i);
                talker.expect(1);
                if (round % 2 && !HasFailure())
                    _exit(0);
            });
        for (Process& sender : senders)
            sender.expect_success();
        receiver.expect_success();
    }
}

} // namespace
} // namespace faults
