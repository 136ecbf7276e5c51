// SPDX-License-Identifier: BSD-2-Clause
//
// Fabrics, domains and event queues: what may be closed, what an entry of fi_getinfo() points to, what an
// object remembers.
#include "check.hpp"

namespace conform {
namespace {

CHECK(C35_AnEntryPointsToTheFirstThatIsOpenAndToNoneOnceItIsClosed)
{
    const Info before = info_for(wish());
    EXPECT_EQ(before->fabric_attr->fabric, nullptr);
    EXPECT_EQ(before->domain_attr->domain, nullptr);
    {
        const Empty first(wish()), second(wish());
        const Info during = info_for(wish());
        EXPECT_EQ(during->fabric_attr->fabric, first.fabric.get());
        EXPECT_EQ(during->domain_attr->domain, first.domain.get());
    }
    const Info after = info_for(wish());
    EXPECT_EQ(after->fabric_attr->fabric, nullptr);
    EXPECT_EQ(after->domain_attr->domain, nullptr);
}

CHECK(C34_AHintThatNamesAnOpenObjectLimitsResultsToIt)
{
    const Empty first(wish()), second(wish());
    const Info hints = hints_for(wish());
    hints->fabric_attr->fabric = second.fabric.get();
    hints->domain_attr->domain = second.domain.get();
    const Info found = query(hints.get());
    ASSERT_TRUE(found);
    for (const fi_info* entry = found.get(); entry; entry = entry->next) {
        EXPECT_EQ(entry->fabric_attr->fabric, second.fabric.get());
        EXPECT_EQ(entry->domain_attr->domain, second.domain.get());
    }
}

CHECK(C34_AnObjectThatIsNotOpenIsNoneOfTheProviders)
{
    const Empty one(wish());
    fid_domain stranger{};
    const Info hints = hints_for(wish());
    hints->domain_attr->domain = &stranger;
    EXPECT_FALSE(query(hints.get()));
    hints->domain_attr->domain = nullptr;
}

CHECK(C120_C121_WhatHasChildrenCannotBeClosed)
{
    const Node node(wish());
    EXPECT_EQ(fi_close(&node.domain->fid), -FI_EBUSY);
    EXPECT_REFUSED(fi_close(&node.fabric->fid));
    fid_cq* another = nullptr;
    fi_cq_attr attr{};
    ASSERT_EQ(fi_cq_open(node.domain.get(), &attr, &another, nullptr), 0) << "the domain stays usable";
    EXPECT_EQ(fi_close(&another->fid), 0);
}

CHECK(C183_AnAddressVectorInUseCannotBeClosed)
{
    const Node node(wish());
    EXPECT_EQ(fi_close(&node.av->fid), -FI_EBUSY);
    EXPECT_NE(node.insert(node.name()), FI_ADDR_NOTAVAIL) << "it stays usable";
}

CHECK(D176_ACompletionQueueInUseCannotBeClosed)
{
    const Node node(wish());
    EXPECT_EQ(fi_close(&node.cq->fid), -FI_EBUSY);
    fi_cq_tagged_entry entry;
    EXPECT_EQ(fi_cq_read(node.cq.get(), &entry, 1), -FI_EAGAIN) << "it stays usable";
}

CHECK(C123_AnObjectKeepsTheContextThatItWasOpenedWith)
{
    const Info info = info_for(wish());
    int at_fabric = 0, at_domain = 0, at_queue = 0, at_endpoint = 0, at_vector = 0;
    const auto fabric = open<fid_fabric>(
        "fi_fabric", [&](fid_fabric** out) { return fi_fabric(info->fabric_attr, out, &at_fabric); });
    const auto domain = open<fid_domain>(
        "fi_domain", [&](fid_domain** out) { return fi_domain(fabric.get(), info.get(), out, &at_domain); });
    fi_cq_attr cq_attr{};
    const auto queue = open<fid_cq>(
        "fi_cq_open", [&](fid_cq** out) { return fi_cq_open(domain.get(), &cq_attr, out, &at_queue); });
    fi_av_attr av_attr{};
    const auto vector = open<fid_av>(
        "fi_av_open", [&](fid_av** out) { return fi_av_open(domain.get(), &av_attr, out, &at_vector); });
    const auto endpoint = open<fid_ep>("fi_endpoint", [&](fid_ep** out) {
        return fi_endpoint(domain.get(), info.get(), out, &at_endpoint);
    });
    EXPECT_EQ(fabric->fid.context, &at_fabric);
    EXPECT_EQ(domain->fid.context, &at_domain);
    EXPECT_EQ(queue->fid.context, &at_queue);
    EXPECT_EQ(vector->fid.context, &at_vector);
    EXPECT_EQ(endpoint->fid.context, &at_endpoint);
}

Owned<fid_eq> open_events(const Empty& empty, fi_wait_obj wait = FI_WAIT_NONE)
{
    return open<fid_eq>("fi_eq_open", [&](fid_eq** out) {
        fi_eq_attr attr{};
        attr.flags = FI_WRITE;
        attr.wait_obj = wait;
        return fi_eq_open(empty.fabric.get(), &attr, out, nullptr);
    });
}

CHECK(C242_C245_AWrittenEventIsReadOnceAndPeekedAtOften)
{
    const Empty empty(wish());
    const auto events = open_events(empty);
    std::uint32_t event = 0;
    fi_eq_entry in{}, out{};
    EXPECT_EQ(fi_eq_read(events.get(), &event, &out, sizeof out, 0), -FI_EAGAIN);
    in.data = 42;
    EXPECT_EQ(fi_eq_write(events.get(), FI_NOTIFY, &in, sizeof in, 0), static_cast<ssize_t>(sizeof in));
    for (int i = 0; i < 3; i++) {
        out = {};
        EXPECT_EQ(fi_eq_read(events.get(), &event, &out, sizeof out, FI_PEEK),
                  static_cast<ssize_t>(sizeof out));
        EXPECT_EQ(out.data, 42u);
    }
    EXPECT_EQ(fi_eq_read(events.get(), &event, &out, sizeof out, 0), static_cast<ssize_t>(sizeof out));
    EXPECT_EQ(event, static_cast<std::uint32_t>(FI_NOTIFY));
    EXPECT_EQ(fi_eq_read(events.get(), &event, &out, sizeof out, 0), -FI_EAGAIN);
}

CHECK(C243_AnEventQueueWithoutAnErrorSaysSoAtOnce)
{
    const Empty empty(wish());
    const auto events = open_events(empty);
    fi_eq_err_entry error{};
    EXPECT_EQ(fi_eq_readerr(events.get(), &error, 0), -FI_EAGAIN);
}

CHECK(C244_WaitingForAnEventEndsAtItsTimeAndNotBefore)
{
    const Empty empty(wish());
    const auto events = open_events(empty, FI_WAIT_UNSPEC);
    std::uint32_t event = 0;
    fi_eq_entry entry;
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(fi_eq_sread(events.get(), &event, &entry, sizeof entry, 20, 0), -FI_EAGAIN);
    EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(20)) << "not early";
    const auto spins = open_events(empty, FI_WAIT_NONE);
    EXPECT_REFUSED(fi_eq_sread(spins.get(), &event, &entry, sizeof entry, 0, 0));
}

} // namespace
} // namespace conform
