/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fi_cq_read, written once: the generated table and applications built with FI_GUARDED inline this same code.
 *
 * It handles the two common cases completely - nothing has happened, no watched ring has changed and nothing
 * needs a look, or successes are waiting - and leaves everything else to the queue's slow function, which is
 * always right.
 */
#ifndef FI_HOT_CQ_H
#define FI_HOT_CQ_H

#include <rdma/fi_errno.h>
#include <rdma/hot/completion_ring.h>
#include <rdma/hot/schedule.h>

/* What inlined code may know of a completion queue; version FI_HOT_LAYOUT of include/rdma/direct. */
struct fi_hot_cq {
    struct fid_cq fid;
    struct fi_hot_completion_ring ring;
    uint32_t entry_size; /* bytes of one entry in the format the queue was opened with */
    struct fi_hot_schedule schedule;
};

/* Returns 1 and what fi_cq_read() returns, or 0 and has changed nothing: the caller has to take the slow
 * function. */
__attribute__((always_inline)) static inline int fi_hot_cq_read(struct fi_hot_cq* cq, void* buf, size_t count,
                                                                ssize_t* result)
{
    const struct fi_hot_completion* entry;
    size_t taken = 0;

    if (fi_hot_look_is_due(&cq->schedule))
        return 0;
    if (fi_hot_ring_empty(&cq->ring)) {
        if (fi_hot_watch_changed(&cq->schedule))
            return 0;
        *result = -FI_EAGAIN;
        return 1;
    }
    while (taken < count && !fi_hot_ring_empty(&cq->ring)) {
        entry = fi_hot_ring_front(&cq->ring);
        if (entry->err)
            break;
        buf = fi_hot_convert(entry, buf, cq->entry_size);
        cq->ring.head++;
        taken++;
    }
    *result = (ssize_t)taken;
    return taken != 0;
}

#endif /* FI_HOT_CQ_H */
