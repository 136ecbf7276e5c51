/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fi_cq_read, written once: the generated table and applications built with FI_GUARDED inline this same code.
 *
 * It handles the two common cases completely - nothing has happened, no watched ring has changed and nothing
 * needs a look, or successes are waiting - and answers FI_HOT_MISS for everything else: then the queue's slow
 * function, which is always right, does the work.
 */
#ifndef FI_HOT_CQ_H
#define FI_HOT_CQ_H

#include <rdma/fi_errno.h>
#include <rdma/hot/completion_ring.h>
#include <rdma/hot/schedule.h>

/* Not a result: the caller has to take the slow function. */
#define FI_HOT_MISS ((ssize_t)INTPTR_MIN)

/* What inlined code may know of a completion queue; version FI_HOT_LAYOUT of include/rdma/direct. */
struct fi_hot_cq {
    struct fid_cq fid;
    struct fi_hot_completion_ring ring;
    struct fi_hot_schedule schedule;
    uint32_t entry_size; /* bytes of one entry in the format the queue was opened with */
};

static inline ssize_t fi_hot_cq_read(struct fi_hot_cq* cq, void* buf, size_t count)
{
    const struct fi_hot_completion* entry;
    size_t taken = 0;

    if (fi_hot_look_is_due(&cq->schedule))
        return FI_HOT_MISS;
    if (fi_hot_ring_empty(&cq->ring))
        return fi_hot_watch_changed(&cq->schedule) ? FI_HOT_MISS : -FI_EAGAIN;
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
