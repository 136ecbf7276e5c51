// SPDX-License-Identifier: BSD-2-Clause
//
// A device in memory, for testing the engine: as many ports as a test wants in one thread, which lose nothing
// by luck and everything by order.
//
// It keeps the contract of engine/device.hpp and uses every freedom that it gives: a frame may be Sent at
// once or Taken and read from its owner's memory much later, room may run out after any frame, a payload may
// arrive byte by byte, a link may die between any two steps. Which of these happens is asked of the Network.
// Nothing here is a thread or a clock, so a test's order of steps is its whole story.
#pragma once

#include "memory_network.hpp"

#include <algorithm>
#include <stdexcept>

namespace fi::kit::memory {

class Port {
  public:
    using Link = memory::Link;
    struct Config {
        Network* network;
        std::vector<Address> names; ///< first: the one that is told
    };

    explicit Port(const Config& config)
        : network_(*config.network), names_(config.names), identity_(++network_.endpoints)
    {
        for (const Address& name : names_)
            network_.listeners[name] = this;
    }
    ~Port() { stop_listening(); }
    Port(const Port&) = delete;
    Port& operator=(const Port&) = delete;

    Link* connect(const Address& address, Peer* peer) noexcept
    {
        Link* link = dial(address, peer);
        if (const int why = errno; !link) {
            network_.unreachable(address);
            errno = why;
        } else {
            network_.dialling(*link);
        }
        return link;
    }

    Posted send_short(Link& link, const fi_frame& frame, const void* bytes) noexcept
    {
        // Whatever the answer, the bytes are the caller's again: they are carried at once or not at all.
        if (answer(link) == Posted::NoRoom || !link.taken.empty())
            return refuse(link);
        Frame whole{frame, {}, network_.carried(link, frame)};
        if (const auto* payload = static_cast<const unsigned char*>(bytes); frame.length)
            whole.payload.assign(payload, payload + frame.length);
        deliver_to(*link.other, std::move(whole));
        show_room(link);
        return Posted::Sent;
    }

    Posted send(Link& link, Outgoing& outgoing) noexcept
    {
        Posted posted = answer(link);
        if (posted == Posted::NoRoom)
            return refuse(link);
        if (!link.taken.empty())
            posted = Posted::Taken;
        outgoing.next = nullptr; // ours while we have the frame
        const std::uint64_t mark = network_.carried(link, outgoing.frame);
        if (posted == Posted::Taken) {
            link.hot.limit = link.hot.tail;
            link.taken.push_back({&outgoing, mark});
        } else {
            carry(link, outgoing, mark);
            show_room(link);
        }
        return posted;
    }

