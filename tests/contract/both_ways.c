/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One program, compiled twice: as it is (calls through the tables) and with -DFI_GUARDED=soft (fi_cq_read and
 * fi_tinject inlined). It prints what every call returned; both must print the same.
 *
 * Two endpoints in one process, without locks, so that the guarded program really takes the inlined way; it
 * says so itself and fails when it does not.
 */
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_tagged.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct fi_info* info;
static struct fid_fabric* fabric;
static struct fid_domain* domain;

struct side {
    struct fid_av* av;
    struct fid_cq* cq;
    struct fid_ep* ep;
    fi_addr_t peer;
};

static void need(int ret, const char* what)
{
    if (ret == 0)
        return;
    fprintf(stderr, "%s: %s\n", what, fi_strerror(-ret));
    exit(1);
}

static void open_side(struct side* side)
{
    struct fi_av_attr av_attr = {0};
    struct fi_cq_attr cq_attr = {0};

    cq_attr.format = FI_CQ_FORMAT_TAGGED;
    need(fi_av_open(domain, &av_attr, &side->av, NULL), "fi_av_open");
    need(fi_cq_open(domain, &cq_attr, &side->cq, NULL), "fi_cq_open");
    need(fi_endpoint(domain, info, &side->ep, NULL), "fi_endpoint");
    printf("not enabled: %zd\n", fi_tinject(side->ep, "x", 1, 0, 0));
    need(fi_ep_bind(side->ep, &side->av->fid, 0), "bind av");
    need(fi_ep_bind(side->ep, &side->cq->fid, FI_TRANSMIT | FI_RECV), "bind cq");
    need(fi_enable(side->ep), "fi_enable");
}

static void know(struct side* side, struct side* other)
{
    char name[128];
    size_t size = sizeof(name);

    need(fi_getname(&other->ep->fid, name, &size), "fi_getname");
    if (fi_av_insert(side->av, name, 1, &side->peer, 0, NULL) != 1)
        need(-FI_EINVAL, "fi_av_insert");
}

/* Reads one completion of `at` while the other side makes progress; gives up after half a minute. */
static void expect(struct side* at, struct side* other, const char* buf)
{
    struct fi_cq_tagged_entry entry;
    const time_t end = time(NULL) + 30;
    ssize_t ret;

    while ((ret = fi_cq_read(at->cq, &entry, 1)) == -FI_EAGAIN && time(NULL) < end)
        (void)fi_cq_read(other->cq, NULL, 0);
    if (ret == 1)
        printf("len %zu tag %llx flags %llx byte %d\n", entry.len, (unsigned long long)entry.tag,
               (unsigned long long)entry.flags, entry.len ? buf[entry.len - 1] : -1);
    else
        printf("read: %zd\n", ret);
}

static void close_side(struct side* side)
{
    need(fi_close(&side->ep->fid), "close ep");
    need(fi_close(&side->cq->fid), "close cq");
    need(fi_close(&side->av->fid), "close av");
}

int main(void)
{
    static const size_t sizes[] = {0, 1, 8, 63, 64, 500, 1024};
    struct fi_info* hints = fi_allocinfo();
    struct side a, b;
    char out[2048], in[2048];
    size_t i;
    int round;

    hints->caps = FI_TAGGED;
    hints->ep_attr->type = FI_EP_RDM;
    hints->domain_attr->threading = FI_THREAD_DOMAIN;
    hints->fabric_attr->prov_name = strdup("soft");
    need(fi_getinfo(FI_VERSION(2, 6), NULL, NULL, 0, hints, &info), "fi_getinfo");
    fi_freeinfo(hints);
    need(fi_fabric(info->fabric_attr, &fabric, NULL), "fi_fabric");
    need(fi_domain(fabric, info, &domain, NULL), "fi_domain");
    open_side(&a);
    open_side(&b);
    know(&a, &b);
    know(&b, &a);

    for (i = 0; i < 200; i++)
        if (fi_cq_read(a.cq, in, 1) != -FI_EAGAIN)
            printf("an empty queue is not empty\n");
    printf("too long: %zd\n", fi_tinject(a.ep, out, info->tx_attr->inject_size + 1, a.peer, 0));
    printf("unknown address: %zd\n", fi_tinject(a.ep, out, 1, 999, 0));
    printf("no address: %zd\n", fi_tinject(a.ep, out, 1, FI_ADDR_NOTAVAIL, 0));

    for (round = 0; round < 3; round++) {
        for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
            memset(out, (int)(i + 1), sizeof(out));
            while (fi_tinject(a.ep, out, sizes[i], a.peer, 0x1000 + i) == -FI_EAGAIN)
                (void)fi_cq_read(a.cq, in, 1);
        }
        for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
            memset(in, 0, sizeof(in));
            need((int)fi_trecv(b.ep, in, sizeof(in), NULL, FI_ADDR_UNSPEC, 0x1000 + i, 0, NULL), "fi_trecv");
            expect(&b, &a, in);
        }
    }
    /* A message that is too long for its receive: the error is found by the same read. */
    while (fi_tinject(a.ep, out, 100, a.peer, 1) == -FI_EAGAIN)
        (void)fi_cq_read(a.cq, in, 1);
    need((int)fi_trecv(b.ep, in, 10, NULL, FI_ADDR_UNSPEC, 1, 0, NULL), "fi_trecv");
    expect(&b, &a, in);

#ifdef FI_GUARDED
    if (fi_soft_table_cq != a.cq->ops || fi_soft_table_tagged != a.ep->tagged)
        need(-FI_EOTHER, "the inlined way is not taken");
#endif
    close_side(&a);
    close_side(&b);
    need(fi_close(&domain->fid), "close domain");
    need(fi_close(&fabric->fid), "close fabric");
    fi_freeinfo(info);
    return 0;
}
