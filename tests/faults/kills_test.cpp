// SPDX-License-Identifier: BSD-2-Clause
//
// Peers killed at random moments while messages of all sizes fly both ways, over and over, and one endpoint
// that must survive all of it: its data right, each of its operations completed once, in bounded time,
// another peer of it not disturbed, and nothing left in its memory or its table of descriptors.
#include "player.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <malloc.h>
#include <thread>

namespace faults {
namespace {

constexpr int kTogether = 8; ///< victims that live at the same time
constexpr std::uint32_t kSurvivor = 1;
constexpr std::uint32_t kSteady = 2;
constexpr std::uint32_t kFirstVictim = 16;
/// Bytes that the survivor may have in use more at the end, while the steady peer happens to have no messages
/// waiting: 4096 names of former peers that TCP remembers, holes in the heap, the test's own notes.
constexpr std::size_t kMayKeep = 4 * 1024 * 1024;
constexpr unsigned kBound = 40; ///< seconds in which the survivor has to be done with four dead peers

using Clock = std::chrono::steady_clock;

/// Memory in use, without what the allocator has not given back.
std::size_t trimmed()
{
    malloc_trim(0);
    return resident();
}

// Packets to the survivor: one letter, a player's id, its name.
std::vector<char> packet(char what, std::uint32_t id, const std::vector<char>& name = {})
{
    std::vector<char> bytes(1 + sizeof id);
    bytes[0] = what;
    std::memcpy(&bytes[1], &id, sizeof id);
    bytes.insert(bytes.end(), name.begin(), name.end());
    return bytes;
}

/// Plays for ever; says its name, and a word when messages fly.
void plays_on(const Channel& to_parent, std::uint32_t id, std::uint64_t seed,
              const std::vector<char>& survivor)
{
    state.doing = "playing with the survivor";
    Player player(id, seed);
    player.add(kSurvivor, survivor);
    to_parent.send(player.node().name());
    for (bool flying = false; !testing::Test::HasFailure();) {
        player.play();
        if (id == kSteady) // leaves the processors, and the survivor's memory, to the others
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        ASSERT_EQ(player.failed(), 0u);
        ASSERT_EQ(player.missing_from(kSurvivor), 0u);
        if (!flying && player.received()) {
            to_parent.send("flying");
            flying = true;
        }
    }
}

class Survivor {
  public:
    Survivor(const Channel& to_parent, std::uint64_t seed) : to_parent_(to_parent), player_(kSurvivor, seed)
    {
        to_parent_.send(player_.node().name());
    }

    void run()
    {
        state.doing = "playing";
        while (!over_ && !testing::Test::HasFailure()) {
            player_.play();
            if (const auto packet = to_parent_.try_receive())
                obey(*packet);
        }
    }

  private:
    void obey(const std::vector<char>& packet)
    {
        std::uint32_t id = 0;
        if (packet.size() >= 1 + sizeof id)
            std::memcpy(&id, &packet[1], sizeof id);
        switch (packet.empty() ? 'q' : packet[0]) {
        case 'a':
            limit(kBound);
            player_.add(id, {packet.begin() + 1 + sizeof id, packet.end()});
            if (id != kSteady)
                victims_.push_back({id, false});
            break;
        case 'h': // it has heard of us
            std::ranges::find(victims_, id, &Dying::id)->has_heard_us = true;
            break;
        case 'd': // all are dead
            bury();
            break;
        case 'b': // what the beginning looks like
            beginning();
            break;
        default:
            over_ = true;
            end();
        }
    }

    void beginning()
    {
        state.doing = "meeting the steady peer";
        while (player_.received_from(kSteady) < 20 && !testing::Test::HasFailure())
            player_.play();
        descriptors_ = descriptors();
        rings_ = mappings("memfd:fabric");
        EXPECT_EQ(rings_ > 0, over_shared_memory());
        to_parent_.send("ready");
    }

    void bury()
    {
        limit(kBound);
        state.doing = "waiting for the dead peers' operations";
        for (const auto [id, has_heard_us] : victims_)
            player_.mourn(id);
        for (const auto [id, has_heard_us] : victims_) {
            state.numbers[0] = static_cast<long>(id);
            while (!player_.settled(id, has_heard_us) && !testing::Test::HasFailure())
                player_.play();
            player_.remove(id);
        }
        victims_.clear();
        state.doing = "waiting until descriptors and rings are back to what they were";
        const std::uint64_t before = player_.received_from(kSteady);
        do {
            player_.play();
            state.numbers[1] = static_cast<long>(descriptors());
            state.numbers[2] = static_cast<long>(mappings("memfd:fabric"));
            state.numbers[3] = static_cast<long>(player_.received_from(kSteady) - before);
        } while ((state.numbers[1] != static_cast<long>(descriptors_) ||
                  state.numbers[2] != static_cast<long>(rings_) || state.numbers[3] == 0) &&
                 !testing::Test::HasFailure());
        state.doing = "playing";
        if (++burials_ == 5)
            resident_ = trimmed();
        to_parent_.send("buried");
    }

