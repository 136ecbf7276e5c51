// SPDX-License-Identifier: BSD-2-Clause
//
// The fabric object: opens domains and event queues, and says whether it is safe to sleep.
//
// A provider is a class P with two functions:
//
//   static const fi_provider& provider();
//
//   // Opens a domain with the lock policy that info asks for. May throw.
//   static int open_domain(Fabric<P>&, const fi_info& info, fid_domain**, void* context);
#pragma once

#include "kit/objects/counter.hpp"
#include "kit/objects/cq.hpp"
#include "kit/objects/eq.hpp"
#include "kit/objects/guard.hpp"
#include "kit/objects/open_objects.hpp"
#include "kit/objects/refuse.hpp"

#include <rdma/providers/fi_log.h>
#include <rdma/providers/fi_prov.h>

namespace fi::kit {

struct FabricHandle {
    fid_fabric fid;
};

template <class P>
class Fabric : public FabricHandle {
  public:
    using Handle = FabricHandle;

    /// `name` as in its attributes. Throws std::bad_alloc.
    Fabric(const char* name, void* context)
        : FabricHandle{}, children_(P::provider()), listed_(OpenObjects::fabrics<P>(), &fid.fid, name),
          inheritable_(fid.fid)
    {
        fid.fid.fclass = FI_CLASS_FABRIC;
        fid.fid.context = context;
        fid.fid.ops = table<Fabric, fi_ops>();
        fid.ops = table<Fabric, fi_ops_fabric>();
    }

    int domain(fi_info* info, fid_domain** out, void* context) noexcept
    {
        return guarded(P::provider(), FI_LOG_FABRIC, "fi_domain",
                       [&] { return P::open_domain(*this, *info, out, context); });
    }
    int eq_open(fi_eq_attr* attr, fid_eq** out, void* context) noexcept
    {
        const fi_eq_attr asked = attr ? *attr : fi_eq_attr{};
        if (const int ret = EventQueue::check(P::provider(), asked))
            return ret;
        return guarded(P::provider(), FI_LOG_EQ, "fi_eq_open", [&] {
            *out = &(new EventQueue(children_, asked, api_version(), context))->fid;
            return 0;
        });
    }
    /// C252, D207: 0 only if sleeping on each object's wait object cannot lose an event.
    int trywait(::fid** fids, int count) noexcept
    {
        for (int i = 0; i < count; i++) {
            int ret = -FI_EINVAL;
            if (fids[i]->fclass == FI_CLASS_CQ)
                ret = object<CompletionQueueBase>(fids[i]).try_wait();
            else if (fids[i]->fclass == FI_CLASS_CNTR)
                ret = object<CounterBase>(fids[i]).try_wait();
            else if (fids[i]->fclass == FI_CLASS_EQ)
                ret = object<EventQueue>(fids[i]).try_wait();
            else
                refuse(P::provider(), FI_LOG_FABRIC, ret, "fi_trywait",
                       "only completion queues, counters and event queues have wait objects");
            if (ret)
                return ret;
        }
        return 0;
    }
    int close() noexcept
    {
        if (const std::size_t open = children_.children())
            return refuse_close(P::provider(), FI_LOG_FABRIC, "fabric", open, "domains and event queues");
        delete this;
        return 0;
    }

    /// The API version that the application asked for; the core stores it after opening the fabric.
    [[nodiscard]] std::uint32_t api_version() const noexcept { return fid.api_version; }
    /// Domains and event queues that are open.
    Parent& children() noexcept { return children_; }

  private:
    Parent children_;
    OpenObject listed_;
    Inheritable inheritable_;
};

} // namespace fi::kit
