// SPDX-License-Identifier: BSD-2-Clause
// The parts of fi_pingpong that need no peer: command line, series of sizes, table, pattern.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "options.hpp"
#include "report.hpp"
#include "transfer.hpp"

namespace {

using namespace fi::tools::pingpong;
using namespace std::chrono_literals;

std::optional<Options> parsed(std::vector<std::string> words, std::string* told = nullptr)
{
    words.insert(words.begin(), "fi_pingpong");
    std::vector<char*> argv;
    for (std::string& word : words)
        argv.push_back(word.data());
    argv.push_back(nullptr);
    testing::internal::CaptureStderr();
    auto options = parse(static_cast<int>(words.size()), argv.data());
    const std::string text = testing::internal::GetCapturedStderr();
    if (told)
        *told = text;
    return options;
}

TEST(PingpongOptions, WithoutAnyDescribeAServer)
{
    const auto options = parsed({});
    ASSERT_TRUE(options);
    EXPECT_EQ(options->role(), Role::Server);
    EXPECT_EQ(options->source_port, 47592);
    EXPECT_EQ(options->ep_type, FI_EP_DGRAM);
    EXPECT_EQ(options->iterations, 10U);
    EXPECT_EQ(options->sizes, Sizes::Short);
    EXPECT_FALSE(options->tagged);
}

TEST(PingpongOptions, AnOperandMakesAClientAndFurtherOnesAreIgnored)
{
    const auto options = parsed({"host", "-I", "3", "other"});
    ASSERT_TRUE(options);
    EXPECT_EQ(options->server, "host");
    EXPECT_EQ(options->server_port, 47592);
    EXPECT_EQ(options->source_port, 0);
    EXPECT_EQ(options->iterations, 3U);
}

TEST(PingpongOptions, NamesAreTakenInAnyCase)
{
    EXPECT_EQ(parsed({"-e", "MSG"})->ep_type, FI_EP_MSG);
    EXPECT_EQ(parsed({"-e", "Rdm"})->ep_type, FI_EP_RDM);
    EXPECT_EQ(parsed({"-S", "ALL"})->sizes, Sizes::All);
    EXPECT_FALSE(parsed({"-m", "MSG"})->tagged);
    EXPECT_TRUE(parsed({"-m", "tagged"})->tagged);
    EXPECT_TRUE(parsed({"-m", "msgs"})->tagged);
}

TEST(PingpongOptions, ABadNumberIsToldAndBecomesItsErrorCode)
{
    std::string told;
    EXPECT_EQ(parsed({"-I", "3x"}, &told)->iterations, 0U);
    EXPECT_EQ(told, "Error parsing \"3x\": Invalid argument\n");
    EXPECT_EQ(parsed({"-S", "-5"}, &told)->size, -34);
    EXPECT_EQ(told, "Error parsing \"-5\": Numerical result out of range\n");
    EXPECT_EQ(parsed({"-B", "abc"}, &told)->source_port, 65514);
}

TEST(PingpongOptions, UsageGoesToStderr)
{
    std::string told;
    EXPECT_FALSE(parsed({"-h"}, &told));
    EXPECT_EQ(told.rfind("Usage:\n  fi_pingpong [OPTIONS]", 0), 0U);
    EXPECT_FALSE(parsed({"-Z"}, &told));
    EXPECT_FALSE(parsed({"-e", "stream"}, &told));
    EXPECT_EQ(told, "Unknown endpoint : stream\n");
}

TEST(PingpongSizes, AreASeriesOfSixByDefault)
{
    EXPECT_EQ(sizes_to_run(Options{}, SIZE_MAX),
              (std::vector<std::size_t>{64, 256, 1024, 4096, 65536, 1048576}));
    EXPECT_EQ(sizes_to_run(Options{}, 1472), (std::vector<std::size_t>{64, 256, 1024}));
}

TEST(PingpongSizes, AllAreThePowersOfTwoAndTheMiddlesBetweenThem)
{
    Options options;
    options.sizes = Sizes::All;
    const auto sizes = sizes_to_run(options, SIZE_MAX);
    ASSERT_EQ(sizes.size(), 46U);
    EXPECT_EQ((std::vector<std::size_t>(sizes.begin(), sizes.begin() + 9)),
              (std::vector<std::size_t>{0, 1, 2, 3, 4, 6, 8, 12, 16}));
    EXPECT_EQ(sizes.back(), 6U << 20);
}

TEST(PingpongReport, ShortensNumbersByCutting)
{
    EXPECT_EQ(size_text(0), "0");
    EXPECT_EQ(size_text(1023), "1023");
    EXPECT_EQ(size_text(1024), "1k");
    EXPECT_EQ(size_text(1280), "1.2k");
    EXPECT_EQ(size_text(2047), "1.9k");
    EXPECT_EQ(size_text(24 << 10), "24k");
    EXPECT_EQ(size_text(3 << 19), "1.5m");
    EXPECT_EQ(size_text(1ULL << 40), "1024g");
    EXPECT_EQ(count_text(999), "999");
    EXPECT_EQ(count_text(1500), "1.5k");
    EXPECT_EQ(count_text(2000000), "2m");
    EXPECT_EQ(count_text(4000000000), "4b");
}

TEST(PingpongReport, PrintsUpstreamsColumns)
{
    EXPECT_EQ(header_text(),
              "bytes   #sent   #ack     total       time     MB/sec    usec/xfer   Mxfers/sec\n");
    EXPECT_EQ(row_text({.size = 64, .sent = 10, .acked = 10, .time = 212us}),
              "64      10      =10      1.2k        0.00s      6.04      10.60       0.09\n");
    EXPECT_EQ(row_text({.size = 6291456, .sent = 2, .acked = 2, .time = 380547us}),
              "6m      2       =2       24m         0.38s     66.13   95136.75       0.00\n");
}

TEST(PingpongReport, ShowsTheDifferenceWhenCountsDiffer)
{
    EXPECT_EQ(row_text({.size = 1, .sent = 10, .acked = 7, .time = 1s}).substr(0, 25),
              "1       10      +3       ");
    EXPECT_EQ(row_text({.size = 1, .sent = 10, .acked = 12, .time = 1s}).substr(0, 25),
              "1       10      -2       ");
}

TEST(PingpongReport, NoFailureBecomesStatusZero)
{
    EXPECT_EQ(exit_status(0), 0);
    EXPECT_EQ(exit_status(-111), 111);
    EXPECT_EQ(exit_status(-259), 3);
    EXPECT_EQ(exit_status(-256), 1);
}

TEST(PingpongPattern, StartsSevenLettersOnForEachMessage)
{
    std::vector<std::byte> message(70);
    const auto text = [&] {
        return std::string(reinterpret_cast<const char*>(message.data()), message.size());
    };
    fill_pattern(message, 0);
    EXPECT_EQ(text(), "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ01234567");
    fill_pattern(message, 9);
    EXPECT_EQ(text().substr(0, 3), "123");
}

TEST(PingpongPattern, ShowsTheFirstByteThatDiffers)
{
    std::vector<std::byte> message(1000);
    fill_pattern(message, 5);
    EXPECT_EQ(first_difference(message, 5), message.size());
    EXPECT_EQ(first_difference(message, 6), 0U);
    for (const std::size_t place : {0U, 1U, 500U, 999U}) {
        auto broken = message;
        broken[place] ^= std::byte{1};
        EXPECT_EQ(first_difference(broken, 5), place);
    }
    EXPECT_EQ(first_difference({}, 5), 0U);
}

} // namespace
