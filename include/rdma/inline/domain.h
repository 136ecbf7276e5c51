/* SPDX-License-Identifier: BSD-2-Clause */
/* What a domain opens. Endpoints: inline/ep.h; memory regions: inline/mr.h. */
#ifndef FI_INLINE_DOMAIN_H
#define FI_INLINE_DOMAIN_H

#include <rdma/fi_domain.h>
#include <rdma/inline/dispatch.h>

#ifdef FI_DIRECT_HEADER_domain
#include FI_DIRECT_HEADER_domain
#endif

#ifdef __cplusplus
extern "C" {
#endif

static inline int fi_domain_bind(struct fid_domain* domain, struct fid* fid, uint64_t flags)
{
    return FI_CALL(fid, bind, domain->fid.ops, &domain->fid, fid, flags);
}

static inline int fi_cq_open(struct fid_domain* domain, struct fi_cq_attr* attr, struct fid_cq** cq,
                             void* context)
{
    int ret = FI_CALL(domain, cq_open, domain->ops, domain, attr, cq, context);
    if (!ret)
        FI_OPENED(cq, *cq);
    return ret;
}

static inline int fi_cntr_open(struct fid_domain* domain, struct fi_cntr_attr* attr, struct fid_cntr** cntr,
                               void* context)
{
    int ret = FI_CALL(domain, cntr_open, domain->ops, domain, attr, cntr, context);
    if (!ret)
        FI_OPENED(cntr, *cntr);
    return ret;
}

static inline FI_DEPRECATED_FUNC int fi_poll_open(struct fid_domain* domain, struct fi_poll_attr* attr,
                                                  struct fid_poll** pollset)
{
    int ret = FI_CALL(domain, poll_open, domain->ops, domain, attr, pollset);
    if (!ret)
        FI_OPENED(poll, *pollset);
    return ret;
}

static inline int fi_av_open(struct fid_domain* domain, struct fi_av_attr* attr, struct fid_av** av,
                             void* context)
{
    int ret = FI_CALL(domain, av_open, domain->ops, domain, attr, av, context);
    if (!ret)
        FI_OPENED(av, *av);
    return ret;
}

#ifdef __cplusplus
}
#endif

#endif
