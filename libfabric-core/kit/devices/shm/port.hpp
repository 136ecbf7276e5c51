// SPDX-License-Identifier: BSD-2-Clause
//
// The shared memory port: a ring to and from each endpoint of this machine, network namespace and user.
//
// Endpoints find each other by the same names as over TCP: an abstract Unix socket is called after the
// address, and such names are seen within one network namespace only. Whoever is not found there, belongs to
// somebody else or cannot share memory is left to the other device (per_peer.hpp).
//
// The socket carries the hello, in which each side passes the memory that it reads from, and then nothing but
// bells and the end:
//   - links that delivered in the last 100 microseconds are looked at by every poll, and their next slots are
//     what a completion queue watches in between. The others are parked, and their writers ring the bell;
//   - a bell is one packet. epoll tells of it when everything is polled, or wakes who sleeps;
//   - the end of the socket, or of the process (a pidfd), is the end of the peer. What it has left in the
//   ring
//     is taken first.
// Large messages are read straight from the sender's memory where a probe has shown that the kernel allows
// it.
//
// Lost alternatives: one word per endpoint in which every sender leaves a mark (a second cache line per
// message, and any peer may wipe out another's marks); futexes (they cannot be waited for together with
// sockets).
#pragma once

#include "kit/devices/shm/link.hpp"
#include "kit/objects/clock.hpp"

#include <memory>
#include <rdma/providers/fi_log.h>
#include <rdma/providers/fi_prov.h>
#include <sys/epoll.h>
#include <unordered_map>
#include <vector>

namespace fi::kit::shm {

struct PortConfig {
    const fi_provider* provider;
    Hello self; ///< the endpoint's identity and names
    bool any;   ///< it listens on all addresses of this machine, with the port of its names
};

class Port {
  public:
    using Link = shm::Link;
    using Config = PortConfig;

    /// Throws std::system_error, std::bad_alloc.
    explicit Port(PortConfig config);
    ~Port();
    Port(const Port&) = delete;
    Port& operator=(const Port&) = delete;

    Link* connect(const Address& address, Peer* peer) noexcept;
    Posted send_short(Link& link, const fi_frame& frame, const void* bytes) noexcept;
    Posted send(Link& link, Outgoing& outgoing) noexcept;
    bool fetch(Link& link, const fi_frame_place* places, std::size_t place_count, const iovec* to,
               std::size_t count) noexcept;
    void resume(Link& link) noexcept;
    void stop_sending(Link& link, int error) noexcept;
    void fail(Link& link, int error) noexcept;
    [[nodiscard]] static const std::vector<Address>& names(const Link& link) noexcept
    {
        return link.hello.names;
    }
    [[nodiscard]] static const Identity& identity(const Link& link) noexcept { return link.hello.identity; }
    [[nodiscard]] static bool same_endpoint(const Link& a, const Link& b) noexcept
    {
        return identity(a) == identity(b);
    }
    [[nodiscard]] bool busy() const noexcept { return !dying_.empty(); }
    [[nodiscard]] std::size_t watch(fi_hot_watch* out, std::size_t room) noexcept;
    [[nodiscard]] bool arm() noexcept;
    [[nodiscard]] int wait_fd() const noexcept { return epoll_; }
    [[nodiscard]] const Address& name() const noexcept { return config_.self.names.front(); }

    template <class S>
    void poll(S& sink, bool all) noexcept;
    /// The end of each poll: reports and forgets the links that have failed.
    template <class S>
    void bury(S& sink) noexcept;
    template <class S>
    void close(S& sink) noexcept;

  private:
    void listen();
    void watch_fd(int fd, void* mark);
    Link* add_link(int fd, Link::State state) noexcept;
    void remove_fds(Link& link) noexcept;
    void accept_all() noexcept;
    void say_hello(Link& link);
    /// Reads the peer's hello; true: the link is Up.
    bool hear_hello(Link& link) noexcept;
    void take_hello(Link& link, const unsigned char* bytes, std::size_t size, int memory);
    void watch_process(Link& link) noexcept;
    void warm(Link& link) noexcept;
    void note_blocked(Link& link) noexcept;
    /// Reads what the socket has: bells, or the end.
    void hear_bells(Link& link) noexcept;
    /// Parks links that have been quiet, or all of them; false: one has something after all.
    bool park(bool everyone, std::uint64_t now) noexcept;
    template <class S>
    void handshake(Link& link, S& sink) noexcept;
    template <class S>
    void look_at_epoll(S& sink) noexcept;
    template <class S>
    void look(Link& link, S& sink) noexcept;
    template <class S>
    bool take(Link& link, const fi_frame& frame, const unsigned char* payload, S& sink) noexcept;
    template <class S>
    void unblock(S& sink) noexcept;

    PortConfig config_;
    int listener_ = -1;
    int epoll_ = -1;
    std::unordered_map<Link*, std::unique_ptr<Link>> links_;
    // The capacity of these is kept at links_.size(), so that appending cannot fail.
    std::vector<Link*> hot_;     ///< looked at by every poll
    std::vector<Link*> blocked_; ///< the writer has no room
    std::vector<Link*> dying_;
    std::vector<Link*> parking_;
    std::string hello_bytes_;
};

} // namespace fi::kit::shm

#include "kit/devices/shm/poll.hpp"
