// SPDX-License-Identifier: BSD-2-Clause
//
// A device in memory, for testing the engine: as many ports as a test wants in one thread, which lose nothing
// by luck and everything by order.
//
// It keeps the contract of engine/device.hpp and uses every freedom that it gives: a frame may be Sent at
// once or Taken and read from its owner's memory much later, room may run out after any frame, a payload may
// arrive byte by byte, a link may die between any two steps. Which of these happens is set on the Network or
// the link by the test. Nothing here is a thread or a clock, so a test's order of steps is its whole story.
#pragma once

#include "kit/engine/device.hpp"
#include "kit/objects/address.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace fi::kit::memory {

class Port;

/// The address 10.0.0.<host> with this port.
inline Address address_of(int host, std::uint16_t port = 1)
{
    return *Address::parse("fi_sockaddr_in://10.0.0." + std::to_string(host) + ":" + std::to_string(port));
}

/// Who listens where, and how the links behave.
struct Network {
    std::map<std::string, Port*>
        listeners;               ///< by Address::text(): every name of every port; who came last has it
    bool take = false;           ///< frames are Taken, and carried at the sender's next poll
    std::size_t room = 1000;     ///< frames that a link holds until the receiver has taken them
    std::size_t step = SIZE_MAX; ///< bytes that arrive per link and poll
    bool fetches = false;        ///< offered messages are read where they lie
    std::uint64_t happened = 0;  ///< goes up with everything that changes anything
};

struct Frame {
    fi_frame header;
    std::vector<unsigned char> payload;
};

struct Link : LinkBase {
    std::vector<Address> remote_names;
    const void* identity = nullptr; ///< of the far endpoint, once connected
    Link* other = nullptr;          ///< the far half; nullptr: not accepted yet, or dead
    Port* port = nullptr;
    Port* called = nullptr; ///< who has not accepted yet
    bool up = false;        ///< writable() has been said
    bool paused = false;
    bool ended = false; ///< the far end has closed in good order: what has arrived is still delivered
    int error = 0;
    std::deque<Frame> incoming;  ///< sent by the other half
    std::deque<Outgoing*> taken; ///< the engine's frames that we promised to carry
    bool started = false;        ///< the first incoming frame has its destination
    Destination destination;
    std::size_t placed = 0; ///< payload bytes of it that have been placed or thrown away
};

class Port {
  public:
    using Link = memory::Link;
    struct Config {
        Network* network;
        std::vector<Address> names; ///< first: the one that is told
    };

    explicit Port(const Config& config) : network_(*config.network), names_(config.names)
    {
        for (const Address& name : names_)
            network_.listeners[name.text()] = this;
    }
    ~Port()
    {
        for (const Address& name : names_)
            if (const auto found = network_.listeners.find(name.text());
                found != network_.listeners.end() && found->second == this)
                network_.listeners.erase(found);
    }
    Port(const Port&) = delete;
    Port& operator=(const Port&) = delete;

    Link* connect(const Address& address, Peer* peer) noexcept
    {
        const auto found = network_.listeners.find(address.text());
        if (found == network_.listeners.end()) {
            errno = ECONNREFUSED;
            return nullptr;
        }
        network_.happened++;
        Link& link = add();
        link.peer = peer;
        link.called = found->second;
        found->second->calling_.push_back(&link);
        return &link;
    }

    Posted send_short(Link& link, const fi_frame& frame, const void* bytes) noexcept
    {
        if (!can_send(link))
            return Posted::NoRoom;
        const auto* payload = static_cast<const unsigned char*>(bytes);
        link.other->incoming.push_back({frame, {payload, payload + frame.length}});
        return Posted::Sent;
    }

    Posted send(Link& link, Outgoing& outgoing) noexcept
    {
        if (!can_send(link))
            return Posted::NoRoom;
        outgoing.next = nullptr; // ours while we have the frame
        if (network_.take) {
            link.taken.push_back(&outgoing);
            return Posted::Taken;
        }
        carry(link, outgoing);
        return Posted::Sent;
    }

    bool fetch(Link&, const fi_frame_place* places, std::size_t place_count, const iovec* to,
               std::size_t count) noexcept
    {
        if (!network_.fetches)
            return false;
        std::size_t at = 0; // of the current place
        for (std::size_t i = 0; i < count; i++) {
            for (std::size_t done = 0; done < to[i].iov_len && place_count;) {
                const std::size_t size = std::min<std::size_t>(to[i].iov_len - done, places->length - at);
                std::memcpy(static_cast<char*>(to[i].iov_base) + done,
                            reinterpret_cast<const char*>(places->address) + at, size);
                done += size;
                at += size;
                if (at == places->length)
                    places++, place_count--, at = 0;
            }
        }
        return true;
    }
    [[nodiscard]] static const std::vector<Address>& names(const Link& link) noexcept
    {
        return link.remote_names;
    }
    void resume(Link& link) noexcept { link.paused = false; }
    void fail(Link& link, int error) noexcept
    {
        if (!link.error)
            link.error = error;
    }
    void fail_peer(const Peer& peer, int error) noexcept
    {
        for (const auto& link : links_)
            if (link->peer == &peer)
                fail(*link, error);
    }
    [[nodiscard]] static bool same_endpoint(const Link& a, const Link& b) noexcept
    {
        return a.identity == b.identity;
    }
    [[nodiscard]] bool busy() const noexcept { return true; }
    [[nodiscard]] static std::size_t watch(fi_hot_watch*, std::size_t) noexcept { return 0; }
    [[nodiscard]] bool arm() noexcept { return false; }
    [[nodiscard]] int wait_fd() const noexcept { return -1; }
    [[nodiscard]] const Address& name() const noexcept { return names_.front(); }

