// SPDX-License-Identifier: BSD-2-Clause
//
// A port whose far side is the fuzzer: bytes go through the TCP device's own reading of frames, and what the
// engine sends is taken, kept for a while, or refused, as the input says.
#pragma once

#include "input.hpp"
#include "kit/devices/tcp/input.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace fuzz {

using namespace fi::kit;

/// What both the fuzzer and the port know.
struct Wire {
    std::vector<std::unique_ptr<tcp::Link>> links;
    std::vector<tcp::Link*> dying;
    std::vector<tcp::Link*> called;  ///< by either side; the engine does not know yet that they are up
    std::vector<tcp::Link*> hung_up; ///< by the far side, which the engine does not know yet
    std::vector<Outgoing*> kept;     ///< Taken
    std::vector<tcp::Link*> kept_by;
    std::vector<std::uint64_t> handles; ///< that the engine has named
    std::vector<std::pair<tcp::Link*, std::vector<unsigned char>>> incoming;
    Posted answer = Posted::Sent;
    bool reachable = true;
    bool delivers = false; ///< what was Taken is with the far side at the next poll
    std::vector<Address> names;
};

class StreamPort {
  public:
    using Link = tcp::Link;
    struct Config {
        Wire* wire;
    };
    explicit StreamPort(const Config& config) : wire_(*config.wire) {}

    Link* connect(const Address& address, Peer* peer) noexcept
    {
        if (!wire_.reachable) {
            errno = ECONNREFUSED;
            return nullptr;
        }
        // As with every port, the answer comes at a later poll, and no frame goes either way before it.
        wire_.links.push_back(std::make_unique<Link>(Link::State::AwaitAnswer));
        Link& link = *wire_.links.back();
        wire_.called.push_back(&link);
        link.hello.names = {address};
        link.peer = peer;
        link.names_places = true;
        return &link;
    }
    Posted send_short(Link& link, const fi_frame& frame, const void*) noexcept
    {
        if (!takes(link))
            return Posted::NoRoom;
        note(frame, nullptr);
        return Posted::Sent;
    }
    Posted send(Link& link, Outgoing& outgoing) noexcept
    {
        if (!takes(link))
            return Posted::NoRoom;
        note(outgoing.frame, &outgoing);
        if (wire_.answer == Posted::Taken) {
            wire_.kept.push_back(&outgoing);
            wire_.kept_by.push_back(&link);
        }
        return wire_.answer;
    }
    static bool fetch(Link&, const fi_frame_place*, std::size_t, const iovec*, std::size_t) noexcept
    {
        return false;
    }
    static const std::vector<Address>& names(const Link& link) noexcept { return link.hello.names; }
    void resume(Link& link) noexcept { link.paused = false; }
    static bool same_endpoint(const Link& a, const Link& b) noexcept
    {
        return a.hello.identity == b.hello.identity;
    }
    void fail(Link& link, int error) noexcept
    {
        if (!link.error)
            link.error = error;
        if (std::find(wire_.dying.begin(), wire_.dying.end(), &link) == wire_.dying.end())
            wire_.dying.push_back(&link);
    }
    static void stop_sending(Link& link, int error) noexcept
    {
        if (!link.unsendable && !link.error)
            link.unsendable = error;
    }
    [[nodiscard]] bool busy() const noexcept { return !wire_.dying.empty(); }
    template <class S>
    void poll(S& sink, bool) noexcept
    {
        if (std::exchange(wire_.delivers, false))
            deliver(sink);
        for (Link* link : std::exchange(wire_.called, {})) {
            if (link->error)
                continue;
            if (link->peer && !wire_.reachable) {
                wire_.called.push_back(link);
            } else if (!link->peer && !sink.linked(*link)) {
                fail(*link, ENOMEM);
            } else {
                link->state = Link::State::Up;
                sink.writable(*link);
            }
        }
        for (std::size_t i = 0; i < wire_.links.size(); i++) {
            Link& link = *wire_.links[i];
            if (!link.error && !link.paused && link.peer && !link.stash.empty())
                tcp::consume_stash(link, sink);
            if (link.paused && link.unsendable && !link.error)
                sink.stuck(link);
            if (link.error)
                fail(link, link.error);
        }
        auto incoming = std::exchange(wire_.incoming, {});
        for (auto& [link, bytes] : incoming) {
            if (link->error || link->ended || link->state != Link::State::Up)
                continue;
            if (link->paused)
                link->stash.insert(link->stash.end(), bytes.begin(), bytes.end());
            else
                tcp::consume(*link, sink, bytes.data(), bytes.size());
            if (link->error)
                fail(*link, link->error);
        }
        for (Link* link : std::exchange(wire_.hung_up, {}))
            hang_up(*link, sink);
        bury(sink);
    }
    static std::size_t watch(fi_hot_watch*, std::size_t) noexcept { return 0; }
    static bool arm() noexcept { return false; }
    static int wait_fd() noexcept { return -1; }
    [[nodiscard]] const Address& name() const noexcept { return wire_.names.front(); }
    template <class S>
    void close(S& sink) noexcept
    {
        deliver(sink);
    }

