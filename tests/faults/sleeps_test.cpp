// SPDX-License-Identifier: BSD-2-Clause
//
// Two endpoints that play a message back and forth and sleep in between for as long as it takes: a single
// wake-up that is missed, and both sleep for ever.
#include "talk.hpp"

#include <chrono>
#include <poll.h>
#include <random>

namespace faults {
namespace {

using Clock = std::chrono::steady_clock;

enum class Way { Sread, Descriptor, Counter };
const char* name_of(Way way)
{
    return way == Way::Sread ? "sread" : way == Way::Descriptor ? "descriptor" : "counter";
}

contract::Wish wish_of(Way way)
{
    contract::Wish wish;
    wish.wait = way == Way::Descriptor ? FI_WAIT_FD : FI_WAIT_UNSPEC;
    return wish;
}

/// One side. Its messages are numbers, counted from 1.
class Sleeper {
  public:
    Sleeper(Way way, std::uint64_t seed) : way_(way), random_(seed), node_(wish_of(way), false)
    {
        fi_cntr_attr attr{};
        attr.events = FI_CNTR_EVENTS_COMP;
        attr.wait_obj = FI_WAIT_UNSPEC;
        arrived_ = contract::open<fid_cntr>("fi_cntr_open", [&](fid_cntr** out) {
            return fi_cntr_open(node_.domain.get(), &attr, out, nullptr);
        });
        node_.bind(&arrived_->fid, FI_RECV);
        node_.bind(&node_.cq->fid, FI_TRANSMIT | FI_RECV);
        node_.bind(&node_.av->fid, 0);
        EXPECT_EQ(fi_enable(node_.ep.get()), 0);
        if (way == Way::Descriptor) {
            EXPECT_EQ(fi_control(&node_.cq->fid, FI_GETWAIT, &wait_.fd), 0);
        }
        wait_.events = POLLIN;
    }
    ~Sleeper()
    {
        node_.ep.reset();
        arrived_.reset();
    }

    [[nodiscard]] const contract::Node& node() const { return node_; }
    void progress() const { fi_cq_read(node_.cq.get(), nullptr, 0); }

    void expect_message()
    {
        ASSERT_EQ(fi_trecv(node_.ep.get(), &got_, sizeof got_, nullptr, FI_ADDR_UNSPEC, 7, 0, nullptr), 0);
    }
    /// Sends the next number at a moment that the other side cannot foresee: it may be anywhere between
    /// having read its last message and deep sleep.
    void send(fi_addr_t to)
    {
        if (random_() % 2)
            for (const auto end = Clock::now() + std::chrono::microseconds(random_() % 40);
                 Clock::now() < end;)
                ;
        sent_++;
        while (fi_tinject(node_.ep.get(), &sent_, sizeof sent_, to, 7) == -FI_EAGAIN)
            progress();
    }
    /// Sleeps until the other's next number is there.
    void sleep()
    {
        fi_cq_tagged_entry entry;
        received_++;
        if (way_ == Way::Counter) {
            ASSERT_EQ(fi_cntr_wait(arrived_.get(), received_, -1), 0);
            while (fi_cq_read(node_.cq.get(), &entry, 1) == -FI_EAGAIN)
                ;
        } else if (way_ == Way::Sread) {
            ASSERT_EQ(fi_cq_sread(node_.cq.get(), &entry, 1, nullptr, -1), 1);
        } else {
            fid* queue = &node_.cq->fid;
            while (fi_cq_read(node_.cq.get(), &entry, 1) == -FI_EAGAIN)
                if (fi_trywait(node_.fabric.get(), &queue, 1) == 0) {
                    ASSERT_GE(poll(&wait_, 1, -1), 0);
                }
        }
        ASSERT_EQ(got_, received_);
    }

  private:
    Way way_;
    std::mt19937_64 random_;
    contract::Node node_;
    contract::Owned<fid_cntr> arrived_;
    pollfd wait_{};
    std::uint64_t got_ = 0;
    std::uint64_t sent_ = 0;
    std::uint64_t received_ = 0;
};

class Sleeps : public testing::TestWithParam<Way> {};
INSTANTIATE_TEST_SUITE_P(By, Sleeps, testing::Values(Way::Sread, Way::Descriptor, Way::Counter),
                         [](const auto& way) { return name_of(way.param); });

TEST_P(Sleeps, B26_OfManyWakeUpsNoneIsMissed)
{
    limit(600);
    const int count = rounds(2000, 85'000); // two sleeps each, three ways, two paths: a million
    const std::uint64_t base = seed();
    const auto side = [&](const Channel& channel, bool begins) {
        Sleeper sleeper(GetParam(), base + begins);
        channel.send(sleeper.node().name());
        const fi_addr_t other = sleeper.node().insert(channel.receive());
        sleeper.expect_message();
        channel.send("ready");
        (void)channel.receive();
        state.doing = "sleeping";
        if (begins)
            sleeper.send(other);
        for (int round = 0; round < count && !testing::Test::HasFailure(); round++) {
            state.numbers[0] = round;
            sleeper.sleep();
            sleeper.expect_message();
            if (!begins || round + 1 < count)
                sleeper.send(other);
        }
        channel.send("done");
        while (!channel.try_receive())
            sleeper.progress();
    };
    Process first([&](const Channel& channel) { side(channel, true); }, 500);
    Process second([&](const Channel& channel) { side(channel, false); }, 500);
    introduce(first, second);
    meet(first, second, "ready");
    meet(first, second, "done");
    first.expect_success();
    second.expect_success();
}

} // namespace
} // namespace faults
