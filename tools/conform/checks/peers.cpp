// SPDX-License-Identifier: BSD-2-Clause
//
// Peers that are not there, go away, or close as soon as they may.
#include "check.hpp"

namespace conform {
namespace {

/// The name of an endpoint that is closed.
std::vector<char> nobody(const Wish& wish)
{
    return Node(wish).name();
}

CHECK_MODELS(D221_C86_ASendToNobodyFailsOnce)
{
    const Node node(wish());
    const fi_addr_t gone = node.insert(nobody(wish()));
    int value = 0;
    for (int round = 0; round < 3; round++) {
        ssize_t ret = 0;
        ASSERT_TRUE(wait_until(
            [&] {
                ret = fi_send(node.ep.get(), &value, sizeof value, nullptr, gone, context(4));
                return ret != -FI_EAGAIN;
            },
            [&] { Pair::progress(node); }));
        if (ret != 0)
            continue; // known already, and refused at the call
        Completion done;
        ASSERT_TRUE(wait_until([&] { return read_one(node.cq.get(), done); }));
        ASSERT_TRUE(done.failed);
        EXPECT_GT(done.error.err, 0);
        EXPECT_EQ(done.error.op_context, context(4));
    }
}

CHECK_MODELS(B41_D3_EverySendToAPeerThatGoesAwayEnds)
{
    const Node survivor(wish());
    auto victim = std::make_unique<Node>(wish());
    const fi_addr_t to_victim = survivor.insert(victim->name());
    EXPECT_NE(victim->insert(survivor.name()), FI_ADDR_NOTAVAIL);
    const auto block = pattern(1 << 20, 1);
    const auto send = [&](const void* buf, std::size_t size, void* context) {
        ssize_t ret = 0;
        wait_until(
            [&] {
                ret = fi_send(survivor.ep.get(), buf, size, nullptr, to_victim, context);
                return ret != -FI_EAGAIN;
            },
            [&] {
                Pair::progress(survivor);
                Pair::progress(*victim);
            });
        EXPECT_EQ(ret, 0);
    };
    int value = 0;
    send(&value, sizeof value, context(1));
    Completion done;
    ASSERT_TRUE(
        wait_until([&] { return read_one(survivor.cq.get(), done); }, [&] { Pair::progress(*victim); }));
    ASSERT_FALSE(done.failed);
    constexpr int kSends = 5;
    for (int i = 0; i < kSends; i++)
        send(block.data(), block.size(), context(2));
    victim.reset();
    for (int i = 0; i < kSends; i++) {
        Completion ended;
        ASSERT_TRUE(wait_until([&] { return read_one(survivor.cq.get(), ended); })) << i << " of " << kSends;
        EXPECT_EQ(ended.failed ? ended.error.op_context : ended.entry.op_context, context(2));
    }
    Completion none;
    for (int i = 0; i < 2000; i++)
        Pair::progress(survivor);
    EXPECT_FALSE(read_one(survivor.cq.get(), none));
}

CHECK_MODELS(D145_WhatWasTransmittedArrivesThoughTheSenderClosesAtOnce)
{
    for (const std::size_t size : {std::size_t{8}, std::size_t{16'000}, std::size_t{300'000}}) {
        const Node receiver(wish());
        auto sender = std::make_unique<Node>(wish());
        std::vector<unsigned char> got(size);
        auto sent = pattern(size, 9);
        // Posted before, because a provider may wait for a receive before it moves a large message.
        ASSERT_EQ(fi_recv(receiver.ep.get(), got.data(), size, nullptr, FI_ADDR_UNSPEC, nullptr), 0);
        const iovec iov{sent.data(), size};
        const fi_msg msg{&iov, nullptr, 1, sender->insert(receiver.name()), nullptr, 0};
        ssize_t ret = 0;
        ASSERT_TRUE(wait_until(
            [&] {
                ret = fi_sendmsg(sender->ep.get(), &msg, FI_TRANSMIT_COMPLETE | FI_COMPLETION);
                return ret != -FI_EAGAIN;
            },
            [&] {
                Pair::progress(*sender);
                Pair::progress(receiver);
            }));
        ASSERT_EQ(ret, 0);
        Completion done;
        ASSERT_TRUE(
            wait_until([&] { return read_one(sender->cq.get(), done); }, [&] { Pair::progress(receiver); }));
        ASSERT_FALSE(done.failed);
        sender.reset();
        ASSERT_TRUE(wait_until([&] { return read_one(receiver.cq.get(), done); }));
        EXPECT_FALSE(done.failed);
        EXPECT_EQ(got, sent);
    }
}

CHECK_MODELS(D102_C143_WhatWasNotFinishedIsDroppedByClosingAndTheBufferIsFree)
{
    Pair pair(wish());
    int got = 0;
    const int sent = 1;
    pair.trecv(&got, sizeof got, 1);
    pair.b.ep.reset();
    pair.a.ep.reset();
    got = 5;
    for (int i = 0; i < 1000; i++)
        Pair::progress(pair.b);
    EXPECT_EQ(got, 5);
    EXPECT_EQ(sent, 1);
}

} // namespace
} // namespace conform
