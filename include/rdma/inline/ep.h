/* SPDX-License-Identifier: BSD-2-Clause */
/* Opening, binding, enabling and tuning endpoints of all kinds. */
#ifndef FI_INLINE_EP_H
#define FI_INLINE_EP_H

#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/inline/dispatch.h>

#ifdef FI_DIRECT_HEADER_ep
#include FI_DIRECT_HEADER_ep
#endif

#ifdef __cplusplus
extern "C" {
#endif

static inline int fi_passive_ep(struct fid_fabric* fabric, struct fi_info* info, struct fid_pep** pep,
                                void* context)
{
    int ret = FI_CALL(fabric, passive_ep, fabric->ops, fabric, info, pep, context);
    if (!ret)
        FI_OPENED(pep, *pep);
    return ret;
}

static inline int fi_endpoint(struct fid_domain* domain, struct fi_info* info, struct fid_ep** ep,
                              void* context)
{
    int ret = FI_CALL(domain, endpoint, domain->ops, domain, info, ep, context);
    if (!ret)
        FI_OPENED(ep, *ep);
    return ret;
}

/* fi_endpoint with flags. Providers older than the slot: -FI_ENOSYS, unless flags are 0. */
static inline int fi_endpoint2(struct fid_domain* domain, struct fi_info* info, struct fid_ep** ep,
                               uint64_t flags, void* context)
{
    if (!flags)
        return fi_endpoint(domain, info, ep, context);
    if (!FI_CHECK_OP(domain->ops, struct fi_ops_domain, endpoint2))
        return -FI_ENOSYS;
    int ret = FI_CALL(domain, endpoint2, domain->ops, domain, info, ep, flags, context);
    if (!ret)
        FI_OPENED(ep, *ep);
    return ret;
}

static inline int fi_scalable_ep(struct fid_domain* domain, struct fi_info* info, struct fid_ep** sep,
                                 void* context)
{
    int ret = FI_CALL(domain, scalable_ep, domain->ops, domain, info, sep, context);
    if (!ret)
        FI_OPENED(ep, *sep);
    return ret;
}

static inline int fi_ep_bind(struct fid_ep* ep, struct fid* bfid, uint64_t flags)
{
    return FI_CALL(fid, bind, ep->fid.ops, &ep->fid, bfid, flags);
}

static inline int fi_pep_bind(struct fid_pep* pep, struct fid* bfid, uint64_t flags)
{
    return FI_CALL(fid, bind, pep->fid.ops, &pep->fid, bfid, flags);
}

static inline int fi_scalable_ep_bind(struct fid_ep* sep, struct fid* bfid, uint64_t flags)
{
    return FI_CALL(fid, bind, sep->fid.ops, &sep->fid, bfid, flags);
}

static inline int fi_enable(struct fid_ep* ep)
{
    int ret = FI_CALL(fid, control, ep->fid.ops, &ep->fid, FI_ENABLE, NULL);
    if (!ret)
        FI_OPENED(enabled, ep);
    return ret;
}

static inline ssize_t fi_cancel(fid_t fid, void* context)
{
    return FI_CALL(ep, cancel, ((struct fid_ep*)fid)->ops, fid, context);
}

static inline int fi_setopt(fid_t fid, int level, int optname, const void* optval, size_t optlen)
{
    return FI_CALL(ep, setopt, ((struct fid_ep*)fid)->ops, fid, level, optname, optval, optlen);
}

static inline int fi_getopt(fid_t fid, int level, int optname, void* optval, size_t* optlen)
{
    return FI_CALL(ep, getopt, ((struct fid_ep*)fid)->ops, fid, level, optname, optval, optlen);
}

/* Like fi_alias, with the typed handle. */
static inline int fi_ep_alias(struct fid_ep* ep, struct fid_ep** alias_ep, uint64_t flags)
{
    struct fid* fid;
    int ret = fi_alias(&ep->fid, &fid, flags);
    if (!ret) {
        *alias_ep = (struct fid_ep*)fid;
        FI_OPENED(ep, *alias_ep);
    }
    return ret;
}

static inline int fi_tx_context(struct fid_ep* ep, int idx, struct fi_tx_attr* attr, struct fid_ep** tx_ep,
                                void* context)
{
    int ret = FI_CALL(ep, tx_ctx, ep->ops, ep, idx, attr, tx_ep, context);
    if (!ret)
        FI_OPENED(ep, *tx_ep);
    return ret;
}

static inline int fi_rx_context(struct fid_ep* ep, int idx, struct fi_rx_attr* attr, struct fid_ep** rx_ep,
                                void* context)
{
    int ret = FI_CALL(ep, rx_ctx, ep->ops, ep, idx, attr, rx_ep, context);
    if (!ret)
        FI_OPENED(ep, *rx_ep);
    return ret;
}

static inline FI_DEPRECATED_FUNC ssize_t fi_rx_size_left(struct fid_ep* ep)
{
    return FI_CALL(ep, rx_size_left, ep->ops, ep);
}

static inline FI_DEPRECATED_FUNC ssize_t fi_tx_size_left(struct fid_ep* ep)
{
    return FI_CALL(ep, tx_size_left, ep->ops, ep);
}

static inline int fi_stx_context(struct fid_domain* domain, struct fi_tx_attr* attr, struct fid_stx** stx,
                                 void* context)
{
    int ret = FI_CALL(domain, stx_ctx, domain->ops, domain, attr, stx, context);
    if (!ret)
        FI_OPENED(stx, *stx);
    return ret;
}

static inline int fi_srx_context(struct fid_domain* domain, struct fi_rx_attr* attr, struct fid_ep** rx_ep,
                                 void* context)
{
    int ret = FI_CALL(domain, srx_ctx, domain->ops, domain, attr, rx_ep, context);
    if (!ret)
        FI_OPENED(ep, *rx_ep);
    return ret;
}

#ifdef __cplusplus
}
#endif

#endif
