/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A counter: how many operations have succeeded and how many have failed.
 *
 * Whoever ends an operation and whoever reads are the same thread, or hold the same lock: there is nothing
 * atomic here. Reading is progress as well, on the same terms as fi_cq_read (schedule.h).
 */
#ifndef FI_HOT_COUNTER_H
#define FI_HOT_COUNTER_H

#include <rdma/fi_eq.h>
#include <rdma/hot/schedule.h>

struct fi_hot_cntr {
    struct fid_cntr fid;
    struct fi_hot_schedule schedule;
    uint64_t value;  /* successes, or their bytes */
    uint64_t errors; /* failures */
    uint64_t seen;   /* value when it was read last */
};

/* Returns 1 and the value, or 0: the caller has to take the slow function, which is always right. */
static inline int fi_hot_cntr_read(struct fi_hot_cntr* cntr, uint64_t* value)
{
    if (fi_hot_look_is_due(&cntr->schedule) || fi_hot_watch_changed(&cntr->schedule))
        return 0;
    cntr->seen = *value = cntr->value;
    return 1;
}

#endif /* FI_HOT_COUNTER_H */
