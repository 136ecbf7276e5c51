// SPDX-License-Identifier: BSD-2-Clause
//
// Opening, binding, enabling, waiting, dying and closing: the rules of the control path (C...) that bind
// FI_EP_RDM.
#include "pair.hpp"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace contract {
namespace {

TEST(Lifecycle, C131_BeforeItIsEnabledAnEndpointRefusesEveryPost)
{
    Node node({}, false);
    int value = 0;
    EXPECT_EQ(fi_send(node.ep.get(), &value, sizeof value, nullptr, 0, nullptr), -FI_EOPBADSTATE);
    EXPECT_EQ(fi_recv(node.ep.get(), &value, sizeof value, nullptr, 0, nullptr), -FI_EOPBADSTATE);
    EXPECT_EQ(fi_tinject(node.ep.get(), &value, sizeof value, 0, 0), -FI_EOPBADSTATE);
    EXPECT_EQ(fi_trecv(node.ep.get(), &value, sizeof value, nullptr, 0, 0, 0, nullptr), -FI_EOPBADSTATE);
}

TEST(Lifecycle, C132_EnableSaysWhichBindingIsMissing)
{
    Node node({}, false);
    EXPECT_EQ(fi_enable(node.ep.get()), -FI_ENOCQ);
    node.bind(&node.cq->fid, FI_TRANSMIT);
    EXPECT_EQ(fi_enable(node.ep.get()), -FI_ENOCQ);
    node.bind(&node.cq->fid, FI_RECV);
    EXPECT_EQ(fi_enable(node.ep.get()), -FI_ENOAV);
    node.bind(&node.av->fid, 0);
    EXPECT_EQ(fi_enable(node.ep.get()), 0);
    EXPECT_EQ(fi_enable(node.ep.get()), -FI_EOPBADSTATE);
}

TEST(Lifecycle, C136_C138_C139_WrongBindingsAreRefused)
{
    Node node({}, false), stranger({}, false);
    EXPECT_EQ(fi_ep_bind(node.ep.get(), &node.cq->fid, 0), -FI_EBADFLAGS);
    EXPECT_EQ(fi_ep_bind(node.ep.get(), &node.cq->fid, FI_SELECTIVE_COMPLETION), -FI_EBADFLAGS);
    EXPECT_EQ(fi_ep_bind(node.ep.get(), &stranger.cq->fid, FI_TRANSMIT), -FI_EDOMAIN);
    EXPECT_EQ(fi_ep_bind(node.ep.get(), &stranger.av->fid, 0), -FI_EDOMAIN);
    node.bind(&node.cq->fid, FI_TRANSMIT | FI_RECV);
    EXPECT_EQ(fi_ep_bind(node.ep.get(), &node.cq->fid, FI_RECV), -FI_EINVAL);
    node.bind(&node.av->fid, 0);
    EXPECT_EQ(fi_ep_bind(node.ep.get(), &node.av->fid, 0), -FI_EINVAL);
    EXPECT_EQ(fi_enable(node.ep.get()), 0);
    EXPECT_EQ(fi_ep_bind(node.ep.get(), &node.cq->fid, FI_TRANSMIT), -FI_EOPBADSTATE) << "C135";
}

TEST(Lifecycle, C120_C183_WhatIsInUseCannotBeClosed)
{
    Node node;
    EXPECT_EQ(fi_close(&node.cq->fid), -FI_EBUSY);
    EXPECT_EQ(fi_close(&node.av->fid), -FI_EBUSY);
    EXPECT_EQ(fi_close(&node.domain->fid), -FI_EBUSY);
    EXPECT_EQ(fi_close(&node.fabric->fid), -FI_EBUSY);
}

TEST(Lifecycle, C270_B20_ANameThatDoesNotFitTellsItsSize)
{
    Node node;
    char buffer[128];
    for (std::size_t room = 0; room < sizeof(sockaddr_in); room++) {
        std::memset(buffer, 0x5A, sizeof buffer);
        std::size_t size = room;
        EXPECT_EQ(fi_getname(&node.ep->fid, buffer, &size), -FI_ETOOSMALL);
        EXPECT_EQ(size, sizeof(sockaddr_in));
        EXPECT_EQ(buffer[room], 0x5A);
    }
    std::size_t size = sizeof buffer;
    EXPECT_EQ(fi_getname(&node.ep->fid, buffer, &size), 0);
    EXPECT_EQ(size, sizeof(sockaddr_in));
}

TEST(Lifecycle, C270_B20_TheSizeOfANameThatIsTextCountsItsEnd)
{
    Node node(Wish{.addr_format = FI_ADDR_STR});
    const std::vector<char> name = node.name(); // asks for the size, then for so many bytes
    ASSERT_FALSE(name.empty());
    EXPECT_EQ(name.back(), '\0');
    EXPECT_EQ(std::strlen(name.data()) + 1, name.size());
    std::vector<char> buffer(name.size() + 100, 'Z');
    for (std::size_t room = 0; room < name.size(); room++) {
        std::size_t size = room;
        EXPECT_EQ(fi_getname(&node.ep->fid, buffer.data(), &size), -FI_ETOOSMALL);
        EXPECT_EQ(size, name.size());
        EXPECT_EQ(buffer[room], 'Z');
    }
    std::size_t size = buffer.size();
    EXPECT_EQ(fi_getname(&node.ep->fid, buffer.data(), &size), 0);
    EXPECT_EQ(size, name.size());
    EXPECT_EQ(buffer[size], 'Z');
    const char* text = name.data();
    fi_addr_t addr = FI_ADDR_NOTAVAIL;
    EXPECT_EQ(fi_av_insert(node.av.get(), &text, 1, &addr, 0, nullptr), 1);
}

TEST(Lifecycle, D51_UnsupportedFlagsAreRefusedNotIgnored)
{
    Pair pair;
    int value = 0;
    const iovec iov{&value, sizeof value};
    const fi_msg msg{&iov, nullptr, 1, pair.to_b, nullptr, 0};
    EXPECT_EQ(fi_sendmsg(pair.a.ep.get(), &msg, FI_MULTICAST), -FI_EBADFLAGS);
    EXPECT_EQ(fi_sendmsg(pair.a.ep.get(), &msg, FI_COMMIT_COMPLETE), -FI_EBADFLAGS);
    EXPECT_EQ(fi_recvmsg(pair.a.ep.get(), &msg, FI_MULTICAST), -FI_EBADFLAGS);
}

TEST(Lifecycle, AnAddressThatIsNotInTheVectorIsRefused)
{
    Node node;
    int value = 0;
    EXPECT_EQ(fi_send(node.ep.get(), &value, sizeof value, nullptr, 12345, nullptr), -FI_EINVAL);
    EXPECT_EQ(fi_tinject(node.ep.get(), &value, sizeof value, FI_ADDR_NOTAVAIL - 1, 0), -FI_EINVAL);
}

TEST(Lifecycle, B21_C180_AnAddressCanBeRemovedAndInsertedAgain)
{
    Pair pair;
    const auto name = pair.b.name();
    for (int i = 0; i < 200; i++) {
        pair.post([&] { return fi_tinject(pair.a.ep.get(), &i, sizeof i, pair.to_b, 1); });
        int got = -1;
        pair.post([&] {
            return fi_trecv(pair.b.ep.get(), &got, sizeof got, nullptr, FI_ADDR_UNSPEC, 1, 0, nullptr);
        });
        ASSERT_FALSE(pair.next(pair.b).failed);
        ASSERT_EQ(got, i);
        ASSERT_EQ(fi_av_remove(pair.a.av.get(), &pair.to_b, 1, 0), 0);
        ASSERT_EQ(fi_tinject(pair.a.ep.get(), &i, sizeof i, pair.to_b, 1), -FI_EINVAL);
        pair.to_b = pair.a.insert(name);
    }
}

/// An address at which nobody listens.
std::vector<char> closed_port()
{
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    EXPECT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    socklen_t size = sizeof address;
    EXPECT_EQ(getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size), 0);
    close(fd);
    const auto* bytes = reinterpret_cast<const char*>(&address);
    return {bytes, bytes + sizeof address};
}

