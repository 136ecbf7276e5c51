/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether it is safe to sleep on wait handles, and wait sets (deprecated). */
#ifndef FI_INLINE_WAIT_H
#define FI_INLINE_WAIT_H

#include <rdma/fi_eq.h>
#include <rdma/inline/dispatch.h>

#ifdef FI_DIRECT_HEADER_wait
#include FI_DIRECT_HEADER_wait
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* 0: sleeping on the wait handles is safe. -FI_EAGAIN: an event waits already. */
static inline int fi_trywait(struct fid_fabric* fabric, struct fid** fids, int count)
{
    return FI_CALL(fabric, trywait, fabric->ops, fabric, fids, count);
}

static inline FI_DEPRECATED_FUNC int fi_wait(struct fid_wait* waitset, int timeout)
{
    return FI_CALL(wait, wait, waitset->ops, waitset, timeout);
}

#ifdef __cplusplus
}
#endif

#endif
