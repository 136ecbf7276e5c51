/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How well an endpoint sleeps in fi_cq_sread(): usage: sleeping unspec|fd|yield
 *
 * Prints five numbers in microseconds: how much later than 10 ms a timeout of 10 ms ends (the earliest,
 * median, the latest), and from just before a peer sends 8 bytes until the sleeper has them (median and 99th
 * percentile). The peer is a process of its own; FI_SOFT_SHM says by which way it comes.
 */
#include "words.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ROUNDS = 300, TIMEOUT = 10, PATIENCE = 5000 };

/* Connects, then says the time whenever it is told to, when the other one sleeps. */
static void peer(int channel)
{
    struct node node;
    char name[64];
    char word;
    fi_addr_t address;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    exchange(read(channel, name, sizeof(name)), "name");
    open_node(&node, FI_WAIT_NONE);
    if (fi_av_insert(node.av, name, 1, &address, 0, NULL) != 1)
        exit(1);
    do {
        say_time(&node, address);
        while (recv(channel, &word, 1, MSG_DONTWAIT) < 0)
            (void)fi_cq_read(node.cq, NULL, 0); /* connects */
        usleep(2000);
    } while (word);
    exit(0);
}

int main(int argc, char** argv)
{
    static const struct {
        const char* name;
        enum fi_wait_obj wait;
    } waits[] = {{"unspec", FI_WAIT_UNSPEC}, {"fd", FI_WAIT_FD}, {"yield", FI_WAIT_YIELD}};
    double late[ROUNDS];
    double heard[ROUNDS];
    struct node node;
    struct fi_cq_tagged_entry entry;
    char name[64] = {0};
    size_t size = sizeof(name);
    double said;
    int ends[2];
    int i;

    for (i = 0; i < 3 && (argc != 2 || strcmp(argv[1], waits[i].name) != 0); i++)
        ;
    if (i == 3 || socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends))
        return 2;
    if (fork() == 0)
        peer(ends[1]);
    close(ends[1]);
    open_node(&node, waits[i].wait);
    need(fi_getname(&node.ep->fid, name, &size), "fi_getname");
    exchange(write(ends[0], name, sizeof(name)), "name");
    for (i = 0; i < ROUNDS; i++) {
        need(fi_trecv(node.ep, &said, sizeof(said), NULL, FI_ADDR_UNSPEC, 0, 0, NULL), "fi_trecv");
        need(fi_cq_sread(node.cq, &entry, 1, NULL, PATIENCE), "fi_cq_sread");
        heard[i] = (now() - said) / 1000;
        if (i + 1 < ROUNDS)
            exchange(write(ends[0], "w", 1), "word");
    }
    for (i = 0; i < ROUNDS; i++) {
        const double begin = now();

        if (fi_cq_sread(node.cq, &entry, 1, NULL, TIMEOUT) != -FI_EAGAIN)
            return 1;
        late[i] = (now() - begin) / 1000 - TIMEOUT * 1000;
    }
    qsort(late, ROUNDS, sizeof(*late), ascending);
    qsort(heard + 1, ROUNDS - 1, sizeof(*heard), ascending); /* the first one waited for a connection */
    printf("%.0f %.0f %.0f %.1f %.1f\n", late[0], late[ROUNDS / 2], late[ROUNDS - 1], heard[ROUNDS / 2],
           heard[ROUNDS * 99 / 100]);
    exchange(write(ends[0], "", 1), "word");
    return 0;
}
