/* SPDX-License-Identifier: BSD-2-Clause */
/* Tagged messages' share of <rdma/direct/soft.h>. */
#ifndef FI_DIRECT_SOFT_TAGGED_H
#define FI_DIRECT_SOFT_TAGGED_H

#include <rdma/direct/soft_ep.h>
#include <rdma/hot/endpoint.h>

#ifdef __cplusplus
extern "C" {
#endif

static inline ssize_t fi_soft_tagged_inject(struct fi_ops_tagged* ops, struct fid_ep* ep, const void* buf,
                                            size_t len, fi_addr_t dest_addr, uint64_t tag)
{
    return fi_hot_tinject((struct fi_hot_ep*)ep, buf, len, dest_addr, tag)
               ? 0
               : FI_CALL_TABLE(tagged, inject, ops, ep, buf, len, dest_addr, tag);
}

#ifdef __cplusplus
}
#endif

#endif /* FI_DIRECT_SOFT_TAGGED_H */
