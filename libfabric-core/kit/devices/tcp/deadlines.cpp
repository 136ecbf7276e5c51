// SPDX-License-Identifier: BSD-2-Clause
//
// Port, what may not take for ever: establishing a connection, saying hello, and a host's silence.
//
// A host is silent when it owes an acknowledgement and sends nothing at all. One whose application computes
// owes nothing for long: when its buffers are full it goes on answering the kernel's probes, for as long as
// that takes. (TCP_USER_TIMEOUT would end that connection as well.) Where nothing is owed, TCP's keepalive
// probes.
#include "kit/devices/tcp/port.hpp"

#include <netinet/tcp.h>
#include <poll.h>
#include <sys/timerfd.h>

namespace fi::kit::tcp {
namespace {

constexpr int kRtoMax = 44; ///< TCP_RTO_MAX_MS, since Linux 6.15

void set(int fd, int level, int option, int value) noexcept
{
    setsockopt(fd, level, option, &value, sizeof value);
}

/// Whether what a link waits for has happened, and maybe in time: nobody has looked for a while. epoll is
/// about to say so.
bool has_news(const Link& link) noexcept
{
    const bool connecting = link.state == Link::State::Connecting;
    pollfd seen{link.fd, static_cast<short>(connecting ? POLLOUT : POLLIN), 0};
    return ::poll(&seen, 1, 0) == 1;
}

} // namespace

/// Milliseconds of silence after which a host is dead.
std::uint64_t Port::patience() const noexcept
{
    return std::max<std::uint64_t>(config_.peer_milliseconds, 4000);
}

/// Has the kernel probe a host of which nothing is heard.
void Port::probe_when_idle(int fd) const noexcept
{
    const auto seconds = static_cast<int>(patience() / 1000);
    const int interval = std::max(seconds / 8, 1);
    set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
    set(fd, IPPROTO_TCP, TCP_KEEPIDLE, seconds / 2);
    set(fd, IPPROTO_TCP, TCP_KEEPINTVL, interval);
    set(fd, IPPROTO_TCP, TCP_KEEPCNT, (seconds - seconds / 2) / interval);
    // An older kernel asks a host whose buffers are full ever more rarely, at last every two minutes.
    set(fd, IPPROTO_TCP, kRtoMax, interval * 1000);
}

/// Whether the host on the other side has owed an acknowledgement, and sent nothing, for longer than a living
/// one would.
bool Port::is_silent(Link& link, std::uint64_t now) const noexcept
{
    tcp_info info{};
    socklen_t size = sizeof info;
    if (getsockopt(link.fd, IPPROTO_TCP, TCP_INFO, &info, &size))
        return false;
    if (info.tcpi_unacked == 0 && info.tcpi_probes == 0) {
        link.owed_since = 0;
        return false;
    }
    const std::uint64_t millisecond = 1000 * ticks_per_microsecond();
    if (!link.owed_since || info.tcpi_last_ack_recv * millisecond < now - link.owed_since) {
        link.owed_since = now;
        return false;
    }
    // One probe may be lost.
    return now - link.owed_since >= patience() * millisecond &&
           (info.tcpi_unacked > 0 || info.tcpi_probes > 1);
}

/// Ends what has taken too long, and sets the timer for what is left.
void Port::expire() noexcept
{
    const std::uint64_t now = fi_hot_clock();
    alarm_ = 0;
    set_timer(0);
    const bool inspect = inspection_ && now >= inspection_;
    if (inspect)
        inspection_ = 0;
    for (auto& [key, link] : links_) {
        if (link->error)
            continue;
        if (link->state == Link::State::Up) {
            if (inspect && is_silent(*link, now)) {
                FI_WARN(config_.provider, FI_LOG_EP_CTRL, "%s has acknowledged nothing for %llu ms\n",
                        link->hello.names.front().text().c_str(),
                        static_cast<unsigned long long>(patience()));
                // What is going to be reported as failed must not leave when the host is back.
                const linger abort{1, 0};
                setsockopt(link->fd, SOL_SOCKET, SO_LINGER, &abort, sizeof abort);
                fail(*link, ETIMEDOUT);
            } else {
                inspect_later(now);
            }
            continue;
        }
        if (!link->deadline)
            continue;
        if (now < link->deadline) {
            wake_at(link->deadline);
            continue;
        }
        link->deadline = 0;
        if (has_news(*link)) {
            set_deadline(*link, now + 1'000'000 * ticks_per_microsecond());
            continue;
        }
        if (link->state == Link::State::Connecting) {
            dial_next(*link, ETIMEDOUT);
        } else {
            FI_INFO(config_.provider, FI_LOG_EP_CTRL, "dropped a connection that said no hello\n");
            fail(*link, ETIMEDOUT);
        }
    }
    if (inspection_)
        wake_at(inspection_);
}

/// There is a link that is up: all of them are inspected several times in the time that silence may last.
void Port::inspect_later(std::uint64_t now) noexcept
{
    if (inspection_)
        return;
    inspection_ = now + patience() / 4 * 1000 * ticks_per_microsecond();
    wake_at(inspection_);
}

void Port::set_deadline(Link& link, std::uint64_t when) noexcept
{
    link.deadline = when;
    wake_at(when);
}

/// Has expire() called at that time, in ticks, if not before.
void Port::wake_at(std::uint64_t when) noexcept
{
    if (alarm_ && alarm_ <= when)
        return;
    alarm_ = when;
    const std::uint64_t now = fi_hot_clock();
    set_timer(when > now ? (when - now) / (1000 * ticks_per_microsecond()) + 1 : 1);
}

/// 0 stops it.
void Port::set_timer(std::uint64_t milliseconds) noexcept
{
    itimerspec when{};
    when.it_value.tv_sec = static_cast<time_t>(milliseconds / 1000);
    when.it_value.tv_nsec = static_cast<long>(milliseconds % 1000 * 1'000'000);
    timerfd_settime(timer_, 0, &when, nullptr);
}

} // namespace fi::kit::tcp
