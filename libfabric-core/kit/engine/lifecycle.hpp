// SPDX-License-Identifier: BSD-2-Clause
//
// Endpoint, its life: binding, enabling, ending. Included by endpoint.hpp. (Closing is in alias.hpp: an
// endpoint may have several handles.)
#pragma once

namespace fi::kit {

template <class L, class P>
int Endpoint<L, P>::refuse(int error, RefusedCall call, const char* why) const noexcept
{
    return kit::refuse(parent().provider(), FI_LOG_EP_CTRL, error, call, "%s", why);
}

template <class L, class P>
Endpoint<L, P>::~Endpoint()
{
    if (own_engine_) {
        const std::lock_guard guard(lock_);
        for (ProgressDriver* driver : drivers())
            driver->remove_source(this);
        own_engine_.reset();
    }
    for (CompletionQueueBase* queue : {transmit_queue_, receive_queue_})
        if (queue)
            queue->unuse();
    for (CounterBase* counter : counters_)
        if (counter)
            counter->unuse();
    if (addresses_)
        addresses_->unuse();
    if (events_)
        events_->unuse();
    if (shared_)
        shared_->unuse();
}

template <class L, class P>
int Endpoint<L, P>::bind(::fid* object, std::uint64_t flags) noexcept
{
    if (this != real_)
        return real_->bind(object, flags);
    if (engine_)
        return refuse(-FI_EOPBADSTATE, "fi_ep_bind", "the endpoint is enabled"); // C135
    if (!object)
        return refuse(-FI_EINVAL, "fi_ep_bind", "there is no object");
    switch (object->fclass) {
    case FI_CLASS_CQ:
        return bind_queue(kit::object<CompletionQueueBase>(object), flags);
    case FI_CLASS_CNTR:
        return bind_counter(kit::object<CounterBase>(object), flags);
    case FI_CLASS_AV:
        return bind_addresses(kit::object<AddressVector>(object), flags);
    case FI_CLASS_EQ:
        if (flags)
            return refuse(-FI_EBADFLAGS, "fi_ep_bind", "flags for an event queue are not 0");
        if (events_)
            return refuse(-FI_EINVAL, "fi_ep_bind", "the endpoint has an event queue");
        events_ = &kit::object<EventQueue>(object);
        events_->use();
        return 0;
    case FI_CLASS_SRX_CTX:
        return bind_receives(kit::object<SharedReceives<L, P>>(object), flags);
    default:
        return refuse(-FI_ENOSYS, "fi_ep_bind",
                      "only completion queues, counters, address vectors, event queues and shared receive "
                      "contexts can be bound");
    }
}

template <class L, class P>
int Endpoint<L, P>::bind_queue(CompletionQueueBase& queue, std::uint64_t flags) noexcept
{
    const std::uint64_t directions = flags & (FI_TRANSMIT | FI_RECV);
    if (!directions || (flags & ~(FI_TRANSMIT | FI_RECV | FI_SELECTIVE_COMPLETION)))
        return refuse(-FI_EBADFLAGS, "fi_ep_bind",
                      "flags for a completion queue are FI_TRANSMIT, FI_RECV or both, and "
                      "FI_SELECTIVE_COMPLETION"); // C136
    if (&queue.parent() != setup_.domain)
        return refuse(-FI_EDOMAIN, "fi_ep_bind", "the completion queue is of another domain"); // C139
    if (((flags & FI_TRANSMIT) && transmit_queue_) || ((flags & FI_RECV) && receive_queue_))
        return refuse(-FI_EINVAL, "fi_ep_bind", "that direction has a completion queue"); // C138
    if (flags & FI_TRANSMIT) {
        transmit_queue_ = &queue;
        transmit_selective_ = flags & FI_SELECTIVE_COMPLETION;
        queue.use();
    }
    if (flags & FI_RECV) {
        receive_queue_ = &queue;
        receive_selective_ = flags & FI_SELECTIVE_COMPLETION;
        queue.use();
    }
    return 0;
}

/// Which operations it counts. Those that nothing here can start (FI_READ and FI_WRITE without FI_RMA) are
/// taken: there are none to count. C137, C138, D228, D229.
template <class L, class P>
int Endpoint<L, P>::bind_counter(CounterBase& counter, std::uint64_t flags) noexcept
{
    std::uint64_t known = 0;
    for (const std::uint64_t event : kCounted)
        known |= event;
    if (!flags || (flags & ~known))
        return refuse(-FI_EBADFLAGS, "fi_ep_bind",
                      "flags for a counter are one or more of FI_SEND, FI_RECV, FI_READ, FI_WRITE, "
                      "FI_REMOTE_READ and FI_REMOTE_WRITE");
    if ((flags & (FI_REMOTE_READ | FI_REMOTE_WRITE)) && !(setup_.caps & FI_RMA_EVENT))
        return refuse(-FI_EOPNOTSUPP, "fi_ep_bind",
                      "FI_REMOTE_READ and FI_REMOTE_WRITE need the capability FI_RMA_EVENT");
    if (&counter.parent() != setup_.domain)
        return refuse(-FI_EDOMAIN, "fi_ep_bind", "the counter is of another domain");
    for (std::size_t i = 0; i < counters_.size(); i++)
        if ((flags & kCounted[i]) && counters_[i])
            return refuse(-FI_EINVAL, "fi_ep_bind", "one of these kinds of operation has a counter");
    for (std::size_t i = 0; i < counters_.size(); i++) {
        if (!(flags & kCounted[i]))
            continue;
        counters_[i] = &counter;
        counter.use();
    }
    return 0;
}

template <class L, class P>
int Endpoint<L, P>::bind_receives(SharedReceives<L, P>& receives, std::uint64_t flags) noexcept
{
    if (flags)
        return refuse(-FI_EBADFLAGS, "fi_ep_bind", "flags for a shared receive context are not 0");
    if (shared_)
        return refuse(-FI_EINVAL, "fi_ep_bind", "the endpoint has a shared receive context"); // C157
    if (&receives.parent() != setup_.domain)
        return refuse(-FI_EDOMAIN, "fi_ep_bind", "the shared receive context is of another domain");
    shared_ = &receives;
    receives.use();
    return 0;
}

/// Whether receives have their place when the endpoint is enabled (C114, C157).
template <class L, class P>
int Endpoint<L, P>::check_receives() const noexcept
{
    if (!shared_)
        return setup_.shares_receives
                   ? refuse(-FI_EINVAL, "fi_enable", "rx_ctx_cnt is FI_SHARED_CONTEXT, and none is bound")
                   : 0;
    const auto& context = shared_->receives();
    return context.addresses && context.addresses != addresses_
               ? refuse(-FI_EINVAL, "fi_enable",
                        "endpoints that share a receive context share one address vector")
               : 0;
}

/// Everything whose reading makes this endpoint's progress, each once (C76).
template <class L, class P>
auto Endpoint<L, P>::drivers() const noexcept -> Drivers
{
    Drivers all;
    all.add(transmit_queue_);
    all.add(receive_queue_);
    for (CounterBase* counter : counters_)
        all.add(counter);
    all.add(setup_.background);
    return all;
}

template <class L, class P>
int Endpoint<L, P>::bind_addresses(AddressVector& addresses, std::uint64_t flags) noexcept
{
    if (flags)
        return refuse(-FI_EBADFLAGS, "fi_ep_bind", "flags for an address vector are not 0");
    if (addresses_)
        return refuse(-FI_EINVAL, "fi_ep_bind", "the endpoint has an address vector"); // C134
    if (&addresses.parent() != setup_.domain)
        return refuse(-FI_EDOMAIN, "fi_ep_bind", "the address vector is of another domain"); // C139
    addresses_ = &addresses;
    addresses.use();
    return 0;
}

template <class L, class P>
int Endpoint<L, P>::enable() noexcept
{
    if (engine_)
        return refuse(-FI_EOPBADSTATE, "fi_enable", "the endpoint is enabled");
    if ((setup_.caps & FI_SEND) && !transmit_queue_)
        return refuse(-FI_ENOCQ, "fi_enable", "no completion queue is bound for FI_TRANSMIT"); // C132, C133
    if ((setup_.caps & FI_RECV) && !receive_queue_)
        return refuse(-FI_ENOCQ, "fi_enable", "no completion queue is bound for FI_RECV");
    if (!addresses_)
        return refuse(-FI_ENOAV, "fi_enable", "no address vector is bound");
    if (const int error = check_receives())
        return error;
    const int ret = guarded(parent().provider(), FI_LOG_EP_CTRL, "fi_enable", [&] {
        // An endpoint of one direction writes nothing to the other direction's queue.
        const EngineConfig config{
            .provider = &parent().provider(),
            .transmit_queue = transmit_queue_ ? transmit_queue_ : receive_queue_,
            .receive_queue = receive_queue_ ? receive_queue_ : transmit_queue_,
            .addresses = addresses_,
            .transmit_size = setup_.transmit_size,
            .receive_size = setup_.receive_size,
            .report_source = (setup_.caps & FI_SOURCE) != 0,
            .report_unknown = (setup_.caps & FI_SOURCE_ERR) != 0,
            .addr_format = setup_.addr_format,
            .send_counter = counter_of(FI_SEND),
            .receive_counter = counter_of(FI_RECV),
            .sends = (setup_.caps & FI_SEND) != 0,
            .shared_receives = shared_ ? &shared_->receives() : nullptr,
            .report_receives = !receive_selective_,
        };
        const std::lock_guard guard(lock_);
        auto engine = std::make_unique<Engine<P>>(*this, config, port_);
        const ProgressSource source{
            .self = this,
            .look = [](void* self,
                       bool all) noexcept { return static_cast<Endpoint*>(self)->engine_->look(all); },
            .watch =
                [](void* self, fi_hot_watch* out, std::size_t room) noexcept {
                    return static_cast<Endpoint*>(self)->engine_->watch(out, room);
                },
            .arm = [](void* self) noexcept { return static_cast<Endpoint*>(self)->engine_->arm(); },
            .wait_fd = engine->wait_fd(),
        };
        const Drivers all = drivers();
        try {
            for (ProgressDriver* driver : all)
                driver->add_source(source);
        } catch (...) {
            for (ProgressDriver* driver : all)
                driver->remove_source(this);
            throw;
        }
        if (shared_)
            shared_->receives().addresses = addresses_;
        own_engine_ = std::move(engine);
        engine_ = own_engine_.get();
        return 0;
    });
    if (ret)
        return ret;
    apply_flags();
    transmit_end_ = setup_.caps & FI_SEND ? setup_.iov_limit + 1 : 0;
    receive_end_ = (setup_.caps & FI_RECV) && !shared_ ? setup_.iov_limit + 1 : 0;
    // What a method exists for and was asked for; every other slot answers that it is not supported.
    fid.msg = setup_.caps & FI_MSG ? table<Endpoint, fi_ops_msg>() : table<NoCapability, fi_ops_msg>();
    fid.tagged =
        setup_.caps & FI_TAGGED ? table<Endpoint, fi_ops_tagged>() : table<NoCapability, fi_ops_tagged>();
    fid.rma = table<Endpoint, fi_ops_rma>();
    fid.atomic = table<Endpoint, fi_ops_atomic>();
    fid.collective = table<Endpoint, fi_ops_collective>();
    for_each_alias([](Endpoint& alias) { alias.use_engine(); });
    return 0;
}

/// "direct_layout": what inlined code has to know before it touches this object
/// (include/rdma/direct/layout.h).
template <class L, class P>
int Endpoint<L, P>::ops_open(const char* name, std::uint64_t flags, void** ops, void*) noexcept
{
    static constexpr fi_direct_layout layout{sizeof layout, FI_HOT_LAYOUT,
                                             &table_of<Endpoint, fi_ops_tagged>};
    const bool fits = std::is_same_v<L, NoLock> && engine_ && (setup_.caps & FI_TAGGED);
    return offer_direct_layout(name, flags, fits, layout, ops);
}

template <class L, class P>
ssize_t Endpoint<L, P>::cancel(void* context) noexcept
{
    if (!engine_)
        return refuse(-FI_EOPBADSTATE, "fi_cancel", "the endpoint is not enabled");
    const std::lock_guard guard(lock_);
    return engine_->cancel(context);
}

template <class L, class P>
int Endpoint<L, P>::getname(void* addr, std::size_t* size) noexcept
{
    if (!engine_) // C271
        return refuse(-FI_EOPBADSTATE, "fi_getname", "the endpoint is not enabled");
    return guarded([&] { return give_name(engine_->name(), setup_.addr_format, addr, size); });
}

} // namespace fi::kit
