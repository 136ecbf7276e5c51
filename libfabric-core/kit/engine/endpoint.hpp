// SPDX-License-Identifier: BSD-2-Clause
//
// The endpoint object: the API's calls on one side, the engine on the other, and the life cycle between them.
//
// Opened, bound, enabled, closed. Before it is enabled an endpoint has tables whose every data slot answers
// -FI_EOPBADSTATE, so no call on the hot path asks in which state the endpoint is. Every method takes the
// lock that the threading model needs, decides what the flags mean, and hands down one SendArgs or
// ReceiveArgs.
#pragma once

#include "kit/engine/shared_receives.hpp"
#include "kit/objects/eq.hpp"
#include "kit/objects/guard.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace fi::kit {

/// What an endpoint is made of and belongs to.
struct EndpointSetup {
    ProgressDriver* background; ///< of the domain; nullptr: progress is the application's
    Parent* domain;             ///< what is bound must come from the same one
    std::uint32_t api_version;
    std::uint64_t caps;           ///< FI_SEND and FI_RECV spelled out
    std::uint64_t transmit_flags; ///< default operation flags
    std::uint64_t receive_flags;
    std::size_t transmit_size;
    std::size_t receive_size;
    std::size_t most_operations; ///< that these two may be set to
    bool shared_memory;          ///< for peers of this machine, unless the application forbids it
    std::uint32_t addr_format;
    std::size_t iov_limit;
    bool shares_receives = false; ///< FI_SHARED_CONTEXT: cannot be enabled without such a context
};

/// The tables of an endpoint that is not enabled.
struct DisabledEndpoint : fi_hot_ep {
    using Handle = fi_hot_ep;
    static constexpr int kRefusal = -FI_EOPBADSTATE;
};

/// The tables of messages that the endpoint was not opened for.
struct NoCapability : fi_hot_ep {
    using Handle = fi_hot_ep;
    static constexpr int kRefusal = -FI_EOPNOTSUPP;
};

/// PortType is the device's; what its constructor needs is kept until the endpoint is enabled.
template <class Lock, class PortType>
class Endpoint : public fi_hot_ep, public Child, public ReceiveCalls<Endpoint<Lock, PortType>> {
  public:
    using Handle = fi_hot_ep;
    using PortConfig = typename PortType::Config;

    Endpoint(Lock& lock, const EndpointSetup& setup, PortConfig port, void* context)
        : fi_hot_ep{}, Child(*setup.domain, fid.fid), lock_(lock), setup_(setup), port_(std::move(port)),
          real_(this)
    {
        set_up_handle(context);
    }
    ~Endpoint();

    // fi_ops
    int close() noexcept;
    int bind(::fid* object, std::uint64_t flags) noexcept;
    int control(int command, void* arg) noexcept;
    int ops_open(const char* name, std::uint64_t flags, void** ops, void* context) noexcept;

    // fi_ops_ep
    ssize_t cancel(void* context) noexcept;
    int getopt(int level, int name, void* value, std::size_t* size) noexcept;
    int setopt(int level, int name, const void* value, std::size_t size) noexcept;

    // fi_ops_cm
    int getname(void* addr, std::size_t* size) noexcept;