    template <class S>
    void poll(S& sink, bool) noexcept
    {
        accept(sink);
        // By index and bound: what the sink does may add links.
        for (std::size_t i = 0; i < links_.size(); i++) {
            Link& link = *links_[i];
            if (link.error || !link.other) {
                if (link.ended && !link.error)
                    deliver(link, sink);
                continue;
            }
            if (!link.up) {
                network_.happened++;
                link.up = true;
                sink.writable(link);
            }
            report_taken(link, sink);
            deliver(link, sink);
            if (!link.error)
                sink.writable(link);
        }
        bury(sink);
    }

    /// Everything is carried, and the far ends see the end after it.
    template <class S>
    void close(S& sink) noexcept
    {
        for (Link* caller : calling_) {
            caller->called = nullptr;
            caller->error = ECONNREFUSED;
        }
        calling_.clear();
        network_.room = SIZE_MAX;
        for (auto& link : links_) {
            if (link->called)
                std::erase(link->called->calling_, link.get());
            if (link->error || !link->other)
                continue;
            for (bool more = true; more;) {
                report_taken(*link, sink);
                sink.writable(*link);
                more = !link->taken.empty();
            }
            link->other->ended = true;
            link->other->other = nullptr;
        }
        links_.clear();
    }

    /// Breaks the connection: both halves die with this error, and what was under way is lost.
    static void cut(Link& link, int error = ECONNRESET)
    {
        if (link.other) {
            link.other->error = error;
            link.other->other = nullptr;
        }
        link.error = error;
        link.other = nullptr;
    }
    /// The links of the port, in the order in which they were made.
    [[nodiscard]] std::vector<Link*> links() const
    {
        std::vector<Link*> all;
        for (const auto& link : links_)
            all.push_back(link.get());
        return all;
    }

  private:
    Link& add()
    {
        links_.push_back(std::make_unique<Link>());
        links_.back()->port = this;
        links_.back()->names_places = network_.fetches;
        return *links_.back();
    }

    bool can_send(const Link& link) const noexcept
    {
        return link.up && !link.error && link.other &&
               link.other->incoming.size() + link.taken.size() < network_.room;
    }

    void carry(Link& link, const Outgoing& outgoing)
    {
        network_.happened++;
        Frame frame{outgoing.frame, {}};
        for (std::uint32_t i = 0; i < outgoing.segments; i++) {
            const auto* bytes = static_cast<const unsigned char*>(outgoing.payload[i].iov_base);
            frame.payload.insert(frame.payload.end(), bytes, bytes + outgoing.payload[i].iov_len);
        }
        link.other->incoming.push_back(std::move(frame));
    }

    template <class S>
    void report_taken(Link& link, S& sink) noexcept
    {
        for (std::size_t count = link.taken.size(); count && !link.error; count--) {
            Outgoing* outgoing = link.taken.front();
            link.taken.pop_front();
            carry(link, *outgoing);
            sink.sent(outgoing);
        }
    }

    template <class S>
    void accept(S& sink) noexcept
    {
        while (!calling_.empty()) {
            network_.happened++;
            Link& caller = *calling_.front();
            calling_.pop_front();
            caller.called = nullptr;
            Link& link = add();
            link.remote_names = caller.port->names_;
            link.identity = caller.port; // as the hellos would say
            caller.identity = this;
            link.other = &caller;
            caller.other = &link;
            if (!sink.linked(link)) {
                cut(link, ENOMEM);
                continue;
            }
            link.up = true;
            sink.writable(link);
        }
    }

    template <class S>
    void deliver(Link& link, S& sink) noexcept
    {
        for (std::size_t budget = network_.step;
             budget && !link.incoming.empty() && !link.paused && !link.error;) {
            Frame& frame = link.incoming.front();
            if (!link.started) {
                // As ports do with what has arrived as a whole; those that take frames here do not.
                if (!network_.take && frame.payload.size() <= budget &&
                    sink.delivered(link, frame.header, frame.payload.data())) {
                    network_.happened++;
                    budget -= std::max<std::size_t>(frame.payload.size(), 1);
                    link.incoming.pop_front();
                    continue;
                }
                link.destination = sink.arrived(link, frame.header);
                if (link.destination.violation || link.destination.out_of_memory) {
                    link.error = link.destination.violation ? EPROTO : ENOMEM;
                    return;
                }
                if (link.destination.later) {
                    link.paused = true;
                    return;
                }
                link.started = true;
                link.placed = 0;
            }
            network_.happened++;
            const std::size_t count = std::min(budget, frame.payload.size() - link.placed);
            place(link, frame, count);
            budget -= std::max<std::size_t>(count, 1);
            if (link.placed < frame.payload.size())
                return;
            link.incoming.pop_front();
            link.started = false;
            sink.filled(link);
        }
        if (link.ended && link.incoming.empty() && !link.error)
            link.error = ECONNRESET;
    }

    static void place(Link& link, const Frame& frame, std::size_t count) noexcept
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
    void bury(S& sink) noexcept
    {
        for (std::size_t i = 0; i < links_.size();) {
            if (!links_[i]->error) {
                i++;
                continue;
            }
            network_.happened++;
            const std::unique_ptr<Link> link = std::move(links_[i]);
            links_.erase(links_.begin() + static_cast<std::ptrdiff_t>(i));
            if (link->other)
                cut(*link, link->error);
            if (link->called)
                std::erase(link->called->calling_, link.get());
            if (link->peer)
                sink.died(*link, link->error);
            i = 0; // died() may have ended others
        }
    }

    Network& network_;
    std::vector<Address> names_;
    std::vector<std::unique_ptr<Link>> links_;
    std::deque<Link*> calling_; ///< far halves of connections that we have not accepted yet
};

static_assert(kit::Port<Port>);

} // namespace fi::kit::memory
