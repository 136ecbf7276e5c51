/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Providers that work together: an owner holds the object that the application sees (a CQ, a shared receive
 * queue, ...) and lets a peer provider work into it. The owner opens the peer's object with FI_PEER and
 * passes one of the *_context structures as context. Only the structure is for the call alone: the
 * fid_peer_* in it stays valid until the peer's object is closed. A peer that does not support this gives
 * -FI_EINVAL. The owner closes the peer's object and drives its progress. Every structure opens with its
 * size, by which either side knows what the other has. See fi_peer(3).
 */
#ifndef FI_PEER_H
#define FI_PEER_H

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Address vector. */

struct fid_peer_av;

/* query reports the attributes of the owner's AV; ep_addr the address of an endpoint in it. */
struct fi_ops_av_owner {
    size_t size;
    int (*query)(struct fid_peer_av* av, struct fi_av_attr* attr);
    fi_addr_t (*ep_addr)(struct fid_peer_av* av, struct fid_ep* ep);
};

struct fid_peer_av {
    struct fid fid;
    struct fi_ops_av_owner* owner_ops;
};

struct fi_peer_av_context {
    size_t size;
    struct fid_peer_av* av;
};

/* AV set. */

struct fid_peer_av_set;
struct fi_peer_av_set;

/* Lists the members: *count is the room of addr on entry and the number of members on return. */
struct fi_ops_av_set_owner {
    size_t size;
    int (*members)(struct fid_peer_av_set* av, fi_addr_t* addr, size_t* count);
};

struct fid_peer_av_set {
    struct fid fid;
    struct fi_ops_av_set_owner* owner_ops;
};

struct fi_peer_av_set_context {
    size_t size;
    struct fi_peer_av_set* av_set;
};

/* Completion queue. */

struct fid_peer_cq;

/* The peer's completions. Locking, waking and overflow are the owner's; unused fields are 0, NULL or
 * FI_ADDR_NOTAVAIL. */
struct fi_ops_cq_owner {
    size_t size;
    ssize_t (*write)(struct fid_peer_cq* cq, void* context, uint64_t flags, size_t len, void* buf,
                     uint64_t data, uint64_t tag, fi_addr_t src);
    ssize_t (*writeerr)(struct fid_peer_cq* cq, const struct fi_cq_err_entry* err_entry);
};

struct fid_peer_cq {
    struct fid fid;
    struct fi_ops_cq_owner* owner_ops;
};

struct fi_peer_cq_context {
    size_t size;
    struct fid_peer_cq* cq;
};

/* Counter. */

struct fid_peer_cntr;

/* Each call adds one. */
struct fi_ops_cntr_owner {
    size_t size;
    void (*inc)(struct fid_peer_cntr* cntr);
    void (*incerr)(struct fid_peer_cntr* cntr);
};

struct fid_peer_cntr {
    struct fid fid;
    struct fi_ops_cntr_owner* owner_ops;
};

struct fi_peer_cntr_context {
    size_t size;
    struct fid_peer_cntr* cntr;
};

/* Domain and event queue: the owner's object is handed over as it is. */

struct fi_peer_domain_context {
    size_t size;
    struct fid_domain* domain;
};

struct fi_peer_eq_context {
    size_t size;
    struct fid_eq* eq;
};

/* Shared receive queue. */

struct fid_peer_srx;

/* One message and the receive that it was or will be matched with. Allocated by the owner, returned with
 * free_entry. */
struct fi_peer_rx_entry {
    struct fid_peer_srx* srx;
    fi_addr_t addr;
    size_t msg_size;
    uint64_t tag;
    uint64_t cq_data;
    uint64_t flags;
    void* context; /* of the application's receive */
    size_t count;  /* entries of iov and desc */
    void** desc;
    void* peer_context;
    void* owner_context;
    struct iovec* iov;
};

/* What is known of an arrived message. */
struct fi_peer_match_attr {
    fi_addr_t addr; /* FI_ADDR_UNSPEC when the source is unknown: then no directed receive matches */
    size_t msg_size;
    uint64_t tag;
};

/*
 * get_* always give an entry: 0 with a match, -FI_ENOENT without; in the second case the peer keeps the
 * message and calls queue_*, with nothing of the same queue in between. foreach_unspec_addr: addresses
 * became known, look again at entries without one. free_entry: the peer's last call for an entry; never for
 * one that was discarded.
 */
struct fi_ops_srx_owner {
    size_t size;
    int (*get_msg)(struct fid_peer_srx* srx, struct fi_peer_match_attr* attr,
                   struct fi_peer_rx_entry** entry);
    int (*get_tag)(struct fid_peer_srx* srx, struct fi_peer_match_attr* attr,
                   struct fi_peer_rx_entry** entry);
    int (*queue_msg)(struct fi_peer_rx_entry* entry);
    int (*queue_tag)(struct fi_peer_rx_entry* entry);
    void (*foreach_unspec_addr)(struct fid_peer_srx* srx, fi_addr_t (*get_addr)(struct fi_peer_rx_entry*));
    void (*free_entry)(struct fi_peer_rx_entry* entry);
};

/* The owner found a receive for a queued entry (start_*), or the application dropped it (discard_*). */
struct fi_ops_srx_peer {
    size_t size;
    int (*start_msg)(struct fi_peer_rx_entry* entry);
    int (*start_tag)(struct fi_peer_rx_entry* entry);
    int (*discard_msg)(struct fi_peer_rx_entry* entry);
    int (*discard_tag)(struct fi_peer_rx_entry* entry);
};

struct fid_peer_srx {
    struct fid_ep ep_fid;
    struct fi_ops_srx_owner* owner_ops;
    struct fi_ops_srx_peer* peer_ops; /* set by the peer */
};

struct fi_peer_srx_context {
    size_t size;
    struct fid_peer_srx* srx;
};

/* Transfers (mode FI_PEER_TRANSFER): how each side reports what the other's endpoint has finished. Must not
 * recurse. */

struct fi_ops_transfer_peer {
    size_t size;
    ssize_t (*complete)(struct fid_ep* ep, struct fi_cq_tagged_entry* buf, fi_addr_t src_addr);
    ssize_t (*comperr)(struct fid_ep* ep, struct fi_cq_err_entry* buf);
};

struct fi_peer_transfer_context {
    size_t size;
    struct fi_info* info;
    struct fid_ep* ep;
    struct fi_ops_transfer_peer* peer_ops;
};

#ifdef __cplusplus
}
#endif

#endif
