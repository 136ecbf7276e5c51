// SPDX-License-Identifier: BSD-2-Clause
// The parts of fi_bench whose mistakes a run would not show: what checking notices, which figures are the
// middle ones, who acknowledges when, and what is made of a control connection that lies.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/socket.h>

#include <nlohmann/json.hpp>

#include "control.hpp"
#include "failure.hpp"
#include "options.hpp"
#include "outcome.hpp"
#include "pattern.hpp"
#include "pin.hpp"
#include "stream.hpp"

namespace fi::tools::bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

std::vector<std::byte> message(std::size_t size, std::uint64_t number)
{
    std::vector<std::byte> bytes(size);
    fill_pattern(bytes, number);
    return bytes;
}

TEST(Check, TakesEveryMessageOnceInAnyOrder)
{
    Checker checker(3);
    for (const std::uint64_t number : {2, 0, 1})
        checker.take(message(100, number));
    EXPECT_THAT([&] { checker.take(message(100, 1)); }, ThrowsMessage<Failure>(HasSubstr("came twice")));
}

TEST(Check, NoticesEachByteThatDiffers)
{
    for (const std::size_t size : {1, 7, 8, 9, 23})
        for (std::size_t at = 0; at < size; at++) {
            std::vector<std::byte> bytes = message(size, 0);
            bytes[at] ^= std::byte{0x40};
            EXPECT_THROW(Checker(1).take(bytes), Failure) << "byte " << at << " of " << size;
        }
}

TEST(Check, NoticesAMessageThatWasNeverSent)
{
    EXPECT_THAT([] { Checker(5).take(message(8, 5)); }, ThrowsMessage<Failure>(HasSubstr("number 5")));
}

TEST(Check, NoticesTheBytesOfAnotherMessage)
{
    std::vector<std::byte> mixed = message(64, 1);
    const std::vector<std::byte> other = message(64, 2);
    std::copy(other.begin() + 8, other.end(), mixed.begin() + 8);
    EXPECT_THAT([&] { Checker(4).take(mixed); }, ThrowsMessage<Failure>(HasSubstr("first at byte 8")));
}

TEST(AckPlan, CountsAsManyAsThereAre)
{
    for (std::uint64_t window = 1; window < 9; window++)
        for (std::uint64_t warmup = 0; warmup < 12; warmup++)
            for (std::uint64_t count = 1; count < 12; count++) {
                const Job job{8, warmup, count};
                const AckPlan plan(job, window);
                std::uint64_t acks = 0, before = 0, at = 0;
                bool at_warmup = warmup == 0;
                while (at < job.total()) {
                    before = at;
                    at = plan.after(at);
                    ASSERT_GT(at, before);
                    ASSERT_LE(at - before, window) << "the sender would wait for ever";
                    at_warmup = at_warmup || at == warmup;
                    acks++;
                }
                EXPECT_EQ(at, job.total());
                EXPECT_TRUE(at_warmup) << "the clock would start late";
                EXPECT_EQ(acks, plan.count()) << window << ' ' << warmup << ' ' << count;
            }
}

TEST(Median, IsTheMiddleOrTheMeanOfTheTwoInTheMiddle)
{
    EXPECT_EQ(median({5}), 5);
    EXPECT_EQ(median({9, 1, 2}), 2);
    EXPECT_EQ(median({9, 1, 2, 4}), 3);
}

TEST(Cores, AreOfDifferentCoresIfPossible)
{
    EXPECT_THAT(choose_pair(std::vector<Core>{{0, "0,2"}, {2, "0,2"}, {3, "1,3"}}), ElementsAre(0, 3));
    EXPECT_THAT(choose_pair(std::vector<Core>{{4, "4,5"}, {5, "4,5"}}), ElementsAre(4, 5));
    EXPECT_THAT(choose_pair(std::vector<Core>{{7, "7"}}), ElementsAre(7));
    EXPECT_THAT(choose_pair({}), IsEmpty());
}

std::optional<Options> parsed(std::vector<const char*> words)
{
    words.insert(words.begin(), "fi_bench");
    int status = 0;
    return parse(static_cast<int>(words.size()), words.data(), status);
}

TEST(CommandLine, TakesSizesWithUnits)
{
    const auto options = parsed({"latency", "-s", "8,4k,1m"});
    ASSERT_TRUE(options);
    EXPECT_THAT(options->sizes_of(Workload::Latency), ElementsAre(8, 4096, 1048576));
    EXPECT_EQ(options->config.largest, 1048576);
}

TEST(CommandLine, AllIsTheThreeWorkloads)
{
    const auto options = parsed({"all"});
    ASSERT_TRUE(options);
    EXPECT_THAT(options->workloads, ElementsAre(Workload::Latency, Workload::Rate, Workload::Bandwidth));
    EXPECT_EQ(options->config.largest, 4194304) << "the longest default of any of them";
}

