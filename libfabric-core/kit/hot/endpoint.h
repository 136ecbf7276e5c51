/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fi_tinject, written once: the generated table and applications built with FI_GUARDED inline this same code.
 *
 * fi_addr_t is an index into a two-level array of peers. Both levels always point somewhere: an address that
 * has no open channel (never inserted, not connected yet, busy, failed, endpoint disabled) leads to one
 * without room, so the only test is the one for room. The arrays belong to the endpoint and never move, so
 * that an address vector may be changed by another thread meanwhile.
 */
#ifndef FI_HOT_ENDPOINT_H
#define FI_HOT_ENDPOINT_H

#include <rdma/fi_tagged.h>
#include <rdma/hot/channel.h>
#include <rdma/hot/cq.h>

enum {
    FI_HOT_SEGMENT_BITS = 10, /* peers in a segment, and segments in an endpoint: 2^10 each */
    FI_HOT_SEGMENT = 1 << FI_HOT_SEGMENT_BITS,
    FI_HOT_MAX_PEERS = FI_HOT_SEGMENT * FI_HOT_SEGMENT,
};

/* What inlined code may know of an endpoint; version FI_HOT_LAYOUT of include/rdma/direct. */
struct fi_hot_ep {
    struct fid_ep fid;
    struct fi_hot_channel*** segments; /* [FI_HOT_SEGMENT][FI_HOT_SEGMENT] */
    size_t inject_size;                /* bytes */
};

static inline struct fi_hot_channel* fi_hot_peer(const struct fi_hot_ep* ep, fi_addr_t addr)
{
    return __atomic_load_n(&ep->segments[addr >> FI_HOT_SEGMENT_BITS][addr & (FI_HOT_SEGMENT - 1)],
                           __ATOMIC_RELAXED);
}

/* Returns 1: the message is on its way. Or 0 and has changed nothing: the caller has to take the slow
 * function.
 */
static inline int fi_hot_tinject(struct fi_hot_ep* ep, const void* buf, size_t len, fi_addr_t dest_addr,
                                 uint64_t tag)
{
    struct fi_frame frame;

    if (dest_addr >= FI_HOT_MAX_PEERS || len > ep->inject_size)
        return 0;
    frame.kind = FI_FRAME_EAGER;
    frame.flags = FI_FRAME_TAGGED;
    frame.reserved = 0;
    frame.length = (uint32_t)len;
    frame.tag = tag;
    frame.data = 0;
    frame.transfer = 0;
    return fi_hot_put(fi_hot_peer(ep, dest_addr), &frame, buf, len);
}

#endif /* FI_HOT_ENDPOINT_H */