    // fi_ops_msg; its receives are in ReceiveCalls, as are those of fi_ops_tagged
    ssize_t send(const void* buf, std::size_t len, void*, fi_addr_t dest, void* context) noexcept
    {
        return send_one(buf, len, dest, 0, context, 0);
    }
    ssize_t sendv(const iovec* iov, void**, std::size_t count, fi_addr_t dest, void* context) noexcept
    {
        return transmit(
            {iov, count, dest, 0, 0, context, transmit_level_, transmit_inject_, transmit_report_});
    }
    ssize_t sendmsg(const fi_msg* msg, std::uint64_t flags) noexcept
    {
        if (flags & ~transmit_flags())
            return refuse_flags("fi_sendmsg", flags);
        return transmit({msg->msg_iov, msg->iov_count, msg->addr, 0, msg->data, msg->context,
                         message_flags(flags), (flags & FI_INJECT) != 0, transmit_reports(flags),
                         (flags & FI_FENCE) != 0});
    }
    ssize_t inject(const void* buf, std::size_t len, fi_addr_t dest) noexcept
    {
        const iovec iov{const_cast<void*>(buf), len};
        return transmit({&iov, 1, dest, 0, 0, nullptr, 0, true, false});
    }
    ssize_t senddata(const void* buf, std::size_t len, void*, std::uint64_t data, fi_addr_t dest,
                     void* context) noexcept
    {
        const iovec iov{const_cast<void*>(buf), len};
        return transmit({&iov, 1, dest, 0, data, context, frame_flags(FI_FRAME_DATA64), transmit_inject_,
                         transmit_report_});
    }
    ssize_t injectdata(const void* buf, std::size_t len, std::uint64_t data, fi_addr_t dest) noexcept
    {
        const iovec iov{const_cast<void*>(buf), len};
        return transmit({&iov, 1, dest, 0, data, nullptr, FI_FRAME_DATA64, true, false});
    }

    // fi_ops_tagged
    ssize_t tsend(const void* buf, std::size_t len, void*, fi_addr_t dest, std::uint64_t tag,
                  void* context) noexcept
    {
        return send_one(buf, len, dest, tag, context, FI_FRAME_TAGGED);
    }
    ssize_t tsendv(const iovec* iov, void**, std::size_t count, fi_addr_t dest, std::uint64_t tag,
                   void* context) noexcept
    {
        return transmit({iov, count, dest, tag, 0, context, frame_flags(FI_FRAME_TAGGED), transmit_inject_,
                         transmit_report_});
    }
    ssize_t tsendmsg(const fi_msg_tagged* msg, std::uint64_t flags) noexcept
    {
        if (flags & ~transmit_flags())
            return refuse_flags("fi_tsendmsg", flags);
        return transmit({msg->msg_iov, msg->iov_count, msg->addr, msg->tag, msg->data, msg->context,
                         static_cast<std::uint8_t>(FI_FRAME_TAGGED | message_flags(flags)),
                         (flags & FI_INJECT) != 0, transmit_reports(flags), (flags & FI_FENCE) != 0});
    }
    ssize_t tinject(const void* buf, std::size_t len, fi_addr_t dest, std::uint64_t tag) noexcept
    {
        const std::lock_guard guard(lock_);
        if (fi_hot_tinject(this, buf, len, dest, tag))
            return 0;
        if (!transmit_end_)
            return refuse_segments("sending", transmit_end_);
        const iovec iov{const_cast<void*>(buf), len};
        return engine_->send({&iov, 1, dest, tag, 0, nullptr, FI_FRAME_TAGGED, true, false});
    }
    ssize_t tsenddata(const void* buf, std::size_t len, void*, std::uint64_t data, fi_addr_t dest,
                      std::uint64_t tag, void* context) noexcept
    {
        const iovec iov{const_cast<void*>(buf), len};
        return transmit({&iov, 1, dest, tag, data, context, frame_flags(FI_FRAME_TAGGED | FI_FRAME_DATA64),
                         transmit_inject_, transmit_report_});
    }
    ssize_t tinjectdata(const void* buf, std::size_t len, std::uint64_t data, fi_addr_t dest,
                        std::uint64_t tag) noexcept
    {
        const iovec iov{const_cast<void*>(buf), len};
        return transmit({&iov, 1, dest, tag, data, nullptr, FI_FRAME_TAGGED | FI_FRAME_DATA64, true, false});
    }

  private:
    using Calls = ReceiveCalls<Endpoint>;
    friend Calls;
    using Calls::kReceiveDefaults;
    using Calls::min_multi_receive_;

