// SPDX-License-Identifier: BSD-2-Clause
//
// What soft decides about default operation flags, second handles and options where the rules leave room.
#include "pair.hpp"

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>

namespace contract {
namespace {

Owned<fid_ep> alias_of(fid_ep* ep, std::uint64_t flags)
{
    fid_ep* alias = nullptr;
    EXPECT_EQ(fi_ep_alias(ep, &alias, flags), 0);
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

TEST(OperationFlags, C151_WrongOnesHaveTheirCodes)
{
    const Node node;
    fid_ep* ep = node.ep.get();
    for (const std::uint64_t direction : {std::uint64_t{0}, std::uint64_t{FI_TRANSMIT | FI_RECV}}) {
        std::uint64_t flags = direction;
        EXPECT_EQ(fi_control(&ep->fid, FI_GETOPSFLAG, &flags), -FI_EINVAL);
        EXPECT_EQ(set_flags(ep, direction | FI_COMPLETION), -FI_EINVAL);
    }
    EXPECT_EQ(set_flags(ep, FI_TRANSMIT | FI_REMOTE_CQ_DATA), -FI_EBADFLAGS) << "D37";
    EXPECT_EQ(set_flags(ep, FI_RECV | FI_INJECT), -FI_EBADFLAGS);
    EXPECT_EQ(fi_control(&ep->fid, FI_GETOPSFLAG, nullptr), -FI_EINVAL);
    EXPECT_EQ(fi_control(&ep->fid, FI_BACKLOG, &ep), -FI_ENOSYS) << "C152";
}

TEST(Alias, D42_AnAliasOfAnAliasInheritsFromThatAlias)
{
    const Node node;
    const auto silent = alias_of(node.ep.get(), FI_TRANSMIT);
    ASSERT_EQ(set_flags(node.ep.get(), FI_TRANSMIT | FI_COMPLETION), 0);
    const auto second = alias_of(silent.get(), FI_RECV);
    EXPECT_EQ(flags_of(second.get(), FI_TRANSMIT), 0u);
}

TEST(Alias, OfAnEndpointThatIsNotEnabledIsEnabledWithItWhicheverHandleIsUsed)
{
    Node node({}, false), peer;
    const auto alias = alias_of(node.ep.get(), FI_TRANSMIT);
    int value = 1;
    EXPECT_EQ(fi_send(alias.get(), &value, sizeof value, nullptr, 0, nullptr), -FI_EOPBADSTATE);
    ASSERT_EQ(fi_ep_bind(alias.get(), &node.cq->fid, FI_TRANSMIT | FI_RECV), 0);
    ASSERT_EQ(fi_ep_bind(node.ep.get(), &node.av->fid, 0), 0);
    EXPECT_EQ(fi_enable(alias.get()), 0);
    EXPECT_EQ(fi_enable(node.ep.get()), -FI_EOPBADSTATE);
    const fi_addr_t to_peer = node.insert(peer.name());
    for (fid_ep* handle : {alias.get(), node.ep.get()})
        EXPECT_EQ(fi_send(handle, &value, sizeof value, nullptr, to_peer, nullptr), 0);
}

TEST(Alias, C149_WrongFlagsAreRefused)
{
    Node node;
    fid_ep* alias = nullptr;
    EXPECT_EQ(fi_ep_alias(node.ep.get(), &alias, 0), -FI_EINVAL);
    EXPECT_EQ(fi_ep_alias(node.ep.get(), &alias, FI_TRANSMIT | FI_RECV), -FI_EINVAL);
    EXPECT_EQ(fi_ep_alias(node.ep.get(), &alias, FI_RECV | FI_INJECT), -FI_EBADFLAGS);
    EXPECT_EQ(alias, nullptr);
}

int get(const Node& node, int option, std::size_t& value)
{
    std::size_t size = sizeof value;
    return fi_getopt(&node.ep->fid, FI_OPT_ENDPOINT, option, &value, &size);
}

template <class T>
int set(const Node& node, int option, T value)
{
    return fi_setopt(&node.ep->fid, FI_OPT_ENDPOINT, option, &value, sizeof value);
}

TEST(Options, D20_C170_C171_SizesAreThoseOfTheAttributes)
{
    const Node node;
    std::size_t value = 0;
    for (const int option : {FI_OPT_MAX_MSG_SIZE, FI_OPT_MAX_TAGGED_SIZE}) {
        EXPECT_EQ(get(node, option, value), 0);
        EXPECT_EQ(value, node.info->ep_attr->max_msg_size);
        EXPECT_EQ(set(node, option, std::size_t{1}), -FI_ENOPROTOOPT);
    }
    for (const int option : {FI_OPT_INJECT_MSG_SIZE, FI_OPT_INJECT_TAGGED_SIZE}) {
        EXPECT_EQ(get(node, option, value), 0);
        EXPECT_EQ(value, node.info->tx_attr->inject_size);
        EXPECT_EQ(set(node, option, std::size_t{1}), -FI_ENOPROTOOPT);
    }
}

TEST(Options, D21_C163_QueueSizesCanBeSetUntilItIsEnabled)
{
    Node node({}, false);
    std::size_t value = 0;
    EXPECT_EQ(get(node, FI_OPT_TX_SIZE, value), 0);
    EXPECT_EQ(value, node.info->tx_attr->size);
    EXPECT_EQ(set(node, FI_OPT_TX_SIZE, std::size_t{64}), 0);
    EXPECT_EQ(set(node, FI_OPT_RX_SIZE, std::size_t{64}), 0);
    EXPECT_EQ(get(node, FI_OPT_RX_SIZE, value), 0);
    EXPECT_EQ(value, 64u);
    for (const std::size_t wrong : {std::size_t{0}, SIZE_MAX})
        EXPECT_EQ(set(node, FI_OPT_RX_SIZE, wrong), -FI_EINVAL);
    node.bind(&node.cq->fid, FI_TRANSMIT | FI_RECV);
    node.bind(&node.av->fid, 0);
    ASSERT_EQ(fi_enable(node.ep.get()), 0);
    EXPECT_EQ(set(node, FI_OPT_RX_SIZE, std::size_t{64}), -FI_EOPBADSTATE);
    EXPECT_EQ(set(node, FI_OPT_SHARED_MEMORY_PERMITTED, false), -FI_EOPBADSTATE);
    EXPECT_EQ(set(node, FI_OPT_MIN_MULTI_RECV, std::size_t{64}), 0) << "this one at any time";
    int posted = 0;
    while (fi_recv(node.ep.get(), &value, sizeof value, nullptr, FI_ADDR_UNSPEC, nullptr) == 0)
        ASSERT_LT(posted++, 1000);
    EXPECT_EQ(posted, 64) << "and it holds";
}

TEST(Options, C172_AWrongLengthIsRefusedWithoutOverrun)
{
    Node node({}, false);
    for (std::size_t room = 0; room < sizeof(std::size_t); room++) {
        unsigned char value[2 * sizeof(std::size_t)];
        std::memset(value, 0x5A, sizeof value);
        std::size_t size = room;
        EXPECT_EQ(fi_getopt(&node.ep->fid, FI_OPT_ENDPOINT, FI_OPT_TX_SIZE, value, &size), -FI_ETOOSMALL);
        EXPECT_EQ(size, sizeof(std::size_t));
        EXPECT_EQ(value[0], 0x5A);
    }
    for (const int option : {FI_OPT_TX_SIZE, FI_OPT_RX_SIZE, FI_OPT_MIN_MULTI_RECV})
        EXPECT_EQ(set(node, option, std::uint32_t{64}), -FI_EINVAL);
    EXPECT_EQ(set(node, FI_OPT_SHARED_MEMORY_PERMITTED, std::uint32_t{0}), -FI_EINVAL);
    EXPECT_EQ(fi_setopt(&node.ep->fid, FI_OPT_ENDPOINT, FI_OPT_TX_SIZE, nullptr, 8), -FI_EINVAL);
    EXPECT_EQ(fi_getopt(&node.ep->fid, FI_OPT_ENDPOINT, FI_OPT_TX_SIZE, nullptr, nullptr), -FI_EINVAL);
}

TEST(Options, C162_WhatIsNotServedSaysSo)
{
    const Node node({}, false);
    std::size_t value = 0;
    for (const int option : std::initializer_list<int>{
             FI_OPT_CM_DATA_SIZE, FI_OPT_BUFFERED_MIN, FI_OPT_BUFFERED_LIMIT, FI_OPT_SEND_BUF_SIZE,
             FI_OPT_RECV_BUF_SIZE, FI_OPT_FI_HMEM_P2P, FI_OPT_XPU_TRIGGER, FI_OPT_MAX_RMA_SIZE,
             FI_OPT_MAX_ATOMIC_SIZE, FI_OPT_INJECT_RMA_SIZE, FI_OPT_INJECT_ATOMIC_SIZE, FI_OPT_FIREWALL_ADDR,
             FI_OPT_FIREWALL_ADDR + 1, -1, INT_MIN}) {
        EXPECT_EQ(get(node, option, value), -FI_ENOPROTOOPT) << option;
        EXPECT_EQ(set(node, option, value), -FI_ENOPROTOOPT) << option;
    }
    EXPECT_EQ(get(node, FI_OPT_SHARED_MEMORY_PERMITTED, value), -FI_ENOPROTOOPT) << "it can only be set";
    EXPECT_EQ(get(node, FI_OPT_CUDA_API_PERMITTED, value), -FI_ENOPROTOOPT);
    EXPECT_EQ(set(node, FI_OPT_CUDA_API_PERMITTED, false), -FI_EINVAL) << "C167: there is no CUDA";
    std::size_t size = sizeof value;
    EXPECT_EQ(fi_getopt(&node.ep->fid, 1, FI_OPT_TX_SIZE, &value, &size), -FI_ENOPROTOOPT);
    EXPECT_EQ(fi_setopt(&node.ep->fid, 1, FI_OPT_TX_SIZE, &value, size), -FI_ENOPROTOOPT);
}

/// Memory files that this process has mapped.
int shared_mappings()
{
    FILE* maps = std::fopen("/proc/self/maps", "re");
    if (!maps)
        return -1;
    int found = 0;
    char line[4096];
    while (std::fgets(line, sizeof line, maps))
        found += std::strstr(line, "/memfd:") != nullptr;
    std::fclose(maps);
    return found;
}

TEST(Options, C169_WithoutPermissionThereIsNoSharedMemoryBetweenPeersOfOneMachine)
{
    const char* setting = std::getenv("FI_SOFT_SHM"); // permission does not turn on what the user turned off
    const bool allowed = !setting || std::strcmp(setting, "0") != 0;
    for (const bool permitted : {false, true}) {
        Node a({}, false), b({}, false);
        for (Node* node : {&a, &b}) {
            EXPECT_EQ(set(*node, FI_OPT_SHARED_MEMORY_PERMITTED, permitted), 0);
            node->bind(&node->cq->fid, FI_TRANSMIT | FI_RECV);
            node->bind(&node->av->fid, 0);
            ASSERT_EQ(fi_enable(node->ep.get()), 0);
        }
        const fi_addr_t to_b = a.insert(b.name());
        int value = 3, got = 0;
        ASSERT_EQ(fi_recv(b.ep.get(), &got, sizeof got, nullptr, FI_ADDR_UNSPEC, nullptr), 0);
        ASSERT_EQ(fi_send(a.ep.get(), &value, sizeof value, nullptr, to_b, nullptr), 0);
        Completion done;
        const auto end = std::chrono::steady_clock::now() + kPatience;
        while (!read_one(b.cq.get(), done)) {
            Pair::progress(a);
            ASSERT_LT(std::chrono::steady_clock::now(), end);
        }
        EXPECT_FALSE(done.failed);
        EXPECT_EQ(got, value);
        EXPECT_EQ(shared_mappings() > 0, permitted && allowed);
    }
}

} // namespace
} // namespace contract