TEST(CommandLine, TakesLimitsInOneOrder)
{
    EXPECT_THAT(parsed({"rate", "--limits", "readv,line"})->limits, ElementsAre(Limit::Line, Limit::Read));
    EXPECT_THAT(parsed({"rate", "--limits", "none"})->limits, IsEmpty());
    EXPECT_THAT(parsed({"rate"})->limits, testing::SizeIs(4));
}

TEST(CommandLine, TellsNoPinningFromNoWish)
{
    EXPECT_FALSE(parsed({"rate"})->cpus);
    EXPECT_THAT(*parsed({"rate", "--cpus", "none"})->cpus, IsEmpty());
    EXPECT_THAT(*parsed({"rate", "--cpus", "3,1"})->cpus, ElementsAre(3, 1));
}

Outcome sample()
{
    Figure figure{Workload::Rate, 8, 1000, true, {2e6, 3e6, 9e6}, {}};
    figure.limits.push_back({"cache line", Workload::Latency, {0.1, 0.2, 0.3}, {0.2, 0.6, 2.7}, ""});
    figure.limits.push_back({"tcp stream", Workload::Rate, {}, {}, "no network"});
    return {"/lib/libfabric.so.1", "1.17", "soft", "ip", "eth0", {0, 1}, {figure}};
}

TEST(Table, ShowsMediansAndWhatIsMissing)
{
    Options options;
    options.workloads = {Workload::Rate};
    const std::string text = table(sample(), options);
    EXPECT_THAT(text, HasSubstr("bytes  rate M/s   min   max  cache line us  in it"));
    EXPECT_THAT(text, HasSubstr("    8      3.00  2.00  9.00          0.200  0.600"));
    EXPECT_THAT(text, HasSubstr("not measured: tcp stream: no network"));
}

TEST(Json, HasTheRoundsAndTheReasons)
{
    Options options;
    options.workloads = {Workload::Rate};
    const auto answer = nlohmann::json::parse(json(sample(), options));
    const auto& figure = answer.at("figures").at(0);
    EXPECT_EQ(figure.at("median"), 3e6);
    EXPECT_EQ(figure.at("rounds").size(), 3);
    EXPECT_EQ(figure.at("limits").at(0).at("ratio"), 0.6);
    EXPECT_EQ(figure.at("limits").at(1).at("missing"), "no network");
}

class Pair : public testing::Test {
  protected:
    Pair()
    {
        int ends[2];
        EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
        other = Fd(ends[1]);
        control.emplace(Fd(ends[0]), "the partner", std::chrono::seconds(1));
    }
    void comes(std::string_view bytes) const
    {
        EXPECT_EQ(write(other.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    }
    void receiving_says(const char* words)
    {
        EXPECT_THAT([&] { (void)control->receive("answer"); }, ThrowsMessage<Failure>(HasSubstr(words)));
    }

    Fd other;
    std::optional<Control> control;
};
using ControlConnection = Pair;

TEST_F(ControlConnection, CarriesMessagesThatComeInPiecesOrTogether)
{
    Control sender(std::move(other), "the driver", std::chrono::seconds(1));
    sender.send({{"a", 1}});
    sender.send({{"b", std::string(200'000, 'x')}});
    EXPECT_EQ(control->receive("answer").at("a"), 1);
    EXPECT_EQ(control->receive("answer").at("b").get<std::string>().size(), 200'000);
}

TEST_F(ControlConnection, ThrowsTheOtherSidesError)
{
    Control(std::move(other), "the driver", std::chrono::seconds(1)).send({{"error", "no such provider"}});
    receiving_says("the partner: no such provider");
}

TEST_F(ControlConnection, SaysThatTheOtherSideEnded)
{
    other = Fd();
    receiving_says("the partner has ended");
    EXPECT_THROW(control->look(), Failure);
    EXPECT_THROW(control->send({}), Failure) << "and not a signal";
}

TEST_F(ControlConnection, BoundsTheWaitForASilentSide)
{
    receiving_says("no answer in 1 s, although the partner still runs");
}

TEST_F(ControlConnection, RefusesALengthThatNobodySends)
{
    comes("\xff\xff\xff\x7f");
    receiving_says("announced a message of 2147483647 bytes");
}

TEST_F(ControlConnection, RefusesWhatIsNoObject)
{
    comes(std::string("\3\0\0\0[1]", 7));
    receiving_says("something else than a message");
}

TEST(Bounds, StopAServerFromTakingAnything)
{
    Config config;
    config.largest = kLargestMessage + 1;
    EXPECT_THROW(check_bounds(config), Failure);
    config = {};
    config.window = 0;
    EXPECT_THROW(check_bounds(config), Failure);
    config = {};
    config.check = true;
    config.largest = kLargestMessage;
    EXPECT_THROW(check_bounds(config), Failure) << "64 buffers of 1 GiB";
    config = {};
    config.largest = 64;
    EXPECT_NO_THROW(check_bounds(Job{64, 0, 1}, config));
    EXPECT_THROW(check_bounds(Job{65, 0, 1}, config), Failure);
    EXPECT_THROW(check_bounds(Job{64, UINT64_MAX, 2}, config), Failure);
}

} // namespace
} // namespace fi::tools::bench
