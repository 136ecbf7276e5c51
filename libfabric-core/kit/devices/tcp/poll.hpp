// SPDX-License-Identifier: BSD-2-Clause
//
// Port, the half that calls the engine: looking at links, reading, burying the dead. Included by port.hpp.
#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace fi::kit::tcp {

constexpr std::size_t kScratch = 64 * 1024; ///< bytes read at once where no destination is known yet
/// The same on a link whose last message was long: what is behind the next header goes straight to its place
/// then, and what is saved of copying is worth another system call.
constexpr std::size_t kFewScratch = 1024;
constexpr std::uint64_t kActiveMicroseconds = 100;
constexpr int kReadsPerLook = 32; ///< so that one busy peer cannot keep the others waiting
constexpr int kCloseMilliseconds = 2000;

template <class S>
void Port::report_sent(Link& link, S& sink) noexcept
{
    while (link.noted && link.noted->progress <= link.buffer_sent) {
        Outgoing* outgoing = link.noted;
        link.noted = outgoing->next;
        if (!link.noted)
            link.noted_end = &link.noted;
        sink.sent(outgoing);
    }
    if (link.current && link.current->progress == sizeof(fi_frame) + link.current->frame.length) {
        Outgoing* outgoing = link.current;
        link.current = nullptr;
        sink.sent(outgoing);
    }
}

template <class S>
bool Port::receive(Link& link, S& sink) noexcept
{
    iovec to[kIovLimit + 1];
    std::uint32_t count = link.payload_left ? remaining(link, to) : 0;
    std::size_t direct = 0;
    for (std::uint32_t i = 0; i < count; i++)
        direct += to[i].iov_len;
    // A payload that is longer than its destination is thrown away through the scratch buffer.
    const std::size_t scratch = link.last_was_long && link.payload_left <= direct ? kFewScratch : kScratch;
    to[count++] = {scratch_.get(), scratch};
    msghdr message{};
    message.msg_iov = to;
    message.msg_iovlen = count;
    const ssize_t got = recvmsg(link.fd, &message, MSG_DONTWAIT);
    if (got <= 0) {
        if (got == 0 || errno == ECONNRESET)
            end(link, sink);
        else if (errno != EAGAIN && errno != EINTR)
            link.error = errno;
        return false;
    }
    link.last_active = fi_hot_clock();
    const auto received = static_cast<std::size_t>(got);
    const std::size_t in_place = std::min(received, direct);
    if (in_place)
        placed(link, sink, in_place);
    if (received > in_place)
        consume(link, sink, scratch_.get(), received - in_place);
    return received == direct + scratch; // else it was all that there is
}

/// All that came has been read. (The other links of a peer that answers nothing any more may never end.)
template <class S>
void Port::end(Link& link, S& sink) noexcept
{
    stop_sending(link, ECONNRESET);
    if (link.unsendable != ECONNRESET && link.unsendable != EPIPE) {
        link.error = link.unsendable;
        return;
    }
    epoll_ctl(epoll_, EPOLL_CTL_DEL, link.fd, nullptr);
    sink.ended(link);
}

template <class S>
void Port::look(Link& link, S& sink) noexcept
{
    if (link.state != Link::State::Up || link.error || link.ended)
        return;
    if (link.deferred() || link.current)
        flush(link);
    report_sent(link, sink);
    if (!link.paused && !link.stash.empty())
        consume_stash(link, sink);
    for (int reads = 0; reads < kReadsPerLook && !link.paused && !link.error; reads++)
        if (!receive(link, sink))
            break;
    if (link.error || link.unsendable)
        return;
    if (!link.current) {
        // Short messages may have been deferred while we read: they leave now. Then the quiet begins.
        if (link.deferred())
            flush(link);
        report_sent(link, sink);
        if (!link.deferred() && link.window)
            link.close_window();
        sink.writable(link);
    }
}

template <class S>
void Port::handshake(Link& link, std::uint32_t events, S& sink) noexcept
{
    if (link.state == Link::State::Connecting) {
        if (events & (EPOLLOUT | EPOLLERR | EPOLLHUP))
            connected(link);
        return;
    }
    const bool dialled = link.state == Link::State::AwaitAnswer;
    if (!hear_hello(link))
        return;
    if (!dialled && !sink.linked(link)) {
        fail(link, ENOMEM);
        return;
    }
    activate(link);
    sink.writable(link);
}

