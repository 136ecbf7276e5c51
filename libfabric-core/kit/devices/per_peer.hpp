// SPDX-License-Identifier: BSD-2-Clause
//
// Two devices as one port: shared memory to the peers of this machine, another device to all the others.
//
// Which one is chosen once per link, when it is made: shared memory if the peer can be found and takes it,
// else, and in any doubt, the other device. A peer stays one ordered channel whichever it is: what waits for
// a link that comes to nothing moves to the other one before anything has been sent (Sink::moved).
#pragma once

#include "kit/devices/shm/port.hpp"

#include <optional>

namespace fi::kit {

template <class Far>
class PerPeer {
  public:
    using Near = shm::Port;
    using Link = LinkBase;
    struct Config {
        typename Far::Config far;
        bool shared_memory; ///< false: everybody by way of the other device
    };

    /// Throws std::system_error, std::bad_alloc.
    explicit PerPeer(const Config& config)
        : provider_(config.far.provider), far_(config.far), epoll_(epoll_create1(EPOLL_CLOEXEC))
    {
        if (epoll_ < 0)
            throw std::system_error(errno, std::generic_category(), "epoll_create1");
        try {
            watch_fd(far_.wait_fd());
            if (config.shared_memory)
                open_near(config.far);
        } catch (...) {
            ::close(epoll_);
            throw;
        }
    }
    ~PerPeer() { ::close(epoll_); }
    PerPeer(const PerPeer&) = delete;
    PerPeer& operator=(const PerPeer&) = delete;

    LinkBase* connect(const Address& address, Peer* peer) noexcept
    {
        const char* why = "shared memory is off or not to be had";
        if (near_) {
            if (LinkBase* link = near_->connect(address, peer))
                return link;
            why = errno == ECONNREFUSED ? "no endpoint of this machine has that address" : fi_strerror(errno);
        }
        FI_INFO(provider_, FI_LOG_EP_CTRL, "%s: over the network: %s\n", text(address), why);
        return far_.connect(address, peer);
    }

    Posted send_short(LinkBase& link, const fi_frame& frame, const void* bytes) noexcept
    {
        return link.local ? near_->send_short(near(link), frame, bytes)
                          : far_.send_short(far(link), frame, bytes);
    }
    Posted send(LinkBase& link, Outgoing& outgoing) noexcept
    {
        return link.local ? near_->send(near(link), outgoing) : far_.send(far(link), outgoing);
    }
    bool fetch(LinkBase& link, const fi_frame_place* places, std::size_t place_count, const iovec* to,
               std::size_t count) noexcept
    {
        return link.local ? near_->fetch(near(link), places, place_count, to, count)
                          : far_.fetch(far(link), places, place_count, to, count);
    }
    [[nodiscard]] static const std::vector<Address>& names(const LinkBase& link) noexcept
    {
        return link.local ? Near::names(near(link)) : Far::names(far(link));
    }
    void resume(LinkBase& link) noexcept { link.local ? near_->resume(near(link)) : far_.resume(far(link)); }
    [[nodiscard]] static bool same_endpoint(const LinkBase& a, const LinkBase& b) noexcept
    {
        return identity(a) == identity(b);
    }
    void stop_sending(LinkBase& link, int error) noexcept
    {
        link.local ? near_->stop_sending(near(link), error) : far_.stop_sending(far(link), error);
    }
    void fail(LinkBase& link, int error) noexcept
    {
        link.local ? near_->fail(near(link), error) : far_.fail(far(link), error);
    }
    [[nodiscard]] bool busy() const noexcept { return far_.busy() || (near_ && near_->busy()); }
    template <class S>
    void poll(S& sink, bool all) noexcept
    {
        if (!near_) {
            far_.poll(sink, all);
            return;
        }
        Through<S> through{*this, sink};
        near_->poll(through, all);
        far_.poll(sink, all);
        // A peer may have had a link of each kind. Before an operation is reported as failed, all of them are
        // closed: over there its memory is still read where it lies while one of them is open.
        while (near_->busy()) {
            near_->bury(through);
            far_.bury(sink);
        }
    }
    [[nodiscard]] std::size_t watch(fi_hot_watch* out, std::size_t room) noexcept
    {
        const std::size_t count = near_ ? near_->watch(out, room) : 0;
        return count > room ? count : count + far_.watch(out + count, room - count);
    }
    [[nodiscard]] bool arm() noexcept
    {
        const bool near_sleeps = !near_ || near_->arm();
        return far_.arm() && near_sleeps;
    }
    [[nodiscard]] int wait_fd() const noexcept { return epoll_; }
    [[nodiscard]] const Address& name() const noexcept { return far_.name(); }
    template <class S>
    void close(S& sink) noexcept
    {
        if (near_) {
            Through<S> through{*this, sink};
            near_->close(through);
        }
        far_.close(sink);
    }

