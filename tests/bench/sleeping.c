/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How well an endpoint sleeps in fi_cq_sread(), and beside it the machine in poll(2) on a socket: usage:
 * sleeping unspec|fd|yield|machine
 *
 * Prints five numbers in microseconds: how much later than 10 ms a timeout of 10 ms ends (the earliest,
 * median, the latest), and from just before a peer sends 8 bytes until the sleeper has them (median and 99th
 * percentile). The peer is a process of its own; FI_SOFT_SHM says by which way it comes.
 */
#include "words.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ROUNDS = 300, TIMEOUT = 10, PATIENCE = 5000 };

/* Connects, then says the time whenever it is told to, when the other one sleeps. */
static void peer(int channel)
{
    struct node node;
    char word = 'w';
    fi_addr_t address;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    address = meet(&node, channel);
    while (word) {
        usleep(2000);
        say_time(&node, address);
        exchange(read(channel, &word, 1), "word"); /* leaves its core to the other one */
    }
    exit(0);
}

/* The same without a library. */
static void bare_peer(int channel)
{
    char word = 'w';

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (read(channel, &word, 1) == 1 && word) {
        double time;

        usleep(2000);
        time = now();
        exchange(write(channel, &time, sizeof(time)), "time");
    }
    exit(0);
}

static double heard_by_machine(int channel)
{
    struct pollfd one = {channel, POLLIN, 0};
    double said = 0;

    exchange(write(channel, "w", 1), "word");
    exchange(poll(&one, 1, PATIENCE), "poll");
    exchange(read(channel, &said, sizeof(said)), "time");
    return (now() - said) / 1000;
}

static double heard(struct node* node, int channel, int first)
{
    struct fi_cq_tagged_entry entry;
    double said = 0;

    need(fi_trecv(node->ep, &said, sizeof(said), NULL, FI_ADDR_UNSPEC, 0, 0, NULL), "fi_trecv");
    if (!first) /* which the peer says by itself */
        exchange(write(channel, "w", 1), "word");
    need(fi_cq_sread(node->cq, &entry, 1, NULL, PATIENCE), "fi_cq_sread");
    return (now() - said) / 1000;
}

static double late(struct node* node)
{
    const double begin = now();
    struct fi_cq_tagged_entry entry;

    if ((node ? fi_cq_sread(node->cq, &entry, 1, NULL, TIMEOUT) : poll(NULL, 0, TIMEOUT)) !=
        (node ? -FI_EAGAIN : 0))
        exit(1);
    return (now() - begin) / 1000 - TIMEOUT * 1000;
}

int main(int argc, char** argv)
{
    static const struct {
        const char* name;
        enum fi_wait_obj wait;
    } waits[] = {
        {"unspec", FI_WAIT_UNSPEC}, {"fd", FI_WAIT_FD}, {"yield", FI_WAIT_YIELD}, {"machine", FI_WAIT_NONE}};
    double lateness[ROUNDS];
    double hearing[ROUNDS];
    struct node node;
    char name[64] = {0};
    size_t size = sizeof(name);
    int ends[2];
    int which;
    int bare;
    int i;

    for (which = 0; which < 4 && (argc != 2 || strcmp(argv[1], waits[which].name) != 0); which++)
        ;
    if (which == 4 || socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends))
        return 2;
    bare = waits[which].wait == FI_WAIT_NONE;
    if (fork() == 0)
        (bare ? bare_peer : peer)(ends[1]);
    close(ends[1]);
    if (!bare) {
        open_node(&node, waits[which].wait);
        need(fi_getname(&node.ep->fid, name, &size), "fi_getname");
        exchange(write(ends[0], name, sizeof(name)), "name");
    }
    for (i = 0; i < ROUNDS; i++)
        hearing[i] = bare ? heard_by_machine(ends[0]) : heard(&node, ends[0], i == 0);
    for (i = 0; i < ROUNDS; i++)
        lateness[i] = late(bare ? NULL : &node);
    exchange(write(ends[0], "", 1), "word");
    qsort(lateness, ROUNDS, sizeof(*lateness), ascending);
    qsort(hearing + 1, ROUNDS - 1, sizeof(*hearing), ascending); /* the first one waited for a connection */
    printf("%.0f %.0f %.0f %.1f %.1f\n", lateness[0], lateness[ROUNDS / 2], lateness[ROUNDS - 1],
           hearing[ROUNDS / 2], hearing[ROUNDS * 99 / 100]);
    return 0;
}