TEST(Death, D221_ASendToAPortWhereNobodyListensFailsOnceAndSaysWhy)
{
    Node node;
    const fi_addr_t nobody = node.insert(closed_port());
    int value = 0;
    for (int round = 0; round < 3; round++) {
        ASSERT_EQ(fi_send(node.ep.get(), &value, sizeof value, nullptr, nobody, context(4)), 0);
        Completion done;
        const auto end = std::chrono::steady_clock::now() + kPatience;
        while (!read_one(node.cq.get(), done))
            ASSERT_LT(std::chrono::steady_clock::now(), end);
        ASSERT_TRUE(done.failed);
        EXPECT_EQ(done.error.err, FI_ECONNREFUSED);
        EXPECT_EQ(done.error.op_context, context(4));
        char text[128];
        EXPECT_STREQ(fi_cq_strerror(node.cq.get(), done.error.prov_errno, nullptr, text, sizeof text),
                     "Connection refused");
    }
}

TEST(Death, B41_EveryOperationToAPeerThatIsGoneEndsInAnError)
{
    Wish wish;
    Node survivor(wish);
    auto victim = std::make_unique<Node>(wish);
    const fi_addr_t to_victim = survivor.insert(victim->name());
    victim->insert(survivor.name());
    int value = 0;
    const auto block = pattern(1 << 20, 1);
    ASSERT_EQ(fi_send(survivor.ep.get(), &value, sizeof value, nullptr, to_victim, context(1)), 0);
    Completion done;
    while (!read_one(survivor.cq.get(), done))
        Pair::progress(*victim);
    ASSERT_FALSE(done.failed);
    constexpr int kSends = 20;
    for (int i = 0; i < kSends; i++)
        ASSERT_EQ(fi_send(survivor.ep.get(), block.data(), block.size(), nullptr, to_victim, context(2)), 0);
    ASSERT_EQ(fi_recv(survivor.ep.get(), &value, sizeof value, nullptr, to_victim, context(3)), 0);
    victim.reset();
    int sends = 0, receives = 0;
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (sends + receives < kSends + 1) {
        Completion failed;
        if (read_one(survivor.cq.get(), failed)) {
            ASSERT_TRUE(failed.failed);
            (failed.error.op_context == context(2) ? sends : receives)++;
        }
        ASSERT_LT(std::chrono::steady_clock::now(), end) << sends << " sends, " << receives << " receives";
    }
    EXPECT_EQ(sends, kSends);
    EXPECT_EQ(receives, 1) << "a receive for that peer alone cannot be filled any more";
    Completion none;
    EXPECT_FALSE(read_one(survivor.cq.get(), none));
}

