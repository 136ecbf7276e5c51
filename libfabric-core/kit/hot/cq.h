/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fi_cq_read, written once: the generated table and applications built with FI_GUARDED inline this same code.
 *
 * It handles the two common cases completely - nothing has happened, no watched ring has changed and nothing
 * needs a look, or successes are waiting - and answers FI_HOT_MISS for everything else: then the queue's slow
 * function, which is always right, does the work. A queue that must be looked after at once (unsent bytes, a
 * socket that was active lately, more rings than can be watched, closed, never bound) has idle_reads 0, so
 * none of these cases costs a test of its own here.
 */
#ifndef FI_HOT_CQ_H
#define FI_HOT_CQ_H

#include <rdma/fi_errno.h>
#include <rdma/hot/clock.h>
#include <rdma/hot/completion_ring.h>

/* Not a result: the caller has to take the slow function. */
#define FI_HOT_MISS ((ssize_t)INTPTR_MIN)

enum { FI_HOT_WATCHES = 4 };

/* A word that others write, and what it held when nothing was to be done. */
struct fi_hot_watch {
    const uint64_t* word;
    uint64_t quiet;
};

/* What inlined code may know of a completion queue; version FI_HOT_LAYOUT of include/rdma/direct. */
struct fi_hot_cq {
    struct fid_cq fid;
    struct fi_hot_completion_ring ring;
    uint32_t idle_reads; /* empty reads still allowed before the transports get a look */
    uint32_t entry_size; /* bytes of one entry in the format the queue was opened with */
    uint64_t look_at;    /* fi_hot_clock() from which on the transports get a look in any case */
    uint32_t watches;    /* how many of the following are in use */
    struct fi_hot_watch watch[FI_HOT_WATCHES];
};

static inline ssize_t fi_hot_cq_read(struct fi_hot_cq* cq, void* buf, size_t count)
{
    const struct fi_hot_completion* entry;
    size_t taken = 0;
    uint32_t i;

    if (cq->idle_reads == 0 || (int64_t)(fi_hot_clock() - cq->look_at) >= 0)
        return FI_HOT_MISS;
    if (fi_hot_ring_empty(&cq->ring)) {
        for (i = 0; i < cq->watches; i++)
            if (__atomic_load_n(cq->watch[i].word, __ATOMIC_RELAXED) != cq->watch[i].quiet)
                return FI_HOT_MISS;
        cq->idle_reads--;
        return -FI_EAGAIN;
    }
    while (taken < count && !fi_hot_ring_empty(&cq->ring)) {
        entry = fi_hot_ring_front(&cq->ring);
        if (entry->err)
            break;
        buf = fi_hot_convert(entry, buf, cq->entry_size);
        cq->ring.head++;
        taken++;
    }
    return taken ? (ssize_t)taken : FI_HOT_MISS;
}

#endif /* FI_HOT_CQ_H */