  private:
    /// The engine, seen from the near device: the end of a link that never was up may not be the peer's end.
    template <class S>
    struct Through {
        PerPeer& port;
        S& sink;

        Destination arrived(LinkBase& link, const fi_frame& frame) noexcept
        {
            return sink.arrived(link, frame);
        }
        bool delivered(LinkBase& link, const fi_frame& frame, const unsigned char* payload) noexcept
        {
            return sink.delivered(link, frame, payload);
        }
        void filled(LinkBase& link) noexcept { sink.filled(link); }
        void sent(Outgoing* outgoing) noexcept { sink.sent(outgoing); }
        void writable(LinkBase& link) noexcept { sink.writable(link); }
        bool linked(LinkBase& link) noexcept { return sink.linked(link); }
        void moved(LinkBase& from, LinkBase& to) noexcept { sink.moved(from, to); }
        void ended(LinkBase& link) noexcept { sink.ended(link); }
        void stuck(LinkBase& link) noexcept { sink.stuck(link); }
        void died(LinkBase& link, int error) noexcept
        {
            const shm::Link& ended = near(link);
            if (!link.was_up && ended.called && !link.unsendable) {
                FI_INFO(port.provider_, FI_LOG_EP_CTRL,
                        "%s: over the network: shared memory came to nothing: %s\n", text(ended.dialled),
                        fi_strerror(error));
                if (LinkBase* other = port.far_.connect(ended.dialled, link.peer)) {
                    sink.moved(link, *other);
                    return;
                }
            }
            sink.died(link, error);
        }
    };

    void open_near(const typename Far::Config& config)
    {
        try {
            near_.emplace(shm::PortConfig{config.provider, far_.local_self(), config.bind_to.is_wildcard()});
        } catch (const std::system_error& refused) {
            FI_WARN(config.provider, FI_LOG_EP_CTRL, "no shared memory with peers of this machine: %s\n",
                    refused.what());
            return;
        }
        watch_fd(near_->wait_fd());
    }
    void watch_fd(int fd)
    {
        epoll_event event{};
        event.events = EPOLLIN;
        if (epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event))
            throw std::system_error(errno, std::generic_category(), "epoll_ctl");
    }
    static shm::Link& near(LinkBase& link) noexcept { return static_cast<shm::Link&>(link); }
    static const shm::Link& near(const LinkBase& link) noexcept
    {
        return static_cast<const shm::Link&>(link);
    }
    static typename Far::Link& far(LinkBase& link) noexcept { return static_cast<typename Far::Link&>(link); }
    static const typename Far::Link& far(const LinkBase& link) noexcept
    {
        return static_cast<const typename Far::Link&>(link);
    }
    static const Identity& identity(const LinkBase& link) noexcept
    {
        return link.local ? Near::identity(near(link)) : Far::identity(far(link));
    }
    /// For a log line; valid until the next call on this thread.
    static const char* text(const Address& address) noexcept
    {
        thread_local char buffer[128];
        try {
            std::snprintf(buffer, sizeof buffer, "%s", address.text().c_str());
        } catch (...) {
            buffer[0] = '\0';
        }
        return buffer;
    }

    const fi_provider* provider_;
    Far far_;
    std::optional<Near> near_;
    int epoll_;
};

} // namespace fi::kit