  private:
    [[nodiscard]] bool takes(const Link& link) const noexcept
    {
        return link.state == Link::State::Up && !link.error && !link.unsendable &&
               wire_.answer != Posted::NoRoom;
    }
    /// The far side has ended the link: that is told when all that came has been taken.
    template <class S>
    void hang_up(Link& link, S& sink) noexcept
    {
        if (link.error || link.ended)
            return;
        if (link.state != Link::State::Up) {
            fail(link, ECONNREFUSED);
            return;
        }
        stop_sending(link, ECONNRESET);
        if (link.paused || !link.stash.empty())
            wire_.hung_up.push_back(&link);
        else
            sink.ended(link);
    }
    /// What was Taken is with the far side now.
    template <class S>
    void deliver(S& sink) noexcept
    {
        wire_.kept_by.clear();
        for (Outgoing* outgoing : std::exchange(wire_.kept, {}))
            sink.sent(outgoing);
        for (std::size_t i = 0; i < wire_.links.size(); i++)
            if (!wire_.links[i]->error && wire_.links[i]->state == Link::State::Up)
                sink.writable(*wire_.links[i]);
    }
    void note(const fi_frame& frame, const Outgoing* outgoing) noexcept
    {
        wire_.handles.push_back(frame.transfer);
        if (outgoing && frame.kind == FI_FRAME_PULL)
            wire_.handles.push_back(
                static_cast<const fi_frame_pull*>(outgoing->payload[0].iov_base)->receiver);
        // All of it is read, as a socket would.
        [[maybe_unused]] volatile unsigned char last = 0;
        for (std::uint32_t i = 0; outgoing && i < outgoing->segments; i++)
            for (std::size_t at = 0; at < outgoing->payload[i].iov_len; at += 997)
                last = static_cast<const unsigned char*>(outgoing->payload[i].iov_base)[at];
    }
    template <class S>
    void bury(S& sink) noexcept
    {
        for (std::size_t i = 0; i < wire_.dying.size(); i++) {
            Link* link = wire_.dying[i];
            // What it still held is given back by its death.
            for (std::size_t k = 0; k < wire_.kept.size();) {
                if (wire_.kept_by[k] != link) {
                    k++;
                    continue;
                }
                wire_.kept.erase(wire_.kept.begin() + static_cast<std::ptrdiff_t>(k));
                wire_.kept_by.erase(wire_.kept_by.begin() + static_cast<std::ptrdiff_t>(k));
            }
            std::erase(wire_.called, link);
            std::erase(wire_.hung_up, link);
            if (link->peer)
                sink.died(*link, link->error);
        }
        for (Link* link : wire_.dying)
            std::erase_if(wire_.links, [&](const auto& owned) { return owned.get() == link; });
        wire_.dying.clear();
    }

    Wire& wire_;
};

} // namespace fuzz
