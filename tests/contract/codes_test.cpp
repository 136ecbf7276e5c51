// SPDX-License-Identifier: BSD-2-Clause
//
// Where the manual says that a call fails and leaves open how, soft has chosen a code, and programs get used
// to it. That the call fails at all is fi_conform's business.
#include "pair.hpp"

#include <rdma/fi_atomic.h>
#include <rdma/fi_rma.h>

namespace contract {
namespace {

TEST(Codes, C131_D1_APostBeforeEnableIsInTheWrongState)
{
    const Node node({}, false);
    int value = 0;
    EXPECT_EQ(fi_send(node.ep.get(), &value, sizeof value, nullptr, 0, nullptr), -FI_EOPBADSTATE);
    EXPECT_EQ(fi_recv(node.ep.get(), &value, sizeof value, nullptr, 0, nullptr), -FI_EOPBADSTATE);
    EXPECT_EQ(fi_tinject(node.ep.get(), &value, sizeof value, 0, 0), -FI_EOPBADSTATE);
    EXPECT_EQ(fi_trecv(node.ep.get(), &value, sizeof value, nullptr, 0, 0, 0, nullptr), -FI_EOPBADSTATE);
}

TEST(Codes, C132_C135_EnableNamesTheMissingVectorAndIsDoneOnce)
{
    const Node node({}, false);
    node.bind(&node.cq->fid, FI_TRANSMIT | FI_RECV);
    EXPECT_EQ(fi_enable(node.ep.get()), -FI_ENOAV);
    node.bind(&node.av->fid, 0);
    EXPECT_EQ(fi_enable(node.ep.get()), 0);
    EXPECT_EQ(fi_enable(node.ep.get()), -FI_EOPBADSTATE);
    EXPECT_EQ(fi_ep_bind(node.ep.get(), &node.cq->fid, FI_TRANSMIT), -FI_EOPBADSTATE);
}

TEST(Codes, C136_C138_WrongBindings)
{
    const Node node({}, false);
    EXPECT_EQ(fi_ep_bind(node.ep.get(), &node.cq->fid, 0), -FI_EBADFLAGS);
    EXPECT_EQ(fi_ep_bind(node.ep.get(), &node.cq->fid, FI_SELECTIVE_COMPLETION), -FI_EBADFLAGS);
    node.bind(&node.cq->fid, FI_TRANSMIT | FI_RECV);
    EXPECT_EQ(fi_ep_bind(node.ep.get(), &node.cq->fid, FI_RECV), -FI_EINVAL);
    node.bind(&node.av->fid, 0);
    EXPECT_EQ(fi_ep_bind(node.ep.get(), &node.av->fid, 0), -FI_EINVAL);
}

TEST(Codes, C121_AFabricInUseIsBusy)
{
    const Node node;
    EXPECT_EQ(fi_close(&node.fabric->fid), -FI_EBUSY);
}

TEST(Codes, D51_AFlagThatIsNotSupported)
{
    const Pair pair;
    int value = 0;
    const iovec iov{&value, sizeof value};
    const fi_msg msg{&iov, nullptr, 1, pair.to_b, nullptr, 0};
    EXPECT_EQ(fi_sendmsg(pair.a.ep.get(), &msg, FI_MULTICAST), -FI_EBADFLAGS);
    EXPECT_EQ(fi_recvmsg(pair.a.ep.get(), &msg, FI_MULTICAST), -FI_EBADFLAGS);
    fi_msg_tagged tagged{};
    tagged.msg_iov = &iov;
    tagged.iov_count = 1;
    tagged.addr = pair.to_b;
    const std::uint64_t wrong[] = {FI_PEEK, FI_CLAIM, FI_MULTI_RECV, FI_COMMIT_COMPLETE,
                                   std::uint64_t{1} << 63};
    for (const std::uint64_t flags : wrong) {
        EXPECT_EQ(fi_sendmsg(pair.a.ep.get(), &msg, flags), -FI_EBADFLAGS) << std::hex << flags;
        EXPECT_EQ(fi_tsendmsg(pair.a.ep.get(), &tagged, flags), -FI_EBADFLAGS) << std::hex << flags;
    }
}

TEST(Codes, D12_D15_D30_BeyondALimit)
{
    const Pair pair;
    const std::size_t limit = pair.a.info->tx_attr->inject_size;
    const auto bytes = pattern(limit + 1, 1);
    EXPECT_EQ(fi_inject(pair.a.ep.get(), bytes.data(), limit + 1, pair.to_b), -FI_EMSGSIZE);
    EXPECT_EQ(fi_tinject(pair.a.ep.get(), bytes.data(), limit + 1, pair.to_b, 0), -FI_EMSGSIZE);
    const std::vector<iovec> many(pair.a.info->tx_attr->iov_limit + 1);
    EXPECT_EQ(fi_tsendv(pair.a.ep.get(), many.data(), nullptr, many.size(), pair.to_b, 1, nullptr),
              -FI_EINVAL);
    const std::size_t most = pair.a.info->ep_attr->max_msg_size;
    EXPECT_EQ(fi_send(pair.a.ep.get(), bytes.data(), most + 1, nullptr, pair.to_b, nullptr), -FI_EMSGSIZE);
    EXPECT_EQ(fi_tsend(pair.a.ep.get(), bytes.data(), most + 1, nullptr, pair.to_b, 1, nullptr),
              -FI_EMSGSIZE);
    EXPECT_EQ(fi_recvv(pair.a.ep.get(), many.data(), nullptr, many.size(), FI_ADDR_UNSPEC, nullptr),
              -FI_EINVAL);
    EXPECT_EQ(fi_trecvv(pair.a.ep.get(), many.data(), nullptr, many.size(), FI_ADDR_UNSPEC, 0, 0, nullptr),
              -FI_EINVAL);
}

TEST(Codes, AnAddressThatIsNotInTheVector)
{
    const Node node;
    int value = 0;
    EXPECT_EQ(fi_send(node.ep.get(), &value, sizeof value, nullptr, 12345, nullptr), -FI_EINVAL);
    EXPECT_EQ(fi_tinject(node.ep.get(), &value, sizeof value, FI_ADDR_NOTAVAIL - 1, 0), -FI_EINVAL);
    fi_addr_t removed = node.insert(node.name());
    ASSERT_EQ(fi_av_remove(node.av.get(), &removed, 1, 0), 0);
    EXPECT_EQ(fi_tinject(node.ep.get(), &value, sizeof value, removed, 1), -FI_EINVAL);
}

TEST(Codes, D61_D63_ASourceThatIsNotInTheVectorWhereItCounts)
{
    int got = 0;
    const Node untagged({.caps = FI_MSG | FI_TAGGED}),
        tagged({.caps = FI_MSG | FI_TAGGED | FI_TAGGED_DIRECTED_RECV});
    EXPECT_EQ(fi_recv(tagged.ep.get(), &got, sizeof got, nullptr, 12345, nullptr), 0);
    EXPECT_EQ(fi_trecv(tagged.ep.get(), &got, sizeof got, nullptr, 12345, 1, 0, nullptr), -FI_EINVAL);
    EXPECT_EQ(fi_trecv(untagged.ep.get(), &got, sizeof got, nullptr, 12345, 1, 0, nullptr), 0);
}

TEST(Codes, D60_WhatTheEndpointWasNotOpenedFor)
{
    const Pair pair({.caps = FI_TAGGED});
    std::uint64_t value = 0;
    EXPECT_EQ(fi_send(pair.a.ep.get(), &value, sizeof value, nullptr, pair.to_b, nullptr), -FI_EOPNOTSUPP);
    EXPECT_EQ(fi_recv(pair.a.ep.get(), &value, sizeof value, nullptr, FI_ADDR_UNSPEC, nullptr),
              -FI_EOPNOTSUPP);
    EXPECT_EQ(fi_read(pair.a.ep.get(), &value, sizeof value, nullptr, pair.to_b, 0, 0, nullptr), -FI_ENOSYS);
    EXPECT_EQ(fi_atomic(pair.a.ep.get(), &value, 1, nullptr, pair.to_b, 0, 0, FI_UINT64, FI_SUM, nullptr),
              -FI_ENOSYS);
}

TEST(Codes, D100_CancellingAnUnknownContextFindsNothing)
{
    const Node node;
    EXPECT_EQ(fi_cancel(&node.ep->fid, context(11)), -FI_ENOENT);
}

TEST(Codes, D95_TruncationIsAnErrorNotAShorterSuccess)
{
    const Pair pair;
    const auto sent = pattern(100, 1);
    char got[50];
    pair.trecv(got, sizeof got, 1);
    pair.tsend(sent.data(), sent.size(), 1);
    const Completion cut = pair.next(pair.b);
    ASSERT_TRUE(cut.failed);
    EXPECT_EQ(cut.error.err, FI_ETRUNC);
    EXPECT_FALSE(pair.next(pair.a).failed) << "D96: and a success for the sender";
}

TEST(Codes, D201_D203_SleepingWithoutAWaitObjectAndASignalThatNobodyWaitsFor)
{
    fi_cq_tagged_entry entry;
    const Node spins;
    EXPECT_EQ(fi_cq_sread(spins.cq.get(), &entry, 1, nullptr, 0), -FI_EINVAL);
    const Node sleeps({.wait = FI_WAIT_UNSPEC});
    EXPECT_EQ(fi_cq_signal(sleeps.cq.get()), 0);
    EXPECT_EQ(fi_cq_sread(sleeps.cq.get(), &entry, 1, nullptr, -1), -FI_EAGAIN) << "it was kept";
}

} // namespace
} // namespace contract
