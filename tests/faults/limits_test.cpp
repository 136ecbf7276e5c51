// SPDX-License-Identifier: BSD-2-Clause
//
// Systems that refuse this or that: whatever is missing, messages of all sizes arrive right, by another way,
// or what cannot be done is an error with words.
#include "player.hpp"
#include "shims.hpp"

#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace faults {
namespace {

using Step = std::function<void(contract::Node*)>;

/// What happens to the sides of an exchange: called in their processes, before the library is used (with
/// nullptr) and when enough has been exchanged.
struct Exchange {
    Step first_begins = [](contract::Node*) {};
    Step second_begins = [](contract::Node*) {};
    Step first_ends = [](contract::Node*) {};
    Step second_ends = [](contract::Node*) {};
};

constexpr std::uint64_t kEnough = 300; ///< messages in each direction

void play_until_told(const Channel& channel, std::uint32_t id, std::uint64_t base, const Step& begins,
                     const Step& ends)
{
    begins(nullptr);
    Player player(id, base + id);
    channel.send(player.node().name());
    const std::uint32_t other = 3 - id;
    player.add(other, channel.receive());
    bool told = false;
    state.doing = "playing";
    while (!channel.try_receive() && !testing::Test::HasFailure()) {
        player.play();
        state.numbers[0] = static_cast<long>(player.received());
        if (!told && player.received() >= kEnough) {
            channel.send("enough");
            told = true;
        }
        ASSERT_EQ(player.failed(), 0u);
        ASSERT_EQ(player.missing_from(other), 0u);
    }
    ends(&player.node());
    channel.send("done");
    (void)channel.receive(); // until the other one is done too
}

/// Two processes play until both have had enough; what comes is checked by the players.
void exchange(const Exchange& what)
{
    limit(120);
    const std::uint64_t base = seed();
    content(0);
    Process first(
        [&](const Channel& channel) {
            play_until_told(channel, 1, base, what.first_begins, what.first_ends);
        },
        100);
    Process second(
        [&](const Channel& channel) {
            play_until_told(channel, 2, base, what.second_begins, what.second_ends);
        },
        100);
    const auto name = first.channel().receive();
    first.channel().send(second.channel().receive());
    second.channel().send(name);
    for (const Process* side : {&first, &second})
        EXPECT_EQ(side->channel().receive_text(), "enough");
    for (const Process* side : {&first, &second})
        side->channel().send("stop");
    for (const Process* side : {&first, &second})
        EXPECT_EQ(side->channel().receive_text(), "done");
    for (const Process* side : {&first, &second})
        side->channel().send("go");
    first.expect_success();
    second.expect_success();
}

void expect_rings(contract::Node*)
{
    EXPECT_EQ(mappings("memfd:fabric") > 0, over_shared_memory());
}
void expect_no_rings(contract::Node*)
{
    EXPECT_EQ(mappings("memfd:fabric"), 0u);
}

TEST(Limits, NothingIsMissing)
{
    Exchange all;
    all.first_ends = [](contract::Node* node) {
        expect_rings(node);
        EXPECT_EQ(reading_others.calls > 20, over_shared_memory());
    };
    all.second_ends = expect_rings;
    exchange(all);
}

TEST(Limits, B54_ReadingOthersIsRefusedFromTheStart)
{
    Exchange refused;
    refused.first_begins = [](contract::Node*) { reading_others.calls_left = 0; };
    refused.first_ends = [](contract::Node* node) {
        expect_rings(node);
        EXPECT_LE(reading_others.calls, 2) << "it was told once, for each link";
    };
    refused.second_ends = expect_rings;
    exchange(refused);
}

TEST(Limits, B54_TheKernelRefusesReadingOthersToBoth)
{
    Exchange refused;
    refused.first_begins = refused.second_begins = [](contract::Node*) {
        refuse_calls({SYS_process_vm_readv, SYS_process_vm_writev}, EPERM);
    };
    refused.first_ends = refused.second_ends = expect_rings;
    exchange(refused);
}

TEST(Limits, B54_ReadingOthersIsRefusedAfterTenTimes)
{
    Exchange refused;
    refused.first_begins = refused.second_begins = [](contract::Node*) { reading_others.calls_left = 10; };
    refused.first_ends = refused.second_ends = [](contract::Node* node) {
        expect_rings(node);
        EXPECT_EQ(reading_others.calls >= 10, over_shared_memory());
        EXPECT_LE(reading_others.calls, 12);
    };
    exchange(refused);
}

TEST(Limits, B54_AProcessMayNotBeRead)
{
    Exchange closed;
    closed.first_begins = [](contract::Node*) { EXPECT_EQ(prctl(PR_SET_DUMPABLE, 0), 0); };
    closed.first_ends = closed.second_ends = expect_rings;
    exchange(closed);
}

TEST(Limits, B56_CopiesFromOthersAreCutShort)
{
    Exchange cut;
    cut.first_begins = cut.second_begins = [](contract::Node*) { reading_others.cut_short = true; };
    cut.first_ends = cut.second_ends = expect_rings;
    exchange(cut);
}

TEST(Limits, TheKernelHasNoBarrierForOthers)
{
    Exchange old;
    old.first_begins = old.second_begins = [](contract::Node*) { refuse_calls({SYS_membarrier}, ENOSYS); };
    old.first_ends = old.second_ends = expect_rings;
    exchange(old);
}

TEST(Limits, OneSideHasNoBarrierForOthers)
{
    Exchange old;
    old.second_begins = [](contract::Node*) { refuse_calls({SYS_membarrier}, ENOSYS); };
    old.first_ends = old.second_ends = expect_rings;
    exchange(old);
}

TEST(Limits, TheKernelHasNoDescriptorsOfProcesses)
{
    Exchange old;
    old.first_begins = old.second_begins = [](contract::Node*) { refuse_calls({SYS_pidfd_open}, ENOSYS); };
    old.first_ends = old.second_ends = expect_rings;
    exchange(old);
}

TEST(Limits, NetlinkIsRefused)
{
    Exchange closed;
    closed.first_begins = [](contract::Node*) { refuse_netlink(); };
    closed.first_ends = closed.second_ends = expect_rings;
    exchange(closed);
}

TEST(Limits, SharedMemoryIsRefusedToOneSideSoBothTakeTheNetwork)
{
    Exchange closed;
    closed.second_begins = [](contract::Node*) { refuse_calls({SYS_memfd_create}, EPERM); };
    closed.first_ends = closed.second_ends = expect_no_rings;
    exchange(closed);
}

TEST(Limits, OneSideWantsNoSharedMemorySoBothTakeTheNetwork)
{
    Exchange closed;
    closed.first_begins = [](contract::Node*) { setenv("FI_SOFT_SHM", "0", 1); };
    closed.first_ends = closed.second_ends = expect_no_rings;
    exchange(closed);
}

class DevShm : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Size, DevShm, testing::Values("64k", "1m", "8m"),
                         [](const auto& test) { return std::string(test.param); });

