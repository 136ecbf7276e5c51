// SPDX-License-Identifier: BSD-2-Clause
//
// Many endpoints, many processes, many messages: what must stay bounded does, and nobody waits for somebody
// else's sake.
#include "player.hpp"
#include "talk.hpp"

#include <csignal>
#include <sys/resource.h>
#include <unistd.h>

namespace faults {
namespace {

TEST(Crowd, B38_EndpointsThatCallEachOtherAtOnceBothGetThrough)
{
    limit(1100);
    for (int pair = 0; pair < rounds(20, 200) && !HasFailure(); pair++) {
        state.numbers[0] = pair;
        const auto side = [](const Channel& channel) {
            const Talker talker;
            channel.send(talker.name());
            const fi_addr_t other = talker.insert(channel.receive());
            const Bytes sent = contract::pattern(5000, 1);
            Bytes got(sent.size());
            (void)channel.receive(); // both leave from here
            // Nobody reads before everything is posted.
            talker.send(sent, other, 1);
            talker.send(sent, other, 2);
            talker.receive(got, 3);
            talker.receive(got, 4);
            for (int left = 4; left > 0; left--)
                EXPECT_FALSE(talker.next().failed);
            EXPECT_TRUE(got == sent);
            channel.send("done");
            // The other one may not be done: what it still needs of this side is in its reach.
            while (!channel.try_receive())
                talker.progress();
        };
        Process first(side), second(side);
        introduce(first, second);
        for (const char* word : {"go", "done"})
            for (const Process* one : {&first, &second}) {
                EXPECT_TRUE(word[0] == 'g' || one->channel().receive_text() == "done");
                one->channel().send(word);
            }
        first.expect_success();
        second.expect_success();
    }
}

TEST(Crowd, B38_RanksThatAllCallAllGetThrough)
{
    limit(1100);
    const auto ranks = static_cast<std::uint32_t>(rounds(16, 64));
    const std::uint64_t base = seed();
    content(0);
    std::vector<Process> processes;
    for (std::uint32_t rank = 0; rank < ranks; rank++)
        processes.emplace_back(
            [=](const Channel& channel) {
                Player player(rank, base + rank);
                channel.send(player.node().name());
                std::vector<std::vector<char>> names;
                for (std::uint32_t other = 0; other < ranks; other++)
                    names.push_back(channel.receive());
                (void)channel.receive();
                for (std::uint32_t other = 0; other < ranks; other++)
                    if (other != rank)
                        player.add(other, names[other]);
                const auto heard_all = [&] {
                    for (std::uint32_t other = 0; other < ranks; other++)
                        if (other != rank && player.received_from(other) < 3)
                            return false;
                    return true;
                };
                for (bool told = false; !HasFailure();) {
                    player.play();
                    state.numbers[0] = static_cast<long>(player.received());
                    if (!told && heard_all()) {
                        channel.send("heard all");
                        told = true;
                    }
                    ASSERT_EQ(player.failed(), 0u);
                }
            },
            180);
    std::vector<std::vector<char>> names;
    for (const Process& one : processes)
        names.push_back(one.channel().receive());
    for (const Process& one : processes)
        for (const auto& name : names)
            one.channel().send(name);
    for (const Process& one : processes)
        one.channel().send("go");
    for (const Process& one : processes)
        EXPECT_EQ(one.channel().receive_text(), "heard all");
    for (const Process& one : processes)
        one.signal(SIGSTOP); // so that nobody sees the others die
    for (Process& one : processes)
        one.kill();
}

TEST(Crowd, B42_ClientsThatComeAndGoLeaveNothingBehind)
{
    limit(1100);
    const auto clients = static_cast<std::size_t>(rounds(60, 5000));
    Process server(
        [&](const Channel& channel) {
            const Talker talker;
            channel.send(talker.name());
            std::size_t open_before = 0;
            std::size_t resident_before = 0;
            serve(talker, channel, 20'000, [&](std::size_t answered) {
                state.numbers[0] = static_cast<long>(answered);
                limit(60);
                if (answered != clients / 5 && answered != clients)
                    return;
                // The last one has to be gone, as far as this endpoint can see.
                std::size_t open = descriptors();
                for (int looks = 0; looks < 2000; looks++) {
                    talker.progress();
                    open = std::min(open, descriptors());
                }
                const std::size_t now = resident();
                if (answered == clients / 5) {
                    open_before = open;
                    resident_before = now;
                    return;
                }
                std::printf("%zu clients, resident %zu KiB, after a fifth of them %zu KiB\n", clients,
                            now / 1024, resident_before / 1024);
                EXPECT_NEAR(static_cast<double>(open), static_cast<double>(open_before), 3);
                EXPECT_TRUE(!memory_is_ours() || now < resident_before + 512 * 1024);
            });
        },
        60);
    const auto name = server.channel().receive();
    for (std::size_t client = 0; client < clients && !HasFailure(); client++) {
        Process process([&](const Channel&) {
            const Talker talker;
            EXPECT_TRUE(ask(talker, talker.insert(name), client * 37 % 19'000, 1));
            if (client % 2 && !HasFailure())
                _exit(0);
        });
        process.expect_success();
    }
    server.channel().send("stop");
    server.expect_success();
}

TEST(Crowd, EndpointsTakeLittleAndGiveEverythingBack)
{
    limit(1100);
    const int wanted = rounds(100, 2000);
    Process process(
        [&](const Channel&) {
            rlimit most{};
            getrlimit(RLIMIT_NOFILE, &most);
            most.rlim_cur = most.rlim_max;
            setrlimit(RLIMIT_NOFILE, &most);
            const contract::Node first;
            const std::size_t open_before = descriptors();
            const std::size_t resident_before = resident();
            std::vector<contract::Owned<fid_ep>> endpoints;
            for (int i = 0; i < wanted; i++) {
                state.numbers[0] = i;
                fid_ep* endpoint = nullptr;
                ASSERT_EQ(fi_endpoint(first.domain.get(), first.info.get(), &endpoint, nullptr), 0);
                endpoints.emplace_back(endpoint);
                EXPECT_EQ(fi_ep_bind(endpoint, &first.cq->fid, FI_TRANSMIT | FI_RECV), 0);
                EXPECT_EQ(fi_ep_bind(endpoint, &first.av->fid, 0), 0);
                ASSERT_EQ(fi_enable(endpoint), 0) << i << " endpoints";
            }
            const std::size_t each = (resident() - resident_before) / static_cast<std::size_t>(wanted);
            std::printf("%d endpoints, %zu KiB and %zu descriptors each\n", wanted, each / 1024,
                        (descriptors() - open_before) / static_cast<std::size_t>(wanted));
            EXPECT_TRUE(!memory_is_ours() || each < 1024 * 1024);
            endpoints.clear();
            EXPECT_EQ(descriptors(), open_before);
        },
        180);
    process.expect_success();
}

TEST(Crowd, AQueueThatIsFullSaysSoAndTakesMoreWhenItHasBeenRead)
{
    limit(90);
    Process peer([](const Channel& channel) {
        const Talker talker;
        channel.send(talker.name());
        const std::string count = channel.receive_text(); // computes until then
        Bytes bytes(3000);
        for (int i = 0; i < std::stoi(count); i++) {
            talker.receive(bytes, 1);
            talker.expect(1);
            ASSERT_TRUE(bytes == contract::pattern(3000, static_cast<unsigned>(i) % 7));
        }
    });
    const auto name = peer.channel().receive();
    Process sender([&](const Channel& channel) {
        const Talker talker;
        const fi_addr_t to = talker.insert(name);
        std::vector<Bytes> messages;
        for (unsigned i = 0; i < 7; i++)
            messages.push_back(contract::pattern(3000, i));
        std::uintptr_t posted = 0;
        ssize_t ret = 0;
        while ((ret = talker.try_send(messages[posted % 7], to, posted)) == 0)
            posted++;
        EXPECT_EQ(ret, -FI_EAGAIN);
        EXPECT_GE(posted, 16u);
        channel.send(std::to_string(posted + 1000));
        std::size_t completed = 0;
        for (std::uintptr_t more = 0; more < 1000;) {
            Completion done;
            if (talker.read(done)) {
                EXPECT_FALSE(done.failed);
                completed++;
            }
            ret = talker.try_send(messages[posted % 7], to, posted);
            ASSERT_TRUE(ret == 0 || ret == -FI_EAGAIN);
            posted += ret == 0;
            more += ret == 0;
        }
        for (; completed < posted; completed++)
            EXPECT_FALSE(talker.next().failed);
    });
    peer.channel().send(sender.channel().receive());
    sender.expect_success();
    peer.expect_success();
}

TEST(Crowd, MessagesWithoutReceivesAreBoundedAndHoldUpTheirSenderAlone)
{
    constexpr std::size_t kSize = 4000;
    constexpr unsigned kFlood = 8000; // 32 MB
    limit(120);
    Process receiver([](const Channel& channel) {
        const Talker talker;
        channel.send(talker.name());
        Bytes bytes(kSize);
        const std::size_t before = resident();
        talker.receive(bytes, 1, FI_ADDR_UNSPEC, 2);
        state.doing = "hearing another peer through the flood";
        while (!channel.try_receive()) // until the flood stands still
            talker.progress();
        channel.send("go");
        talker.expect(1);
        const std::size_t kept = resident() - before;
        std::printf("%zu KiB kept of %u KiB\n", kept / 1024, static_cast<unsigned>(kFlood * kSize / 1024));
        EXPECT_TRUE(!memory_is_ours() || kept < 8 * 1024 * 1024);
        state.doing = "taking the flood";
        for (unsigned i = 0; i < kFlood; i++) {
            talker.receive(bytes, 2);
            talker.expect(2);
            ASSERT_TRUE(bytes == contract::pattern(kSize, i % 7)) << i;
        }
    });
    const auto name = receiver.channel().receive();
    Process flooder([&](const Channel& channel) {
        const Talker talker;
        const fi_addr_t to = talker.insert(name);
        std::vector<Bytes> messages;
        for (unsigned i = 0; i < 7; i++)
            messages.push_back(contract::pattern(kSize, i));
        std::size_t completed = 0;
        std::size_t idle = 0;
        for (std::uintptr_t posted = 0; completed < kFlood;) {
            state.numbers[0] = static_cast<long>(posted);
            Completion done;
            if (talker.read(done)) {
                ASSERT_FALSE(done.failed);
                completed++;
                idle = 0;
            } else if (++idle == 100'000) {
                channel.send("stands still");
            }
            if (posted < kFlood && talker.try_send(messages[posted % 7], to, posted) == 0)
                posted++;
        }
        EXPECT_GE(idle, 0u);
    });
    EXPECT_EQ(flooder.channel().receive_text(), "stands still");
    receiver.channel().send("it does");
    EXPECT_EQ(receiver.channel().receive_text(), "go");
    Process other([&](const Channel&) {
        const Talker talker;
        const Bytes hundred(100);
        talker.send(hundred, talker.insert(name), 1, 2);
        talker.expect(1);
    });
    other.expect_success();
    receiver.expect_success();
    flooder.expect_success();
}

} // namespace
} // namespace faults
