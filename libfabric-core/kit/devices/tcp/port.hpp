// SPDX-License-Identifier: BSD-2-Clause
//
// The TCP port: one listening socket, one connection per peer, and the decisions when to make a system call.
//
// What is hard is to be prompt and cheap at once:
//   - The first message on a quiet link is written in the call that sends it. Messages right behind it are
//     appended to the link's buffer and leave together at the next look (the link's "window").
//   - Links that were active in the last 100 microseconds are read at every look. The others and the listener
//     wait for epoll to name them, which is asked when everything is to be polled.
//   - Payloads of more than a few KiB are written from and read into the memory that the application named.
// A look never blocks. Only close() waits, in bounded time, until what was sent has reached the peer's
// kernel.
#pragma once

#include "kit/devices/tcp/input.hpp"
#include "kit/devices/tcp/listen.hpp"
#include "kit/objects/clock.hpp"

#include <rdma/providers/fi_log.h>
#include <rdma/providers/fi_prov.h>
#include <sys/epoll.h>
#include <unordered_map>

namespace fi::kit::tcp {

struct PortConfig {
    const fi_provider* provider;
    Address bind_to; ///< local address; port 0: any port; a wildcard listens on every interface
    /// For a wildcard: the addresses to be known by, best first; ports are ignored.
    std::vector<Address> interfaces;
    /// For TCP establishment only: a peer that computes may take its time.
    std::uint64_t connect_milliseconds;
    /// After which a host that answers nothing any more counts as dead.
    std::uint64_t peer_milliseconds;
    PortRange ports{}; ///< where bind_to leaves the port open
};

class Port {
  public:
    using Link = tcp::Link;
    using Config = PortConfig;

    /// Listens. Throws std::system_error (EADDRINUSE, EADDRNOTAVAIL, EMFILE ...), std::bad_alloc.
    explicit Port(const PortConfig& config);
    ~Port();
    Port(const Port&) = delete;
    Port& operator=(const Port&) = delete;

    Link* connect(const Address& address, Peer* peer) noexcept;
    Posted send_short(Link& link, const fi_frame& frame, const void* bytes) noexcept;
    Posted send(Link& link, Outgoing& outgoing) noexcept;
    /// Nobody reads another machine's memory through a socket.
    [[nodiscard]] static bool fetch(Link&, const fi_frame_place*, std::size_t, const iovec*,
                                    std::size_t) noexcept
    {
        return false;
    }
    [[nodiscard]] static const std::vector<Address>& names(const Link& link) noexcept
    {
        return link.hello.names;
    }
    void resume(Link& link) noexcept;
    void stop_sending(Link& link, int error) noexcept;
    void fail(Link& link, int error) noexcept;
    [[nodiscard]] static const Identity& identity(const Link& link) noexcept { return link.hello.identity; }
    [[nodiscard]] static bool same_endpoint(const Link& a, const Link& b) noexcept
    {
        return identity(a) == identity(b);
    }
    /// Who this endpoint is to others on this host.
    [[nodiscard]] const Hello& local_self() const noexcept { return local_self_; }
    [[nodiscard]] bool busy() const noexcept { return !active_.empty() || !dying_.empty(); }
    [[nodiscard]] static std::size_t watch(fi_hot_watch*, std::size_t) noexcept { return 0; }
    [[nodiscard]] bool arm() noexcept;
    [[nodiscard]] int wait_fd() const noexcept { return epoll_; }
    [[nodiscard]] const Address& name() const noexcept { return self_.names.front(); }

    template <class S>
    void poll(S& sink, bool all) noexcept;
    /// The end of each poll: reports and forgets the links that have failed.
    template <class S>
    void bury(S& sink) noexcept;
    template <class S>
    void close(S& sink) noexcept;

  private:
    void listen_on(const Address& address);
    void watch(int fd, void* mark);
    void close_own() noexcept;
    void add_loopback_name();
    Link* add_link(Link::State state) noexcept;
    bool attach(Link& link, int fd, std::uint32_t events) noexcept;
    bool dial(Link& link) noexcept;
    void hang_up(Link& link) noexcept;
    void dial_next(Link& link, int error) noexcept;
    void lost_early(Link& link, int error) noexcept;
    void remember(const Link& link) noexcept;
    void disown(Link& link, const unsigned char* header);
    void activate(Link& link) noexcept;
    void watch_output(Link& link, bool watch) noexcept;
    void flush(Link& link) noexcept;
    void accept_all() noexcept;
    void say_hello(Link& link) noexcept;
    /// Reads the peer's hello; true: it is complete and the link is Up.
    bool hear_hello(Link& link) noexcept;
    void connected(Link& link) noexcept;
    void listen_again() noexcept;
    // deadlines.cpp
    [[nodiscard]] std::uint64_t patience() const noexcept;
    void probe_when_idle(int fd) const noexcept;
    bool is_silent(Link& link, std::uint64_t now) const noexcept;
    void expire() noexcept;
    void inspect_later(std::uint64_t now) noexcept;
    void set_deadline(Link& link, std::uint64_t when) noexcept;
    void wake_at(std::uint64_t when) noexcept;
    void set_timer(std::uint64_t milliseconds) noexcept;
    /// False: the link has nothing more for now.
    template <class S>
    bool receive(Link& link, S& sink) noexcept;
    template <class S>
    void report_sent(Link& link, S& sink) noexcept;
    template <class S>
    void look(Link& link, S& sink) noexcept;
    template <class S>
    void look_at_epoll(S& sink) noexcept;
    template <class S>
    void handshake(Link& link, std::uint32_t events, S& sink) noexcept;
    template <class S>
    void end(Link& link, S& sink) noexcept;

    PortConfig config_;
    Hello self_;
    Hello local_self_; ///< for others on this host
    int listener_ = -1;
    int epoll_ = -1;
    std::unordered_map<Link*, std::unique_ptr<Link>> links_;
    std::vector<Link*> active_; ///< capacity is kept at links_.size(), so that appending cannot fail
    std::vector<Link*> dying_;  ///< likewise
    int timer_ = -1;            ///< wakes a sleeper when something has taken too long
    std::uint64_t alarm_ = 0;   ///< fi_hot_clock() for which the timer is set; 0: it is not
    /// fi_hot_clock() at which the links that are up are looked at for silence; 0: none is
    std::uint64_t inspection_ = 0;
    bool listening_ = true; ///< false: out of descriptors, until a link is gone
    bool wildcard_ = false; ///< listens on all addresses
    std::unique_ptr<unsigned char[]> scratch_;
    std::string hello_bytes_;
    std::string local_hello_bytes_;
    /// What peers of more than one name have told of themselves, by each of these names (dial.cpp).
    std::unordered_map<Address, std::shared_ptr<const Hello>, AddressHash> known_;
};

/// Bytes sent on that socket that the peer's kernel has not acknowledged.
int unacknowledged(int fd) noexcept;

} // namespace fi::kit::tcp

#include "kit/devices/tcp/poll.hpp"
