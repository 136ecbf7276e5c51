/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes one hot call very often, to be counted by callgrind: usage: hot_calls read|inject|send|receive ROUNDS
 *
 * Each round makes CALLS calls inside functions named measured_*, the only ones that are counted (callgrind's
 * --toggle-collect), between two endpoints of one process:
 *   read     an empty fi_cq_read(), looks at the transports included
 *   inject   fi_tinject() of 8 bytes
 *   send     fi_tsend() of 8 bytes and the read of its completion
 *   receive  fi_trecv(), matched by an 8-byte message, and the read of its completion
 * FI_THREAD_SAFE=1 in the environment asks for that threading model instead of FI_THREAD_DOMAIN.
 *
 * Compiled twice, through the tables and with -DFI_GUARDED=soft.
 */
#include "node.h"

#include <rdma/fi_tagged.h>

enum { CALLS = 64 };

static struct node here, there;
static fi_addr_t to_there;
static uint64_t words[CALLS];
static long failures;
static long empty; /* reads that found nothing in between: callgrind is slow enough for a ring to be parked */

__attribute__((noinline)) void measured_inject(void)
{
    int i;

    for (i = 0; i < CALLS; i++)
        failures += fi_tinject(here.ep, &words[i], sizeof(words[i]), to_there, 0) != 0;
}

__attribute__((noinline)) void measured_send(void)
{
    int i;

    for (i = 0; i < CALLS; i++)
        failures += fi_tsend(here.ep, &words[i], sizeof(words[i]), NULL, to_there, 0, NULL) != 0;
}

__attribute__((noinline)) void measured_post(void)
{
    int i;

    for (i = 0; i < CALLS; i++)
        failures += fi_trecv(there.ep, &words[i], sizeof(words[i]), NULL, FI_ADDR_UNSPEC, 0, 0, NULL) != 0;
}

__attribute__((noinline)) void measured_completions(struct node* node)
{
    struct fi_cq_tagged_entry entry;
    int i;

    for (i = 0; i < CALLS;) {
        if (fi_cq_read(node->cq, &entry, 1) == 1)
            i++;
        else
            empty++;
    }
}

__attribute__((noinline)) void measured_empty_reads(void)
{
    struct fi_cq_tagged_entry entry;
    int i;

    for (i = 0; i < CALLS; i++)
        failures += fi_cq_read(there.cq, &entry, 1) != -FI_EAGAIN;
}

/* The same, not counted. */
static void completions(struct node* node)
{
    struct fi_cq_tagged_entry entry;
    int i;

    for (i = 0; i < CALLS;) {
        i += fi_cq_read(node->cq, &entry, 1) == 1;
        if (node != &here)
            (void)fi_cq_read(here.cq, NULL, 0); /* sends what is unsent */
    }
}

static void post(void)
{
    int i;

    for (i = 0; i < CALLS; i++)
        need(fi_trecv(there.ep, &words[i], sizeof(words[i]), NULL, FI_ADDR_UNSPEC, 0, 0, NULL), "fi_trecv");
}

static void inject(void)
{
    int i;

    for (i = 0; i < CALLS; i++)
        need(fi_tinject(here.ep, &words[i], sizeof(words[i]), to_there, 0), "fi_tinject");
    (void)fi_cq_read(here.cq, NULL, 0);
}

static void round_of(const char* call)
{
    if (!strcmp(call, "read")) {
        measured_empty_reads();
    } else if (!strcmp(call, "inject")) {
        post();
        measured_inject();
        completions(&there);
    } else if (!strcmp(call, "send")) {
        post();
        measured_send();
        measured_completions(&here);
        completions(&there);
    } else if (!strcmp(call, "receive")) {
        measured_post();
        inject();
        measured_completions(&there);
    } else {
        exit(2);
    }
}

int main(int argc, char** argv)
{
    const long rounds = argc == 3 ? atol(argv[2]) : 0;
    long i;

    if (rounds <= 0)
        return 2;
    open_node(&here, FI_WAIT_NONE);
    open_node(&there, FI_WAIT_NONE);
    to_there = know(&here, &there);
    post();
    for (i = 0; i < CALLS; i++) {
        ssize_t ret;

        while ((ret = fi_tinject(here.ep, &words[i], sizeof(words[i]), to_there, 0)) == -FI_EAGAIN)
            (void)fi_cq_read(here.cq, NULL, 0);
        need(ret, "fi_tinject");
    }
    completions(&there);
    for (i = 0; i < rounds; i++)
        round_of(argv[1]);
    close_node(&there);
    close_node(&here);
    printf("%ld %ld\n", rounds * CALLS, empty);
    return failures ? 1 : 0;
}
