// SPDX-License-Identifier: BSD-2-Clause
//
// Who has to call so that operations end.
#include "check.hpp"
#include "watched.hpp"

#include <algorithm>
#include <thread>

namespace conform {
namespace {

/// A wish for automatic progress; the check is skipped if the provider refuses it, as it may (C78).
Wish automatic(Wish wish)
{
    wish.progress = FI_PROGRESS_AUTO;
    if (!query(hints_for(wish).get()))
        throw NotClaimed{"FI_PROGRESS_AUTO is not offered"};
    return wish;
}

/// Waits for the last byte of a buffer: all that an application does that does not call.
bool arrives(const WatchedMemory& memory, unsigned char last)
{
    return wait_until([&] { return memory.last() == last; }, [] { std::this_thread::yield(); });
}

CHECK_MODELS(C75_D245_MessagesOfAnySizeArriveWhileNeitherSideCalls)
{
    for (const std::size_t size : {std::size_t{8}, std::size_t{4000}, std::size_t{3} << 20}) {
        const Pair pair(automatic(wish()));
        for (int round = 0; round < 5; round++) {
            const auto sent = pattern(size, 1);
            const WatchedMemory got(size);
            std::fill_n(got.buffer(), size, static_cast<unsigned char>(~sent.back()));
            ASSERT_EQ(fi_trecv(pair.b.ep.get(), got.buffer(), size, nullptr, FI_ADDR_UNSPEC, 1, 0, nullptr),
                      0);
            ASSERT_EQ(fi_tsend(pair.a.ep.get(), sent.data(), size, nullptr, pair.to_b, 1, nullptr), 0);
            ASSERT_TRUE(arrives(got, sent.back())) << size;
            EXPECT_FALSE(pair.next(pair.b).failed);
            EXPECT_FALSE(pair.next(pair.a).failed);
            EXPECT_EQ(got.bytes(), sent);
        }
    }
}

CHECK_MODELS(C75_D245_ADeliveryIsAcknowledgedByAPeerThatDoesNotCall)
{
    const Pair pair(automatic(wish()));
    const Info hints = hints_for(automatic(wish()));
    hints->tx_attr->op_flags = FI_DELIVERY_COMPLETE;
    if (!query(hints.get()))
        GTEST_SKIP() << "FI_DELIVERY_COMPLETE is not offered";
    const auto sent = pattern(100'000, 1);
    const WatchedMemory got(sent.size());
    const iovec iov{const_cast<unsigned char*>(sent.data()), sent.size()};
    fi_msg_tagged msg{};
    msg.msg_iov = &iov;
    msg.iov_count = 1;
    msg.addr = pair.to_b;
    ASSERT_EQ(fi_trecv(pair.b.ep.get(), got.buffer(), got.size(), nullptr, FI_ADDR_UNSPEC, 0, 0, nullptr), 0);
    ASSERT_EQ(fi_tsendmsg(pair.a.ep.get(), &msg, FI_DELIVERY_COMPLETE | FI_COMPLETION), 0);
    Completion done;
    ASSERT_TRUE(
        wait_until([&] { return read_one(pair.a.cq.get(), done); }, [] { std::this_thread::yield(); }));
    EXPECT_FALSE(done.failed);
    EXPECT_EQ(got.bytes(), sent);
}

} // namespace
} // namespace conform
