/* SPDX-License-Identifier: BSD-2-Clause */
/* Atomic operations; meanings and errors: struct fi_ops_atomic in fi_atomic.h. */
#ifndef FI_INLINE_ATOMIC_H
#define FI_INLINE_ATOMIC_H

#include <rdma/fi_atomic.h>
#include <rdma/fi_errno.h>
#include <rdma/inline/dispatch.h>

#ifdef FI_DIRECT_HEADER_atomic
#include FI_DIRECT_HEADER_atomic
#endif

#ifdef __cplusplus
extern "C" {
#endif

static inline ssize_t fi_atomic(struct fid_ep* ep, const void* buf, size_t count, void* desc,
                                fi_addr_t dest_addr, uint64_t addr, uint64_t key, enum fi_datatype datatype,
                                enum fi_op op, void* context)
{
    return FI_CALL(atomic, write, ep->atomic, ep, buf, count, desc, dest_addr, addr, key, datatype, op,
                   context);
}

static inline ssize_t fi_atomicv(struct fid_ep* ep, const struct fi_ioc* iov, void** desc, size_t count,
                                 fi_addr_t dest_addr, uint64_t addr, uint64_t key, enum fi_datatype datatype,
                                 enum fi_op op, void* context)
{
    return FI_CALL(atomic, writev, ep->atomic, ep, iov, desc, count, dest_addr, addr, key, datatype, op,
                   context);
}

static inline ssize_t fi_atomicmsg(struct fid_ep* ep, const struct fi_msg_atomic* msg, uint64_t flags)
{
    return FI_CALL(atomic, writemsg, ep->atomic, ep, msg, flags);
}

static inline ssize_t fi_inject_atomic(struct fid_ep* ep, const void* buf, size_t count, fi_addr_t dest_addr,
                                       uint64_t addr, uint64_t key, enum fi_datatype datatype, enum fi_op op)
{
    return FI_CALL(atomic, inject, ep->atomic, ep, buf, count, dest_addr, addr, key, datatype, op);
}

static inline ssize_t fi_fetch_atomic(struct fid_ep* ep, const void* buf, size_t count, void* desc,
                                      void* result, void* result_desc, fi_addr_t dest_addr, uint64_t addr,
                                      uint64_t key, enum fi_datatype datatype, enum fi_op op, void* context)
{
    return FI_CALL(atomic, readwrite, ep->atomic, ep, buf, count, desc, result, result_desc, dest_addr, addr,
                   key, datatype, op, context);
}

static inline ssize_t fi_fetch_atomicv(struct fid_ep* ep, const struct fi_ioc* iov, void** desc, size_t count,
                                       struct fi_ioc* resultv, void** result_desc, size_t result_count,
                                       fi_addr_t dest_addr, uint64_t addr, uint64_t key,
                                       enum fi_datatype datatype, enum fi_op op, void* context)
{
    return FI_CALL(atomic, readwritev, ep->atomic, ep, iov, desc, count, resultv, result_desc, result_count,
                   dest_addr, addr, key, datatype, op, context);
}

static inline ssize_t fi_fetch_atomicmsg(struct fid_ep* ep, const struct fi_msg_atomic* msg,
                                         struct fi_ioc* resultv, void** result_desc, size_t result_count,
                                         uint64_t flags)
{
    return FI_CALL(atomic, readwritemsg, ep->atomic, ep, msg, resultv, result_desc, result_count, flags);
}

static inline ssize_t fi_compare_atomic(struct fid_ep* ep, const void* buf, size_t count, void* desc,
                                        const void* compare, void* compare_desc, void* result,
                                        void* result_desc, fi_addr_t dest_addr, uint64_t addr, uint64_t key,
                                        enum fi_datatype datatype, enum fi_op op, void* context)
{
    return FI_CALL(atomic, compwrite, ep->atomic, ep, buf, count, desc, compare, compare_desc, result,
                   result_desc, dest_addr, addr, key, datatype, op, context);
}

static inline ssize_t fi_compare_atomicv(struct fid_ep* ep, const struct fi_ioc* iov, void** desc,
                                         size_t count, const struct fi_ioc* comparev, void** compare_desc,
                                         size_t compare_count, struct fi_ioc* resultv, void** result_desc,
                                         size_t result_count, fi_addr_t dest_addr, uint64_t addr,
                                         uint64_t key, enum fi_datatype datatype, enum fi_op op,
                                         void* context)
{
    return FI_CALL(atomic, compwritev, ep->atomic, ep, iov, desc, count, comparev, compare_desc,
                   compare_count, resultv, result_desc, result_count, dest_addr, addr, key, datatype, op,
                   context);
}

static inline ssize_t fi_compare_atomicmsg(struct fid_ep* ep, const struct fi_msg_atomic* msg,
                                           const struct fi_ioc* comparev, void** compare_desc,
                                           size_t compare_count, struct fi_ioc* resultv, void** result_desc,
                                           size_t result_count, uint64_t flags)
{
    return FI_CALL(atomic, compwritemsg, ep->atomic, ep, msg, comparev, compare_desc, compare_count, resultv,
                   result_desc, result_count, flags);
}

/* 0 and *count, elements per call, when the pair is supported; else a negative error. Next two: likewise. */
static inline int fi_atomicvalid(struct fid_ep* ep, enum fi_datatype datatype, enum fi_op op, size_t* count)
{
    return FI_CALL(atomic, writevalid, ep->atomic, ep, datatype, op, count);
}

static inline int fi_fetch_atomicvalid(struct fid_ep* ep, enum fi_datatype datatype, enum fi_op op,
                                       size_t* count)
{
    return FI_CALL(atomic, readwritevalid, ep->atomic, ep, datatype, op, count);
}

static inline int fi_compare_atomicvalid(struct fid_ep* ep, enum fi_datatype datatype, enum fi_op op,
                                         size_t* count)
{
    return FI_CALL(atomic, compwritevalid, ep->atomic, ep, datatype, op, count);
}

/* What one call can do with this pair. flags: 0 base, FI_FETCH_ATOMIC or FI_COMPARE_ATOMIC, FI_TAGGED. */
static inline int fi_query_atomic(struct fid_domain* domain, enum fi_datatype datatype, enum fi_op op,
                                  struct fi_atomic_attr* attr, uint64_t flags)
{
    if (!FI_CHECK_OP(domain->ops, struct fi_ops_domain, query_atomic))
        return -FI_ENOSYS;
    return FI_CALL(domain, query_atomic, domain->ops, domain, datatype, op, attr, flags);
}

#ifdef __cplusplus
}
#endif

#endif
