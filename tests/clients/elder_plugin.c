// SPDX-License-Identifier: BSD-2-Clause
// A provider of the 1.17 age: compiled with its headers, linked against its library, so that its references
// carry the symbol versions of that time. It carries no data; what it returns from getinfo lets a test see
// what the core handed it: the traffic class of the hints comes back, and the network card is its own object
// with a life to keep track of.
#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/providers/fi_prov.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

static int nic_close(struct fid* fid)
{
    free(fid);
    return 0;
}

static int nic_control(struct fid* fid, int command, void* arg)
{
    struct fid_nic* copy;

    if (command != FI_DUP)
        return -FI_ENOSYS;
    copy = malloc(sizeof *copy);
    if (!copy)
        return -FI_ENOMEM;
    memcpy(copy, fid, sizeof *copy);
    *(struct fid_nic**)arg = copy;
    return 0;
}

static int no_bind(struct fid* fid, struct fid* other, uint64_t flags)
{
    (void)fid, (void)other, (void)flags;
    return -FI_ENOSYS;
}

static int no_ops_open(struct fid* fid, const char* name, uint64_t flags, void** ops, void* context)
{
    (void)fid, (void)name, (void)flags, (void)ops, (void)context;
    return -FI_ENOSYS;
}

static struct fi_ops nic_ops = {
    .size = sizeof(struct fi_ops),
    .close = nic_close,
    .bind = no_bind,
    .control = nic_control,
    .ops_open = no_ops_open,
};

static int describe(const struct fi_info* hints, struct fi_info* info)
{
    struct fid_nic* nic = calloc(1, sizeof *nic);

    if (!nic)
        return -FI_ENOMEM;
    nic->fid.fclass = FI_CLASS_NIC;
    nic->fid.ops = &nic_ops;
    info->nic = nic;

    info->caps = FI_MSG | FI_TAGGED | FI_SEND | FI_RECV;
    info->addr_format = FI_ADDR_STR;
    info->ep_attr->type = FI_EP_RDM;
    info->ep_attr->max_msg_size = 1 << 20;
    info->tx_attr->caps = info->rx_attr->caps = info->caps;
    info->domain_attr->threading = FI_THREAD_SAFE;
    info->domain_attr->av_type = FI_AV_MAP;
    if (hints && hints->tx_attr)
        info->tx_attr->tclass = hints->tx_attr->tclass;
    if (hints && hints->domain_attr)
        info->domain_attr->tclass = hints->domain_attr->tclass;
    info->domain_attr->name = strdup("elder0");
    info->fabric_attr->name = strdup("elder-fabric");
    return info->domain_attr->name && info->fabric_attr->name ? 0 : -FI_ENOMEM;
}

static int elder_getinfo(uint32_t version, const char* node, const char* service, uint64_t flags,
                         const struct fi_info* hints, struct fi_info** info)
{
    int status;

    (void)version, (void)node, (void)service, (void)flags;
    if (hints && hints->ep_attr && hints->ep_attr->type != FI_EP_UNSPEC && hints->ep_attr->type != FI_EP_RDM)
        return -FI_ENODATA;
    *info = fi_allocinfo();
    if (!*info)
        return -FI_ENOMEM;
    status = describe(hints, *info);
    if (status) {
        fi_freeinfo(*info);
        *info = NULL;
    }
    return status;
}

static int fabric_close(struct fid* fid)
{
    free(fid);
    return 0;
}

static struct fi_ops fabric_fid_ops = {
    .size = sizeof(struct fi_ops),
    .close = fabric_close,
    .bind = no_bind,
    .control = nic_control,
    .ops_open = no_ops_open,
};

static int no_domain(struct fid_fabric* fabric, struct fi_info* info, struct fid_domain** domain,
                     void* context)
{
    (void)fabric, (void)info, (void)domain, (void)context;
    return -FI_ENOSYS;
}

static struct fi_ops_fabric fabric_ops = {
    .size = sizeof(struct fi_ops_fabric),
    .domain = no_domain,
};

static int elder_fabric(struct fi_fabric_attr* attr, struct fid_fabric** out, void* context)
{
    struct fid_fabric* fabric;

    if (strcmp(attr->name, "elder-fabric") != 0)
        return -FI_ENODATA;
    fabric = calloc(1, sizeof *fabric);
    if (!fabric)
        return -FI_ENOMEM;
    fabric->fid.fclass = FI_CLASS_FABRIC;
    fabric->fid.context = context;
    fabric->fid.ops = &fabric_fid_ops;
    fabric->ops = &fabric_ops;
    *out = fabric;
    return 0;
}

static struct fi_provider elder = {
    .version = FI_VERSION(7, 3),
    .fi_version = FI_VERSION(1, 17),
    .name = "elder",
    .getinfo = elder_getinfo,
    .fabric = elder_fabric,
};

EXPORT struct fi_provider* fi_prov_ini(void);
EXPORT struct fi_provider* fi_prov_ini(void)
{
    return &elder;
}
