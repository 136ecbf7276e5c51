// SPDX-License-Identifier: BSD-2-Clause
//
// Port, the first bytes of a connection: from connect or accept to the moment when both sides know each
// other.
//
// Nothing is known of the other side yet, so every step may fail, and every failure is only this link's.
#include "kit/devices/tcp/port.hpp"

#include <utility>

namespace fi::kit::tcp {

namespace {

/// Both ends have the same address, which is what the system gives a connection within one host.
bool is_within_this_host(int fd) noexcept
{
    sockaddr_storage bytes[2]{};
    socklen_t size = sizeof bytes[0];
    if (getsockname(fd, reinterpret_cast<sockaddr*>(&bytes[0]), &size))
        return false;
    size = sizeof bytes[1];
    if (getpeername(fd, reinterpret_cast<sockaddr*>(&bytes[1]), &size))
        return false;
    auto ours = Address::from(&bytes[0], sizeof bytes[0]);
    auto theirs = Address::from(&bytes[1], sizeof bytes[1]);
    if (!ours || !theirs)
        return false;
    ours->set_port(0);
    theirs->set_port(0);
    return *ours == *theirs || theirs->is_loopback();
}

std::string name_of_peer(int fd)
{
    sockaddr_storage bytes{};
    socklen_t size = sizeof bytes;
    const auto peer = getpeername(fd, reinterpret_cast<sockaddr*>(&bytes), &size)
                          ? std::nullopt
                          : Address::from(&bytes, size);
    return peer ? peer->text() : "somebody who is gone";
}

} // namespace

void Port::say_hello(Link& link) noexcept
{
    const std::string& hello = is_within_this_host(link.fd) ? local_hello_bytes_ : hello_bytes_;
    // An empty socket buffer takes a few hundred bytes whole; if not, something is very wrong with the
    // connection.
    const ssize_t sent = ::send(link.fd, hello.data(), hello.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent != static_cast<ssize_t>(hello.size()))
        lost_early(link, sent < 0 ? errno : ENOBUFS);
}

/// These bytes are no hello that this version understands. Throws std::bad_alloc.
void Port::disown(Link& link, const unsigned char* header)
{
    const auto version = hello_version(header);
    const std::string peer = name_of_peer(link.fd);
    const char* why = nullptr;
    hello_size(header, why);
    if (version && *version != kWireVersion) {
        FI_WARN(config_.provider, FI_LOG_EP_CTRL,
                "refused a connection with %s: it speaks version %d of the protocol, this is version %d\n",
                peer.c_str(), *version, kWireVersion);
        // The caller learns it from our hello. What it has sent is taken, or the end of the connection would
        // overtake our answer.
        if (link.state == Link::State::AwaitHello) {
            say_hello(link);
            while (recv(link.fd, scratch_.get(), kScratch, MSG_DONTWAIT) > 0)
                ;
        }
    } else {
        FI_WARN(config_.provider, FI_LOG_EP_CTRL, "refused a connection with %s: %s\n", peer.c_str(), why);
    }
    fail(link, EPROTO);
}

bool Port::hear_hello(Link& link) noexcept
{
    try {
        std::size_t wanted = kHelloHeader;
        for (;;) {
            const char* why = nullptr;
            if (link.stash.size() >= kHelloHeader) {
                const auto size = hello_size(link.stash.data(), why);
                if (!size) {
                    disown(link, link.stash.data());
                    return false;
                }
                wanted = *size;
            }
            if (link.stash.size() == wanted)
                break;
            const std::size_t have = link.stash.size();
            link.stash.resize(wanted);
            const ssize_t got = recv(link.fd, link.stash.data() + have, wanted - have, MSG_DONTWAIT);
            link.stash.resize(have + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
            if (got <= 0) {
                if (got == 0 || (errno != EAGAIN && errno != EINTR))
                    lost_early(link, got == 0 ? ECONNREFUSED : errno);
                return false;
            }
        }
        auto hello = decode(link.stash.data(), link.stash.size());
        if (!hello) {
            fail(link, EPROTO);
            return false;
        }
        if (link.next_target > 1 && hello->identity != link.others) {
            // Somebody else has that name by now.
            dial_next(link, EHOSTUNREACH);
            return false;
        }
        link.hello = std::move(*hello);
        link.stash.clear();
        link.stash.shrink_to_fit();
    } catch (...) {
        fail(link, ENOMEM);
        return false;
    }
    if (link.state == Link::State::AwaitHello)
        say_hello(link);
    link.state = Link::State::Up;
    link.deadline = 0;
    if (const int error = std::exchange(link.unsendable, 0)) // another link of the peer has ended meanwhile
        stop_sending(link, error);
    remember(link);
    link.last_active = fi_hot_clock();
    inspect_later(link.last_active);
    return !link.error;
}

void Port::accept_all() noexcept
{
    for (;;) {
        const int fd = close_in_child(accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
        if (fd < 0) {
            if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
                // The listener stays readable: asking again at once would only spin.
                FI_WARN(config_.provider, FI_LOG_EP_CTRL, "cannot accept connections for now: %s\n",
                        fi_strerror(errno));
                epoll_ctl(epoll_, EPOLL_CTL_DEL, listener_, nullptr);
                listening_ = false;
            }
            return;
        }
        Link* link = add_link(Link::State::AwaitHello);
        if (!link) {
            close_here(fd);
        } else if (!attach(*link, fd, EPOLLIN)) {
            links_.erase(link);
        } else {
            set_deadline(*link, fi_hot_clock() + config_.peer_milliseconds * 1000 * ticks_per_microsecond());
        }
    }
}

/// A descriptor has become free.
void Port::listen_again() noexcept
{
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.ptr = &listener_;
    listening_ = epoll_ctl(epoll_, EPOLL_CTL_ADD, listener_, &event) == 0;
}

} // namespace fi::kit::tcp