TEST_P(DevShm, B53_NeedsNoRoom)
{
    std::string why;
    Process can([&](const Channel& channel) {
        std::string reason;
        channel.send(shrink_dev_shm(GetParam(), reason) ? "yes" : reason);
    });
    why = can.channel().receive_text();
    can.expect_success();
    if (why != "yes")
        GTEST_SKIP() << why;
    Exchange tight;
    tight.first_begins = tight.second_begins = [](contract::Node*) {
        std::string ignored;
        EXPECT_TRUE(shrink_dev_shm(GetParam(), ignored));
        // Full to the last byte, as others' programs leave it.
        const int fd = open("/dev/shm/full", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        const std::vector<char> some(4096);
        while (write(fd, some.data(), some.size()) > 0) {
        }
        close(fd);
    };
    tight.first_ends = tight.second_ends = expect_rings;
    exchange(tight);
}

TEST(Limits, DescriptorsRunOutWithAnErrorAndWordsAndComeBack)
{
    limit(60);
    Process process([](const Channel&) {
        setenv("FI_LOG_LEVEL", "warn", 1);
        const contract::Node first;
        const int words = memfd_create("words", 0);
        const int usual = dup(STDERR_FILENO);
        limit_descriptors(64);
        const std::size_t before = descriptors();
        for (int round = 0; round < 3; round++) {
            std::vector<contract::Owned<fid_ep>> endpoints;
            int ret = 0;
            EXPECT_EQ(dup2(words, STDERR_FILENO), STDERR_FILENO);
            while (ret == 0 && endpoints.size() < 64) {
                fid_ep* endpoint = nullptr;
                ret = fi_endpoint(first.domain.get(), first.info.get(), &endpoint, nullptr);
                if (ret)
                    break;
                endpoints.emplace_back(endpoint);
                EXPECT_EQ(fi_ep_bind(endpoint, &first.cq->fid, FI_TRANSMIT | FI_RECV), 0);
                EXPECT_EQ(fi_ep_bind(endpoint, &first.av->fid, 0), 0);
                ret = fi_enable(endpoint);
            }
            EXPECT_EQ(dup2(usual, STDERR_FILENO), STDERR_FILENO);
            EXPECT_EQ(ret, -FI_EMFILE);
            EXPECT_GE(endpoints.size(), 4u);
            std::string said(4096, '\0');
            EXPECT_GT(pread(words, said.data(), said.size(), 0), 0);
            EXPECT_NE(said.find(fi_strerror(FI_EMFILE)), said.npos) << said;
            endpoints.clear();
            EXPECT_EQ(descriptors(), before) << round;
        }
        const contract::Pair pair; // and all is well again
    });
    process.expect_success();
}

TEST(Limits, AServerOutOfDescriptorsServesThoseItHasAndTheOthersWhenTheyHaveGone)
{
    limit(110);
    const std::uint64_t base = seed();
    content(0);
    constexpr std::uint32_t kClients = 40;
    Process server(
        [&](const Channel& channel) {
            Player player(1, base);
            limit_descriptors(48);
            channel.send(player.node().name());
            while (!channel.try_receive() && !testing::Test::HasFailure())
                player.play();
            for (std::uint32_t id = 2; id < 2 + kClients; id++)
                EXPECT_EQ(player.missing_from(id), 0u);
            state.numbers[0] = static_cast<long>(player.received());
            EXPECT_GE(player.received(), kClients);
        },
        100);
    const auto name = server.channel().receive();
    std::vector<Process> clients;
    for (std::uint32_t id = 2; id < 2 + kClients; id++)
        clients.emplace_back(
            [&, id](const Channel&) {
                state.numbers[0] = static_cast<long>(id);
                contract::Node node;
                const fi_addr_t to = node.insert(name);
                const std::uint64_t tag = std::uint64_t{id} << 32;
                EXPECT_EQ(fi_tsend(node.ep.get(), content(tag), 1000, nullptr, to, tag, nullptr), 0);
                contract::Completion done;
                while (!contract::read_one(node.cq.get(), done)) {
                }
                EXPECT_FALSE(done.failed) << fi_strerror(done.error.err);
            },
            90);
    for (Process& client : clients)
        client.expect_success();
    server.channel().send("stop");
    server.expect_success();
}

} // namespace
} // namespace faults
