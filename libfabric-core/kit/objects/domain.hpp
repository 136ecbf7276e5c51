// SPDX-License-Identifier: BSD-2-Clause
//
// The domain object: opens completion queues, counters, address vectors and endpoints, all of which share its
// lock.
#pragma once

#include "kit/objects/auto_progress.hpp"
#include "kit/objects/av.hpp"
#include "kit/objects/counter.hpp"
#include "kit/objects/fabric.hpp"

#include <optional>

namespace fi::kit {

struct DomainHandle {
    fid_domain fid;
};

/// P as in fabric.hpp, with `static fid_ep* open_endpoint<Lock>(Domain<P, Lock>&, const fi_info&, void*
/// context)`, which throws.
template <class P, class Lock>
class Domain : public DomainHandle, public Child {
  public:
    using Handle = DomainHandle;

    Domain(Fabric<P>& fabric, const fi_info& info, void* context)
        : DomainHandle{}, Child(fabric.children(), fid.fid), children_(P::provider()),
          api_version_(fabric.api_version()), addr_format_(info.addr_format),
          listed_(OpenObjects::domains<P>(), &fid.fid, info.domain_attr->name)
    {
        fid.fid.fclass = FI_CLASS_DOMAIN;
        fid.fid.context = context;
        fid.fid.ops = table<Domain, fi_ops>();
        fid.ops = table<Domain, fi_ops_domain>();
        fid.mr = table<Domain, fi_ops_mr>();
        if constexpr (std::is_same_v<Lock, Mutex>)
            if (info.domain_attr->progress == FI_PROGRESS_AUTO)
                background_.emplace(lock_);
    }
    ~Domain()
    {
        if (events_)
            events_->unuse();
    }

    int cq_open(fi_cq_attr* attr, fid_cq** out, void* context) noexcept
    {
        const fi_cq_attr asked = attr ? *attr : fi_cq_attr{};
        if (const int ret = CompletionQueueBase::check(P::provider(), asked))
            return ret;
        return guarded(P::provider(), FI_LOG_CQ, "fi_cq_open", [&] {
            *out = &(new CompletionQueue<Lock>(lock_, children_, asked, api_version_, context))->fid;
            return 0;
        });
    }
    int cntr_open(fi_cntr_attr* attr, fid_cntr** out, void* context) noexcept
    {
        const fi_cntr_attr asked = attr ? *attr : fi_cntr_attr{};
        if (const int ret = CounterBase::check(P::provider(), asked))
            return ret;
        return guarded(P::provider(), FI_LOG_CNTR, "fi_cntr_open", [&] {
            *out = &(new Counter<Lock>(lock_, children_, asked, context))->fid;
            return 0;
        });
    }
    int av_open(fi_av_attr* attr, fid_av** out, void* context) noexcept
    {
        fi_av_attr unspecified{};
        fi_av_attr& asked = attr ? *attr : unspecified;
        if (const int ret = AddressVector::check(P::provider(), asked))
            return ret;
        return guarded(P::provider(), FI_LOG_AV, "fi_av_open", [&] {
            *out = &(new AddressVector(children_, asked, addr_format_, context))->fid;
            return 0;
        });
    }
    int endpoint(fi_info* info, fid_ep** out, void* context) noexcept
    {
        return guarded(P::provider(), FI_LOG_EP_CTRL, "fi_endpoint",
                       [&] { return P::open_endpoint(*this, *info, out, context); });
    }
    int srx_context(fi_rx_attr* attr, fid_ep** out, void* context) noexcept
    {
        return guarded(P::provider(), FI_LOG_EP_CTRL, "fi_srx_context",
                       [&] { return P::open_shared_receives(*this, attr, out, context); });
    }
    int stx_context(fi_tx_attr*, fid_stx**, void*) noexcept
    {
        return refuse(P::provider(), FI_LOG_EP_CTRL, -FI_ENOSYS, "fi_stx_context",
                      "an endpoint's sends belong to its own links: there is nothing to share");
    }
    int close() noexcept
    {
        if (const std::size_t open = children_.children())
            return refuse_close(P::provider(), FI_LOG_DOMAIN, "domain", open,
                                "objects that were opened from it");
        delete this;
        return 0;
    }
    /// An event queue for control events of the domain: it gets none from ours, but stays open while bound.
    int bind(::fid* queue, std::uint64_t flags) noexcept
    {
        const auto no = [](int error, const char* why) {
            return refuse(P::provider(), FI_LOG_DOMAIN, error, "fi_domain_bind", "%s", why);
        };
        if (!queue || queue->fclass != FI_CLASS_EQ)
            return no(-FI_EINVAL, "only an event queue can be bound");
        if (events_)
            return no(-FI_EINVAL, "the domain has an event queue");
        if (flags)
            return no(-FI_EBADFLAGS, "flags are not 0: no registration is asynchronous");
        events_ = &object<EventQueue>(queue);
        events_->use();
        return 0;
    }

    Lock& lock() noexcept { return lock_; }
    /// Endpoints, queues, counters and address vectors that are open; its address is also what objects know
    /// their domain by.
    Parent& children() noexcept { return children_; }
    /// What makes progress by itself; nullptr: nothing does.
    ProgressDriver* background() noexcept { return background_ ? &*background_ : nullptr; }
    [[nodiscard]] std::uint32_t api_version() const noexcept { return api_version_; }

  private:
    Lock lock_;
    std::optional<AutoProgress> background_;
    Parent children_;
    EventQueue* events_ = nullptr;
    std::uint32_t api_version_;
    std::uint32_t addr_format_;
    OpenObject listed_;
};

} // namespace fi::kit
