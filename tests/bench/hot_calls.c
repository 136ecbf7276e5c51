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
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_tagged.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS = 64 };

struct node {
    struct fi_info* info;
    struct fid_fabric* fabric;
    struct fid_domain* domain;
    struct fid_av* av;
    struct fid_cq* cq;
    struct fid_ep* ep;
};

static struct node here, there;
static fi_addr_t to_there;
static uint64_t words[CALLS];
static long failures;
static long empty; /* reads that found nothing in between: callgrind is slow enough for a ring to be parked */

static void need(long ret, const char* what)
{
    if (ret >= 0)
        return;
    fprintf(stderr, "%s: %s\n", what, fi_strerror((int)-ret));
    exit(1);
}

static void open_node(struct node* node)
{
    struct fi_info* hints = fi_allocinfo();
    struct fi_av_attr av_attr = {0};
    struct fi_cq_attr cq_attr = {0};

    hints->caps = FI_TAGGED;
    hints->ep_attr->type = FI_EP_RDM;
    hints->domain_attr->threading = getenv("FI_THREAD_SAFE") ? FI_THREAD_SAFE : FI_THREAD_DOMAIN;
    hints->fabric_attr->prov_name = strdup("soft");
    cq_attr.format = FI_CQ_FORMAT_TAGGED;
    need(fi_getinfo(FI_VERSION(2, 6), NULL, NULL, 0, hints, &node->info), "fi_getinfo");
    need(fi_fabric(node->info->fabric_attr, &node->fabric, NULL), "fi_fabric");
    need(fi_domain(node->fabric, node->info, &node->domain, NULL), "fi_domain");
    need(fi_av_open(node->domain, &av_attr, &node->av, NULL), "fi_av_open");
    need(fi_cq_open(node->domain, &cq_attr, &node->cq, NULL), "fi_cq_open");
    need(fi_endpoint(node->domain, node->info, &node->ep, NULL), "fi_endpoint");
    need(fi_ep_bind(node->ep, &node->av->fid, 0), "bind");
    need(fi_ep_bind(node->ep, &node->cq->fid, FI_TRANSMIT | FI_RECV), "bind");
    need(fi_enable(node->ep), "fi_enable");
    fi_freeinfo(hints);
}

static void close_node(struct node* node)
{
    need(fi_close(&node->ep->fid), "fi_close");
    need(fi_close(&node->cq->fid), "fi_close");
    need(fi_close(&node->av->fid), "fi_close");
    need(fi_close(&node->domain->fid), "fi_close");
    need(fi_close(&node->fabric->fid), "fi_close");
    fi_freeinfo(node->info);
}

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
    char name[64];
    size_t size = sizeof(name);
    long i;

    if (rounds <= 0)
        return 2;
    open_node(&here);
    open_node(&there);
    need(fi_getname(&there.ep->fid, name, &size), "fi_getname");
    if (fi_av_insert(here.av, name, 1, &to_there, 0, NULL) != 1)
        return 1;
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