    bool fetch(Link& link, const fi_frame_place* places, std::size_t place_count, const iovec* to,
               std::size_t count) noexcept
    {
        if (!link.up || link.error || !link.other)
            return false;
        const Fetch how = network_.fetching(link);
        if (how == Fetch::Nothing)
            return false;
        std::size_t left = 0;
        for (std::size_t i = 0; i < count; i++)
            left += to[i].iov_len;
        if (how == Fetch::Half)
            left /= 2;
        std::size_t place = 0;
        std::size_t offset = 0;
        for (std::size_t i = 0; i < count; i++)
            for (std::size_t done = 0; done < to[i].iov_len && left && place < place_count;) {
                const std::size_t piece =
                    std::min({to[i].iov_len - done, places[place].length - offset, left});
                if (piece)
                    std::memcpy(static_cast<char*>(to[i].iov_base) + done,
                                reinterpret_cast<const char*>(places[place].address) + offset, piece);
                done += piece;
                offset += piece;
                left -= piece;
                if (offset == places[place].length) {
                    place++;
                    offset = 0;
                }
            }
        return how == Fetch::All && left == 0;
    }
    [[nodiscard]] static const std::vector<Address>& names(const Link& link) noexcept
    {
        return link.remote_names;
    }
    void resume(Link& link) noexcept
    {
        if (!link.error)
            link.paused = link.told = false;
    }
    void fail(Link& link, int error) noexcept
    {
        if (!link.error)
            link.error = error;
        link.hot.limit = link.hot.tail;
    }
    void stop_sending(Link& link, int error) noexcept
    {
        if (link.unsendable || link.error)
            return;
        network_.happened++;
        link.unsendable = error;
        link.hot.tail = link.hot.limit = link.short_messages;
        if (link.up && link.other)
            link.other->gone = true;
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

    // memory_poll.hpp
    template <class S>
    void poll(S& sink, bool all) noexcept;
    template <class S>
    void close(S& sink) noexcept;

    /// The process is gone: nothing leaves any more. Of what was on its way, `arrives` tells for each link
    /// how many frames still get there.
    template <class F>
    void crash(F&& arrives) noexcept;

    /// Breaks the connection: both halves die with this error, and what was under way is lost. (A half that
    /// has been read to its end is looked at no more.)
    static void cut(Link& link, int error = ECONNRESET)
    {
        if (link.other) {
            if (!link.other->ended)
                link.other->error = error;
            link.other->hot.limit = link.other->hot.tail;
            link.other->other = nullptr;
        }
        link.error = error;
        link.hot.limit = link.hot.tail;
        link.other = nullptr;
    }
    /// Ends one half at once; the other one dies when the first `frames` of what was sent to it have been
    /// delivered.
    static void break_off(Link& link, std::size_t frames, int error = ECONNRESET)
    {
        if (Link* other = link.other) {
            if (other->incoming.size() > std::max<std::size_t>(frames, other->started))
                other->incoming.resize(std::max<std::size_t>(frames, other->started));
            other->gone = true;
            other->hot.limit = other->hot.tail;
            other->other = nullptr;
        }
        link.error = error;
        link.hot.limit = link.hot.tail;
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
    [[nodiscard]] const std::vector<Address>& own_names() const noexcept { return names_; }

  private:
    Link& add()
    {
        links_.push_back(std::make_unique<Link>());
        Link& link = *links_.back();
        link.port = this;
        link.hot.tail = link.hot.limit = link.short_messages;
        network_.made(link);
        return link;
    }
    Link* dial(const Address& address, Peer* peer) noexcept
    {
        const auto found = network_.listeners.find(address);
        errno = found == network_.listeners.end() ? ECONNREFUSED : network_.refuses(address);
        if (errno)
            return nullptr;
        network_.happened++;
        Link& link = add();
        link.peer = peer;
        link.dialled = address;
        link.called = found->second;
        found->second->calling_.push_back(&link);
        return &link;
    }
    void stop_listening() noexcept
    {
        for (const Address& name : names_)
            if (const auto found = network_.listeners.find(name);
                found != network_.listeners.end() && found->second == this)
                network_.listeners.erase(found);
    }

    /// What fi_hot_put() has left goes first.
    Posted answer(Link& link) noexcept
    {
        if (!link.up || link.error || link.unsendable || !link.other)
            return Posted::NoRoom;
        send_hot(link);
        return closing_ ? Posted::Sent : network_.answer(link);
    }
    static Posted refuse(Link& link) noexcept
    {
        link.blocked = true;
        link.hot.limit = link.hot.tail;
        return Posted::NoRoom;
    }
    /// Room for short messages, while putting is all there is to do.
    void show_room(Link& link) noexcept
    {
        const bool open =
            link.up && !link.error && !link.unsendable && link.other && !link.blocked && link.taken.empty();
        if (link.hot.tail == link.short_messages)
            link.hot.limit = link.hot.tail + (open ? std::min(network_.hot_room(link), Link::kHotRoom) : 0);
    }
    void send_hot(Link& link) noexcept
    {
        const unsigned char* at = link.short_messages;
        while (at < link.hot.tail) {
            Frame frame{};
            std::memcpy(&frame.header, at, sizeof frame.header);
            at += sizeof frame.header;
            frame.payload.assign(at, at + frame.header.length);
            at += frame.header.length;
            frame.mark = network_.carried(link, frame.header);
            deliver_to(*link.other, std::move(frame));
        }
        link.hot.tail = link.hot.limit = link.short_messages;
    }
    void deliver_to(Link& far, Frame frame) noexcept
    {
        network_.happened++;
        far.incoming.push_back(std::move(frame));
    }
    void carry(const Link& link, const Outgoing& outgoing, std::uint64_t mark)
    {
        Frame frame{outgoing.frame, {}, mark};
        frame.payload.reserve(outgoing.frame.length);
        for (std::uint32_t i = 0; i < outgoing.segments; i++) {
            const auto* bytes = static_cast<const unsigned char*>(outgoing.payload[i].iov_base);
            frame.payload.insert(frame.payload.end(), bytes, bytes + outgoing.payload[i].iov_len);
        }
        deliver_to(*link.other, std::move(frame));
    }

    template <class S>
    void report_taken(Link& link, S& sink) noexcept;
    template <class S>
    void come_up(Link& link, S& sink) noexcept;
    template <class S>
    void say_writable(Link& link, S& sink) noexcept;
    template <class S>
    void accept(S& sink) noexcept;
    template <class S>
    void call_anew(Link& link, S& sink) noexcept;
    template <class S>
    void deliver(Link& link, S& sink) noexcept;
    template <class S>
    void end(Link& link, S& sink) noexcept;
    static void place(Link& link, const Frame& frame, std::size_t count) noexcept;
    template <class S>
    void bury(S& sink) noexcept;

    Network& network_;
    std::vector<Address> names_;
    std::uint64_t identity_;
    std::vector<std::unique_ptr<Link>> links_;
    std::deque<Link*> calling_; ///< far halves of connections that we have not accepted yet
    bool closing_ = false;      ///< everything goes out
    bool crashed_ = false;
};

static_assert(kit::Port<Port>);

} // namespace fi::kit::memory

#include "memory_poll.hpp"
