// SPDX-License-Identifier: BSD-2-Clause
//
// Port, calling a peer: which of its addresses to try, and for how long.
//
// An application knows a peer by one address. Once the peer has told all its names, the others are tried
// when that one cannot be reached: a cable may have been pulled, and the peer be there by another. Whoever
// answers there must be the endpoint that told those names; at the address itself it may be a new one that
// has been started in its place.
//
// Nothing has been sent before a hello is answered, so a connection that ends earlier is dialled anew: the
// other side drops callers that take long to say who they are, which a caller that computes does.
#include "kit/devices/tcp/port.hpp"

namespace fi::kit::tcp {
namespace {

constexpr std::size_t kMaxKnown = 4096; ///< names

std::uint64_t in_milliseconds(std::uint64_t milliseconds) noexcept
{
    return fi_hot_clock() + milliseconds * 1000 * ticks_per_microsecond();
}

/// Whether a connection's two ends are one: a caller may be given the very port that it calls, if nobody
/// listens there, and TCP then connects it with itself (RFC 9293, simultaneous open).
bool reaches_itself(int fd, const sockaddr_storage& peer, socklen_t peer_size) noexcept
{
    sockaddr_storage own{};
    socklen_t size = sizeof own;
    if (getsockname(fd, reinterpret_cast<sockaddr*>(&own), &size))
        return false;
    const auto here = Address::from(&own, size), there = Address::from(&peer, peer_size);
    return here && there && *here == *there;
}

} // namespace

Link* Port::connect(const Address& address, Peer* peer) noexcept
{
    Link* link = add_link(Link::State::Connecting);
    if (!link)
        return nullptr;
    try {
        link->targets.push_back(address);
        if (const auto known = known_.find(address); known != known_.end()) {
            for (const Address& name : known->second->names)
                if (!(name == address))
                    link->targets.push_back(name);
            link->others = known->second->identity;
        }
    } catch (...) {
        links_.erase(link);
        errno = ENOMEM;
        return nullptr;
    }
    link->peer = peer;
    link->give_up = in_milliseconds(config_.connect_milliseconds);
    if (dial(*link))
        return link;
    const int error = link->first_error;
    links_.erase(link);
    errno = error;
    return nullptr;
}

/// Begins to connect to the next target that the system knows a way to. False: there is none (first_error).
bool Port::dial(Link& link) noexcept
{
    while (link.next_target < link.targets.size()) {
        const Address& target = link.targets[link.next_target++];
        const std::size_t rest = link.targets.size() - link.next_target;
        const int fd = close_in_child(socket(target.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
        int error = fd < 0 ? errno : 0;
        if (!error && ::connect(fd, target.data(), target.size()) && errno != EINPROGRESS) {
            error = errno;
            close_here(fd);
        }
        if (!error && !attach(link, fd, EPOLLIN | EPOLLOUT))
            error = errno;
        if (error) {
            if (!link.first_error)
                link.first_error = error;
            continue;
        }
        // Each of the remaining ones gets an equal share of the time that is left.
        const std::uint64_t now = fi_hot_clock();
        set_deadline(link, now + (link.give_up > now ? (link.give_up - now) / (rest + 1) : 0));
        return true;
    }
    return false;
}

void Port::hang_up(Link& link) noexcept
{
    epoll_ctl(epoll_, EPOLL_CTL_DEL, link.fd, nullptr);
    close_here(link.fd);
    link.fd = -1;
    link.deadline = 0;
    link.stash.clear();
    link.state = Link::State::Connecting;
}

/// The target of the moment is out of the question; the next one, or none.
void Port::dial_next(Link& link, int error) noexcept
{
    if (!link.first_error)
        link.first_error = error;
    hang_up(link);
    if (link.unsendable || !dial(link))
        fail(link, link.first_error);
    else
        FI_INFO(config_.provider, FI_LOG_EP_CTRL, "%s: %s; trying %s\n", link.targets.front().text().c_str(),
                fi_strerror(error), link.targets[link.next_target - 1].text().c_str());
}

/// A connection that stood has ended before the other side said who it is: the same target once more.
void Port::lost_early(Link& link, int error) noexcept
{
    if (link.state != Link::State::AwaitAnswer || link.dials_left == 0 || link.unsendable) {
        fail(link, error);
        return;
    }
    link.dials_left--;
    hang_up(link);
    link.next_target--;
    link.first_error = 0;
    link.give_up = in_milliseconds(config_.connect_milliseconds);
    if (!dial(link))
        fail(link, link.first_error);
}

void Port::connected(Link& link) noexcept
{
    int error = 0;
    socklen_t size = sizeof error;
    getsockopt(link.fd, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error) {
        dial_next(link, error);
        return;
    }
    sockaddr_storage peer{};
    size = sizeof peer;
    if (getpeername(link.fd, reinterpret_cast<sockaddr*>(&peer), &size))
        return; // the event was about the target before
    if (reaches_itself(link.fd, peer, size)) {
        dial_next(link, ECONNREFUSED);
        return;
    }
    link.state = Link::State::AwaitAnswer;
    link.deadline = 0;
    watch_output(link, false);
    say_hello(link);
}

/// Keeps what the peer says of itself, for the day when it cannot be reached by the name in use.
void Port::remember(const Link& link) noexcept
{
    try {
        const Hello& hello = link.hello;
        const bool nothing_new =
            hello.names.size() == 1 && (link.targets.empty() || hello.names.front() == link.targets.front());
        if (nothing_new)
            return;
        const auto known = std::make_shared<const Hello>(hello);
        const auto note = [&](const Address& name) {
            // Which one is forgotten does not matter: it costs that peer a way round, when it needs one.
            while (known_.size() >= kMaxKnown)
                known_.erase(known_.begin());
            known_[name] = known;
        };
        for (const Address& name : hello.names)
            note(name);
        if (!link.targets.empty())
            note(link.targets.front());
    } catch (...) { // out of memory: it is known by one address less
    }
}

} // namespace fi::kit::tcp
