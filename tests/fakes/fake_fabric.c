// SPDX-License-Identifier: BSD-2-Clause
// The fake's fabric: an object that can be opened and closed and offers nothing else, for a provider and for
// a hook alike.
#include <stdbool.h>
#include <stdlib.h>

#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>

#include "fake.h"
#include "script.h"

struct fake_fabric {
    struct fid_fabric fid;    // first, so that the fid is the fabric
    struct fid_fabric* under; // of a hook: the fabric that it wraps and closes
};

static int fabric_close(struct fid* fid)
{
    struct fake_fabric* fabric = (struct fake_fabric*)fid;
    trace("close");
    if (fabric->under != NULL)
        fi_close(&fabric->under->fid);
    free(fabric);
    return 0;
}

static int no_bind(struct fid* fid, struct fid* other, uint64_t flags)
{
    (void)fid, (void)other, (void)flags;
    return -FI_ENOSYS;
}

static int no_control(struct fid* fid, int command, void* argument)
{
    (void)fid, (void)command, (void)argument;
    return -FI_ENOSYS;
}

static int no_ops_open(struct fid* fid, const char* name, uint64_t flags, void** ops, void* context)
{
    (void)fid, (void)name, (void)flags, (void)ops, (void)context;
    return -FI_ENOSYS;
}

static int no_domain(struct fid_fabric* fabric, struct fi_info* info, struct fid_domain** domain,
                     void* context)
{
    (void)fabric, (void)info, (void)domain, (void)context;
    return -FI_ENOSYS;
}

static int no_passive_ep(struct fid_fabric* fabric, struct fi_info* info, struct fid_pep** pep, void* context)
{
    (void)fabric, (void)info, (void)pep, (void)context;
    return -FI_ENOSYS;
}

static int no_eq(struct fid_fabric* fabric, struct fi_eq_attr* attr, struct fid_eq** eq, void* context)
{
    (void)fabric, (void)attr, (void)eq, (void)context;
    return -FI_ENOSYS;
}

static int no_wait(struct fid_fabric* fabric, struct fi_wait_attr* attr, struct fid_wait** wait)
{
    (void)fabric, (void)attr, (void)wait;
    return -FI_ENOSYS;
}

static int no_trywait(struct fid_fabric* fabric, struct fid** fids, int count)
{
    (void)fabric, (void)fids, (void)count;
    return -FI_ENOSYS;
}

static struct fi_ops fid_ops = {
    .size = sizeof(struct fi_ops),
    .close = fabric_close,
    .bind = no_bind,
    .control = no_control,
    .ops_open = no_ops_open,
};

static struct fi_ops_fabric fabric_ops = {
    .size = sizeof(struct fi_ops_fabric),
    .domain = no_domain,
    .passive_ep = no_passive_ep,
    .eq_open = no_eq,
    .wait_open = no_wait,
    .trywait = no_trywait,
};

int fake_fabric(struct fi_fabric_attr* attr, struct fid_fabric** fabric, void* context)
{
    // A hook is given the provider underneath as its context.
    const bool hook = fake_provider()->getinfo == NULL;
    if (hook)
        trace("fabric over=%s", ((const struct fi_provider*)context)->name);
    else
        trace("fabric name=%s", attr->name != NULL ? attr->name : "NULL");
    if (fake_error("fabric") != 0)
        return fake_error("fabric");
    struct fake_fabric* made = calloc(1, sizeof *made);
    if (made == NULL)
        return -FI_ENOMEM;
    made->fid.fid.fclass = FI_CLASS_FABRIC;
    made->fid.fid.context = context;
    made->fid.fid.ops = &fid_ops;
    made->fid.ops = &fabric_ops;
    made->under = hook ? attr->fabric : NULL;
    *fabric = &made->fid;
    return 0;
}
