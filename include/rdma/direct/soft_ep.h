/* SPDX-License-Identifier: BSD-2-Clause */
/* The endpoint's share of <rdma/direct/soft.h>: remembering its table when it is enabled. */
#ifndef FI_DIRECT_SOFT_EP_H
#define FI_DIRECT_SOFT_EP_H

#include <rdma/direct/soft_cq.h>
#include <rdma/fi_endpoint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Like fi_soft_table_cq, for the tagged table of soft's unlocked endpoints. */
__attribute__((weak, visibility("hidden"))) const void* fi_soft_table_tagged = &fi_soft_table_tagged;

static inline void fi_soft_opened_enabled(struct fid_ep* ep)
{
    const void* known = __atomic_load_n(&fi_soft_table_tagged, __ATOMIC_RELAXED);

    __atomic_store_n(&fi_soft_table_tagged, fi_soft_trusted_table(&ep->fid, ep->tagged, known),
                     __ATOMIC_RELAXED);
}

#ifdef __cplusplus
}
#endif

#endif /* FI_DIRECT_SOFT_EP_H */
