/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names, connections and groups. A connection is asked for by fi_connect, arrives at the listener as
 * FI_CONNREQ, and after fi_accept both sides get FI_CONNECTED on their event queues. fi_cm(3)
 */
#ifndef FI_CM_H
#define FI_CM_H

#include <rdma/fi_endpoint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Membership of a multicast or collective group; fi_close leaves it. */
struct fid_mc {
    struct fid fid;
    fi_addr_t fi_addr; /* valid from FI_JOIN_COMPLETE on */
};

/* The address of the group, for sends with FI_MULTICAST and for collectives. */
static inline fi_addr_t fi_mc_addr(struct fid_mc* mc)
{
    return mc->fi_addr;
}

/*
 * Addresses are in the format of the info the object was opened from. getname and getpeer fill the buffer and
 * give -FI_ETOOSMALL if it is short; addrlen (bytes) ends as the full size. Private data (param) that is
 * longer than the protocol carries is cut. join came later: FI_CHECK_OP.
 */
struct fi_ops_cm {
    size_t size;
    int (*setname)(fid_t fid, void* addr, size_t addrlen);
    int (*getname)(fid_t fid, void* addr, size_t* addrlen);
    int (*getpeer)(struct fid_ep* ep, void* addr, size_t* addrlen);
    int (*connect)(struct fid_ep* ep, const void* addr, const void* param, size_t paramlen);
    int (*listen)(struct fid_pep* pep);
    int (*accept)(struct fid_ep* ep, const void* param, size_t paramlen);
    int (*reject)(struct fid_pep* pep, fid_t handle, const void* param, size_t paramlen);
    int (*shutdown)(struct fid_ep* ep, uint64_t flags);
    int (*join)(struct fid_ep* ep, const void* addr, uint64_t flags, struct fid_mc** mc, void* context);
};

#ifdef __cplusplus
}
#endif

#ifdef FABRIC_DIRECT
#include <rdma/fi_direct_cm.h>
#endif

#ifndef FABRIC_DIRECT_CM
#include <rdma/inline/cm.h>
#endif

#endif /* FI_CM_H */
