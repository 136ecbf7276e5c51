// SPDX-License-Identifier: BSD-2-Clause
#include "kit/objects/fork.hpp"

#include "kit/ops/table.hpp"

#include <cerrno>
#include <mutex>
#include <pthread.h>
#include <unistd.h>
#include <unordered_set>

namespace fi::kit {
namespace {

struct AnyHandle {
    ::fid fid;
};

/// An object of which the parent has the original.
struct Inherited : AnyHandle {
    using Handle = AnyHandle;
    static constexpr int kRefusal = -FI_EOPBADSTATE;

    int close() noexcept { return 0; }
};

/// Its other tables: nothing works.
template <class Fid>
struct InheritedHandle {
    Fid fid;
};
template <class Fid>
struct InheritedAs : InheritedHandle<Fid> {
    using Handle = InheritedHandle<Fid>;
    static constexpr int kRefusal = -FI_EOPBADSTATE;
};

template <class Fid, class Ops>
void refuse(Ops*& ops) noexcept
{
    ops = table<InheritedAs<Fid>, Ops>();
}

/// Never destroyed: a process may fork while it exits.
struct Known {
    std::mutex lock;
    std::unordered_set<::fid*> objects;
    std::unordered_set<int> descriptors;
};
Known& known();

void refuse_everything(::fid& handle) noexcept
{
    handle.ops = table<Inherited, fi_ops>();
    switch (handle.fclass) {
    case FI_CLASS_FABRIC:
        refuse<fid_fabric>(reinterpret_cast<fid_fabric&>(handle).ops);
        break;
    case FI_CLASS_DOMAIN: {
        auto& domain = reinterpret_cast<fid_domain&>(handle);
        refuse<fid_domain>(domain.ops);
        refuse<fid_domain>(domain.mr);
        break;
    }
    case FI_CLASS_EP:
    case FI_CLASS_SRX_CTX: {
        auto& endpoint = reinterpret_cast<fid_ep&>(handle);
        refuse<fid_ep>(endpoint.ops);
        refuse<fid_ep>(endpoint.cm);
        refuse<fid_ep>(endpoint.msg);
        refuse<fid_ep>(endpoint.tagged);
        refuse<fid_ep>(endpoint.rma);
        refuse<fid_ep>(endpoint.atomic);
        refuse<fid_ep>(endpoint.collective);
        break;
    }
    case FI_CLASS_CQ:
        refuse<fid_cq>(reinterpret_cast<fid_cq&>(handle).ops);
        break;
    case FI_CLASS_CNTR:
        refuse<fid_cntr>(reinterpret_cast<fid_cntr&>(handle).ops);
        break;
    case FI_CLASS_EQ:
        refuse<fid_eq>(reinterpret_cast<fid_eq&>(handle).ops);
        break;
    case FI_CLASS_AV:
        refuse<fid_av>(reinterpret_cast<fid_av&>(handle).ops);
        break;
    default:
        break;
    }
}

void before_fork()
{
    known().lock.lock();
}
void in_parent()
{
    known().lock.unlock();
}
void in_child()
{
    for (::fid* object : known().objects)
        refuse_everything(*object);
    for (const int fd : known().descriptors)
        ::close(fd);
    known().objects.clear();
    known().descriptors.clear();
    known().lock.unlock();
}

Known& known()
{
    static Known& all = *[] {
        pthread_atfork(before_fork, in_parent, in_child);
        return new Known;
    }();
    return all;
}

} // namespace

Inheritable::Inheritable(::fid& handle) : handle_(handle)
{
    Known& all = known();
    const std::lock_guard guard(all.lock);
    all.objects.insert(&handle);
}

Inheritable::~Inheritable()
{
    Known& all = known();
    const std::lock_guard guard(all.lock);
    all.objects.erase(&handle_);
}

int close_in_child(int fd) noexcept
{
    if (fd < 0)
        return fd;
    try {
        Known& all = known();
        const std::lock_guard guard(all.lock);
        all.descriptors.insert(fd);
    } catch (...) {
        // The child keeps it, until it exits or calls exec.
    }
    return fd;
}

void close_here(int fd) noexcept
{
    if (fd < 0)
        return;
    const int error = errno;
    {
        Known& all = known();
        const std::lock_guard guard(all.lock);
        all.descriptors.erase(fd);
        ::close(fd); // under the lock: its number may be another's at once
    }
    errno = error;
}

} // namespace fi::kit
