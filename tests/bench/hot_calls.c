/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes one hot call very often, to be counted by callgrind: usage: hot_calls read|inject COUNT
 *
 *   read    COUNT empty fi_cq_read() on a queue with one idle connected peer, the looks at the transport
 * included inject  COUNT fi_tinject() of 8 bytes in bursts of 64, each burst ended by the read that sends it;
 * a forked process receives
 *
 * Compiled twice, through the tables and with -DFI_GUARDED=soft; instructions.py subtracts two runs of
 * different COUNT, so that set-up does not count.
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
#include <sys/wait.h>
#include <unistd.h>

struct node {
    struct fi_info* info;
    struct fid_fabric* fabric;
    struct fid_domain* domain;
    struct fid_av* av;
    struct fid_cq* cq;
    struct fid_ep* ep;
};

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
    hints->domain_attr->threading = FI_THREAD_DOMAIN;
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

static void write_name(const struct node* node, int fd)
{
    char name[64] = {0};
    size_t size = sizeof(name);

    need(fi_getname(&node->ep->fid, name, &size), "fi_getname");
    if (write(fd, name, sizeof(name)) != (ssize_t)sizeof(name))
        need(-FI_EIO, "write");
}

static fi_addr_t read_name(const struct node* node, int fd)
{
    char name[64];
    fi_addr_t addr = FI_ADDR_NOTAVAIL;

    if (read(fd, name, sizeof(name)) != (ssize_t)sizeof(name) ||
        fi_av_insert(node->av, name, 1, &addr, 0, NULL) != 1)
        need(-FI_EIO, "peer's name");
    return addr;
}

/* Receives until a message with tag 1 says that it is over. */
static void receive_all(struct node* node)
{
    struct fi_cq_tagged_entry entry = {0};
    uint64_t word;

    while (entry.tag != 1) {
        need(fi_trecv(node->ep, &word, sizeof(word), NULL, FI_ADDR_UNSPEC, 0, 1, NULL), "fi_trecv");
        while (fi_cq_read(node->cq, &entry, 1) == -FI_EAGAIN)
            ;
    }
}

static void inject(struct node* node, fi_addr_t peer, uint64_t word, uint64_t tag)
{
    struct fi_cq_tagged_entry entry;
    ssize_t ret;

    while ((ret = fi_tinject(node->ep, &word, sizeof(word), peer, tag)) == -FI_EAGAIN)
        (void)fi_cq_read(node->cq, &entry, 1);
    need(ret, "fi_tinject");
}

int main(int argc, char** argv)
{
    const long count = argc == 3 ? atol(argv[2]) : 0;
    int to_parent[2], to_child[2];
    struct fi_cq_tagged_entry entry;
    struct node node;
    fi_addr_t peer;
    pid_t child;
    long i;

    if (count <= 0 || pipe(to_parent) || pipe(to_child))
        return 2;
    child = fork();
    open_node(&node);
    write_name(&node, child ? to_child[1] : to_parent[1]);
    peer = read_name(&node, child ? to_parent[0] : to_child[0]);
    if (!child) {
        receive_all(&node);
        _exit(0);
    }
    inject(&node, peer, 0, 0);
    for (i = 0; i < 1000; i++)
        (void)fi_cq_read(node.cq, &entry, 1);
    if (!strcmp(argv[1], "read"))
        for (i = 0; i < count; i++)
            (void)fi_cq_read(node.cq, &entry, 1);
    else
        for (i = 0; i < count; i++) {
            inject(&node, peer, (uint64_t)i, 0);
            if (i % 64 == 63)
                (void)fi_cq_read(node.cq, &entry, 1);
        }
    inject(&node, peer, 0, 1);
    while (waitpid(child, NULL, WNOHANG) == 0)
        (void)fi_cq_read(node.cq, &entry, 1);
    return 0;
}
