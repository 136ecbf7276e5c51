/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The endpoint: where data operations are posted. An endpoint carries one table per kind of operation; a
 * table that its capabilities lack answers -FI_ENOSYS. This header has the endpoint, its options and untagged
 * messages; fi_tagged.h, fi_rma.h, fi_atomic.h, fi_collective.h and fi_cm.h have the other tables.
 */
#ifndef FI_ENDPOINT_H
#define FI_ENDPOINT_H

#include <sys/socket.h>

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>

#ifdef __cplusplus
extern "C" {
#endif

struct fi_ops_cm;
struct fi_ops_rma;
struct fi_ops_tagged;
struct fi_ops_atomic;
struct fi_ops_collective;

/*
 * Messages. fi_msg(3)
 */

struct fi_msg {
    const struct iovec* msg_iov;
    void** desc; /* one per segment, or NULL */
    size_t iov_count;
    fi_addr_t addr; /* peer; ignored on connected endpoints */
    void* context;
    uint64_t data; /* sent with FI_REMOTE_CQ_DATA */
};

/*
 * 0: accepted, one completion will follow. -FI_EAGAIN: nothing was queued, make progress and try again. The
 * inject calls copy, so that their buffer is free on return, and write a completion only when they fail.
 */
struct fi_ops_msg {
    size_t size;
    ssize_t (*recv)(struct fid_ep* ep, void* buf, size_t len, void* desc, fi_addr_t src_addr, void* context);
    ssize_t (*recvv)(struct fid_ep* ep, const struct iovec* iov, void** desc, size_t count,
                     fi_addr_t src_addr, void* context);
    ssize_t (*recvmsg)(struct fid_ep* ep, const struct fi_msg* msg, uint64_t flags);
    ssize_t (*send)(struct fid_ep* ep, const void* buf, size_t len, void* desc, fi_addr_t dest_addr,
                    void* context);
    ssize_t (*sendv)(struct fid_ep* ep, const struct iovec* iov, void** desc, size_t count,
                     fi_addr_t dest_addr, void* context);
    ssize_t (*sendmsg)(struct fid_ep* ep, const struct fi_msg* msg, uint64_t flags);
    ssize_t (*inject)(struct fid_ep* ep, const void* buf, size_t len, fi_addr_t dest_addr);
    ssize_t (*senddata)(struct fid_ep* ep, const void* buf, size_t len, void* desc, uint64_t data,
                        fi_addr_t dest_addr, void* context);
    ssize_t (*injectdata)(struct fid_ep* ep, const void* buf, size_t len, uint64_t data, fi_addr_t dest_addr);
};

/*
 * Endpoints. fi_endpoint(3)
 */

/* Level of fi_getopt and fi_setopt. Negative levels and options belong to providers. */
enum {
    FI_OPT_ENDPOINT,
};

/*
 * Options of that level with the type of their value; set before fi_enable. -FI_ENOPROTOOPT: not known here;
 * for the sizes this means that max_msg_size or inject_size rules.
 */
enum {
    FI_OPT_MIN_MULTI_RECV,          /* size_t: bytes; less free than this releases a multi-receive buffer */
    FI_OPT_CM_DATA_SIZE,            /* size_t, read only: bytes of private data in connection calls */
    FI_OPT_BUFFERED_MIN,            /* dropped */
    FI_OPT_BUFFERED_LIMIT,          /* dropped */
    FI_OPT_SEND_BUF_SIZE,           /* size_t: bytes */
    FI_OPT_RECV_BUF_SIZE,           /* size_t: bytes */
    FI_OPT_TX_SIZE,                 /* size_t: operations */
    FI_OPT_RX_SIZE,                 /* size_t: receives */
    FI_OPT_FI_HMEM_P2P,             /* int: FI_HMEM_P2P_* */
    FI_OPT_XPU_TRIGGER,             /* dropped */
    FI_OPT_CUDA_API_PERMITTED,      /* bool, write only: the provider may call CUDA */
    FI_OPT_SHARED_MEMORY_PERMITTED, /* bool, write only: local peers may be reached by shared memory */
    FI_OPT_MAX_MSG_SIZE,            /* size_t: bytes */
    FI_OPT_MAX_TAGGED_SIZE,
    FI_OPT_MAX_RMA_SIZE,
    FI_OPT_MAX_ATOMIC_SIZE,
    FI_OPT_INJECT_MSG_SIZE, /* size_t: bytes */
    FI_OPT_INJECT_TAGGED_SIZE,
    FI_OPT_INJECT_RMA_SIZE,
    FI_OPT_INJECT_ATOMIC_SIZE,
    FI_OPT_FIREWALL_ADDR, /* the peer cannot be dialled, see FI_FIREWALL_ADDR */
};

/* Copies between device memory and the network device without a stop in host memory. */
enum {
    FI_HMEM_P2P_ENABLED,   /* where the provider likes it */
    FI_HMEM_P2P_REQUIRED,  /* always: else the operation fails */
    FI_HMEM_P2P_PREFERRED, /* wherever it works */
    FI_HMEM_P2P_DISABLED,
};

struct fi_ops_ep {
    size_t size;
    ssize_t (*cancel)(fid_t fid, void* context);
    int (*getopt)(fid_t fid, int level, int optname, void* optval, size_t* optlen);
    int (*setopt)(fid_t fid, int level, int optname, const void* optval, size_t optlen);
    int (*tx_ctx)(struct fid_ep* sep, int index, struct fi_tx_attr* attr, struct fid_ep** tx_ep,
                  void* context);
    int (*rx_ctx)(struct fid_ep* sep, int index, struct fi_rx_attr* attr, struct fid_ep** rx_ep,
                  void* context);
    ssize_t (*rx_size_left)(struct fid_ep* ep); /* deprecated */
    ssize_t (*tx_size_left)(struct fid_ep* ep); /* deprecated */
};

/* Endpoints, scalable endpoints, their contexts, and shared receive contexts. */
struct fid_ep {
    struct fid fid;
    struct fi_ops_ep* ops;
    struct fi_ops_cm* cm;
    struct fi_ops_msg* msg;
    struct fi_ops_rma* rma;
    struct fi_ops_tagged* tagged;
    struct fi_ops_atomic* atomic;
    struct fi_ops_collective* collective;
};

/* A listener: belongs to the fabric, reports requests to its EQ, carries no data. */
struct fid_pep {
    struct fid fid;
    struct fi_ops_ep* ops;
    struct fi_ops_cm* cm;
};

/* A shared transmit context: bound to endpoints, posted to through them. */
struct fid_stx {
    struct fid fid;
    struct fi_ops_ep* ops;
};

#ifdef __cplusplus
}
#endif

#ifdef FABRIC_DIRECT
#include <rdma/fi_direct_endpoint.h>
#endif

#ifndef FABRIC_DIRECT_ENDPOINT
#include <rdma/inline/ep.h>
#include <rdma/inline/msg.h>
#endif

#endif /* FI_ENDPOINT_H */
