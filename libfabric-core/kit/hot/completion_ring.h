/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ring of finished operations inside a completion queue.
 *
 * It keeps one kind of entry, the full one, and the reader converts: so whoever completes an operation need
 * not know the format that the application chose. Errors keep their place between successes. Producer and
 * consumer are the same thread, or hold the same lock: there is nothing atomic here.
 */
#ifndef FI_HOT_COMPLETION_RING_H
#define FI_HOT_COMPLETION_RING_H

#include <rdma/fi_eq.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* One cache line. Its first 48 bytes are a struct fi_cq_tagged_entry, of which the shorter formats are
 * prefixes. */
struct fi_hot_completion {
    void* op_context;
    uint64_t flags;
    size_t len;
    void* buf;
    uint64_t data;
    uint64_t tag;
    uint64_t source;    /* success: fi_addr_t of the sender; error: bytes that did not fit (olen) */
    int32_t err;        /* 0: success; else a positive fi_errno */
    int32_t prov_errno; /* meaningful beside err only */
};

struct fi_hot_completion_ring {
    uint64_t head; /* next entry to read */
    uint64_t tail; /* next entry to write; tail - head entries are ready */
    uint64_t mask; /* capacity - 1; the capacity is a power of two */
    struct fi_hot_completion* slots;
};

static inline int fi_hot_ring_empty(const struct fi_hot_completion_ring* ring)
{
    return ring->head == ring->tail;
}

static inline int fi_hot_ring_full(const struct fi_hot_completion_ring* ring)
{
    return ring->tail - ring->head > ring->mask;
}

static inline const struct fi_hot_completion* fi_hot_ring_front(const struct fi_hot_completion_ring* ring)
{
    return &ring->slots[ring->head & ring->mask];
}

/* Copies one success into the caller's array; entry_size is sizeof the entry of the queue's format. Returns
 * its end. */
static inline void* fi_hot_convert(const struct fi_hot_completion* from, void* to, uint32_t entry_size)
{
    if (entry_size == sizeof(struct fi_cq_tagged_entry))
        memcpy(to, from, sizeof(struct fi_cq_tagged_entry));
    else if (entry_size == sizeof(struct fi_cq_data_entry))
        memcpy(to, from, sizeof(struct fi_cq_data_entry));
    else if (entry_size == sizeof(struct fi_cq_msg_entry))
        memcpy(to, from, sizeof(struct fi_cq_msg_entry));
    else
        memcpy(to, from, sizeof(struct fi_cq_entry));
    return (char*)to + entry_size;
}

#endif /* FI_HOT_COMPLETION_RING_H */
