// SPDX-License-Identifier: BSD-2-Clause
#include "kit/devices/shm/port.hpp"

#include <algorithm>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <system_error>

namespace fi::kit::shm {
namespace {

bool is_readable(int fd) noexcept
{
    pollfd one{fd, POLLIN, 0};
    return ::poll(&one, 1, 0) > 0;
}

/// Whether the peer's process lives and has its end of the link open.
bool is_there(const Link& link) noexcept
{
    pollfd ends[] = {{link.pidfd, POLLIN, 0}, {link.fd, POLLRDHUP, 0}};
    return ::poll(ends, 2, 0) == 0;
}

} // namespace

void Link::ring_bell() noexcept
{
    const std::uint32_t parking = __atomic_load_n(&outgoing().parked, __ATOMIC_RELAXED);
    if (parking == rung_for)
        return;
    rung_for = parking;
    answer_bell();
}

void Link::answer_bell() noexcept
{
    // A full socket holds bells enough; a dead one is found out when it is read.
    const char bell = 0;
    (void)!::send(fd, &bell, sizeof bell, MSG_DONTWAIT | MSG_NOSIGNAL);
}

Port::Port(PortConfig config) : config_(std::move(config))
{
    try {
        epoll_ = epoll_create1(EPOLL_CLOEXEC);
        if (epoll_ < 0)
            throw std::system_error(errno, std::generic_category(), "epoll_create1");
        listen();
        has_barrier();
        ticks_per_microsecond();
    } catch (...) {
        for (const int fd : {listener_, epoll_})
            if (fd >= 0)
                close_here(fd);
        throw;
    }
}

Port::~Port()
{
    links_.clear();
    close_here(listener_);
    ::close(epoll_);
}

void Port::watch_fd(int fd, void* mark)
{
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.ptr = mark;
    if (epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event))
        throw std::system_error(errno, std::generic_category(), "epoll_ctl");
}

void Port::remove_fds(Link& link) noexcept
{
    epoll_ctl(epoll_, EPOLL_CTL_DEL, link.fd, nullptr);
    if (link.pidfd >= 0)
        epoll_ctl(epoll_, EPOLL_CTL_DEL, link.pidfd, nullptr);
}

Link* Port::add_link(int fd, Link::State state) noexcept
{
    try {
        auto link = std::make_unique<Link>(fd, state);
        fd = -1;
        Link* key = link.get();
        for (auto* list : {&hot_, &blocked_, &dying_, &parking_})
            list->reserve(links_.size() + 1);
        watch_fd(key->fd, key);
        links_.emplace(key, std::move(link));
        return key;
    } catch (...) {
        if (fd >= 0)
            close_here(fd);
        errno = ENOMEM;
        return nullptr;
    }
}

/// Looks at a link with every poll from now on.
void Port::warm(Link& link) noexcept
{
    link.last_active = fi_hot_clock();
    link.reader.unpark();
    if (link.hot_set)
        return;
    link.hot_set = true;
    hot_.push_back(&link);
}

void Port::note_blocked(Link& link) noexcept
{
    if (link.blocked_set)
        return;
    link.blocked_set = true;
    blocked_.push_back(&link);
}

Posted Port::send_short(Link& link, const fi_frame& frame, const void* bytes) noexcept
{
    const iovec payload{const_cast<void*>(bytes), frame.length};
    if (link.state != Link::State::Up || link.error || link.unsendable)
        return Posted::NoRoom;
    switch (link.writer.put(frame, &payload, frame.length ? 1 : 0)) {
    case 1:
        return Posted::Sent;
    case 0:
        note_blocked(link);
        break;
    default:
        fail(link, EPROTO);
    }
    return Posted::NoRoom;
}

Posted Port::send(Link& link, Outgoing& outgoing) noexcept
{
    if (link.state != Link::State::Up || link.error || link.unsendable)
        return Posted::NoRoom;
    switch (link.writer.put(outgoing.frame, outgoing.payload, outgoing.segments)) {
    case 1:
        return Posted::Sent;
    case 0:
        note_blocked(link);
        break;
    default:
        fail(link, EPROTO);
    }
    return Posted::NoRoom;
}