template <class S>
void Port::look_at_epoll(S& sink) noexcept
{
    epoll_event events[32];
    const int count = epoll_wait(epoll_, events, 32, 0);
    for (int i = 0; i < count; i++) {
        if (events[i].data.ptr == &timer_) {
            expire();
            continue;
        }
        if (events[i].data.ptr == &listener_) {
            accept_all();
            continue;
        }
        auto* link = static_cast<Link*>(events[i].data.ptr);
        if (link->state != Link::State::Up) {
            handshake(*link, events[i].events, sink);
        } else {
            if (link->paused && (events[i].events & (EPOLLERR | EPOLLHUP))) {
                // What has come before the end is taken when the engine resumes; until then there is
                // nothing to be told, and epoll cannot be told not to.
                stop_sending(*link, ECONNRESET);
                epoll_ctl(epoll_, EPOLL_CTL_DEL, link->fd, nullptr);
                link->unwatched = true;
                continue;
            }
            link->last_active = fi_hot_clock();
            activate(*link);
        }
    }
}

template <class S>
void Port::poll(S& sink, bool all) noexcept
{
    if (all)
        look_at_epoll(sink);
    const std::uint64_t now = fi_hot_clock();
    const std::uint64_t quiet = kActiveMicroseconds * ticks_per_microsecond();
    for (std::size_t i = 0; i < active_.size();) {
        Link& link = *active_[i];
        look(link, sink);
        if (link.paused && link.unsendable && !link.error)
            sink.stuck(link);
        // Unsent bytes need us, unless epoll will say when they can go; input may come for a while yet,
        // unless nobody wants it.
        const bool unsent = !link.unsendable && (link.window || link.deferred() || link.current);
        const bool keep = unsent ? !link.watch_output : now - link.last_active < quiet && !link.paused;
        if (keep && !link.error && !link.ended) {
            i++;
            continue;
        }
        link.active = false;
        active_[i] = active_.back();
        active_.pop_back();
        if (link.error)
            fail(link, link.error);
        else if (link.paused)
            watch_output(link, link.watch_output);
    }
    if (!dying_.empty())
        bury(sink);
}

template <class S>
void Port::bury(S& sink) noexcept
{
    // died() may send elsewhere and so find more links to bury: they are appended and seen here too.
    for (std::size_t i = 0; i < dying_.size(); i++) {
        Link& link = *dying_[i];
        if (link.fd >= 0) {
            epoll_ctl(epoll_, EPOLL_CTL_DEL, link.fd, nullptr);
            close_here(link.fd);
        }
        if (link.peer)
            sink.died(link, link.error);
        if (link.active)
            std::erase(active_, &link);
    }
    for (Link* link : dying_)
        links_.erase(link);
    dying_.clear();
    if (!listening_)
        listen_again();
}

/// Everything that was sent goes out and reaches the peers' kernels before the sockets are closed, as long as
/// that takes no more than kCloseMilliseconds together. (Closing a socket with unsent data and unread input
/// would throw the data away.)
template <class S>
void Port::close(S& sink) noexcept
{
    const std::uint64_t end = fi_hot_clock() + kCloseMilliseconds * 1000 * ticks_per_microsecond();
    for (bool first = true;; first = false) {
        std::size_t undone = 0;
        for (auto& [key, link] : links_) {
            if (link->error || link->unsendable || link->state != Link::State::Up)
                continue;
            if (link->deferred() || link->current)
                flush(*link);
            report_sent(*link, sink);
            if (!link->current && !link->deferred())
                sink.writable(*link);
            if (!link->error && !link->unsendable &&
                (link->deferred() || link->current || unacknowledged(link->fd)))
                undone++;
        }
        if (!undone || fi_hot_clock() >= end)
            break;
        ::poll(nullptr, 0, first ? 0 : 1);
    }
    for (auto& [key, link] : links_) {
        if (link->fd < 0)
            continue;
        shutdown(link->fd, SHUT_WR);
        close_here(link->fd);
    }
    links_.clear();
    active_.clear();
}

} // namespace fi::kit::tcp
