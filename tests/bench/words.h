/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages that say when they were sent, between processes that a bench has made: what polling.c and
 * sleeping.c time their peers by.
 */
#ifndef WORDS_H
#define WORDS_H

#include "node.h"

#include <rdma/fi_tagged.h>
#include <time.h>

/* Nanoseconds, the same for all processes of this machine. */
static inline double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static inline int ascending(const void* a, const void* b)
{
    const double x = *(const double*)a;
    const double y = *(const double*)b;

    return (x > y) - (x < y);
}

static inline void exchange(ssize_t ret, const char* what)
{
    if (ret > 0)
        return;
    fprintf(stderr, "%s: the other process has gone\n", what);
    exit(1);
}

static inline void say_time(struct node* node, fi_addr_t to)
{
    double time = now();
    ssize_t ret;

    while ((ret = fi_tinject(node->ep, &time, sizeof(time), to, 0)) == -FI_EAGAIN)
        (void)fi_cq_read(node->cq, NULL, 0);
    need(ret, "fi_tinject");
    (void)fi_cq_read(node->cq, NULL, 0);
}

#endif /* WORDS_H */
