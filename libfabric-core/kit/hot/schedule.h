/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When the next look at the transports is due: what a read of a completion queue or of a counter asks first.
 *
 * A look may cost system calls, so most reads do without: they compare the words that senders in shared
 * memory write, and a clock. Whatever needs a look at once (unsent bytes, a socket that was active lately,
 * more rings than can be watched, never bound) has look_at in the past, so none of these costs a test of its
 * own. When it is due is decided in kit/objects/progress.cpp.
 */
#ifndef FI_HOT_SCHEDULE_H
#define FI_HOT_SCHEDULE_H

#include <rdma/hot/clock.h>
#include <stdint.h>

enum { FI_HOT_WATCHES = 4 };

/* A word that others write, and what it held when nothing was to be done. */
struct fi_hot_watch {
    const uint64_t* word;
    uint64_t quiet;
};

struct fi_hot_schedule {
    uint64_t look_at; /* fi_hot_clock() from which on the transports get a look in any case */
    uint64_t watches; /* how many of `watch` are in use */
    struct fi_hot_watch watch[FI_HOT_WATCHES];
};

static inline int fi_hot_look_is_due(const struct fi_hot_schedule* schedule)
{
    return (int64_t)(fi_hot_clock() - schedule->look_at) >= 0;
}

/* Whether a watched word has changed. */
static inline int fi_hot_watch_changed(const struct fi_hot_schedule* schedule)
{
    uint64_t i;

    for (i = 0; i < schedule->watches; i++)
        if (__atomic_load_n(schedule->watch[i].word, __ATOMIC_RELAXED) != schedule->watch[i].quiet)
            return 1;
    return 0;
}

#endif /* FI_HOT_SCHEDULE_H */
