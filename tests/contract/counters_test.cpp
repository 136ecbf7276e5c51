// SPDX-License-Identifier: BSD-2-Clause
//
// What soft decides about counters where the rules leave room: codes, ranges, and that looking is no
// receiving.
#include "pair.hpp"

namespace contract {
namespace {

Owned<fid_cntr> open_counter(const Node& node, fi_wait_obj wait = FI_WAIT_UNSPEC,
                             fi_cntr_events events = FI_CNTR_EVENTS_COMP)
{
    fi_cntr_attr attr{};
    attr.wait_obj = wait;
    attr.events = events;
    fid_cntr* counter = nullptr;
    EXPECT_EQ(fi_cntr_open(node.domain.get(), &attr, &counter, nullptr), 0);
    return Owned<fid_cntr>(counter);
}

/// Two nodes whose sends and receives are counted.
struct Counted {
    Node a, b;
    Owned<fid_cntr> sent_a, received_b;
    fi_addr_t to_b = FI_ADDR_NOTAVAIL, to_a = FI_ADDR_NOTAVAIL;

    explicit Counted(const Wish& wish = {}, fi_cntr_events events = FI_CNTR_EVENTS_COMP)
        : a(wish, false), b(wish, false), sent_a(open_counter(a, FI_WAIT_UNSPEC, events)),
          received_b(open_counter(b, FI_WAIT_UNSPEC, events))
    {
        a.bind(&sent_a->fid, FI_SEND);
        b.bind(&received_b->fid, FI_RECV);
        for (Node* node : {&a, &b}) {
            node->bind(&node->cq->fid, FI_TRANSMIT | wish.select_transmit);
            node->bind(&node->cq->fid, FI_RECV | wish.select_receive);
            node->bind(&node->av->fid, 0);
            EXPECT_EQ(fi_enable(node->ep.get()), 0);
        }
        to_b = a.insert(b.name());
        to_a = b.insert(a.name());
    }
    // Counters are bound to the endpoints: those go first.
    ~Counted()
    {
        a.ep.reset();
        b.ep.reset();
    }

    /// Reads both counters until the condition holds: nothing else makes progress.
    template <class Condition>
    void until(Condition&& holds)
    {
        const auto end = std::chrono::steady_clock::now() + kPatience;
        while (!holds()) {
            fi_cntr_read(sent_a.get());
            fi_cntr_read(received_b.get());
            ASSERT_LT(std::chrono::steady_clock::now(), end)
                << fi_cntr_read(sent_a.get()) << " sent, " << fi_cntr_read(received_b.get()) << " received";
        }
    }
};

TEST(Counters, D84_LookingAtMessagesCountsAsNothingDroppingOneAsAReceive)
{
    Counted pair;
    const fi_msg_tagged look{nullptr, nullptr, 0, FI_ADDR_UNSPEC, 1, 0, nullptr, 0};
    const auto result_of = [&](std::uint64_t flags) {
        EXPECT_EQ(fi_trecvmsg(pair.b.ep.get(), &look, flags), 0);
        Completion done;
        pair.until([&] { return read_one(pair.b.cq.get(), done); });
        return done.failed ? done.error.err : 0;
    };
    EXPECT_EQ(result_of(FI_PEEK), FI_ENOMSG);
    std::uint64_t value = 3;
    ASSERT_EQ(fi_tsend(pair.a.ep.get(), &value, sizeof value, nullptr, pair.to_b, 1, nullptr), 0);
    int found = FI_ENOMSG;
    pair.until([&] { return (found = result_of(FI_PEEK)) == 0; });
    EXPECT_EQ(found, 0);
    EXPECT_EQ(fi_cntr_read(pair.received_b.get()), 0u);
    EXPECT_EQ(fi_cntr_readerr(pair.received_b.get()), 0u);
    EXPECT_EQ(result_of(FI_PEEK | FI_DISCARD), 0);
    EXPECT_EQ(fi_cntr_read(pair.received_b.get()), 1u);
    EXPECT_EQ(result_of(FI_PEEK), FI_ENOMSG);
    EXPECT_EQ(fi_cntr_readerr(pair.received_b.get()), 0u);
}

TEST(Counters, C137_C138_C135_WrongBindingsHaveTheirCodes)
{
    Node node({}, false);
    const Owned<fid_cntr> counter = open_counter(node), other = open_counter(node);
    fid_ep* ep = node.ep.get();
    EXPECT_EQ(fi_ep_bind(ep, &counter->fid, 0), -FI_EBADFLAGS);
    EXPECT_EQ(fi_ep_bind(ep, &counter->fid, FI_SEND | FI_SELECTIVE_COMPLETION), -FI_EBADFLAGS);
    EXPECT_EQ(fi_ep_bind(ep, &counter->fid, FI_REMOTE_WRITE), -FI_EOPNOTSUPP) << "D229: no FI_RMA_EVENT";
    EXPECT_EQ(fi_ep_bind(ep, &counter->fid, FI_SEND), 0);
    EXPECT_EQ(fi_ep_bind(ep, &other->fid, FI_SEND | FI_RECV), -FI_EINVAL);
    node.bind(&node.cq->fid, FI_TRANSMIT | FI_RECV);
    node.bind(&node.av->fid, 0);
    EXPECT_EQ(fi_enable(ep), 0);
    EXPECT_EQ(fi_ep_bind(ep, &counter->fid, FI_READ), -FI_EOPBADSTATE) << "C135";
    node.ep.reset();
}

TEST(Counters, D227_D232_B31_AnErrorEndsWaitsUntilItIsRead)
{
    const Counted pair;
    std::uint64_t got = 0;
    ASSERT_EQ(fi_recv(pair.b.ep.get(), &got, sizeof got, nullptr, FI_ADDR_UNSPEC, context(7)), 0);
    ASSERT_EQ(fi_cancel(&pair.b.ep->fid, context(7)), 0);
    EXPECT_EQ(fi_cntr_wait(pair.received_b.get(), 1, -1), -FI_EAVAIL);
    EXPECT_EQ(fi_cntr_readerr(pair.received_b.get()), 1u);
    EXPECT_EQ(fi_cntr_wait(pair.received_b.get(), 1, 0), -FI_ETIMEDOUT);
}

TEST(Counters, C92_C99_TheirNumberAndRangeAreAdvertised)
{
    const Node node({}, false);
    EXPECT_GT(node.info->domain_attr->cntr_cnt, 0u);
    EXPECT_EQ(node.info->domain_attr->max_cntr_value, UINT64_MAX);
    EXPECT_EQ(node.info->domain_attr->max_err_cntr_value, UINT64_MAX);
}

} // namespace
} // namespace contract
