/* SPDX-License-Identifier: BSD-2-Clause */
/* Objects shared between libraries: export, import, and a log in the library's place. */
#ifndef FI_INLINE_EXT_H
#define FI_INLINE_EXT_H

#include <rdma/fi_errno.h>
#include <rdma/fi_ext.h>
#include <rdma/inline/dispatch.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Makes *expfid, which other libraries import, from an object. */
static inline int fi_export_fid(struct fid* fid, uint64_t flags, struct fid** expfid, void* context)
{
    struct fi_fid_export exp;
    exp.fid = expfid;
    exp.flags = flags;
    exp.context = context;
    return fi_control(fid, FI_EXPORT_FID, &exp);
}

/* Lets fid use or replace what expfid stands for. */
static inline int fi_import_fid(struct fid* fid, struct fid* expfid, uint64_t flags)
{
    return FI_CALL(fid, bind, fid->ops, fid, expfid, flags);
}

/* Opens a well-known object of the library ("mr_cache", "logging") and imports fid into it. */
static inline int fi_import(uint32_t version, const char* name, void* attr, size_t attr_len, uint64_t flags,
                            struct fid* fid, void* context)
{
    struct fid* open_fid;
    int ret = fi_open(version, name, attr, attr_len, flags, &open_fid, context);
    if (ret != FI_SUCCESS)
        return ret;
    ret = fi_import_fid(open_fid, fid, flags);
    fi_close(open_fid);
    return ret;
}

/* Puts log_fid in the place of the library's log, until it is closed. */
static inline int fi_import_log(uint32_t version, uint64_t flags, struct fid_logging* log_fid)
{
    log_fid->fid.fclass = FI_CLASS_LOG;
    log_fid->ops->size = sizeof(struct fi_ops_log);
    return fi_import(version, "logging", NULL, 0, flags, &log_fid->fid, log_fid);
}

#ifdef __cplusplus
}
#endif

#endif
