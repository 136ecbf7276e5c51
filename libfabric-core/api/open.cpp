// SPDX-License-Identifier: BSD-2-Clause
//
// fi_open: the library's own objects, by name. Nothing is initialised by it: an application imports its
// logging before the first provider is loaded.
#include <strings.h>

#include <rdma/fabric.h>
#include <rdma/fi_errno.h>

#include "api/boundary.hpp"
#include "api/export.hpp"
#include "api/memory_monitor.hpp"
#include "log/log.hpp"

extern "C" FI_EXPORT int fi_open(uint32_t version, const char* name, void* attr, size_t attr_len,
                                 uint64_t flags, fid** fid, void* context)
{
    if (!name || !fid)
        return -FI_EINVAL;
    return fi::core::boundary([&] {
        if (!::strcasecmp(name, "mr_cache"))
            return fi::core::memory_monitor::open(version, attr_len, flags, fid, context);
        if (!::strcasecmp(name, "logging"))
            return fi::core::log::open_logging(version, attr, attr_len, flags, fid, context);
        return -FI_ENOSYS;
    });
}
