// SPDX-License-Identifier: BSD-2-Clause
//
// Port, the first bytes of a connection: from connect or accept to the moment when both sides know each
// other.
//
// Nothing is known of the other side yet, so every step may fail, and every failure is only this link's.
#include "kit/devices/tcp/port.hpp"

#include <sys/timerfd.h>

namespace fi::kit::tcp {

void Port::connected(Link& link) noexcept
{
    int error = 0;
    socklen_t size = sizeof error;
    getsockopt(link.fd, SOL_SOCKET, SO_ERROR, &error, &size);
    connecting_--;
    link.state = Link::State::AwaitAnswer;
    if (error) {
        fail(link, error);
        return;
    }
    watch_output(link, false);
    say_hello(link);
}

void Port::say_hello(Link& link) noexcept
{
    // An empty socket buffer takes a few hundred bytes whole; if not, something is very wrong with the
    // connection.
    const ssize_t sent =
        ::send(link.fd, hello_bytes_.data(), hello_bytes_.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent != static_cast<ssize_t>(hello_bytes_.size()))
        fail(link, sent < 0 ? errno : ENOBUFS);
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
                    FI_WARN(config_.provider, FI_LOG_EP_CTRL, "refused a connection: %s\n", why);
                    fail(link, EPROTO);
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
                    fail(link, got == 0 ? ECONNREFUSED : errno);
                return false;
            }
        }
        auto hello = decode(link.stash.data(), link.stash.size());
        if (!hello) {
            fail(link, EPROTO);
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
    link.last_active = fi_hot_clock();
    return !link.error;
}

void Port::accept_all() noexcept
{
    for (;;) {
        const int fd = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
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
        add_link(fd, Link::State::AwaitHello, EPOLLIN);
    }
}

/// Ends what has taken too long to connect, and sets the timer for what is left.
void Port::expire() noexcept
{
    const std::uint64_t now = fi_hot_clock();
    std::uint64_t next = 0; // ticks until the earliest deadline; 0: none
    for (auto& [key, link] : links_) {
        if (link->state != Link::State::Connecting || link->error)
            continue;
        if (now >= link->deadline) {
            connecting_--;
            link->state = Link::State::AwaitAnswer;
            fail(*link, ETIMEDOUT);
        } else if (next == 0 || link->deadline - now < next) {
            next = link->deadline - now;
        }
    }
    set_timer(next ? next / (1000 * ticks_per_microsecond()) + 1 : 0);
}

/// 0 stops it.
void Port::set_timer(std::uint64_t milliseconds) noexcept
{
    itimerspec when{};
    when.it_value.tv_sec = static_cast<time_t>(milliseconds / 1000);
    when.it_value.tv_nsec = static_cast<long>(milliseconds % 1000 * 1'000'000);
    timerfd_settime(timer_, 0, &when, nullptr);
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
