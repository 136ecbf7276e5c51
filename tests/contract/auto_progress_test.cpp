// SPDX-License-Identifier: BSD-2-Clause
//
// FI_PROGRESS_AUTO: what has been accepted finishes without further calls (C75).
#include "pair.hpp"

#include <thread>

namespace contract {
namespace {

Wish automatic()
{
    Wish wish;
    wish.progress = FI_PROGRESS_AUTO;
    return wish;
}

std::vector<unsigned char> pattern(std::size_t size)
{
    std::vector<unsigned char> bytes(size);
    for (std::size_t i = 0; i < size; i++)
        bytes[i] = static_cast<unsigned char>(i * 31 + 7);
    return bytes;
}

/// Waits until the last byte of a buffer is there: all that an application does that does not call.
bool arrives(const std::vector<unsigned char>& buffer, unsigned char last)
{
    const auto end = std::chrono::steady_clock::now() + kPatience;
    const volatile unsigned char* byte = &buffer.back();
    while (*byte != last) {
        if (std::chrono::steady_clock::now() > end)
            return false;
        std::this_thread::yield();
    }
    return true;
}

TEST(AutoProgress, C75_MessagesOfAnySizeArriveWhileNeitherSideCalls)
{
    for (const std::size_t size : {std::size_t{8}, std::size_t{4000}, std::size_t{3} << 20}) {
        Pair pair(automatic());
        for (int round = 0; round < 5; round++) {
            const auto sent = pattern(size);
            std::vector<unsigned char> got(size, 0xff);
            ASSERT_EQ(fi_trecv(pair.b.ep.get(), got.data(), size, nullptr, FI_ADDR_UNSPEC, 1, 0, nullptr), 0);
            ASSERT_EQ(fi_tsend(pair.a.ep.get(), sent.data(), size, nullptr, pair.to_b, 1, nullptr), 0);
            ASSERT_TRUE(arrives(got, sent.back())) << size;
            EXPECT_FALSE(pair.next(pair.b).failed);
            EXPECT_FALSE(pair.next(pair.a).failed);
            EXPECT_EQ(got, sent);
        }
    }
}

TEST(AutoProgress, C75_ADeliveryIsAcknowledgedByAProcessThatDoesNotCall)
{
    Pair pair(automatic());
    const auto sent = pattern(100'000);
    std::vector<unsigned char> got(sent.size());
    const iovec iov{const_cast<unsigned char*>(sent.data()), sent.size()};
    fi_msg_tagged msg{};
    msg.msg_iov = &iov;
    msg.iov_count = 1;
    msg.addr = pair.to_b;
    ASSERT_EQ(fi_trecv(pair.b.ep.get(), got.data(), got.size(), nullptr, FI_ADDR_UNSPEC, 0, 0, nullptr), 0);
    ASSERT_EQ(fi_tsendmsg(pair.a.ep.get(), &msg, FI_DELIVERY_COMPLETE | FI_COMPLETION), 0);
    Completion done;
    const auto end = std::chrono::steady_clock::now() + kPatience;
    bool ended = false;
    while (!(ended = read_one(pair.a.cq.get(), done)) && std::chrono::steady_clock::now() < end)
        std::this_thread::yield();
    ASSERT_TRUE(ended);
    EXPECT_FALSE(done.failed);
    EXPECT_EQ(got, sent);
}

TEST(AutoProgress, ObjectsCloseInAnyStateOfTheThread)
{
    for (int round = 0; round < 50; round++) {
        Pair pair(automatic());
        std::uint64_t word = 1;
        fi_tinject(pair.a.ep.get(), &word, sizeof word, pair.to_b, 1);
        if (round % 2)
            Pair::progress(pair.b);
    }
}

} // namespace
} // namespace contract
