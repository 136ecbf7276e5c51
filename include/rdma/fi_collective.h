/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Collectives: operations that all members of a group enter, in the same order. A group is an AV set that
 * every member joins (fi_join_collective, which ends in an FI_JOIN_COMPLETE event); fi_mc_addr then gives
 * the coll_addr of the calls. Closing the fid_mc leaves the group. See fi_collective(3), fi_av_set(3).
 */
#ifndef FI_COLLECTIVE_H
#define FI_COLLECTIVE_H

#include <rdma/fabric.h>
#include <rdma/fi_atomic.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct fid_av_set;

/*
 * Set operations: local, no traffic. Members keep their order; union and insert append; src never changes.
 * addr gives the address that stands for all members of a set in a join.
 */
struct fi_ops_av_set {
    size_t size;
    int (*set_union)(struct fid_av_set* dst, const struct fid_av_set* src);
    int (*intersect)(struct fid_av_set* dst, const struct fid_av_set* src);
    int (*diff)(struct fid_av_set* dst, const struct fid_av_set* src);
    int (*insert)(struct fid_av_set* set, fi_addr_t addr);
    int (*remove)(struct fid_av_set* set, fi_addr_t addr);
    int (*addr)(struct fid_av_set* set, fi_addr_t* coll_addr);
};

struct fid_av_set {
    struct fid fid;
    struct fi_ops_av_set* ops;
};

/* Question (op, datatype, mode) and answer (the rest) of fi_query_collective. A barrier is asked with
 * FI_NOOP, FI_VOID. */
struct fi_collective_attr {
    enum fi_op op;
    enum fi_datatype datatype;
    struct fi_atomic_attr datatype_attr; /* elements per call, bytes per element */
    size_t max_members;
    uint64_t mode;
};

/* What fi_join is given as address when its flags have FI_COLLECTIVE. */
struct fi_collective_addr {
    const struct fid_av_set* set;
    fi_addr_t coll_addr; /* of a group already joined, or FI_ADDR_NOTAVAIL */
};

struct fi_msg_collective {
    const struct fi_ioc* msg_iov;
    void** desc;
    size_t iov_count;
    fi_addr_t coll_addr;
    fi_addr_t root_addr; /* rooted operations only */
    enum fi_collective_op coll;
    enum fi_datatype datatype;
    enum fi_op op;
    void* context;
};

/*
 * buf is read and result written, except broadcast: buf is the source at the root and the target elsewhere.
 * scatter, gather and reduce need the full array at the root only; allgather and alltoall go by the order
 * of the set. Counts are in elements. Errors as with atomics: -FI_EOPNOTSUPP, -FI_EMSGSIZE, -FI_EAGAIN.
 */
struct fi_ops_collective {
    size_t size;
    ssize_t (*barrier)(struct fid_ep* ep, fi_addr_t coll_addr, void* context);
    ssize_t (*broadcast)(struct fid_ep* ep, void* buf, size_t count, void* desc, fi_addr_t coll_addr,
                         fi_addr_t root_addr, enum fi_datatype datatype, uint64_t flags, void* context);
    ssize_t (*alltoall)(struct fid_ep* ep, const void* buf, size_t count, void* desc, void* result,
                        void* result_desc, fi_addr_t coll_addr, enum fi_datatype datatype, uint64_t flags,
                        void* context);
    ssize_t (*allreduce)(struct fid_ep* ep, const void* buf, size_t count, void* desc, void* result,
                         void* result_desc, fi_addr_t coll_addr, enum fi_datatype datatype, enum fi_op op,
                         uint64_t flags, void* context);
    ssize_t (*allgather)(struct fid_ep* ep, const void* buf, size_t count, void* desc, void* result,
                         void* result_desc, fi_addr_t coll_addr, enum fi_datatype datatype, uint64_t flags,
                         void* context);
    ssize_t (*reduce_scatter)(struct fid_ep* ep, const void* buf, size_t count, void* desc, void* result,
                              void* result_desc, fi_addr_t coll_addr, enum fi_datatype datatype,
                              enum fi_op op, uint64_t flags, void* context);
    ssize_t (*reduce)(struct fid_ep* ep, const void* buf, size_t count, void* desc, void* result,
                      void* result_desc, fi_addr_t coll_addr, fi_addr_t root_addr, enum fi_datatype datatype,
                      enum fi_op op, uint64_t flags, void* context);
    ssize_t (*scatter)(struct fid_ep* ep, const void* buf, size_t count, void* desc, void* result,
                       void* result_desc, fi_addr_t coll_addr, fi_addr_t root_addr, enum fi_datatype datatype,
                       uint64_t flags, void* context);
    ssize_t (*gather)(struct fid_ep* ep, const void* buf, size_t count, void* desc, void* result,
                      void* result_desc, fi_addr_t coll_addr, fi_addr_t root_addr, enum fi_datatype datatype,
                      uint64_t flags, void* context);
    ssize_t (*msg)(struct fid_ep* ep, const struct fi_msg_collective* msg, struct fi_ioc* resultv,
                   void** result_desc, size_t result_count, uint64_t flags);
    ssize_t (*barrier2)(struct fid_ep* ep, fi_addr_t coll_addr, uint64_t flags, void* context);
};

#ifdef __cplusplus
}
#endif

#ifdef FABRIC_DIRECT
#include <rdma/fi_direct_collective.h>
#endif
#ifndef FABRIC_DIRECT_COLLECTIVE
#include <rdma/inline/av_set.h>
#include <rdma/inline/collective.h>
#endif

#endif
