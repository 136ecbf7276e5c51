/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tagged messages: the receiver chooses by a 64-bit tag which buffer a message goes to. Tagged and untagged
 * messages never match each other. See fi_tagged(3).
 */
#ifndef FI_TAGGED_H
#define FI_TAGGED_H

#include <rdma/fabric.h>
#include <rdma/fi_endpoint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Tag layout of FI_TAG_MPI: a 32-bit MPI tag below an 8-bit payload id. Ignore masks for a wildcard on
 * either. */
#define FI_MPI_IGNORE_TAG ((uint64_t)UINT32_MAX)
#define FI_MPI_IGNORE_PAYLOAD ((uint64_t)UINT8_MAX << 32)

/*
 * A tagged transfer in full, with the flags of sendmsg or recvmsg (FI_PEEK, FI_CLAIM and FI_DISCARD on
 * recvmsg; FI_CLAIM needs a struct fi_context as context, the same one in both calls).
 */
struct fi_msg_tagged {
    const struct iovec* msg_iov;
    void** desc; /* one local descriptor per msg_iov entry, or NULL */
    size_t iov_count;
    fi_addr_t addr; /* a receive's source counts with FI_DIRECTED_RECV only */
    uint64_t tag;
    uint64_t ignore; /* bits set here match anything; receives only */
    void* context;
    uint64_t data; /* sent only with FI_REMOTE_CQ_DATA */
};

/*
 * A receive matches when (send tag | ignore) == (receive tag | ignore); the first posted match wins, and
 * the earliest arrived message of a source. All slots return 0 or a negative error: -FI_EAGAIN when there
 * is no room now (drive progress and repeat), -FI_EMSGSIZE for more than the limits. Buffers belong to the
 * provider until completion; inject's are free on return and its success writes no completion entry.
 */
struct fi_ops_tagged {
    size_t size;
    ssize_t (*recv)(struct fid_ep* ep, void* buf, size_t len, void* desc, fi_addr_t src_addr, uint64_t tag,
                    uint64_t ignore, void* context);
    ssize_t (*recvv)(struct fid_ep* ep, const struct iovec* iov, void** desc, size_t count,
                     fi_addr_t src_addr, uint64_t tag, uint64_t ignore, void* context);
    ssize_t (*recvmsg)(struct fid_ep* ep, const struct fi_msg_tagged* msg, uint64_t flags);
    ssize_t (*send)(struct fid_ep* ep, const void* buf, size_t len, void* desc, fi_addr_t dest_addr,
                    uint64_t tag, void* context);
    ssize_t (*sendv)(struct fid_ep* ep, const struct iovec* iov, void** desc, size_t count,
                     fi_addr_t dest_addr, uint64_t tag, void* context);
    ssize_t (*sendmsg)(struct fid_ep* ep, const struct fi_msg_tagged* msg, uint64_t flags);
    ssize_t (*inject)(struct fid_ep* ep, const void* buf, size_t len, fi_addr_t dest_addr, uint64_t tag);
    ssize_t (*senddata)(struct fid_ep* ep, const void* buf, size_t len, void* desc, uint64_t data,
                        fi_addr_t dest_addr, uint64_t tag, void* context);
    ssize_t (*injectdata)(struct fid_ep* ep, const void* buf, size_t len, uint64_t data, fi_addr_t dest_addr,
                          uint64_t tag);
};

/* Composes a tag in the FI_TAG_MPI layout. */
static inline uint64_t fi_tag_mpi(int tag, uint8_t payload_id)
{
    return ((uint64_t)payload_id << 32) | (uint64_t)(uint32_t)tag;
}

#ifdef __cplusplus
}
#endif

#ifdef FABRIC_DIRECT
#include <rdma/fi_direct_tagged.h>
#endif
#ifndef FABRIC_DIRECT_TAGGED
#include <rdma/inline/tagged.h>
#endif

#endif
