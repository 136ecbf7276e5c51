/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What polling costs with many peers that say nothing, and how soon the first of them is heard that speaks:
 * usage: polling LOCAL REMOTE
 *
 * One endpoint reads its empty queue; LOCAL endpoints of this machine have connected to it through shared
 * memory, REMOTE ones over TCP, each in a process of its own. Prints four numbers: nanoseconds of an empty
 * read, system calls per 1000 of them, and microseconds from just before a silent peer sends 8 bytes until
 * they are here: median and 99th percentile.
 */
#include "words.h"

#include <signal.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST_PEERS = 256, READS = 1000 * 1000, PASSES = 9, WORDS = 400 };

static long system_calls;

/* The only ones that a read may make while nothing comes; the plugin's calls end here. */
int epoll_wait(int epoll, struct epoll_event* events, int most, int milliseconds)
{
    system_calls++;
    return (int)syscall(SYS_epoll_pwait, epoll, events, most, milliseconds, NULL, 8);
}

ssize_t recvmsg(int fd, struct msghdr* message, int flags)
{
    system_calls++;
    return syscall(SYS_recvmsg, fd, message, flags);
}

/* A peer: connects, then is silent but says the time whenever it is told to. */
static void peer(int channel, const char* shared_memory)
{
    struct node node;
    char word;
    fi_addr_t address;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setenv("FI_SOFT_SHM", shared_memory, 1);
    address = meet(&node, channel);
    while (read(channel, &word, 1) == 1)
        say_time(&node, address);
    exit(0);
}

int main(int argc, char** argv)
{
    const int local = argc == 3 ? atoi(argv[1]) : -1;
    const int remote = argc == 3 ? atoi(argv[2]) : -1;
    const int peers = local + remote;
    int channels[MOST_PEERS];
    double late[WORDS];
    double best = 0;
    long calls = 0;
    struct node node;
    struct fi_cq_tagged_entry entry;
    char name[64] = {0};
    size_t size = sizeof(name);
    double said;
    int i;
    int pass;

    if (local < 0 || remote < 0 || peers < 1 || peers > MOST_PEERS)
        return 2;
    for (i = 0; i < peers; i++) {
        int ends[2];

        if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends))
            return 1;
        if (fork() == 0)
            peer(ends[1], i < local ? "1" : "0");
        close(ends[1]);
        channels[i] = ends[0];
    }
    open_node(&node, FI_WAIT_NONE);
    need(fi_getname(&node.ep->fid, name, &size), "fi_getname");
    for (i = 0; i < peers; i++)
        exchange(write(channels[i], name, sizeof(name)), "name");
    for (i = 0; i < peers; i++) {
        need(fi_trecv(node.ep, &said, sizeof(said), NULL, FI_ADDR_UNSPEC, 0, 0, NULL), "fi_trecv");
        while (fi_cq_read(node.cq, &entry, 1) != 1)
            ;
    }
    for (i = 0; i < peers; i++)
        exchange(write(channels[i], "", 1), "word");
    for (pass = 0; pass < PASSES; pass++) {
        const double begin = now();
        double time;

        system_calls = 0;
        for (i = 0; i < READS; i++)
            (void)fi_cq_read(node.cq, &entry, 1);
        time = (now() - begin) / READS;
        if (pass == 0 || time < best) {
            best = time;
            calls = system_calls;
        }
    }
    for (i = 0; i < WORDS; i++) {
        const double begin = now();

        while (now() - begin < 2e6)
            (void)fi_cq_read(node.cq, &entry, 1);
        need(fi_trecv(node.ep, &said, sizeof(said), NULL, FI_ADDR_UNSPEC, 0, 0, NULL), "fi_trecv");
        exchange(write(channels[i % peers], "", 1), "word");
        while (fi_cq_read(node.cq, &entry, 1) != 1)
            ;
        late[i] = (now() - said) / 1000;
    }
    qsort(late, WORDS, sizeof(*late), ascending);
    printf("%.1f %.3f %.1f %.1f\n", best, (double)calls * 1000 / READS, late[WORDS / 2],
           late[WORDS * 99 / 100]);
    return 0;
}
