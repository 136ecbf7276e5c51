/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An endpoint of soft with all that it needs, for programs that are measured: plain C, so that nothing but
 * the calls is counted. Whatever fails ends the program.
 */
#ifndef NODE_H
#define NODE_H

#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static inline void open_node(struct node* node, enum fi_wait_obj wait)
{
    struct fi_info* hints = fi_allocinfo();
    struct fi_av_attr av_attr = {0};
    struct fi_cq_attr cq_attr = {0};

    hints->caps = FI_TAGGED;
    hints->ep_attr->type = FI_EP_RDM;
    hints->domain_attr->threading = getenv("FI_THREAD_SAFE") ? FI_THREAD_SAFE : FI_THREAD_DOMAIN;
    hints->fabric_attr->prov_name = strdup("soft");
    cq_attr.format = FI_CQ_FORMAT_TAGGED;
    cq_attr.wait_obj = wait;
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

static inline void close_node(struct node* node)
{
    need(fi_close(&node->ep->fid), "fi_close");
    need(fi_close(&node->cq->fid), "fi_close");
    need(fi_close(&node->av->fid), "fi_close");
    need(fi_close(&node->domain->fid), "fi_close");
    need(fi_close(&node->fabric->fid), "fi_close");
    fi_freeinfo(node->info);
}

/* Returns what `from` calls `to`. */
static inline fi_addr_t know(struct node* from, struct node* to)
{
    char name[64];
    size_t size = sizeof(name);
    fi_addr_t address;

    need(fi_getname(&to->ep->fid, name, &size), "fi_getname");
    if (fi_av_insert(from->av, name, 1, &address, 0, NULL) != 1)
        need(-FI_EINVAL, "fi_av_insert");
    return address;
}

#endif /* NODE_H */
