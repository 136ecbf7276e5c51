/* SPDX-License-Identifier: BSD-2-Clause */
/* What a fabric opens: domains, wait sets. Event queues and passive endpoints: inline/eq.h, inline/ep.h. */
#ifndef FI_INLINE_FABRIC_H
#define FI_INLINE_FABRIC_H

#include <rdma/fi_domain.h>
#include <rdma/fi_errno.h>
#include <rdma/inline/dispatch.h>

#ifdef FI_DIRECT_HEADER_fabric
#include FI_DIRECT_HEADER_fabric
#endif

#ifdef __cplusplus
extern "C" {
#endif

static inline int fi_domain(struct fid_fabric* fabric, struct fi_info* info, struct fid_domain** domain,
                            void* context)
{
    int ret = FI_CALL(fabric, domain, fabric->ops, fabric, info, domain, context);
    if (!ret)
        FI_OPENED(domain, *domain);
    return ret;
}

/* fi_domain with flags (FI_PEER). Providers older than the slot: -FI_ENOSYS, unless flags are 0. */
static inline int fi_domain2(struct fid_fabric* fabric, struct fi_info* info, struct fid_domain** domain,
                             uint64_t flags, void* context)
{
    if (!flags)
        return fi_domain(fabric, info, domain, context);
    if (!FI_CHECK_OP(fabric->ops, struct fi_ops_fabric, domain2))
        return -FI_ENOSYS;
    int ret = FI_CALL(fabric, domain2, fabric->ops, fabric, info, domain, flags, context);
    if (!ret)
        FI_OPENED(domain, *domain);
    return ret;
}

static inline FI_DEPRECATED_FUNC int fi_wait_open(struct fid_fabric* fabric, struct fi_wait_attr* attr,
                                                  struct fid_wait** waitset)
{
    int ret = FI_CALL(fabric, wait_open, fabric->ops, fabric, attr, waitset);
    if (!ret)
        FI_OPENED(wait, *waitset);
    return ret;
}

#ifdef __cplusplus
}
#endif

#endif
