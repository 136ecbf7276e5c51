// SPDX-License-Identifier: BSD-2-Clause
//
// One peer over both devices: it calls us through shared memory and is called over TCP, or the other way
// round, and then ends. The test plays it, over real sockets and a real ring.
#include "../fuzz/enemy.hpp"
#include "kit/devices/per_peer.hpp"
#include "kit/devices/tcp/port.hpp"
#include "kit/engine/engine.hpp"
#include "test_parent.hpp"

#include <chrono>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <poll.h>

namespace fi::kit {
namespace {

constexpr unsigned kUs = 1, kPeer = 2; // hosts, of fuzz::address_of()
constexpr std::uint64_t kWords = 7, kDirected = 8;

char sent, got_words, got_directed;

bool ready(int fd)
{
    pollfd one{fd, POLLIN, 0};
    return ::poll(&one, 1, 0) == 1;
}

/// Whether the other side has ended this connection; takes what came before.
bool has_ended(int fd)
{
    char bytes[4096];
    while (ready(fd))
        if (recv(fd, bytes, sizeof bytes, MSG_DONTWAIT) <= 0)
            return true;
    return false;
}

fuzz::Fd listening(int type, const void* name, socklen_t size)
{
    const auto* address = static_cast<const sockaddr*>(name);
    fuzz::Fd fd(socket(address->sa_family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    const int on = 1; // connections of the test before may not be forgotten yet
    EXPECT_EQ(0, setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on));
    EXPECT_EQ(0, bind(fd.get(), address, size));
    EXPECT_EQ(0, listen(fd.get(), 8));
    return fd;
}

struct PerPeerEnds : testing::Test {
    using Device = PerPeer<tcp::Port>;

    PerPeerEnds()
        : queue(lock, parent, fi_cq_attr{.size = 16, .format = FI_CQ_FORMAT_TAGGED}, FI_VERSION(2, 6),
                nullptr),
          addresses(parent, av_attr, FI_SOCKADDR_IN, nullptr),
          engine(
              hot,
              EngineConfig{&test_provider, &queue, &queue, &addresses, 16, 16, true, false, FI_SOCKADDR_IN},
              Device::Config{{.provider = &test_provider,
                              .bind_to = fuzz::address_of(kUs),
                              .interfaces = {},
                              .connect_milliseconds = 10'000,
                              .peer_milliseconds = 10'000},
                             true}),
          tcp_listener(listening(SOCK_STREAM, name.data(), name.size()))
    {
        EXPECT_EQ(1, addresses.av_insert(name.data(), 1, &peer, 0, nullptr));
        EXPECT_EQ(0, receive(words, &got_words, kWords));
        EXPECT_EQ(0, receive(directed, &got_directed, kDirected));
    }

    ssize_t receive(std::string& into, void* context, std::uint64_t tag)
    {
        const iovec iov{into.data(), into.size()};
        return engine.receive({&iov, 1, peer, tag, 0, context, true, true});
    }
    ssize_t send()
    {
        const iovec iov{words.data(), words.size()};
        return engine.send({&iov, 1, peer, 0, 0, &sent, FI_FRAME_TAGGED, false, true});
    }
    /// Looks until that is so.
    void until(const std::function<bool()>& is_so)
    {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        while (!is_so()) {
            step();
            if (std::chrono::steady_clock::now() > end)
                throw std::runtime_error("nothing happens");
        }
    }
    /// One look, and what has completed: the errors by context.
    void step()
    {
        engine.look(true);
        fi_cq_tagged_entry entry{};
        fi_addr_t source = 0;
        for (;;) {
            const ssize_t ret = queue.cq_readfrom(&entry, 1, &source);
            fi_cq_err_entry error{};
            if (ret == 1)
                done.emplace(entry.op_context, 0);
            else if (ret == -FI_EAVAIL && queue.cq_readerr(&error, 0) == 1)
                done.emplace(error.op_context, error.err);
            else
                return;
        }
    }
    [[nodiscard]] bool has_completed(const void* context) const { return done.count(context) != 0; }

    /// We call the peer, over TCP.
    void call()
    {
        ASSERT_EQ(0, send());
        until([&] { return ready(tcp_listener.get()); });
        over_tcp = fuzz::Fd(accept4(tcp_listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
        until([&] { return ready(over_tcp.get()); }); // our hello
    }
    void answer() const
    {
        const std::string hello = encode(fuzz::hello_of(kPeer));
        ASSERT_EQ(static_cast<ssize_t>(hello.size()),
                  ::send(over_tcp.get(), hello.data(), hello.size(), MSG_NOSIGNAL));
    }
    /// The peer calls us, through shared memory.
    void be_called()
    {
        near.emplace(kPeer);
        near->connect();
        until([&] { return near->up(); });
    }
    [[nodiscard]] static fi_frame words_frame()
    {
        fi_frame frame{};
        frame.kind = FI_FRAME_EAGER;
        frame.flags = FI_FRAME_TAGGED;
        frame.tag = kWords;
        frame.length = 5;
        return frame;
    }
    void say_over_tcp() const
    {
        const fi_frame frame = words_frame();
        std::string bytes(reinterpret_cast<const char*>(&frame), sizeof frame);
        bytes += "words";
        ASSERT_EQ(static_cast<ssize_t>(bytes.size()),
                  ::send(over_tcp.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL));
    }
    void say_in_memory()
    {
        char bytes[] = "words";
        const iovec payload{bytes, 5};
        ASSERT_EQ(1, near->writer().put(words_frame(), &payload, 1));
        fuzz::send_packet(near->socket(), "", 1, {}); // the bell
    }
    void expect_words_then_death()
    {
        until([&] { return has_completed(&got_words); });
        EXPECT_EQ(0, done[&got_words]);
        EXPECT_EQ("words", words);
        EXPECT_FALSE(has_completed(&got_directed));
        over_tcp = fuzz::Fd();
        near.reset();
        until([&] { return has_completed(&got_directed); });
        EXPECT_EQ(ECONNRESET, done[&got_directed]);
    }

    NoLock lock;
    TestParent parent;
    fi_av_attr av_attr{};
    CompletionQueue<NoLock> queue;
    AddressVector addresses;
    fi_hot_ep hot{};
    Engine<Device> engine;
    Address name = fuzz::address_of(kPeer);
    fi_addr_t peer = FI_ADDR_NOTAVAIL;
    fuzz::Fd tcp_listener;
    fuzz::Fd over_tcp;
    std::optional<fuzz::Connection> near;
    std::string words = std::string(5, '.');
    std::string directed = std::string(5, '.');
    std::map<const void*, int> done;
};

TEST_F(PerPeerEnds, WhatWasSaidOverTcpIsDeliveredThoughSharedMemoryHasEnded)
{
    call();
    answer();
    be_called();
    until([&] { return has_completed(&sent); });
    say_over_tcp();
    near.reset();
    until([&] { return has_ended(over_tcp.get()); }); // it is told, and still read
    expect_words_then_death();
}

TEST_F(PerPeerEnds, WhatWasSaidInMemoryIsDeliveredThoughTcpHasEnded)
{
    call();
    answer();
    be_called();
    until([&] { return has_completed(&sent); });
    over_tcp = fuzz::Fd();
    until([&] { return has_ended(near->socket()); });
    say_in_memory();
    expect_words_then_death();
}

TEST_F(PerPeerEnds, AnAnswerOverTcpAndWhatIsBehindItComeThoughSharedMemoryHasEnded)
{
    call();
    be_called();
    until([&] { return has_completed(&sent); }); // in memory, since nobody answers the call
    near.reset();
    for (int i = 0; i < 100; i++)
        step();
    EXPECT_FALSE(has_completed(&got_directed));
    answer();
    say_over_tcp();
    expect_words_then_death();
}

TEST_F(PerPeerEnds, ACallInMemoryIsNotMadeAnewOverTcpWhenThePeerHasEnded)
{
    sockaddr_un where{};
    where.sun_family = AF_UNIX;
    const std::string text = "fabric/" + std::to_string(name.family()) + "/" + name.text();
    std::memcpy(where.sun_path + 1, text.data(), text.size());
    fuzz::Fd memory_listener = listening(
        SOCK_SEQPACKET, &where, static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size()));
    ASSERT_EQ(0, send());
    // The peer calls over TCP, and ends that.
    over_tcp = fuzz::Fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const Address us = fuzz::address_of(kUs);
    ASSERT_EQ(0, connect(over_tcp.get(), us.data(), us.size()));
    answer();
    until([&] { return has_completed(&sent); }); // that way, since nobody answers the call
    over_tcp = fuzz::Fd();
    for (int i = 0; i < 100; i++)
        step();
    EXPECT_FALSE(has_completed(&got_directed));
    memory_listener = fuzz::Fd();
    until([&] { return has_completed(&got_directed); });
    EXPECT_FALSE(ready(tcp_listener.get()));
}

} // namespace
} // namespace fi::kit
