// SPDX-License-Identifier: BSD-2-Clause
//
// An endpoint from opening to closing: bindings, names, options, and calls that it was not opened for.
#include "check.hpp"

#include <rdma/fi_atomic.h>
#include <rdma/fi_rma.h>

namespace conform {
namespace {

CHECK_MODELS(C131_D1_BeforeItIsEnabledAnEndpointRefusesEveryPost)
{
    const Node node(wish(), false);
    int value = 0;
    EXPECT_REFUSED(fi_send(node.ep.get(), &value, sizeof value, nullptr, 0, nullptr));
    EXPECT_REFUSED(fi_recv(node.ep.get(), &value, sizeof value, nullptr, 0, nullptr));
    EXPECT_REFUSED(fi_tinject(node.ep.get(), &value, sizeof value, 0, 0));
    EXPECT_REFUSED(fi_trecv(node.ep.get(), &value, sizeof value, nullptr, 0, 0, 0, nullptr));
}

CHECK(C132_C133_C134_EnableSaysThatABindingIsMissing)
{
    const Node node(wish(), false);
    EXPECT_EQ(fi_enable(node.ep.get()), -FI_ENOCQ);
    node.bind(&node.cq->fid, FI_TRANSMIT);
    EXPECT_EQ(fi_enable(node.ep.get()), -FI_ENOCQ);
    node.bind(&node.cq->fid, FI_RECV);
    EXPECT_REFUSED(fi_enable(node.ep.get())) << "without an address vector";
    node.bind(&node.av->fid, 0);
    EXPECT_EQ(fi_enable(node.ep.get()), 0);
}

CHECK(C136_SelectiveCompletionAloneIsNoDirection)
{
    const Node node(wish(), false);
    EXPECT_REFUSED(fi_ep_bind(node.ep.get(), &node.cq->fid, FI_SELECTIVE_COMPLETION));
    EXPECT_EQ(fi_ep_bind(node.ep.get(), &node.cq->fid, FI_TRANSMIT | FI_SELECTIVE_COMPLETION), 0);
}

CHECK(C138_D44_ASecondQueueForTheSameDirectionIsRefused)
{
    const Node node(wish(), false);
    node.bind(&node.cq->fid, FI_TRANSMIT | FI_RECV);
    const auto second = open<fid_cq>("fi_cq_open", [&](fid_cq** out) {
        fi_cq_attr attr{};
        return fi_cq_open(node.domain.get(), &attr, out, nullptr);
    });
    EXPECT_REFUSED(fi_ep_bind(node.ep.get(), &second->fid, FI_RECV));
    EXPECT_REFUSED(fi_ep_bind(node.ep.get(), &second->fid, FI_TRANSMIT));
}

CHECK(C139_WhatBelongsToAnotherDomainIsRefused)
{
    const Node node(wish(), false), stranger(wish(), false);
    EXPECT_EQ(fi_ep_bind(node.ep.get(), &stranger.cq->fid, FI_TRANSMIT), -FI_EDOMAIN);
    EXPECT_EQ(fi_ep_bind(node.ep.get(), &stranger.av->fid, 0), -FI_EDOMAIN);
}

CHECK(C135_ABindingAfterEnableIsRefused)
{
    const Node node(wish());
    const auto late = open<fid_cq>("fi_cq_open", [&](fid_cq** out) {
        fi_cq_attr attr{};
        return fi_cq_open(node.domain.get(), &attr, out, nullptr);
    });
    EXPECT_REFUSED(fi_ep_bind(node.ep.get(), &late->fid, FI_TRANSMIT));
}

CHECK(C270_B20_ANameThatDoesNotFitTellsItsSize)
{
    const Node node(wish());
    const std::vector<char> name = node.name();
    for (std::size_t room = 0; room < name.size(); room++) {
        std::vector<char> buffer(name.size() + 1, 0x5A);
        std::size_t size = room;
        EXPECT_EQ(fi_getname(&node.ep->fid, buffer.data(), &size), -FI_ETOOSMALL);
        EXPECT_EQ(size, name.size());
        EXPECT_TRUE(std::equal(buffer.begin(), buffer.begin() + static_cast<long>(room), name.begin()))
            << "the buffer is filled";
        EXPECT_EQ(buffer[room], 0x5A) << "and nothing behind it";
    }
    std::vector<char> buffer(name.size() + 64);
    std::size_t size = buffer.size();
    EXPECT_EQ(fi_getname(&node.ep->fid, buffer.data(), &size), 0);
    EXPECT_EQ(size, name.size());
}

CHECK(C23_C270_TheSizeOfANameThatIsTextCountsItsEnd)
{
    Wish text = wish();
    text.addr_format = FI_ADDR_STR;
    if (!query(hints_for(text).get()))
        GTEST_SKIP() << "FI_ADDR_STR is not offered";
    const Node node(text);
    const std::vector<char> name = node.name();
    ASSERT_FALSE(name.empty());
    EXPECT_EQ(name.back(), '\0');
    EXPECT_EQ(std::strlen(name.data()) + 1, name.size());
    const char* address = name.data();
    fi_addr_t addr = FI_ADDR_NOTAVAIL;
    EXPECT_EQ(fi_av_insert(node.av.get(), &address, 1, &addr, 0, nullptr), 1) << "C178";
}

CHECK(C162_AnUnknownOptionIsNoSuchOption)
{
    const Node node(wish(), false);
    constexpr int kNoSuchOption = 0x7fff;
    std::size_t value = 0, size = sizeof value;
    EXPECT_EQ(fi_getopt(&node.ep->fid, FI_OPT_ENDPOINT, kNoSuchOption, &value, &size), -FI_ENOPROTOOPT);
    EXPECT_EQ(fi_setopt(&node.ep->fid, FI_OPT_ENDPOINT, kNoSuchOption, &value, sizeof value),
              -FI_ENOPROTOOPT);
}

CHECK(C170_C171_D20_SizesByKindOfMessageLieWithinTheGeneralOnes)
{
    const Node node(wish(), false);
    const auto within = [&](int option, std::size_t limit) {
        std::size_t value = 0, size = sizeof value;
        const int ret = fi_getopt(&node.ep->fid, FI_OPT_ENDPOINT, option, &value, &size);
        if (ret != 0)
            EXPECT_EQ(ret, -FI_ENOPROTOOPT) << "option " << option;
        else
            EXPECT_LE(value, limit) << "option " << option;
    };
    for (const int option : {FI_OPT_MAX_MSG_SIZE, FI_OPT_MAX_TAGGED_SIZE})
        within(option, node.info->ep_attr->max_msg_size);
    for (const int option : {FI_OPT_INJECT_MSG_SIZE, FI_OPT_INJECT_TAGGED_SIZE})
        within(option, node.info->tx_attr->inject_size);
}

CHECK_MODELS(C13_WhatIsClaimedHasItsCalls)
{
    const Info claim = claims(FI_EP_RDM);
    if (!claim)
        throw NotClaimed{"no endpoint of type FI_EP_RDM is claimed"};
    for (const std::uint64_t cap : {FI_MSG, FI_TAGGED, FI_RMA, FI_ATOMIC}) {
        if (!claimed(claim.get(), cap))
            continue;
        const Node node(wish(cap));
        const fi_addr_t self = node.insert(node.name());
        static std::uint64_t value;
        const std::function<ssize_t()> calls[] = {
            [&] { return fi_recv(node.ep.get(), &value, sizeof value, nullptr, FI_ADDR_UNSPEC, nullptr); },
            [&] {
                return fi_trecv(node.ep.get(), &value, sizeof value, nullptr, FI_ADDR_UNSPEC, 0, 0, nullptr);
            },
            [&] { return fi_write(node.ep.get(), &value, sizeof value, nullptr, self, 0, 0, nullptr); },
            [&] {
                std::size_t count = 0;
                const int ret = fi_atomicvalid(node.ep.get(), FI_UINT64, FI_SUM, &count);
                return ret == -FI_EOPNOTSUPP ? 0 : ret; // no type is mandatory, but the answer is
            },
        };
        const std::size_t which = cap == FI_MSG ? 0 : cap == FI_TAGGED ? 1 : cap == FI_RMA ? 2 : 3;
        EXPECT_NE(calls[which](), -FI_ENOSYS) << names_of(cap, FI_TYPE_CAPS) << " is claimed";
    }
}

CHECK_MODELS(D60_MessagesThatWereNotAskedForAreRefused)
{
    const Pair pair(wish(FI_TAGGED));
    int value = 0;
    EXPECT_REFUSED(fi_send(pair.a.ep.get(), &value, sizeof value, nullptr, pair.to_b, nullptr));
    EXPECT_REFUSED(fi_recv(pair.a.ep.get(), &value, sizeof value, nullptr, FI_ADDR_UNSPEC, nullptr));
    pair.tsend(&value, sizeof value, 0);
}

CHECK_MODELS(C45_C133_D60_AnEndpointOfOneDirectionNeedsOneQueueAndRefusesTheOther)
{
    const Node sender(wish(FI_MSG | FI_TAGGED | FI_SEND), false);
    const Node receiver(wish(FI_MSG | FI_TAGGED | FI_RECV), false);
    EXPECT_EQ(fi_enable(sender.ep.get()), -FI_ENOCQ);
    sender.bind(&sender.cq->fid, FI_TRANSMIT);
    receiver.bind(&receiver.cq->fid, FI_RECV);
    for (const Node* node : {&sender, &receiver}) {
        node->bind(&node->av->fid, 0);
        ASSERT_EQ(fi_enable(node->ep.get()), 0);
    }
    const fi_addr_t to_receiver = sender.insert(receiver.name());
    const fi_addr_t to_sender = receiver.insert(sender.name());
    std::uint64_t value = 6, got = 0;
    const auto refuses = [&] {
        EXPECT_REFUSED(fi_send(receiver.ep.get(), &value, sizeof value, nullptr, to_sender, nullptr));
        EXPECT_REFUSED(fi_tinject(receiver.ep.get(), &value, sizeof value, to_sender, 0));
        EXPECT_REFUSED(fi_recv(sender.ep.get(), &got, sizeof got, nullptr, FI_ADDR_UNSPEC, nullptr));
    };
    refuses();
    ASSERT_EQ(fi_recv(receiver.ep.get(), &got, sizeof got, nullptr, FI_ADDR_UNSPEC, nullptr), 0);
    const auto drive = [&] { Pair::progress(sender); };
    wait_until(
        [&] {
            return fi_send(sender.ep.get(), &value, sizeof value, nullptr, to_receiver, nullptr) !=
                   -FI_EAGAIN;
        },
        drive);
    Completion done;
    ASSERT_TRUE(wait_until([&] { return read_one(receiver.cq.get(), done); }, drive));
    EXPECT_EQ(got, value);
    refuses(); // now that they are connected, too
}

} // namespace
} // namespace conform
