// SPDX-License-Identifier: BSD-2-Clause
//
// Port, the half that calls the engine: looking at rings, hearing bells, burying the dead. Included by
// port.hpp.
#pragma once

#include <poll.h>
#include <utility>

namespace fi::kit::shm {

constexpr std::uint64_t kQuietMicroseconds = 100; ///< after which a ring is parked
constexpr int kFramesPerLook = 64;                ///< so that one busy peer cannot keep the others waiting
constexpr int kCloseMilliseconds = 2000;

/// Takes frames out of a link's ring.
template <class S>
void Port::look(Link& link, S& sink) noexcept
{
    if (link.paused || link.error)
        return;
    int frames = 0;
    for (; frames < kFramesPerLook && link.reader.ready(); frames++) {
        fi_frame frame;
        const unsigned char* payload = nullptr;
        if (!link.reader.front(frame, payload)) {
            FI_WARN(config_.provider, FI_LOG_EP_DATA, "a peer has written a frame that breaks the rules\n");
            fail(link, EPROTO);
            return;
        }
        if (sink.delivered(link, frame, payload))
            link.reader.pop(frame.length);
        else if (!take(link, fi_frame(frame), payload, sink))
            break;
    }
    if (frames)
        link.last_active = fi_hot_clock();
    if (link.reader.take_wanted())
        link.answer_bell();
}

/// Has a frame's payload put where it belongs. False: nothing more can be taken from this link for now.
template <class S>
[[gnu::noinline]] bool Port::take(Link& link, const fi_frame& frame, const unsigned char* payload,
                                  S& sink) noexcept
{
    const Destination to = sink.arrived(link, frame);
    if (to.violation || to.out_of_memory) {
        fail(link, to.violation ? EPROTO : ENOMEM);
        return false;
    }
    if (to.later) {
        link.paused = true;
        return false;
    }
    for (std::uint32_t i = 0; i < to.count; i++) {
        const iovec& segment = to.segments[i];
        if (segment.iov_len <= FI_HOT_SLOT_PAYLOAD)
            fi_hot_copy_short(static_cast<unsigned char*>(segment.iov_base), payload, segment.iov_len);
        else
            std::memcpy(segment.iov_base, payload, segment.iov_len);
        payload += segment.iov_len;
    }
    link.reader.pop(frame.length);
    sink.filled(link);
    return !link.paused && !link.error;
}

template <class S>
void Port::handshake(Link& link, S& sink) noexcept
{
    const bool called = link.called;
    if (!hear_hello(link))
        return;
    if (!called && !sink.linked(link)) {
        fail(link, ENOMEM);
        return;
    }
    if (const int error = std::exchange(link.unsendable, 0)) // another link of the peer has ended meanwhile
        stop_sending(link, error);
    warm(link);
    sink.writable(link);
    if (!link.error)
        link.writer.show_room();
}

template <class S>
void Port::look_at_epoll(S& sink) noexcept
{
    epoll_event events[32];
    const int count = epoll_wait(epoll_, events, 32, 0);
    for (int i = 0; i < count; i++) {
        if (events[i].data.ptr == &listener_) {
            accept_all();
            continue;
        }
        auto* link = static_cast<Link*>(events[i].data.ptr);
        if (link->error)
            continue;
        if (link->state == Link::State::Up)
            hear_bells(*link);
        else
            handshake(*link, sink);
    }
}

/// Writers that were short of room go on.
template <class S>
void Port::unblock(S& sink) noexcept
{
    for (std::size_t i = 0; i < blocked_.size();) {
        Link& link = *blocked_[i];
        if (!link.error && !link.unsendable && link.writer.has_news()) {
            link.writer.stop_waiting();
            if (!link.writer.reopen()) {
                FI_WARN(config_.provider, FI_LOG_EP_DATA,
                        "a peer has written a counter that breaks the rules\n");
                fail(link, EPROTO);
            } else {
                sink.writable(link);
                link.writer.show_room();
            }
        }
        if (!link.error && !link.unsendable && link.writer.blocked()) {
            i++;
            continue;
        }
        link.blocked_set = false;
        blocked_[i] = blocked_.back();
        blocked_.pop_back();
    }
}

template <class S>
void Port::poll(S& sink, bool all) noexcept
{
    if (all)
        look_at_epoll(sink);
    for (std::size_t i = 0; i < hot_.size(); i++) {
        Link& link = *hot_[i];
        look(link, sink);
        if (link.paused && link.unsendable && !link.error)
            sink.stuck(link);
        if (link.gone && !link.paused && !link.ended && !link.error && !link.reader.ready())
            sink.ended(link);
    }
    if (!blocked_.empty())
        unblock(sink);
    if (all && !hot_.empty())
        park(false, fi_hot_clock());
    if (!dying_.empty())
        bury(sink);
}

template <class S>
void Port::bury(S& sink) noexcept
{
    // died() may send elsewhere and so find more links to bury: they are appended and seen here too.
    for (std::size_t i = 0; i < dying_.size(); i++) {
        Link& link = *dying_[i];
        remove_fds(link);
        if (link.peer)
            sink.died(link, link.error);
        if (link.hot_set)
            std::erase(hot_, &link);
        if (link.blocked_set)
            std::erase(blocked_, &link);
    }
    for (Link* link : dying_)
        links_.erase(link);
    dying_.clear();
}

/// What is in a ring is the peer's, however soon we are gone; only what waits for room has to wait for it, no
/// longer than kCloseMilliseconds together.
template <class S>
void Port::close(S& sink) noexcept
{
    const std::uint64_t end = fi_hot_clock() + kCloseMilliseconds * 1000 * ticks_per_microsecond();
    for (bool first = true; !blocked_.empty() && (first || fi_hot_clock() < end); first = false) {
        unblock(sink);
        if (!blocked_.empty())
            ::poll(nullptr, 0, first ? 0 : 1);
    }
    links_.clear();
    hot_.clear();
    blocked_.clear();
}

} // namespace fi::kit::shm
