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
    uint64_t look_at;            /* fi_hot_clock() from which on the transports get a look in any case */
    struct fi_hot_watch nearest; /* the only word that is watched; or `watches`, as quiet as if it were 0 */
    uint64_t watches;            /* how many of `watch` are in use: 0 or more than one */
    struct fi_hot_watch watch[FI_HOT_WATCHES];
};

/* Has `count` words of schedule->watch watched from now on. */
static inline void fi_hot_watch_words(struct fi_hot_schedule* schedule, uint64_t count)
{
    schedule->watches = count == 1 ? 0 : count;
    schedule->nearest.word = count == 1 ? schedule->watch[0].word : &schedule->watches;
    schedule->nearest.quiet = count == 1 ? schedule->watch[0].quiet : 0;
}

static inline int fi_hot_look_is_due(const struct fi_hot_schedule* schedule)
{
    return (int64_t)(fi_hot_clock() - schedule->look_at) >= 0;
}

static inline int fi_hot_changed(const struct fi_hot_watch* watch)
{
    return __atomic_load_n(watch->word, __ATOMIC_RELAXED) != watch->quiet;
}

/* Whether a watched word has changed: one comparison while there is at most one of them. */
static inline int fi_hot_watch_changed(const struct fi_hot_schedule* schedule)
{
    uint64_t i;

    if (!fi_hot_changed(&schedule->nearest))
        return 0;
    for (i = 0; i < schedule->watches; i++)
        if (fi_hot_changed(&schedule->watch[i]))
            return 1;
    return schedule->watches == 0;
}

#endif /* FI_HOT_SCHEDULE_H */
