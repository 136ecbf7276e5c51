// SPDX-License-Identifier: BSD-2-Clause
//
// The engine and an address vector that changes: where messages go when slots change hands, and duplicates.
#include "engine_support.hpp"

#include <thread>
#include <vector>

namespace fi::kit {
namespace {

constexpr char kOne = 0; ///< contexts
constexpr char kTwo = 0;
void* const one = const_cast<char*>(&kOne);
void* const two = const_cast<char*>(&kTwo);

void forget(Node& node, fi_addr_t addr)
{
    ASSERT_EQ(0, node.addresses.av_remove(&addr, 1, 0));
}

TEST(Addresses, ASlotLeadsToWhoIsInItNowHoweverOftenThatChanged)
{
    memory::Network network;
    Node sender(network, 1), first(network, 2), second(network, 3);
    std::string to_first(1, ' '), to_second(1, ' ');
    for (int round = 0; round < 20; round++) {
        const fi_addr_t slot = sender.know(2);
        ASSERT_EQ(0u, slot);
        ASSERT_EQ(0, first.receive(to_first, one));
        ASSERT_EQ(0, round % 2 ? sender.inject(slot, "1") : sender.send(slot, "1", two));
        settle(sender, first, second);
        ASSERT_EQ("1", to_first);
        forget(sender, slot);
        // Between two calls of the engine, more often than it has slots to note it in.
        for (int change = 0; change < 200; change++) {
            ASSERT_EQ(slot, sender.know(change % 2 ? 2 : 3));
            forget(sender, slot);
        }
        ASSERT_EQ(-FI_EINVAL, sender.inject(slot, "x"));
        ASSERT_EQ(slot, sender.know(3));
        ASSERT_EQ(0, second.receive(to_second, one));
        ASSERT_EQ(0, sender.inject(slot, "2"));
        settle(sender, first, second);
        ASSERT_EQ("2", to_second);
        forget(sender, slot);
        to_first = to_second = " ";
    }
}

TEST(Addresses, B23_DuplicatesLeadToOnePeerAndOutliveEachOther)
{
    memory::Network network;
    Node node(network, 1), peer(network, 2), other(network, 3);
    peer.know(1);
    other.know(1);
    const fi_addr_t twin[] = {node.know(2), node.know(2)};
    const fi_addr_t stranger = node.know(3);
    ASSERT_NE(twin[0], twin[1]);
    std::string got(1, ' ');
    for (const fi_addr_t addr : twin) {
        ASSERT_EQ(0, peer.receive(got, one));
        ASSERT_EQ(0, node.send(addr, "a", two));
        settle(node, peer, other);
        EXPECT_EQ("a", got);
        got = " ";
        ASSERT_EQ(0, node.receive(got, one, 7, addr));
        ASSERT_EQ(0, other.send(0, "x", two, 7));
        ASSERT_EQ(0, peer.send(0, "b", two, 7));
        settle(node, peer, other);
        EXPECT_EQ("b", got) << "a directed receive takes it by either address, and from nobody else";
        ASSERT_EQ(0, node.receive(got, one, 7, stranger));
        settle(node, peer, other);
        EXPECT_EQ("x", got);
    }
    node.done.clear();
    forget(node, twin[0]);
    ASSERT_EQ(-FI_EINVAL, node.inject(twin[0], "x"));
    ASSERT_EQ(0, peer.receive(got, one));
    ASSERT_EQ(0, node.inject(twin[1], "c"));
    settle(node, peer, other);
    EXPECT_EQ("c", got);
    ASSERT_EQ(0, node.receive(got, one, 7, twin[1]));
    ASSERT_EQ(0, peer.send(0, "d", two, 7));
    settle(node, peer, other);
    EXPECT_EQ("d", got);
    EXPECT_EQ(twin[1], node.only(one).source) << "the one that is left";
}

TEST(Addresses, ThatAnotherThreadRemovesAreForgottenWhileMessagesGoToOthers)
{
    memory::Network network;
    Node sender(network, 1), first(network, 2), second(network, 3);
    const fi_addr_t stays = sender.know(2);
    std::vector<fi_addr_t> others;
    for (int i = 0; i < 300; i++) {
        others.push_back(sender.know(3));
        ASSERT_EQ(0, sender.inject(others.back(), "1"));
        settle(sender, first, second);
    }
    std::thread remover([&] {
        for (const fi_addr_t addr : others)
            forget(sender, addr);
    });
    std::string to_first(1, ' ');
    for (int i = 0; i < 300; i++) {
        ASSERT_EQ(0, first.receive(to_first, one));
        ASSERT_EQ(0, sender.inject(stays, "2"));
        settle(sender, first, second);
    }
    remover.join();
    EXPECT_EQ(300, first.count(one));
    for (const fi_addr_t addr : others)
        ASSERT_EQ(-FI_EINVAL, sender.inject(addr, "x"));
    for (const fi_addr_t addr : others)
        ASSERT_EQ(addr, sender.know(2)) << "the slots are free";
    ASSERT_EQ(0, first.receive(to_first, two));
    ASSERT_EQ(0, sender.inject(others.back(), "3"));
    settle(sender, first, second);
    EXPECT_EQ("3", to_first);
}

} // namespace
} // namespace fi::kit
