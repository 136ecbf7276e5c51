/* SPDX-License-Identifier: BSD-2-Clause */
/* Poll sets (deprecated). */
#ifndef FI_INLINE_POLL_H
#define FI_INLINE_POLL_H

#include <rdma/fi_eq.h>
#include <rdma/inline/dispatch.h>

#ifdef FI_DIRECT_HEADER_poll
#include FI_DIRECT_HEADER_poll
#endif

#ifdef __cplusplus
extern "C" {
#endif

static inline FI_DEPRECATED_FUNC int fi_poll(struct fid_poll* pollset, void** context, int count)
{
    return FI_CALL(poll, poll, pollset->ops, pollset, context, count);
}

static inline FI_DEPRECATED_FUNC int fi_poll_add(struct fid_poll* pollset, struct fid* event_fid,
                                                 uint64_t flags)
{
    return FI_CALL(poll, poll_add, pollset->ops, pollset, event_fid, flags);
}

static inline FI_DEPRECATED_FUNC int fi_poll_del(struct fid_poll* pollset, struct fid* event_fid,
                                                 uint64_t flags)
{
    return FI_CALL(poll, poll_del, pollset->ops, pollset, event_fid, flags);
}

#ifdef __cplusplus
}
#endif

#endif
