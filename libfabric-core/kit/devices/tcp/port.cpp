// SPDX-License-Identifier: BSD-2-Clause
#include "kit/devices/tcp/port.hpp"

#include <linux/sockios.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/timerfd.h>
#include <system_error>

namespace fi::kit::tcp {
namespace {

[[noreturn]] void throw_errno(const char* what)
{
    throw std::system_error(errno, std::generic_category(), what);
}

} // namespace

/// Bytes that the peer's kernel has not acknowledged.
int unacknowledged(int fd) noexcept
{
    int bytes = 0;
    return ioctl(fd, SIOCOUTQ, &bytes) == 0 ? bytes : 0;
}

Port::Port(const PortConfig& config) : config_(config), scratch_(std::make_unique<unsigned char[]>(kScratch))
{
    try {
        epoll_ = epoll_create1(EPOLL_CLOEXEC);
        if (epoll_ < 0)
            throw_errno("epoll_create1");
        timer_ = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
        if (timer_ < 0)
            throw_errno("timerfd_create");
        watch(timer_, &timer_);
        listen_on(config_.bind_to);
        self_.identity = make_identity();
        hello_bytes_ = encode(self_);
        local_self_ = self_;
        if (wildcard_)
            add_loopback_name();
        local_hello_bytes_ = encode(local_self_);
        ticks_per_microsecond();
    } catch (...) {
        close_own();
        throw;
    }
}

Port::~Port()
{
    for (auto& [key, link] : links_)
        if (link->fd >= 0)
            close_here(link->fd);
    close_own();
}

void Port::close_own() noexcept
{
    for (const int fd : {listener_, timer_, epoll_})
        if (fd >= 0)
            close_here(fd);
}

/// Has epoll tell about input on one of the port's own descriptors; `mark` is how the event names it.
void Port::watch(int fd, void* mark)
{
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.ptr = mark;
    if (epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event))
        throw_errno("epoll_ctl");
}

/// Throws as the constructor does.
void Port::listen_on(const Address& address)
{
    listener_ = listen(config_.provider, address, config_.ports);
    sockaddr_storage bound{};
    socklen_t size = sizeof bound;
    if (getsockname(listener_, reinterpret_cast<sockaddr*>(&bound), &size))
        throw_errno("getsockname");
    const Address self = *Address::from(&bound, size);
    wildcard_ = self.is_wildcard();
    if (!wildcard_)
        self_.names.push_back(self);
    for (Address name : config_.interfaces) {
        if (!wildcard_)
            break;
        name.set_port(self.port());
        self_.names.push_back(name);
    }
    if (self_.names.empty()) {
        errno = EADDRNOTAVAIL;
        throw_errno("no address to be known by");
    }
    watch(listener_, &listener_);
}

/// Loopback means something else on every host, so only those on this one hear of it.
void Port::add_loopback_name()
{
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    v6.sin6_addr = in6addr_loopback;
    Address loopback =
        name().family() == AF_INET ? *Address::from(&v4, sizeof v4) : *Address::from(&v6, sizeof v6);
    loopback.set_port(name().port());
    std::vector<Address>& names = local_self_.names;
    if (std::find(names.begin(), names.end(), loopback) == names.end())
        names.push_back(loopback);
}

/// errno when there is no memory for it.
Link* Port::add_link(Link::State state) noexcept
{
    try {
        auto link = std::make_unique<Link>(state);
        Link* key = link.get();
        active_.reserve(links_.size() + 1);
        dying_.reserve(links_.size() + 1);
        links_.emplace(key, std::move(link));
        return key;
    } catch (...) {
        errno = ENOMEM;
        return nullptr;
    }
}

/// Gives a link its socket. False: errno; the socket is closed then.
bool Port::attach(Link& link, int fd, std::uint32_t events) noexcept
{
    const int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    probe_when_idle(fd);
    epoll_event event{};
    event.events = events;
    event.data.ptr = &link;
    if (epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event) == 0) {
        link.fd = fd;
        return true;
    }
    const int error = errno;
    close_here(fd);
    errno = error;
    return false;
}

void Port::activate(Link& link) noexcept
{
    if (link.active)
        return;
    link.active = true;
    active_.push_back(&link);
}

void Port::fail(Link& link, int error) noexcept
{
    if (link.error == 0)
        link.error = error;
    link.window = false;
    link.hot.limit = link.hot.tail;
    if (std::find(dying_.begin(), dying_.end(), &link) == dying_.end())
        dying_.push_back(&link);
}

/// When writing has failed, the connection has come to an end, but that does not say that all that the peer
/// had sent before has been read: when it has, reading fails too.
void Port::stop_sending(Link& link, int error) noexcept
{
    if (link.unsendable || link.error)
        return;
    link.unsendable = error;
    link.close_window();
    if (link.state != Link::State::Up)
        return;
    shutdown(link.fd, SHUT_WR);
    if (link.watch_output)
        watch_output(link, false);
    link.last_active = fi_hot_clock();
    activate(link);
}

void Port::resume(Link& link) noexcept
{
    link.paused = false;
    link.last_active = fi_hot_clock();
    activate(link);
    if (link.unwatched) {
        epoll_event event{};
        event.data.ptr = &link;
        epoll_ctl(epoll_, EPOLL_CTL_ADD, link.fd, &event);
        link.unwatched = false;
    }
    watch_output(link, link.watch_output);
}

