/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Atomic operations on registered memory of a target: base (update), fetch (update and return the old
 * value) and compare (conditional update, returns the old value). Atomic per element, not across an array,
 * and only among actors of one domain. See fi_atomic(3).
 */
#ifndef FI_ATOMIC_H
#define FI_ATOMIC_H

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_rma.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Flags of fi_query_atomic: which family is asked about; neither means base. They exclude each other. */
#define FI_FETCH_ATOMIC (1ULL << 58)
#define FI_COMPARE_ATOMIC (1ULL << 59)

struct fi_atomic_attr {
    size_t count; /* elements in one call */
    size_t size;  /* bytes of one element */
};

/* The operand side of any family. Each ioc counts elements; operand, result and compare totals must agree. */
struct fi_msg_atomic {
    const struct fi_ioc* msg_iov;
    void** desc; /* one local descriptor per entry, or NULL; likewise below */
    size_t iov_count;
    fi_addr_t addr;
    const struct fi_rma_ioc* rma_iov;
    size_t rma_iov_count;
    enum fi_datatype datatype;
    enum fi_op op;
    void* context;
    uint64_t data;
};

/* Where old values go. Never free before completion, inject or not. */
struct fi_msg_fetch {
    struct fi_ioc* msg_iov;
    void** desc;
    size_t iov_count;
};

/* What is compared with the target. */
struct fi_msg_compare {
    const struct fi_ioc* msg_iov;
    void** desc;
    size_t iov_count;
};

/*
 * write* are the base family, readwrite* fetch, compwrite* compare. count is in elements, 1 to what the
 * family's *valid slot reports; more gives -FI_EMSGSIZE, an unsupported pair of datatype and op
 * -FI_EOPNOTSUPP, no room now -FI_EAGAIN. A base completion says that sources are reusable; fetch and
 * compare completions that results are filled. FI_ATOMIC_READ ignores buf.
 */
struct fi_ops_atomic {
    size_t size;
    ssize_t (*write)(struct fid_ep* ep, const void* buf, size_t count, void* desc, fi_addr_t dest_addr,
                     uint64_t addr, uint64_t key, enum fi_datatype datatype, enum fi_op op, void* context);
    ssize_t (*writev)(struct fid_ep* ep, const struct fi_ioc* iov, void** desc, size_t count,
                      fi_addr_t dest_addr, uint64_t addr, uint64_t key, enum fi_datatype datatype,
                      enum fi_op op, void* context);
    ssize_t (*writemsg)(struct fid_ep* ep, const struct fi_msg_atomic* msg, uint64_t flags);
    ssize_t (*inject)(struct fid_ep* ep, const void* buf, size_t count, fi_addr_t dest_addr, uint64_t addr,
                      uint64_t key, enum fi_datatype datatype, enum fi_op op);
    ssize_t (*readwrite)(struct fid_ep* ep, const void* buf, size_t count, void* desc, void* result,
                         void* result_desc, fi_addr_t dest_addr, uint64_t addr, uint64_t key,
                         enum fi_datatype datatype, enum fi_op op, void* context);
    ssize_t (*readwritev)(struct fid_ep* ep, const struct fi_ioc* iov, void** desc, size_t count,
                          struct fi_ioc* resultv, void** result_desc, size_t result_count,
                          fi_addr_t dest_addr, uint64_t addr, uint64_t key, enum fi_datatype datatype,
                          enum fi_op op, void* context);
    ssize_t (*readwritemsg)(struct fid_ep* ep, const struct fi_msg_atomic* msg, struct fi_ioc* resultv,
                            void** result_desc, size_t result_count, uint64_t flags);
    ssize_t (*compwrite)(struct fid_ep* ep, const void* buf, size_t count, void* desc, const void* compare,
                         void* compare_desc, void* result, void* result_desc, fi_addr_t dest_addr,
                         uint64_t addr, uint64_t key, enum fi_datatype datatype, enum fi_op op,
                         void* context);
    ssize_t (*compwritev)(struct fid_ep* ep, const struct fi_ioc* iov, void** desc, size_t count,
                          const struct fi_ioc* comparev, void** compare_desc, size_t compare_count,
                          struct fi_ioc* resultv, void** result_desc, size_t result_count,
                          fi_addr_t dest_addr, uint64_t addr, uint64_t key, enum fi_datatype datatype,
                          enum fi_op op, void* context);
    ssize_t (*compwritemsg)(struct fid_ep* ep, const struct fi_msg_atomic* msg, const struct fi_ioc* comparev,
                            void** compare_desc, size_t compare_count, struct fi_ioc* resultv,
                            void** result_desc, size_t result_count, uint64_t flags);
    int (*writevalid)(struct fid_ep* ep, enum fi_datatype datatype, enum fi_op op, size_t* count);
    int (*readwritevalid)(struct fid_ep* ep, enum fi_datatype datatype, enum fi_op op, size_t* count);
    int (*compwritevalid)(struct fid_ep* ep, enum fi_datatype datatype, enum fi_op op, size_t* count);
};

#ifdef __cplusplus
}
#endif

#ifdef FABRIC_DIRECT
#include <rdma/fi_direct_atomic.h>
#endif
#ifndef FABRIC_DIRECT_ATOMIC
#include <rdma/inline/atomic.h>
#endif

#endif