bool Port::fetch(Link& link, const fi_frame_place* places, std::size_t place_count, const iovec* to,
                 std::size_t count) noexcept
{
    if (!link.readable || link.error)
        return false;
    if (const int error = copy_from(link.pid, places, place_count, to, count)) {
        if (error != ESRCH) {
            FI_INFO(config_.provider, FI_LOG_EP_DATA,
                    "reading a peer's memory fails (%s): copying through rings\n", fi_strerror(error));
            link.readable = false;
        }
        return false;
    }
    // Its number may be another process's by now; not while the process that we know lives. And its memory
    // may be its application's again: not while its end of the link is open, which it closes before an
    // operation of that link is reported as failed, and before the endpoint's close returns.
    return is_there(link);
}

void Port::fail(Link& link, int error) noexcept
{
    if (link.error == 0)
        link.error = error;
    if (link.state == Link::State::Up)
        link.writer.close();
    if (std::find(dying_.begin(), dying_.end(), &link) == dying_.end())
        dying_.push_back(&link);
}

void Port::resume(Link& link) noexcept
{
    link.paused = false;
    warm(link);
}

void Port::hear_bells(Link& link) noexcept
{
    for (;;) {
        char bells[64];
        const ssize_t got = recv(link.fd, bells, sizeof bells, MSG_DONTWAIT);
        if (got > 0)
            continue;
        if (got == 0 || (errno != EAGAIN && errno != EINTR))
            link.gone = true;
        break;
    }
    if (!link.gone && link.pidfd >= 0 && is_readable(link.pidfd))
        link.gone = true;
    if (link.gone) {
        remove_fds(link);
        stop_sending(link, ECONNRESET);
    }
    warm(link);
}

void Port::stop_sending(Link& link, int error) noexcept
{
    if (link.unsendable || link.error)
        return;
    link.unsendable = error;
    if (link.state != Link::State::Up)
        return;
    link.writer.close();
    shutdown(link.fd, SHUT_WR);
}

std::size_t Port::watch(fi_hot_watch* out, std::size_t room) noexcept
{
    std::size_t count = 0;
    for (Link* link : hot_) {
        if (link->paused || link->ended)
            continue;
        if (link->gone)
            return room + 1; // it is to be taken to its end
        if (count < room)
            out[count] = link->reader.watch();
        count++;
    }
    for (Link* link : blocked_) {
        if (count < room)
            out[count] = link->writer.room_watch();
        count++;
    }
    return count;
}

bool Port::park(bool everyone, std::uint64_t now) noexcept
{
    const std::uint64_t quiet = kQuietMicroseconds * ticks_per_microsecond();
    parking_.clear();
    for (std::size_t i = 0; i < hot_.size();) {
        Link& link = *hot_[i];
        if (link.reader.unpublished() && link.reader.publish() && link.reader.take_wanted())
            link.answer_bell();
        const bool over = link.ended || link.error;
        if (!over && !link.paused && !everyone && now - link.last_active < quiet) {
            i++;
            continue;
        }
        if (!over)
            parking_.push_back(&link);
        link.hot_set = false;
        hot_[i] = hot_.back();
        hot_.pop_back();
    }
    if (parking_.empty())
        return true;
    for (Link* link : parking_)
        link->reader.park();
    if (has_barrier())
        barrier();
    std::atomic_thread_fence(std::memory_order_seq_cst);
    bool still = true;
    for (Link* link : parking_) {
        if (link->paused || !(link->gone || link->reader.ready()))
            continue;
        still = false;
        warm(*link);
    }
    return still;
}

bool Port::arm() noexcept
{
    if (!dying_.empty())
        return false;
    for (Link* link : blocked_)
        link->writer.wait();
    bool still = park(true, fi_hot_clock());
    if (!blocked_.empty() && parking_.empty() && has_barrier())
        barrier();
    std::atomic_thread_fence(std::memory_order_seq_cst);
    for (Link* link : blocked_)
        still = still && !link->writer.has_news();
    return still && dying_.empty();
}

} // namespace fi::kit::shm
