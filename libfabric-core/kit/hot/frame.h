/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The header of every message unit between two endpoints of the kit's engine (docs/wire.md).
 *
 * 32 bytes, little endian, naturally aligned. An 8-byte message with its header fits one 64-byte cache line,
 * which is what a shared-memory slot carries. This file is inlined into applications: C99 plus nothing.
 */
#ifndef FI_HOT_FRAME_H
#define FI_HOT_FRAME_H

#include <stdint.h>

enum fi_frame_kind {
    FI_FRAME_EAGER = 1, /* a whole message; payload: its bytes */
    FI_FRAME_OFFER =
        2, /* a message too large to send unasked; transfer: sender's handle; payload: uint64_t size, then
              where it lies: struct fi_frame_place, as many as there are, none where nobody could read it */
    FI_FRAME_PULL = 3, /* the offer matched; transfer: sender's handle; payload: struct fi_frame_pull */
    FI_FRAME_DATA =
        4, /* the next part of an offered message; transfer: receiver's handle; payload: its bytes */
    FI_FRAME_DONE =
        5, /* the receiver has read what it wants of an offered message itself; transfer: sender's handle */
    FI_FRAME_ACK = 6, /* what the message's flags asked to be told has happened; transfer: sender's handle */
};

enum fi_frame_flags {
    FI_FRAME_TAGGED = 1 << 0, /* matches tagged receives only; tag is valid */
    FI_FRAME_DATA64 = 1 << 1, /* carries remote completion data; data is valid */
    /* Of an eager frame or an offer, which then names the sender's handle in transfer: send FI_FRAME_ACK */
    FI_FRAME_DELIVERY = 1 << 2, /* when the bytes have left the sender's hands for good: in the receive's
                                   buffer, or kept whole until there is one */
    FI_FRAME_MATCH = 1 << 3,    /* when they have been taken by a receive, or discarded by the application */
    FI_FRAME_ACKED = FI_FRAME_DELIVERY | FI_FRAME_MATCH,
};

struct fi_frame {
    uint8_t kind;      /* enum fi_frame_kind */
    uint8_t flags;     /* enum fi_frame_flags */
    uint16_t reserved; /* 0; in a slot of shared memory, the lap */
    uint32_t length;   /* bytes of payload behind this header */
    uint64_t tag;
    uint64_t data;
    uint64_t transfer;
};

struct fi_frame_place { /* in the sender's memory */
    uint64_t address;
    uint64_t length; /* bytes */
};

struct fi_frame_pull {
    uint64_t receiver; /* receiver's handle, to be put into every FI_FRAME_DATA */
    uint64_t length;   /* bytes wanted: less than the size offered when the receive buffer is shorter */
};

#endif /* FI_HOT_FRAME_H */