TEST(Death, D145_WhatWasSentArrivesThoughTheSenderClosesAtOnce)
{
    for (const std::size_t size : {std::size_t{8}, std::size_t{16'000}}) {
        Node receiver;
        auto sender = std::make_unique<Node>();
        const fi_addr_t to_receiver = sender->insert(receiver.name());
        std::vector<unsigned char> got(size);
        const auto sent = pattern(size, 9);
        ASSERT_EQ(fi_send(sender->ep.get(), sent.data(), size, nullptr, to_receiver, nullptr), 0);
        Completion done;
        while (!read_one(sender->cq.get(), done))
            Pair::progress(receiver);
        ASSERT_FALSE(done.failed);
        sender.reset();
        ASSERT_EQ(fi_recv(receiver.ep.get(), got.data(), size, nullptr, FI_ADDR_UNSPEC, nullptr), 0);
        while (!read_one(receiver.cq.get(), done))
            ;
        EXPECT_FALSE(done.failed);
        EXPECT_EQ(got, sent);
    }
}

TEST(Waiting, D199_AReaderAsleepIsWokenByAMessage)
{
    Wish wish;
    wish.wait = FI_WAIT_UNSPEC;
    Pair pair(wish);
    for (int round = 0; round < 200; round++) {
        int got = -1;
        ASSERT_EQ(fi_trecv(pair.b.ep.get(), &got, sizeof got, nullptr, FI_ADDR_UNSPEC, 1, 0, nullptr), 0);
        std::thread sender([&] {
            pair.post([&] {
                return fi_tsend(pair.a.ep.get(), &round, sizeof round, nullptr, pair.to_b, 1, nullptr);
            });
            Completion done;
            while (!read_one(pair.a.cq.get(), done))
                ;
        });
        fi_cq_tagged_entry entry;
        EXPECT_EQ(fi_cq_sread(pair.b.cq.get(), &entry, 1, nullptr, 30'000), 1);
        sender.join();
        EXPECT_EQ(got, round);
    }
}

TEST(Waiting, D200_D203_ATimeoutAndASignalEndInTryAgain)
{
    Wish wish;
    wish.wait = FI_WAIT_UNSPEC;
    Node node(wish);
    fi_cq_tagged_entry entry;
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(fi_cq_sread(node.cq.get(), &entry, 1, nullptr, 30), -FI_EAGAIN);
    EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(30)) << "not early";
    EXPECT_EQ(fi_cq_signal(node.cq.get()), 0);
    EXPECT_EQ(fi_cq_sread(node.cq.get(), &entry, 1, nullptr, -1), -FI_EAGAIN) << "woken by the signal";
    Node spins({.wait = FI_WAIT_NONE});
    EXPECT_EQ(fi_cq_sread(spins.cq.get(), &entry, 1, nullptr, 0), -FI_EINVAL) << "D201";
}

TEST(Waiting, C252_D207_TheDescriptorOfAQueueThatMayBeSleptOnTellsOfAMessage)
{
    Wish wish;
    wish.wait = FI_WAIT_FD;
    Pair pair(wish);
    int fd = -1;
    ASSERT_EQ(fi_control(&pair.b.cq->fid, FI_GETWAIT, &fd), 0);
    for (int round = 0; round < 50; round++) {
        int got = -1;
        ASSERT_EQ(fi_trecv(pair.b.ep.get(), &got, sizeof got, nullptr, FI_ADDR_UNSPEC, 1, 0, nullptr), 0);
        pair.post([&] { return fi_tinject(pair.a.ep.get(), &round, sizeof round, pair.to_b, 1); });
        Completion done;
        const auto end = std::chrono::steady_clock::now() + kPatience;
        while (!read_one(pair.b.cq.get(), done)) {
            Pair::progress(pair.a);
            fid* fids[] = {&pair.b.cq->fid};
            pollfd wait{fd, POLLIN, 0};
            if (fi_trywait(pair.b.fabric.get(), fids, 1) == 0)
                poll(&wait, 1, 1);
            ASSERT_LT(std::chrono::steady_clock::now(), end);
        }
        EXPECT_EQ(got, round);
    }
}

} // namespace
} // namespace contract