    void end()
    {
        limit(kBound);
        state.doing = "waiting until it has as little in memory as at the beginning";
        std::size_t last = trimmed();
        for (; memory_is_ours() && last > resident_ + kMayKeep; last = trimmed()) {
            state.numbers[0] = static_cast<long>(last / 1024);
            for (int i = 0; i < 50; i++) // looking takes longer than playing
                player_.play();
        }
        std::printf(
            "%llu messages checked, %llu operations failed, resident %zu KiB, at the beginning %zu KiB\n",
            static_cast<unsigned long long>(player_.received()),
            static_cast<unsigned long long>(player_.failed()), last / 1024, resident_ / 1024);
        EXPECT_EQ(player_.missing_from(kSteady), 0u);
        EXPECT_GT(player_.failed(), 0u) << "nobody was killed in the middle of anything";
        to_parent_.send("over");
        (void)to_parent_.receive(); // until the steady peer has been killed
    }

    struct Dying {
        std::uint32_t id;
        bool has_heard_us; ///< so that it was there when we had posted a receive for it alone
    };

    const Channel& to_parent_;
    Player player_;
    std::vector<Dying> victims_;
    std::size_t descriptors_ = 0;
    std::size_t rings_ = 0;
    std::size_t resident_ = 0;
    int burials_ = 0;
    bool over_ = false;
};

/// One that will be killed, and when.
struct Victim {
    std::uint32_t id;
    Process process;
    bool known = false; ///< to the survivor
    bool at_once;       ///< before it may have said anything
    bool stopped_first;
    std::chrono::microseconds delay;
    std::optional<Clock::time_point> end;
    bool stopped = false;
    bool dead = false;
};

/// Lets a victim go its way until it is dead; then true.
bool direct(Victim& victim, const Process& survivor)
{
    if (victim.dead)
        return true;
    if (const auto said = victim.process.channel().try_receive()) {
        survivor.channel().send(victim.known ? packet('h', victim.id) : packet('a', victim.id, *said));
        if (victim.known && !victim.end)
            victim.end = Clock::now() + victim.delay;
        victim.known = true;
    }
    if (!victim.end || Clock::now() < *victim.end)
        return false;
    if (victim.stopped_first && !victim.stopped) {
        victim.process.signal(SIGSTOP);
        victim.stopped = true;
        victim.end = Clock::now() + victim.delay;
        return false;
    }
    victim.process.kill();
    victim.dead = true;
    return true;
}

TEST(Kills, B41_EveryOperationWithAKilledPeerEndsOnceAndNothingStaysBehind)
{
    limit(1100);
    state.doing = "directing";
    const std::uint64_t base = seed();
    std::mt19937_64 random(base);
    content(0);
    Process survivor([&](const Channel& to_parent) { Survivor(to_parent, base).run(); });
    const auto name = survivor.channel().receive();
    ASSERT_FALSE(name.empty());
    Process steady([&](const Channel& to_parent) { plays_on(to_parent, kSteady, base + 1, name); }, 1100);
    survivor.channel().send(packet('a', kSteady, steady.channel().receive()));
    survivor.channel().send(packet('b', 0));
    ASSERT_EQ(survivor.channel().receive_text(), "ready");

    const int kills = rounds(60, 2000);
    for (int killed = 0; killed < kills && !HasFailure(); killed += kTogether) {
        state.numbers[0] = killed;
        std::vector<Victim> victims;
        for (int i = 0; i < kTogether; i++) {
            const auto id = kFirstVictim + static_cast<std::uint32_t>(killed + i);
            const bool at_once = random() % 6 == 0;
            victims.push_back(
                {id,
                 Process([&](const Channel& to_parent) { plays_on(to_parent, id, base + id, name); }),
                 false,
                 at_once,
                 random() % 6 == 0,
                 std::chrono::microseconds(random() % 6000),
                 {}});
            if (at_once)
                victims.back().end = Clock::now() + victims.back().delay;
        }
        for (bool all = false; !all && survivor.runs() && steady.runs();) {
            all = true;
            for (Victim& victim : victims)
                all = direct(victim, survivor) && all;
            std::this_thread::sleep_for(std::chrono::microseconds(100));
        }
        survivor.channel().send(packet('d', 0));
        ASSERT_EQ(survivor.channel().receive_text(), "buried") << "kill " << killed;
    }
    survivor.channel().send(packet('q', 0));
    EXPECT_EQ(survivor.channel().receive_text(), "over");
    steady.kill();
    survivor.channel().send("go");
    survivor.expect_success();
}

} // namespace
} // namespace faults
