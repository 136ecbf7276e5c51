/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the next short message to a peer is put: the end of a byte stream's transmit buffer, or the next slot
 * of a ring in memory that the peer reads.
 *
 * Both kinds have room (limit - tail) only while putting is all there is to do: the link is up, nothing
 * larger is being sent and, for a byte stream, bytes are already on their way or waiting for the next look at
 * the transport, so that one system call carries many messages. In every other state limit equals tail and
 * the slow function decides.
 *
 * A slot is one cache line: the frame's header and up to 32 bytes of payload. Its first word holds the number
 * of the lap, is stored last and tells the reader that the slot is new. A ring that has been quiet is parked:
 * its reader does not look at it any more and is told by a bell. Parking stores the flag, makes every core
 * pass a barrier (membarrier), and looks at the ring once more; so here a compiler barrier between storing
 * the slot and loading the flag is enough, and one of the two sides sees the other. Where the kernel has no
 * such barrier the ring never shows room here, and the slow function has a fence.
 */
#ifndef FI_HOT_CHANNEL_H
#define FI_HOT_CHANNEL_H

#include <rdma/hot/frame.h>
#include <stddef.h>
#include <string.h>

enum {
    FI_HOT_SLOT = 64,         /* bytes */
    FI_HOT_SLOT_PAYLOAD = 32, /* bytes of payload in a slot */
};

struct fi_hot_channel {
    unsigned char* tail;
    unsigned char* limit;
    const uint32_t* parked; /* a ring: not 0 when the bell has to be rung; NULL: a byte stream */
    void (*ring_bell)(struct fi_hot_channel*);
    uint16_t lap; /* a ring: what marks its slots on this way round; changes when tail goes back */
};

/* Copies at most 32 bytes, two overlapping pieces at most: no call, no loop. */
__attribute__((always_inline)) static inline void fi_hot_copy_short(unsigned char* to, const void* from,
                                                                    size_t len)
{
    const unsigned char* bytes = (const unsigned char*)from;

    if (len >= 16) {
        memcpy(to, bytes, 16);
        memcpy(to + len - 16, bytes + len - 16, 16);
    } else if (len >= 8) {
        memcpy(to, bytes, 8);
        memcpy(to + len - 8, bytes + len - 8, 8);
    } else if (len >= 4) {
        memcpy(to, bytes, 4);
        memcpy(to + len - 4, bytes + len - 4, 4);
    } else if (len) {
        to[0] = bytes[0];
        to[len / 2] = bytes[len / 2];
        to[len - 1] = bytes[len - 1];
    }
}

/* The first word of a frame as a slot holds it; little endian, as all of a frame. */
static inline uint64_t fi_hot_stamped(const struct fi_frame* frame, uint16_t lap)
{
    return (uint64_t)frame->kind | (uint64_t)frame->flags << 8 | (uint64_t)lap << 16 |
           (uint64_t)frame->length << 32;
}

/* Writes a slot. The caller has made sure of room, of len <= FI_HOT_SLOT_PAYLOAD, and rings the bell.
 * Inlined, so that a frame that its caller makes is never anywhere but in registers and in the slot. */
__attribute__((always_inline)) static inline void fi_hot_fill_slot(unsigned char* slot,
                                                                   const struct fi_frame* frame,
                                                                   const void* payload, size_t len,
                                                                   uint16_t lap)
{
    uint64_t* words = (uint64_t*)(void*)slot;

    words[1] = frame->tag;
    words[2] = frame->data;
    words[3] = frame->transfer;
    fi_hot_copy_short(slot + sizeof(*frame), payload, len);
    /* Pairs with the reader's acquire of the same word (kit/devices/shm/ring.hpp). */
    __atomic_store_n(words, fi_hot_stamped(frame, lap), __ATOMIC_RELEASE);
}

/* The same for the next slot of a channel that is a ring, and what belongs to it. Returns 1, or 0 and has
 * changed nothing. */
__attribute__((always_inline)) static inline int
fi_hot_put_slot(struct fi_hot_channel* channel, const struct fi_frame* frame, const void* payload, size_t len)
{
    unsigned char* slot = channel->tail;

    if (channel->limit == slot || len > FI_HOT_SLOT_PAYLOAD)
        return 0;
    fi_hot_fill_slot(slot, frame, payload, len, channel->lap);
    channel->tail = slot + FI_HOT_SLOT;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (__atomic_load_n(channel->parked, __ATOMIC_RELAXED))
        channel->ring_bell(channel);
    return 1;
}

/* Returns 1 and has put the message, or returns 0 and has changed nothing. `frame` has its length set to len,
 * which is below 2^32 - 32, and reserved 0. */
__attribute__((always_inline)) static inline int
fi_hot_put(struct fi_hot_channel* channel, const struct fi_frame* frame, const void* payload, size_t len)
{
    unsigned char* tail = channel->tail;

    if (channel->parked)
        return fi_hot_put_slot(channel, frame, payload, len);
    if ((size_t)(channel->limit - tail) < sizeof(*frame) + len)
        return 0;
    memcpy(tail, frame, sizeof(*frame));
    if (len <= FI_HOT_SLOT_PAYLOAD)
        fi_hot_copy_short(tail + sizeof(*frame), payload, len);
    else
        memcpy(tail + sizeof(*frame), payload, len);
    channel->tail = tail + sizeof(*frame) + len;
    return 1;
}

#endif /* FI_HOT_CHANNEL_H */
