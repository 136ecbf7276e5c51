/* SPDX-License-Identifier: BSD-2-Clause */
/* Event queues; meanings and errors: struct fi_ops_eq in fi_eq.h. */
#ifndef FI_INLINE_EQ_H
#define FI_INLINE_EQ_H

#include <rdma/fi_eq.h>
#include <rdma/inline/dispatch.h>

#ifdef FI_DIRECT_HEADER_eq
#include FI_DIRECT_HEADER_eq
#endif

#ifdef __cplusplus
extern "C" {
#endif

static inline int fi_eq_open(struct fid_fabric* fabric, struct fi_eq_attr* attr, struct fid_eq** eq,
                             void* context)
{
    int ret = FI_CALL(fabric, eq_open, fabric->ops, fabric, attr, eq, context);
    if (!ret)
        FI_OPENED(eq, *eq);
    return ret;
}

static inline ssize_t fi_eq_read(struct fid_eq* eq, uint32_t* event, void* buf, size_t len, uint64_t flags)
{
    return FI_CALL(eq, read, eq->ops, eq, event, buf, len, flags);
}

static inline ssize_t fi_eq_readerr(struct fid_eq* eq, struct fi_eq_err_entry* buf, uint64_t flags)
{
    return FI_CALL(eq, readerr, eq->ops, eq, buf, flags);
}

static inline ssize_t fi_eq_write(struct fid_eq* eq, uint32_t event, const void* buf, size_t len,
                                  uint64_t flags)
{
    return FI_CALL(eq, write, eq->ops, eq, event, buf, len, flags);
}

static inline ssize_t fi_eq_sread(struct fid_eq* eq, uint32_t* event, void* buf, size_t len, int timeout,
                                  uint64_t flags)
{
    return FI_CALL(eq, sread, eq->ops, eq, event, buf, len, timeout, flags);
}

static inline const char* fi_eq_strerror(struct fid_eq* eq, int prov_errno, const void* err_data, char* buf,
                                         size_t len)
{
    return FI_CALL(eq, strerror, eq->ops, eq, prov_errno, err_data, buf, len);
}

#ifdef __cplusplus
}
#endif

#endif
