/* SPDX-License-Identifier: BSD-2-Clause */
/* Completion queues; meanings and errors: struct fi_ops_cq in fi_eq.h. */
#ifndef FI_INLINE_CQ_H
#define FI_INLINE_CQ_H

#include <rdma/fi_eq.h>
#include <rdma/inline/dispatch.h>

#ifdef FI_DIRECT_HEADER_cq
#include FI_DIRECT_HEADER_cq
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Inlined even where a compiler finds a guarded call (FI_GUARDED) too long: a call would undo it. */
__attribute__((always_inline)) static inline ssize_t fi_cq_read(struct fid_cq* cq, void* buf, size_t count)
{
    return FI_CALL(cq, read, cq->ops, cq, buf, count);
}

static inline ssize_t fi_cq_readfrom(struct fid_cq* cq, void* buf, size_t count, fi_addr_t* src_addr)
{
    return FI_CALL(cq, readfrom, cq->ops, cq, buf, count, src_addr);
}

/* A provider that does not know src_addr, the newest member, leaves "not available" in it. */
static inline ssize_t fi_cq_readerr(struct fid_cq* cq, struct fi_cq_err_entry* buf, uint64_t flags)
{
    if (buf)
        buf->src_addr = FI_ADDR_NOTAVAIL;
    return FI_CALL(cq, readerr, cq->ops, cq, buf, flags);
}

static inline ssize_t fi_cq_sread(struct fid_cq* cq, void* buf, size_t count, const void* cond, int timeout)
{
    return FI_CALL(cq, sread, cq->ops, cq, buf, count, cond, timeout);
}

static inline ssize_t fi_cq_sreadfrom(struct fid_cq* cq, void* buf, size_t count, fi_addr_t* src_addr,
                                      const void* cond, int timeout)
{
    return FI_CALL(cq, sreadfrom, cq->ops, cq, buf, count, src_addr, cond, timeout);
}

static inline int fi_cq_signal(struct fid_cq* cq)
{
    return FI_CALL(cq, signal, cq->ops, cq);
}

static inline const char* fi_cq_strerror(struct fid_cq* cq, int prov_errno, const void* err_data, char* buf,
                                         size_t len)
{
    return FI_CALL(cq, strerror, cq->ops, cq, prov_errno, err_data, buf, len);
}

#ifdef __cplusplus
}
#endif

#endif
