/* SPDX-License-Identifier: BSD-2-Clause */
/* Counters; meanings and errors: struct fi_ops_cntr in fi_eq.h. */
#ifndef FI_INLINE_CNTR_H
#define FI_INLINE_CNTR_H

#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <rdma/inline/dispatch.h>

#ifdef FI_DIRECT_HEADER_cntr
#include FI_DIRECT_HEADER_cntr
#endif

#ifdef __cplusplus
extern "C" {
#endif

static inline uint64_t fi_cntr_read(struct fid_cntr* cntr)
{
    return FI_CALL(cntr, read, cntr->ops, cntr);
}

static inline uint64_t fi_cntr_readerr(struct fid_cntr* cntr)
{
    return FI_CALL(cntr, readerr, cntr->ops, cntr);
}

static inline int fi_cntr_add(struct fid_cntr* cntr, uint64_t value)
{
    return FI_CALL(cntr, add, cntr->ops, cntr, value);
}

static inline int fi_cntr_adderr(struct fid_cntr* cntr, uint64_t value)
{
    if (!FI_CHECK_OP(cntr->ops, struct fi_ops_cntr, adderr))
        return -FI_ENOSYS;
    return FI_CALL(cntr, adderr, cntr->ops, cntr, value);
}

static inline int fi_cntr_set(struct fid_cntr* cntr, uint64_t value)
{
    return FI_CALL(cntr, set, cntr->ops, cntr, value);
}

static inline int fi_cntr_seterr(struct fid_cntr* cntr, uint64_t value)
{
    if (!FI_CHECK_OP(cntr->ops, struct fi_ops_cntr, seterr))
        return -FI_ENOSYS;
    return FI_CALL(cntr, seterr, cntr->ops, cntr, value);
}

static inline int fi_cntr_wait(struct fid_cntr* cntr, uint64_t threshold, int timeout)
{
    return FI_CALL(cntr, wait, cntr->ops, cntr, threshold, timeout);
}

#ifdef __cplusplus
}
#endif

#endif
