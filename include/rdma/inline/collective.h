/* SPDX-License-Identifier: BSD-2-Clause */
/* Joining a group and operating on it: struct fi_ops_collective in fi_collective.h. */
#ifndef FI_INLINE_COLLECTIVE_H
#define FI_INLINE_COLLECTIVE_H

#include <rdma/fi_collective.h>
#include <rdma/fi_errno.h>
#include <rdma/inline/dispatch.h>

#ifdef FI_DIRECT_HEADER_collective
#include FI_DIRECT_HEADER_collective
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Collective itself; ends in an FI_JOIN_COMPLETE event on the endpoint's event queue. */
static inline int fi_join_collective(struct fid_ep* ep, fi_addr_t coll_addr, const struct fid_av_set* set,
                                     uint64_t flags, struct fid_mc** mc, void* context)
{
    struct fi_collective_addr addr;
    addr.set = set;
    addr.coll_addr = coll_addr;
    return fi_join(ep, &addr, flags | FI_COLLECTIVE, mc, context);
}

static inline ssize_t fi_barrier(struct fid_ep* ep, fi_addr_t coll_addr, void* context)
{
    return FI_CALL(collective, barrier, ep->collective, ep, coll_addr, context);
}

/* fi_barrier with flags. Providers older than the slot: -FI_ENOSYS, unless flags are 0. */
static inline ssize_t fi_barrier2(struct fid_ep* ep, fi_addr_t coll_addr, uint64_t flags, void* context)
{
    if (!flags)
        return fi_barrier(ep, coll_addr, context);
    if (!FI_CHECK_OP(ep->collective, struct fi_ops_collective, barrier2))
        return -FI_ENOSYS;
    return FI_CALL(collective, barrier2, ep->collective, ep, coll_addr, flags, context);
}

static inline ssize_t fi_broadcast(struct fid_ep* ep, void* buf, size_t count, void* desc,
                                   fi_addr_t coll_addr, fi_addr_t root_addr, enum fi_datatype datatype,
                                   uint64_t flags, void* context)
{
    return FI_CALL(collective, broadcast, ep->collective, ep, buf, count, desc, coll_addr, root_addr,
                   datatype, flags, context);
}

static inline ssize_t fi_alltoall(struct fid_ep* ep, const void* buf, size_t count, void* desc, void* result,
                                  void* result_desc, fi_addr_t coll_addr, enum fi_datatype datatype,
                                  uint64_t flags, void* context)
{
    return FI_CALL(collective, alltoall, ep->collective, ep, buf, count, desc, result, result_desc, coll_addr,
                   datatype, flags, context);
}

static inline ssize_t fi_allreduce(struct fid_ep* ep, const void* buf, size_t count, void* desc, void* result,
                                   void* result_desc, fi_addr_t coll_addr, enum fi_datatype datatype,
                                   enum fi_op op, uint64_t flags, void* context)
{
    return FI_CALL(collective, allreduce, ep->collective, ep, buf, count, desc, result, result_desc,
                   coll_addr, datatype, op, flags, context);
}

static inline ssize_t fi_allgather(struct fid_ep* ep, const void* buf, size_t count, void* desc, void* result,
                                   void* result_desc, fi_addr_t coll_addr, enum fi_datatype datatype,
                                   uint64_t flags, void* context)
{
    return FI_CALL(collective, allgather, ep->collective, ep, buf, count, desc, result, result_desc,
                   coll_addr, datatype, flags, context);
}

static inline ssize_t fi_reduce_scatter(struct fid_ep* ep, const void* buf, size_t count, void* desc,
                                        void* result, void* result_desc, fi_addr_t coll_addr,
                                        enum fi_datatype datatype, enum fi_op op, uint64_t flags,
                                        void* context)
{
    return FI_CALL(collective, reduce_scatter, ep->collective, ep, buf, count, desc, result, result_desc,
                   coll_addr, datatype, op, flags, context);
}

static inline ssize_t fi_reduce(struct fid_ep* ep, const void* buf, size_t count, void* desc, void* result,
                                void* result_desc, fi_addr_t coll_addr, fi_addr_t root_addr,
                                enum fi_datatype datatype, enum fi_op op, uint64_t flags, void* context)
{
    return FI_CALL(collective, reduce, ep->collective, ep, buf, count, desc, result, result_desc, coll_addr,
                   root_addr, datatype, op, flags, context);
}

static inline ssize_t fi_scatter(struct fid_ep* ep, const void* buf, size_t count, void* desc, void* result,
                                 void* result_desc, fi_addr_t coll_addr, fi_addr_t root_addr,
                                 enum fi_datatype datatype, uint64_t flags, void* context)
{
    return FI_CALL(collective, scatter, ep->collective, ep, buf, count, desc, result, result_desc, coll_addr,
                   root_addr, datatype, flags, context);
}

static inline ssize_t fi_gather(struct fid_ep* ep, const void* buf, size_t count, void* desc, void* result,
                                void* result_desc, fi_addr_t coll_addr, fi_addr_t root_addr,
                                enum fi_datatype datatype, uint64_t flags, void* context)
{
    return FI_CALL(collective, gather, ep->collective, ep, buf, count, desc, result, result_desc, coll_addr,
                   root_addr, datatype, flags, context);
}

/* 0 and the limits in *attr when the operation that attr describes is supported. */
static inline int fi_query_collective(struct fid_domain* domain, enum fi_collective_op coll,
                                      struct fi_collective_attr* attr, uint64_t flags)
{
    if (!FI_CHECK_OP(domain->ops, struct fi_ops_domain, query_collective))
        return -FI_ENOSYS;
    return FI_CALL(domain, query_collective, domain->ops, domain, coll, attr, flags);
}

#ifdef __cplusplus
}
#endif

#endif
