/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The end of a byte-stream peer's transmit buffer: where the next short message is appended.
 *
 * Room (limit - tail) is above zero only while appending is all there is to do: the link is up, nothing
 * larger is being sent, and bytes are already on their way or waiting for the next look at the transport, so
 * that one system call carries many messages. In every other state limit equals tail and the slow function
 * decides.
 */
#ifndef FI_HOT_TRANSMIT_RING_H
#define FI_HOT_TRANSMIT_RING_H

#include <rdma/hot/frame.h>
#include <stddef.h>
#include <string.h>

struct fi_hot_transmit_ring {
    unsigned char* tail;
    unsigned char* limit;
};

/* Returns 1 and appends, or returns 0 and changes nothing. `frame` has its length set to len, which is below
 * 2^32 - 32. */
static inline int fi_hot_append(struct fi_hot_transmit_ring* ring, const struct fi_frame* frame,
                                const void* payload, size_t len)
{
    if ((size_t)(ring->limit - ring->tail) < sizeof(*frame) + len)
        return 0;
    memcpy(ring->tail, frame, sizeof(*frame));
    if (len)
        memcpy(ring->tail + sizeof(*frame), payload, len);
    ring->tail += sizeof(*frame) + len;
    return 1;
}

#endif /* FI_HOT_TRANSMIT_RING_H */