/// Tells epoll what is worth waking up for: input unless the link is paused, output only when the kernel's
/// buffer was full.
void Port::watch_output(Link& link, bool watch) noexcept
{
    link.watch_output = watch;
    epoll_event event{};
    event.events = (link.paused ? 0u : std::uint32_t{EPOLLIN}) | (watch ? std::uint32_t{EPOLLOUT} : 0u);
    event.data.ptr = &link;
    epoll_ctl(epoll_, EPOLL_CTL_MOD, link.fd, &event);
}

/// Writes the buffer and then the current frame, as far as the kernel takes them.
void Port::flush(Link& link) noexcept
{
    while (!link.unsendable) {
        iovec parts[kIovLimit + 2];
        int count = 0;
        std::size_t wanted = 0;
        if (link.deferred())
            parts[count++] = {link.unsent, link.deferred()};
        if (Outgoing* out = link.current) {
            std::uint64_t skip = out->progress;
            iovec whole[kIovLimit + 1];
            whole[0] = {&out->frame, sizeof out->frame};
            std::copy_n(out->payload, out->segments, whole + 1);
            for (std::uint32_t i = 0; i <= out->segments; i++) {
                if (skip >= whole[i].iov_len) {
                    skip -= whole[i].iov_len;
                    continue;
                }
                parts[count++] = {static_cast<char*>(whole[i].iov_base) + skip, whole[i].iov_len - skip};
                skip = 0;
            }
        }
        for (int i = 0; i < count; i++)
            wanted += parts[i].iov_len;
        if (wanted == 0)
            break;
        msghdr message{};
        message.msg_iov = parts;
        message.msg_iovlen = static_cast<std::size_t>(count);
        const ssize_t sent = sendmsg(link.fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent < 0) {
            if (errno == EINTR)
                continue;
            if (errno != EAGAIN)
                stop_sending(link, errno);
            else if (!link.watch_output)
                watch_output(link, true);
            return;
        }
        link.last_active = fi_hot_clock();
        const std::size_t from_buffer = std::min(static_cast<std::size_t>(sent), link.deferred());
        if (from_buffer)
            link.consumed(from_buffer);
        if (link.current)
            link.current->progress += static_cast<std::size_t>(sent) - from_buffer;
        if (static_cast<std::size_t>(sent) < wanted)
            continue; // the next attempt finds the kernel's buffer full, or room that has come since
    }
    if (link.watch_output)
        watch_output(link, false);
}

Posted Port::send_short(Link& link, const fi_frame& frame, const void* bytes) noexcept
{
    if (link.state != Link::State::Up || link.current || link.error || link.unsendable)
        return Posted::NoRoom;
    unsigned char joined[sizeof frame + kMaxInject];
    const std::size_t size = sizeof frame + frame.length;
    std::memcpy(joined, &frame, sizeof frame);
    if (frame.length)
        std::memcpy(joined + sizeof frame, bytes, frame.length);
    if (link.deferred() || link.window) {
        if (!link.append(joined, size)) {
            flush(link);
            if (link.unsendable || !link.append(joined, size))
                return Posted::NoRoom;
        }
        activate(link);
        return Posted::Taken;
    }
    const ssize_t sent = ::send(link.fd, joined, size, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) {
        stop_sending(link, errno);
        return Posted::NoRoom;
    }
    const auto done = static_cast<std::size_t>(std::max<ssize_t>(sent, 0));
    if (done < size)
        link.append(joined + done, size - done); // the buffer is empty: there is room
    link.last_active = fi_hot_clock();
    link.open_window();
    activate(link);
    return done < size ? Posted::Taken : Posted::Sent;
}

Posted Port::send(Link& link, Outgoing& outgoing) noexcept
{
    if (link.state != Link::State::Up || link.current || link.error || link.unsendable)
        return Posted::NoRoom;
    const std::size_t size = sizeof outgoing.frame + outgoing.frame.length;
    outgoing.next = nullptr;
    if ((link.deferred() || link.window) && outgoing.frame.length <= kCopyLimit) {
        const std::size_t room =
            static_cast<std::size_t>(link.buffer.get() + kTransmitBuffer - link.hot.tail);
        if (room < size)
            flush(link);
        if (!link.unsendable &&
            static_cast<std::size_t>(link.buffer.get() + kTransmitBuffer - link.hot.tail) >= size) {
            link.append(&outgoing.frame, sizeof outgoing.frame);
            for (std::uint32_t i = 0; i < outgoing.segments; i++)
                link.append(outgoing.payload[i].iov_base, outgoing.payload[i].iov_len);
            outgoing.progress = link.buffer_end();
            *link.noted_end = &outgoing;
            link.noted_end = &outgoing.next;
            activate(link);
            return Posted::Taken;
        }
        if (link.unsendable)
            return Posted::NoRoom;
    }
    outgoing.progress = 0;
    link.current = &outgoing;
    flush(link);
    activate(link);
    if (link.unsendable) {
        link.current = nullptr;
        return Posted::NoRoom;
    }
    if (outgoing.progress < size) {
        link.close_window();
        return Posted::Taken;
    }
    link.current = nullptr;
    link.open_window();
    return Posted::Sent;
}

bool Port::arm() noexcept
{
    for (const Link* link : active_)
        if ((link->deferred() && !link->watch_output && !link->unsendable) ||
            (!link->stash.empty() && !link->paused))
            return false;
    return dying_.empty();
}

} // namespace fi::kit::tcp