    static constexpr std::uint64_t kTransmitFlags =
        FI_COMPLETION | FI_INJECT | FI_INJECT_COMPLETE | FI_TRANSMIT_COMPLETE | FI_DELIVERY_COMPLETE |
        FI_MATCH_COMPLETE | FI_MORE | FI_REMOTE_CQ_DATA | FI_FENCE;
    // What may be a default of one direction (D37).
    static constexpr std::uint64_t kTransmitDefaults =
        kTransmitFlags & ~(FI_MORE | FI_REMOTE_CQ_DATA | FI_FENCE);

    /// Flags of one call: FI_FENCE is one only where the capability is.
    std::uint64_t transmit_flags() const noexcept
    {
        return setup_.caps & FI_FENCE ? kTransmitFlags : kTransmitFlags & ~FI_FENCE;
    }
    /// What a message asks its receiver to acknowledge. A match is also a delivery here.
    static constexpr std::uint8_t level(std::uint64_t flags) noexcept
    {
        return flags & FI_MATCH_COMPLETE      ? FI_FRAME_MATCH
               : flags & FI_DELIVERY_COMPLETE ? FI_FRAME_DELIVERY
                                              : 0;
    }
    static constexpr std::uint8_t message_flags(std::uint64_t flags) noexcept
    {
        return static_cast<std::uint8_t>((flags & FI_REMOTE_CQ_DATA ? FI_FRAME_DATA64 : 0) | level(flags));
    }
    /// Of a call without flags.
    std::uint8_t frame_flags(int kind) const noexcept
    {
        return static_cast<std::uint8_t>(kind | transmit_level_);
    }
    bool transmit_reports(std::uint64_t flags) const noexcept
    {
        return !transmit_selective_ || (flags & FI_COMPLETION);
    }
    bool receive_reports(std::uint64_t flags) const noexcept
    {
        return !receive_selective_ || (flags & FI_COMPLETION);
    }

    ssize_t refuse_flags(RefusedCall call, std::uint64_t flags) const noexcept; ///< D51
    ssize_t refuse_segments(RefusedCall call, std::size_t end) const noexcept
    {
        if (!end && real_->shared_)
            return refuse(-FI_EOPNOTSUPP, call, "receives are posted to the shared receive context");
        return end ? refuse(-FI_EINVAL, call, "there are more segments than iov_limit") // D12
                   : refuse(-FI_EOPNOTSUPP, call,
                            "the endpoint was opened for the other direction only"); // D60
    }
    ssize_t transmit(const SendArgs& args) noexcept
    {
        if (args.segments >= transmit_end_)
            return refuse_segments("sending", transmit_end_);
        const std::lock_guard guard(lock_);
        return engine_->send_slot(args) ? 0 : engine_->send(args);
    }
    ssize_t receive(ReceiveArgs args) noexcept
    {
        if (args.segments >= receive_end_)
            return refuse_segments("receiving", receive_end_);
        if (const ssize_t ret = this->settle(args, setup_.caps))
            return ret;
        const std::lock_guard guard(lock_);
        return engine_->receive(args);
    }
    // The commonest calls do their commonest case in registers and leave the rest, with its arguments in
    // memory, to a function of its own.
    [[gnu::always_inline]] ssize_t send_one(const void* buf, std::size_t len, fi_addr_t dest,
                                            std::uint64_t tag, void* context, int kind) noexcept
    {
        if (transmit_end_) {
            const iovec iov{const_cast<void*>(buf), len};
            const std::lock_guard guard(lock_);
            if (engine_->send_slot(
                    {&iov, 1, dest, tag, 0, context, frame_flags(kind), transmit_inject_, transmit_report_}))
                return 0;
        }
        return send_one_slowly(buf, len, dest, tag, context, kind);
    }
    [[gnu::noinline]] ssize_t send_one_slowly(const void* buf, std::size_t len, fi_addr_t dest,
                                              std::uint64_t tag, void* context, int kind) noexcept
    {
        const iovec iov{const_cast<void*>(buf), len};
        return transmit(
            {&iov, 1, dest, tag, 0, context, frame_flags(kind), transmit_inject_, transmit_report_});
    }
    [[gnu::always_inline]] bool post_plain(ReceiveArgs args) noexcept
    {
        if (!receive_end_)
            return false;
        if (!Calls::is_directed(setup_.caps, args.tagged))
            args.source = FI_ADDR_UNSPEC;
        const std::lock_guard guard(lock_);
        return engine_->post_plain(args);
    }

