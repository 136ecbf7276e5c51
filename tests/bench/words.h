/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages that say when they were sent, between processes that a bench has made: what polling.c and
 * sleeping.c time their peers by.
 */
#ifndef WORDS_H
#define WORDS_H

#include "node.h"

#include <rdma/fi_tagged.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

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

/* A peer's beginning: opens `node`, says the time to the one whose name comes from `channel`, and goes on
 * until it is told the first word. Returns what it calls that one. */
static inline fi_addr_t meet(struct node* node, int channel)
{
    char name[64];
    char word;
    fi_addr_t address;

    exchange(read(channel, name, sizeof(name)), "name");
    open_node(node, FI_WAIT_NONE);
    if (fi_av_insert(node->av, name, 1, &address, 0, NULL) != 1)
        exit(1);
    say_time(node, address);
    while (recv(channel, &word, 1, MSG_DONTWAIT) < 0)
        (void)fi_cq_read(node->cq, NULL, 0); /* connects */
    return address;
}

#endif /* WORDS_H */
