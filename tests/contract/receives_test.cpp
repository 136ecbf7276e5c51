// SPDX-License-Identifier: BSD-2-Clause
//
// Where soft goes beyond the rules for receives by flags, or chooses: untagged messages can be looked at like
// tagged ones, a cancelled buffer for many messages is given back with its flag, and wrong flags have codes.
#include "pair.hpp"

namespace contract {
namespace {

ssize_t receive(const Node& node, bool tagged, std::uint64_t flags, void* buffer, std::size_t size,
                void* context)
{
    const iovec iov{buffer, size};
    const std::size_t count = buffer ? 1 : 0;
    if (tagged) {
        const fi_msg_tagged msg{&iov, nullptr, count, FI_ADDR_UNSPEC, 0, 0, context, 0};
        return fi_trecvmsg(node.ep.get(), &msg, flags);
    }
    const fi_msg msg{&iov, nullptr, count, FI_ADDR_UNSPEC, context, 0};
    return fi_recvmsg(node.ep.get(), &msg, flags);
}

constexpr std::uint64_t kMulti = FI_MULTI_RECV | FI_TAGGED_MULTI_RECV;

class Receives : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Kind, Receives, testing::Bool(),
                         [](const auto& test) { return test.param ? "Tagged" : "Untagged"; });

TEST_P(Receives, B32_CancelledBuffersAreGivenBackWithTheFlag)
{
    const Node node({.caps = FI_MSG | FI_TAGGED | kMulti});
    char buffers[3][100];
    for (auto& buffer : buffers)
        ASSERT_EQ(receive(node, GetParam(), FI_MULTI_RECV, buffer, sizeof buffer, buffer), 0);
    for (auto& buffer : buffers) {
        EXPECT_EQ(fi_cancel(&node.ep->fid, buffer), 0);
        Completion done;
        ASSERT_TRUE(read_one(node.cq.get(), done));
        ASSERT_TRUE(done.failed);
        EXPECT_EQ(done.error.flags, FI_RECV | (GetParam() ? FI_TAGGED : FI_MSG) | FI_MULTI_RECV);
        EXPECT_EQ(done.error.op_context, buffer);
    }
}

TEST_P(Receives, D51_FlagsThatDoNotGoTogetherAreRefused)
{
    const Node node({.caps = FI_MSG | FI_TAGGED | kMulti});
    char byte = 0;
    const std::uint64_t wrong[] = {FI_DISCARD,
                                   FI_PEEK | FI_CLAIM | FI_DISCARD,
                                   FI_PEEK | FI_MULTI_RECV,
                                   FI_CLAIM | FI_MULTI_RECV,
                                   FI_INJECT,
                                   FI_FENCE,
                                   std::uint64_t{1} << 63};
    for (const std::uint64_t flags : wrong)
        EXPECT_EQ(receive(node, GetParam(), flags, &byte, 1, &byte), -FI_EBADFLAGS) << std::hex << flags;
    EXPECT_EQ(receive(node, GetParam(), FI_PEEK | FI_CLAIM, nullptr, 0, nullptr), -FI_EINVAL)
        << "D89: a claim is known by its context";
    EXPECT_EQ(receive(node, GetParam(), FI_CLAIM, nullptr, 0, &byte), -FI_EINVAL) << "nothing is claimed";
    EXPECT_EQ(receive(node, GetParam(), FI_MULTI_RECV, nullptr, 0, nullptr), -FI_EINVAL);
    std::size_t small = 4;
    EXPECT_EQ(fi_setopt(&node.ep->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, &small, 4), -FI_EINVAL);
}

TEST(UntaggedReceives, D86_D88_CanBeLookedAtAndClaimed)
{
    const Pair pair({.caps = FI_MSG});
    fi_context2 claim{};
    const int sent = 7;
    int got = 0;
    pair.post([&] { return fi_send(pair.a.ep.get(), &sent, sizeof sent, nullptr, pair.to_b, nullptr); });
    Completion seen;
    const auto look = [&] {
        EXPECT_EQ(receive(pair.b, false, FI_PEEK | FI_CLAIM, nullptr, 0, &claim), 0);
        seen = pair.next(pair.b);
        return !seen.failed;
    };
    ASSERT_TRUE(wait_until(look, [&] { Pair::progress(pair.a); }));
    EXPECT_EQ(seen.entry.len, sizeof sent);
    ASSERT_EQ(receive(pair.b, false, FI_CLAIM, &got, sizeof got, &claim), 0);
    EXPECT_EQ(pair.next(pair.b).entry.op_context, &claim);
    EXPECT_EQ(got, 7);
}

} // namespace
} // namespace contract
