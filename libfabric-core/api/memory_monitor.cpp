// SPDX-License-Identifier: BSD-2-Clause
//
// The core holds no cached registrations itself: caching providers are plugins, with a monitor inside their
// own file. So an imported monitor is attached and may notify, but no range of it is ever subscribed and
// start() is never called. What has to be right is the protocol: one monitor at a time, checked tables, and
// clean detaching.
#include "api/memory_monitor.hpp"

#include <atomic>
#include <new>

#include <rdma/fi_errno.h>
#include <rdma/fi_ext.h>

#include "log/log.hpp"

namespace fi::core::memory_monitor {
namespace {

std::atomic<fid_mem_monitor*> imported{nullptr};

int no_bind(fid*, fid*, uint64_t)
{
    return -FI_ENOSYS;
}
int no_control(fid*, int, void*)
{
    return -FI_ENOSYS;
}
int no_ops_open(fid*, const char*, uint64_t, void**, void*)
{
    return -FI_ENOSYS;
}
int no_tostr(const fid*, char*, size_t)
{
    return -FI_ENOSYS;
}
int no_ops_set(fid*, const char*, uint64_t, void*, void*)
{
    return -FI_ENOSYS;
}

void notify(fid_mem_monitor*, const void* address, size_t bytes)
{
    FI_CORE_DBG(FI_LOG_MR, "memory changed: %zu bytes at %p, of which no registration is cached\n", bytes,
                address);
}
fi_ops_mem_notify notify_ops = {.size = sizeof(fi_ops_mem_notify), .notify = notify};

int detach(fid* monitor)
{
    auto* mine = reinterpret_cast<fid_mem_monitor*>(monitor);
    return imported.compare_exchange_strong(mine, nullptr) ? 0 : -FI_EINVAL;
}
fi_ops monitor_ops = {
    .size = sizeof(fi_ops),
    .close = detach,
    .bind = no_bind,
    .control = no_control,
    .ops_open = no_ops_open,
    .tostr = no_tostr,
    .ops_set = no_ops_set,
};

int import(fid* cache, fid* other, uint64_t flags)
{
    if (flags || !other || other->fclass != FI_CLASS_MEM_MONITOR)
        return -FI_EINVAL;
    auto* monitor = reinterpret_cast<fid_mem_monitor*>(other);
    if (!monitor->export_ops || monitor->export_ops->size < sizeof(fi_ops_mem_monitor)) {
        FI_CORE_WARN(FI_LOG_MR,
                     "memory monitor refused: export_ops is missing or older than this library's\n");
        return -FI_EINVAL;
    }
    fid_mem_monitor* none = nullptr;
    if (!imported.compare_exchange_strong(none, monitor)) {
        FI_CORE_WARN(FI_LOG_MR, "memory monitor refused: another one is imported already\n");
        return -FI_EBUSY;
    }
    other->context = cache->context;
    other->ops = &monitor_ops;
    monitor->import_ops = &notify_ops;
    return 0;
}

int close_cache(fid* cache)
{
    delete cache;
    return 0;
}
fi_ops cache_ops = {
    .size = sizeof(fi_ops),
    .close = close_cache,
    .bind = import,
    .control = no_control,
    .ops_open = no_ops_open,
    .tostr = no_tostr,
    .ops_set = no_ops_set,
};

} // namespace

int open(uint32_t version, size_t attr_len, uint64_t flags, fid** out, void* context) noexcept
{
    if (version < FI_VERSION(1, 13) || attr_len != 0)
        return -FI_EINVAL;
    if (flags)
        return -FI_EBADFLAGS;
    fid* cache = new (std::nothrow) fid{FI_CLASS_MR_CACHE, context, &cache_ops};
    if (!cache)
        return -FI_ENOMEM;
    *out = cache;
    return 0;
}

} // namespace fi::core::memory_monitor
