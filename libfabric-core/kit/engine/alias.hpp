// SPDX-License-Identifier: BSD-2-Clause
//
// Endpoint, second handles: fi_ep_alias() opens one more handle to an endpoint, with default operation flags
// of its own. Included by endpoint.hpp.
//
// An alias is an Endpoint of its own that uses the engine of the real one, so its data calls are the same
// code and cost the same. What is bound, enabled or set goes to the real one; that one lives until its own
// handle and all aliases are closed, in whatever order (C150).
#pragma once

namespace fi::kit {

/// The tables of a handle that is not enabled.
template <class L, class P>
void Endpoint<L, P>::set_up_handle(void* context) noexcept
{
    fid.fid.fclass = FI_CLASS_EP;
    fid.fid.context = context;
    fid.fid.ops = table<Endpoint, fi_ops>();
    fid.ops = table<Endpoint, fi_ops_ep>();
    fid.cm = table<Endpoint, fi_ops_cm>();
    fid.msg = table<DisabledEndpoint, fi_ops_msg>();
    fid.tagged = table<DisabledEndpoint, fi_ops_tagged>();
    fid.rma = table<DisabledEndpoint, fi_ops_rma>();
    fid.atomic = table<DisabledEndpoint, fi_ops_atomic>();
    fid.collective = table<DisabledEndpoint, fi_ops_collective>();
}

/// An alias of `original`, which may be one itself.
template <class L, class P>
Endpoint<L, P>::Endpoint(const Endpoint& original)
    : fi_hot_ep{}, Child(*original.setup_.domain, fid.fid), lock_(original.lock_), setup_(original.setup_),
      port_(original.port_), real_(original.real_)
{
    set_up_handle(original.fid.fid.context);
    const std::lock_guard guard(real_->aliases_lock_);
    real_->aliases_.push_back(this);
    real_->handles_++;
    if (real_->engine_)
        use_engine();
}

/// What an alias shares with the real endpoint once that is enabled.
template <class L, class P>
void Endpoint<L, P>::use_engine() noexcept
{
    const fid_ep own = fid;
    static_cast<fi_hot_ep&>(*this) = *real_;
    fid.fid = own.fid;
    engine_ = real_->engine_;
    transmit_end_ = real_->transmit_end_;
    receive_end_ = real_->receive_end_;
    transmit_selective_ = real_->transmit_selective_;
    receive_selective_ = real_->receive_selective_;
    min_multi_receive_ = real_->min_multi_receive_;
    apply_flags();
}

/// Does something with every alias.
template <class L, class P>
template <class F>
void Endpoint<L, P>::for_each_alias(F&& f) noexcept
{
    const std::lock_guard guard(aliases_lock_);
    for (Endpoint* alias : aliases_)
        f(*alias);
}

/// C149: exactly one of FI_TRANSMIT and FI_RECV, with that direction's new flags; the other is inherited.
template <class L, class P>
int Endpoint<L, P>::alias(const struct fi_alias& asked) noexcept
{
    if (const int ret = check_flags("fi_ep_alias", asked.flags))
        return ret;
    return guarded(parent().provider(), FI_LOG_EP_CTRL, "fi_ep_alias", [&] {
        auto* other = new Endpoint(*this);
        other->set_flags(asked.flags);
        *asked.fid = &other->fid.fid;
        return 0;
    });
}

template <class L, class P>
int Endpoint<L, P>::close() noexcept
{
    Endpoint* const real = real_;
    bool last = false;
    {
        const std::lock_guard guard(real->aliases_lock_);
        std::erase(real->aliases_, this);
        last = --real->handles_ == 0;
    }
    if (this != real)
        delete this;
    if (last)
        delete real;
    return 0;
}

} // namespace fi::kit
