// SPDX-License-Identifier: BSD-2-Clause
//
// What can be set on an endpoint: default operation flags, and second handles that have their own.
#include "check.hpp"

namespace conform {
namespace {

/// A second handle; the check is skipped if there are none.
Owned<fid_ep> alias_of(fid_ep* ep, std::uint64_t flags)
{
    fid_ep* alias = nullptr;
    const int ret = fi_ep_alias(ep, &alias, flags);
    if (ret == -FI_ENOSYS)
        throw NotClaimed{"fi_ep_alias: " + std::string(fi_strerror(FI_ENOSYS))};
    EXPECT_EQ(ret, 0);
    return Owned<fid_ep>(alias);
}

std::uint64_t flags_of(fid_ep* ep, std::uint64_t direction)
{
    std::uint64_t flags = direction;
    EXPECT_EQ(fi_control(&ep->fid, FI_GETOPSFLAG, &flags), 0);
    return flags;
}

int set_flags(fid_ep* ep, std::uint64_t flags)
{
    return fi_control(&ep->fid, FI_SETOPSFLAG, &flags);
}

Wish selective(Wish wish)
{
    wish.select_transmit = wish.select_receive = FI_SELECTIVE_COMPLETION;
    return wish;
}

/// Sends one byte by that handle and takes it at the other side; whether the send made an entry.
bool send_reports(const Pair& pair, fid_ep* ep)
{
    unsigned char byte = 1, got = 0;
    const iovec iov{&got, 1};
    const fi_msg receive{&iov, nullptr, 1, FI_ADDR_UNSPEC, nullptr, 0};
    pair.post([&] { return fi_recvmsg(pair.b.ep.get(), &receive, FI_COMPLETION); });
    pair.post([&] { return fi_send(ep, &byte, 1, nullptr, pair.to_b, nullptr); });
    EXPECT_FALSE(pair.next(pair.b).failed);
    Completion done;
    const bool reports = pair.anything(pair.a, done);
    EXPECT_FALSE(done.failed);
    EXPECT_EQ(got, 1);
    return reports;
}

CHECK_MODELS(D41_C151_FlagsAreGotAndReplacedOneDirectionAtATime)
{
    const Node node(selective(wish()));
    fid_ep* ep = node.ep.get();
    EXPECT_EQ(set_flags(ep, FI_TRANSMIT | FI_COMPLETION | FI_INJECT), 0);
    EXPECT_EQ(flags_of(ep, FI_TRANSMIT) & ~FI_TRANSMIT, FI_COMPLETION | FI_INJECT);
    EXPECT_EQ(flags_of(ep, FI_RECV) & FI_COMPLETION, 0u);
    EXPECT_EQ(set_flags(ep, FI_RECV | FI_COMPLETION), 0);
    EXPECT_EQ(set_flags(ep, FI_TRANSMIT), 0) << "set replaces";
    EXPECT_EQ(flags_of(ep, FI_TRANSMIT) & ~FI_TRANSMIT, 0u);
    EXPECT_EQ(flags_of(ep, FI_RECV) & ~FI_RECV, FI_COMPLETION);
    for (const std::uint64_t direction : {std::uint64_t{0}, std::uint64_t{FI_TRANSMIT | FI_RECV}}) {
        std::uint64_t flags = direction;
        EXPECT_REFUSED(fi_control(&ep->fid, FI_GETOPSFLAG, &flags));
        EXPECT_REFUSED(set_flags(ep, direction | FI_COMPLETION));
    }
}

CHECK(C152_OnlyPassiveEndpointsHaveABacklog)
{
    const Node node(wish());
    int backlog = 5;
    EXPECT_REFUSED(fi_control(&node.ep->fid, FI_BACKLOG, &backlog));
}

CHECK_MODELS(C113_D36_FlagsAreTheDefaultsOfCallsWithoutFlags)
{
    const Pair pair(selective(wish()));
    EXPECT_FALSE(send_reports(pair, pair.a.ep.get()));
    ASSERT_EQ(set_flags(pair.a.ep.get(), FI_TRANSMIT | FI_COMPLETION), 0);
    EXPECT_TRUE(send_reports(pair, pair.a.ep.get()));
}

CHECK_MODELS(D42_C149_AnAliasDiffersInTheFlagsOfOneDirectionOnly)
{
    const Pair pair(selective(wish()));
    fid_ep* ep = pair.a.ep.get();
    ASSERT_EQ(set_flags(ep, FI_RECV | FI_COMPLETION), 0);
    const auto loud = alias_of(ep, FI_TRANSMIT | FI_COMPLETION);
    EXPECT_TRUE(flags_of(loud.get(), FI_TRANSMIT) & FI_COMPLETION);
    EXPECT_TRUE(flags_of(loud.get(), FI_RECV) & FI_COMPLETION) << "inherited";
    EXPECT_FALSE(flags_of(ep, FI_TRANSMIT) & FI_COMPLETION) << "the parent keeps its own";
    EXPECT_FALSE(send_reports(pair, ep));
    EXPECT_TRUE(send_reports(pair, loud.get()));
    EXPECT_FALSE(send_reports(pair, ep));
    ASSERT_EQ(set_flags(loud.get(), FI_TRANSMIT), 0);
    EXPECT_FALSE(send_reports(pair, loud.get()));
    ASSERT_EQ(set_flags(ep, FI_TRANSMIT | FI_COMPLETION), 0);
    EXPECT_FALSE(send_reports(pair, loud.get())) << "the alias keeps its own";
}

CHECK_MODELS(D42_AnAliasSharesNameQueuesAndReceives)
{
    const Pair pair(wish());
    const auto alias = alias_of(pair.b.ep.get(), FI_TRANSMIT);
    std::vector<char> name(pair.b.name().size() + 1);
    std::size_t size = name.size();
    ASSERT_EQ(fi_getname(&alias->fid, name.data(), &size), 0);
    name.resize(size);
    EXPECT_EQ(name, pair.b.name());
    std::uint64_t value = 5, got[2] = {};
    pair.post([&] {
        return fi_trecv(alias.get(), &got[0], sizeof got[0], nullptr, FI_ADDR_UNSPEC, 1, 0, context(1));
    });
    pair.trecv(&got[1], sizeof got[1], 1, 0, context(2));
    pair.tinject(&value, sizeof value, 1);
    EXPECT_EQ(pair.next(pair.b).entry.op_context, context(1)) << "one list of receives, in order";
    ASSERT_EQ(fi_cancel(&alias->fid, context(2)), 0);
    EXPECT_EQ(pair.next(pair.b).error.err, FI_ECANCELED);
    pair.post([&] { return fi_tinject(alias.get(), &value, sizeof value, pair.to_a, 2); });
    pair.post([&] {
        return fi_trecv(pair.a.ep.get(), &got[0], sizeof got[0], nullptr, FI_ADDR_UNSPEC, 2, 0, nullptr);
    });
    EXPECT_FALSE(pair.next(pair.a).failed);
    EXPECT_EQ(got[0], value);
}

CHECK_MODELS(C150_D42_TheEndpointLivesUntilAllItsHandlesAreClosed)
{
    Pair pair(wish());
    auto first = alias_of(pair.a.ep.get(), FI_TRANSMIT), second = alias_of(pair.a.ep.get(), FI_RECV);
    first.reset();
    pair.a.ep.reset();
    EXPECT_EQ(fi_close(&pair.a.cq->fid), -FI_EBUSY);
    EXPECT_EQ(fi_close(&pair.a.av->fid), -FI_EBUSY);
    EXPECT_TRUE(send_reports(pair, second.get()));
    second.reset();
    EXPECT_EQ(fi_close(&pair.a.cq.release()->fid), 0);
}

CHECK(C149_AnAliasIsOfOneDirection)
{
    const Node node(wish());
    alias_of(node.ep.get(), FI_TRANSMIT).reset();
    fid_ep* alias = nullptr;
    EXPECT_REFUSED(fi_ep_alias(node.ep.get(), &alias, 0));
    EXPECT_REFUSED(fi_ep_alias(node.ep.get(), &alias, FI_TRANSMIT | FI_RECV));
}

CHECK(C172_AWrongLengthIsRefusedWithoutOverrun)
{
    const Node node(wish(), false);
    std::size_t whole = 0, size = sizeof whole;
    if (fi_getopt(&node.ep->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, &whole, &size) == -FI_ENOPROTOOPT)
        GTEST_SKIP() << "FI_OPT_MIN_MULTI_RECV is not served";
    EXPECT_EQ(size, sizeof whole);
    for (std::size_t room = 0; room < sizeof whole; room++) {
        unsigned char value[2 * sizeof whole];
        std::memset(value, 0x5A, sizeof value);
        size = room;
        EXPECT_REFUSED(fi_getopt(&node.ep->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, value, &size));
        EXPECT_EQ(value[room], 0x5A);
    }
    const std::uint32_t narrow = 64;
    EXPECT_REFUSED(fi_setopt(&node.ep->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, &narrow, sizeof narrow));
}

} // namespace
} // namespace conform