    int bind_queue(CompletionQueueBase& queue, std::uint64_t flags) noexcept;
    int bind_counter(CounterBase& counter, std::uint64_t flags) noexcept;
    int bind_addresses(AddressVector& addresses, std::uint64_t flags) noexcept;
    int bind_receives(SharedReceives<Lock, PortType>& receives, std::uint64_t flags) noexcept;
    int check_receives() const noexcept;
    int enable() noexcept;
    // alias.hpp
    explicit Endpoint(const Endpoint& original);
    void set_up_handle(void* context) noexcept;
    void use_engine() noexcept;
    int alias(const struct fi_alias& asked) noexcept;
    template <class F>
    void for_each_alias(F&& f) noexcept;
    // options.hpp
    int check_flags(RefusedCall call, std::uint64_t flags) const noexcept;
    void set_flags(std::uint64_t flags) noexcept;
    void apply_flags() noexcept;
    void set_min_multi_receive(std::size_t bytes) noexcept;
    int set_operations(RefusedCall call, std::size_t& operations, const void* value,
                       std::size_t size) noexcept;
    int permit_shared_memory(const void* value, std::size_t size) noexcept;
    int refuse(int error, RefusedCall call, const char* why) const noexcept;

    // What a counter may be bound for; C137.
    static constexpr std::array kCounted{FI_SEND,  FI_RECV,        FI_READ,
                                         FI_WRITE, FI_REMOTE_READ, FI_REMOTE_WRITE};
    CounterBase* counter_of(std::uint64_t event) const noexcept
    {
        return counters_[static_cast<std::size_t>(std::find(kCounted.begin(), kCounted.end(), event) -
                                                  kCounted.begin())];
    }
    /// A few drivers, each once.
    class Drivers {
      public:
        void add(ProgressDriver* driver) noexcept
        {
            if (driver && std::find(begin(), end(), driver) == end())
                all_[count_++] = driver;
        }
        [[nodiscard]] auto begin() const noexcept { return all_.begin(); }
        [[nodiscard]] auto end() const noexcept { return all_.begin() + count_; }

      private:
        std::array<ProgressDriver*, 3 + kCounted.size()> all_{};
        std::ptrdiff_t count_ = 0;
    };
    Drivers drivers() const noexcept;

    Lock& lock_;
    EndpointSetup setup_;
    PortConfig port_;
    Endpoint* const real_;               ///< this, or whose alias this is
    Engine<PortType>* engine_ = nullptr; ///< of the real one; nullptr: not enabled
    // Of the real one only:
    std::unique_ptr<Engine<PortType>> own_engine_;
    std::mutex aliases_lock_;
    std::vector<Endpoint*> aliases_;
    std::size_t handles_ = 1; ///< that are not closed
    CompletionQueueBase* transmit_queue_ = nullptr;
    CompletionQueueBase* receive_queue_ = nullptr;
    std::array<CounterBase*, kCounted.size()> counters_{};
    AddressVector* addresses_ = nullptr;
    EventQueue* events_ = nullptr;
    SharedReceives<Lock, PortType>* shared_ = nullptr; ///< where its receives are posted, if not here
    std::size_t transmit_end_ = 0; ///< segments that are too many; 0: the endpoint does not send
    std::size_t receive_end_ = 0;
    bool transmit_selective_ = false;
    bool receive_selective_ = false;
    bool transmit_report_ = true; ///< what a call without flags does
    bool transmit_inject_ = false;
    std::uint8_t transmit_level_ = 0; ///< fi_frame_flags
};

} // namespace fi::kit

#include "kit/engine/alias.hpp"
#include "kit/engine/lifecycle.hpp"
#include "kit/engine/options.hpp"
