// SPDX-License-Identifier: BSD-2-Clause
//
// memory_port.hpp, the half that calls the engine. Included by it.
#pragma once

namespace fi::kit::memory {

template <class S>
void Port::poll(S& sink, bool) noexcept
{
    accept(sink);
    // By index and bound: what the sink does may add links.
    for (std::size_t i = 0; i < links_.size(); i++) {
        Link& link = *links_[i];
        if (link.error || !network_.looks_at(link))
            continue;
        if (!link.up) {
            if (!link.other && !link.gone) {
                if (!link.unsendable && network_.gives_up(link))
                    call_anew(link, sink);
                continue;
            }
            if (!network_.comes_up(link))
                continue;
            network_.happened++;
            network_.connected(link);
            come_up(link, sink);
        }
        if (link.other && !link.unsendable) {
            send_hot(link);
            report_taken(link, sink);
        }
        deliver(link, sink);
        if (link.gone && !link.error)
            end(link, sink);
        if (link.paused && link.unsendable && !link.error && !std::exchange(link.told, true))
            sink.stuck(link);
        if (!link.error && !link.unsendable && link.other && network_.says_writable(link))
            say_writable(link, sink);
    }
    bury(sink);
}

template <class S>
void Port::come_up(Link& link, S& sink) noexcept
{
    link.up = true;
    if (const int error = std::exchange(link.unsendable, 0)) // another link of the peer has ended meanwhile
        stop_sending(link, error);
    say_writable(link, sink);
}

template <class S>
void Port::say_writable(Link& link, S& sink) noexcept
{
    link.blocked = link.owing = false;
    sink.writable(link);
    show_room(link);
}

/// Everything is carried, and the far ends see the end after it.
template <class S>
void Port::close(S& sink) noexcept
{
    if (crashed_)
        return;
    for (Link* caller : calling_) {
        caller->called = nullptr;
        caller->error = ECONNREFUSED;
    }
    calling_.clear();
    closing_ = true;
    for (auto& link : links_) {
        if (link->called)
            std::erase(link->called->calling_, link.get());
        if (link->error)
            cut(*link, link->error);
        if (!link->other)
            continue;
        if (!link->unsendable)
            send_hot(*link);
        for (bool more = !link->unsendable; more && link->up;) {
            report_taken(*link, sink);
            sink.writable(*link);
            more = !link->taken.empty();
        }
        link->other->gone = true;
        link->other->hot.limit = link->other->hot.tail;
        link->other->other = nullptr;
    }
    links_.clear();
}

template <class F>
void Port::crash(F&& arrives) noexcept
{
    crashed_ = true;
    stop_listening();
    for (Link* caller : calling_) {
        caller->called = nullptr;
        caller->error = ECONNRESET;
    }
    calling_.clear();
    for (auto& link : links_) {
        if (link->called)
            std::erase(link->called->calling_, link.get());
        if (link->other)
            break_off(*link, arrives(*link));
    }
    links_.clear();
}

template <class S>
void Port::report_taken(Link& link, S& sink) noexcept
{
    for (std::size_t count = link.taken.size(); count && !link.error && (closing_ || network_.carries(link));
         count--) {
        const Link::Promised promised = link.taken.front();
        link.taken.pop_front();
        carry(link, *promised.outgoing, promised.mark);
        link.owing = true;
        sink.sent(promised.outgoing);
    }
}

template <class S>
void Port::accept(S& sink) noexcept
{
    while (!calling_.empty() && network_.accepts()) {
        network_.happened++;
        Link& caller = *calling_.front();
        calling_.pop_front();
        caller.called = nullptr;
        Link& link = add();
        link.remote_names = caller.port->names_; // as the hellos would say
        link.identity = caller.port->identity_;
        caller.remote_names = names_;
        caller.identity = identity_;
        link.other = &caller;
        caller.other = &link;
        network_.linking(true);
        const bool is_linked = sink.linked(link);
        network_.linking(false);
        if (!is_linked) {
            cut(link, ENOMEM);
            continue;
        }
        network_.connected(link);
        come_up(link, sink);
    }
}

/// The link is given up before it has carried anything; what waits for it goes over another one.
template <class S>
void Port::call_anew(Link& link, S& sink) noexcept
{
    std::erase(link.called->calling_, &link);
    link.called = nullptr;
    Link* next = dial(link.dialled, link.peer);
    if (!next) {
        link.error = errno;
        return;
    }
    next->eager_limit = std::max(next->eager_limit, link.eager_limit); // frames that wait were made for it
    sink.moved(link, *next);
    std::erase_if(links_, [&](const auto& one) { return one.get() == &link; });
}

template <class S>
void Port::deliver(Link& link, S& sink) noexcept
{
    for (std::size_t budget = network_.arriving(link);
         budget && !link.incoming.empty() && !link.paused && !link.error;) {
        Frame& frame = link.incoming.front();
        if (!link.started) {
            if (frame.payload.size() <= budget && network_.hands_over(link) &&
                sink.delivered(link, frame.header, frame.payload.data())) {
                network_.happened++;
                budget -= std::max<std::size_t>(frame.payload.size(), 1);
                const Frame whole = std::move(frame);
                link.incoming.pop_front();
                network_.arrived(link, whole);
                continue;
            }
            link.destination = sink.arrived(link, frame.header);
            if (link.destination.violation || link.destination.out_of_memory) {
                fail(link, link.destination.violation ? EPROTO : ENOMEM);
                return;
            }
            if (link.destination.later) {
                link.paused = true;
                return;
            }
            link.started = true;
            link.placed = 0;
            if (frame.header.kind != FI_FRAME_OFFER)
                network_.arrived(link, frame);
        }
        network_.happened++;
        const std::size_t count = std::min(budget, frame.payload.size() - link.placed);
        place(link, frame, count);
        budget -= std::max<std::size_t>(count, 1);
        if (link.placed < frame.payload.size())
            return;
        const Frame whole = std::move(frame);
        link.incoming.pop_front();
        link.started = false;
        if (whole.header.kind == FI_FRAME_OFFER)
            network_.arrived(link, whole);
        network_.placed(link, whole);
        sink.filled(link);
    }
}

/// The far end sends nothing more.
template <class S>
void Port::end(Link& link, S& sink) noexcept
{
    stop_sending(link, ECONNRESET);
    if (link.incoming.empty() && !link.ended) // else it is paused, or has more yet
        sink.ended(link);
}

inline void Port::place(Link& link, const Frame& frame, std::size_t count) noexcept
{
    std::size_t at = 0; // of the payload, where the segment begins
    for (std::size_t i = 0; i < link.destination.count; i++) {
        const iovec& segment = link.destination.segments[i];
        const std::size_t from = std::max(link.placed, at);
        const std::size_t to = std::min(link.placed + count, at + segment.iov_len);
        if (from < to)
            std::memcpy(static_cast<char*>(segment.iov_base) + (from - at), frame.payload.data() + from,
                        to - from);
        at += segment.iov_len;
    }
    link.placed += count;
}

template <class S>
void Port::bury(S& sink) noexcept
{
    for (std::size_t i = 0; i < links_.size();) {
        if (!links_[i]->error) {
            i++;
            continue;
        }
        network_.happened++;
        const std::unique_ptr<Link> link = std::move(links_[i]);
        links_.erase(links_.begin() + static_cast<std::ptrdiff_t>(i));
        if (link->other && link->ended)
            break_off(*link, SIZE_MAX, link->error);
        else if (link->other)
            cut(*link, link->error);
        if (link->called)
            std::erase(link->called->calling_, link.get());
        if (link->peer) {
            network_.dying(*link);
            sink.died(*link, link->error);
        }
        i = 0; // died() may have ended others
    }
}

} // namespace fi::kit::memory
