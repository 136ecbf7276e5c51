/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Remote memory access: an initiator reads or writes memory that the target registered. The target's
 * program takes no part, unless it asked for events (FI_RMA_EVENT) or remote CQ data arrives. See
 * fi_rma(3).
 */
#ifndef FI_RMA_H
#define FI_RMA_H

#include <rdma/fabric.h>
#include <rdma/fi_endpoint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A piece of target memory. addr is a virtual address of the target if its domain works with
 * FI_MR_VIRT_ADDR, else the byte offset into the region; key names the region.
 */
struct fi_rma_iov {
    uint64_t addr;
    size_t len; /* bytes */
    uint64_t key;
};

/* The same in elements of an atomic's datatype. */
struct fi_rma_ioc {
    uint64_t addr;
    size_t count; /* elements */
    uint64_t key;
};

/*
 * A read or write in full. Local and remote lengths must agree; borders between the pieces mean nothing.
 * The structure and its arrays are free again when the call returns.
 */
struct fi_msg_rma {
    const struct iovec* msg_iov;
    void** desc; /* one local descriptor per msg_iov entry, or NULL */
    size_t iov_count;
    fi_addr_t addr; /* ignored by connected endpoints */
    const struct fi_rma_iov* rma_iov;
    size_t rma_iov_count;
    void* context;
    uint64_t data; /* sent only with FI_REMOTE_CQ_DATA */
};

/*
 * All slots return 0 or a negative error: -FI_EAGAIN when there is no room now (drive progress and repeat),
 * -FI_EMSGSIZE for more bytes or pieces than the limits, -FI_ENOSYS or -FI_EOPNOTSUPP where the endpoint
 * has no RMA. Buffers belong to the provider until completion; inject's are free on return and its success
 * writes no completion entry.
 */
struct fi_ops_rma {
    size_t size;
    ssize_t (*read)(struct fid_ep* ep, void* buf, size_t len, void* desc, fi_addr_t src_addr, uint64_t addr,
                    uint64_t key, void* context);
    ssize_t (*readv)(struct fid_ep* ep, const struct iovec* iov, void** desc, size_t count,
                     fi_addr_t src_addr, uint64_t addr, uint64_t key, void* context);
    ssize_t (*readmsg)(struct fid_ep* ep, const struct fi_msg_rma* msg, uint64_t flags);
    ssize_t (*write)(struct fid_ep* ep, const void* buf, size_t len, void* desc, fi_addr_t dest_addr,
                     uint64_t addr, uint64_t key, void* context);
    ssize_t (*writev)(struct fid_ep* ep, const struct iovec* iov, void** desc, size_t count,
                      fi_addr_t dest_addr, uint64_t addr, uint64_t key, void* context);
    ssize_t (*writemsg)(struct fid_ep* ep, const struct fi_msg_rma* msg, uint64_t flags);
    ssize_t (*inject)(struct fid_ep* ep, const void* buf, size_t len, fi_addr_t dest_addr, uint64_t addr,
                      uint64_t key);
    /* The *data slots give the target a CQ entry with the data, even without FI_RMA_EVENT. */
    ssize_t (*writedata)(struct fid_ep* ep, const void* buf, size_t len, void* desc, uint64_t data,
                         fi_addr_t dest_addr, uint64_t addr, uint64_t key, void* context);
    ssize_t (*injectdata)(struct fid_ep* ep, const void* buf, size_t len, uint64_t data, fi_addr_t dest_addr,
                          uint64_t addr, uint64_t key);
};

#ifdef __cplusplus
}
#endif

#ifdef FABRIC_DIRECT
#include <rdma/fi_direct_rma.h>
#endif
#ifndef FABRIC_DIRECT_RMA
#include <rdma/inline/rma.h>
#endif

#endif
