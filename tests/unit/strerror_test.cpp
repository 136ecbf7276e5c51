// SPDX-License-Identifier: BSD-2-Clause
// fi_strerror against the recorded texts, at the edges of int, and from many threads.
#include <climits>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <rdma/fi_errno.h>

#include "table.hpp"

TEST(Strerror, SaysWhatTheReleasedLibrarySaysForEveryCode)
{
    for (const fi::test::Row& row : fi::test::table("strerror.tsv"))
        EXPECT_EQ(row.at("string"), fi_strerror(std::stoi(row.at("code")))) << row.at("code");
}

TEST(Strerror, IgnoresTheSignOfEveryCode)
{
    for (int code = 1; code < 300; ++code)
        EXPECT_STREQ(fi_strerror(code), std::string(fi_strerror(-code)).c_str()) << code;
}

TEST(Strerror, HasATextForTheMostNegativeInt)
{
    EXPECT_STREQ("Unspecified error", fi_strerror(INT_MIN));
    EXPECT_STREQ("Unspecified error", fi_strerror(-INT_MAX));
}

TEST(Strerror, C300_KnowsEveryCodeOfTheLatestApi)
{
    for (int code :
         std::initializer_list<int>{FI_EWOULDBLOCK, FI_EOVERFLOW, FI_ENOBUFS, FI_EHOSTDOWN, FI_ECRC,
                                    FI_ETRUNC, FI_ENOAV, FI_EOVERRUN, FI_ENORX, FI_ENOMR, FI_EFIREWALLADDR}) {
        EXPECT_STRNE("Unspecified error", fi_strerror(code)) << code;
        EXPECT_EQ(std::string::npos, std::string(fi_strerror(code)).find("Unknown")) << code;
    }
}

// Codes that libc does not know are the ones whose text is made in a buffer.
TEST(Strerror, GivesEachThreadItsOwnText)
{
    std::vector<std::thread> threads;
    for (int code = 200; code < 208; ++code)
        threads.emplace_back([code] {
            const std::string expected = "Unknown error " + std::to_string(code);
            for (int i = 0; i < 2000; ++i)
                ASSERT_EQ(expected, fi_strerror(code));
        });
    for (std::thread& thread : threads)
        thread.join();
}
