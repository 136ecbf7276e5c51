// SPDX-License-Identifier: BSD-2-Clause
//
// One local peer: two rings, a socket for what is rare, and where in its life it is.
#pragma once

#include "kit/devices/hello.hpp"
#include "kit/devices/shm/memory.hpp"
#include "kit/devices/shm/ring.hpp"
#include "kit/objects/fork.hpp"

#include <unistd.h>

namespace fi::kit::shm {

class Link : public LinkBase {
  public:
    enum class State : std::uint8_t {
        AwaitAnswer, ///< we called and said hello
        AwaitHello,  ///< we were called
        Up,
    };

    Link(int socket, State first) : fd(socket), state(first)
    {
        local = true;
        names_places = true;
        eager_limit = kMaxPayload;
        part_limit = kMaxPayload;
        hot.tail = hot.limit = nullptr;
        hot.ring_bell = [](fi_hot_channel* channel) {
            static_cast<Link*>(reinterpret_cast<LinkBase*>(channel))->ring_bell();
        };
    }
    ~Link()
    {
        close_here(fd);
        if (pidfd >= 0)
            ::close(pidfd);
    }
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;

    RingMemory& outgoing() const noexcept { return *static_cast<RingMemory*>(out_memory.data()); }
    RingMemory& incoming() const noexcept { return *static_cast<RingMemory*>(in_memory.data()); }

    /// Wakes a peer that has parked our ring: once each time that it has parked it.
    void ring_bell() noexcept;
    /// Wakes a peer that sleeps until we have made room.
    void answer_bell() noexcept;

    int fd;
    int pidfd = -1;
    pid_t pid = 0; ///< of the peer, from SO_PEERCRED; 0: unknown
    State state;
    bool called = false;           ///< by us: there may be another way to this peer
    bool hot_set = false;          ///< in the port's list of links that every poll looks at
    bool blocked_set = false;      ///< in the port's list of links whose writer has no room
    bool gone = false;             ///< the peer is; what it has left is still taken
    bool readable = false;         ///< its memory can be read
    int error = 0;                 ///< why it is about to die; 0: alive
    std::uint64_t last_active = 0; ///< fi_hot_clock()
    std::uint32_t rung_for = 0;    ///< the parking for which the bell has been rung

    Memory in_memory;
    Memory out_memory;
    Reader reader;
    Writer writer;
    Hello hello;     ///< the peer's, once Up
    Address dialled; ///< if called
};
static_assert(offsetof(LinkBase, hot) == 0, "a channel's address is its link's");

} // namespace fi::kit::shm
