/* SPDX-License-Identifier: BSD-2-Clause */
/* Tagged messages; meanings and errors: struct fi_ops_tagged in fi_tagged.h. */
#ifndef FI_INLINE_TAGGED_H
#define FI_INLINE_TAGGED_H

#include <rdma/fi_tagged.h>
#include <rdma/inline/dispatch.h>

#ifdef FI_DIRECT_HEADER_tagged
#include FI_DIRECT_HEADER_tagged
#endif

#ifdef __cplusplus
extern "C" {
#endif

static inline ssize_t fi_trecv(struct fid_ep* ep, void* buf, size_t len, void* desc, fi_addr_t src_addr,
                               uint64_t tag, uint64_t ignore, void* context)
{
    return FI_CALL(tagged, recv, ep->tagged, ep, buf, len, desc, src_addr, tag, ignore, context);
}

static inline ssize_t fi_trecvv(struct fid_ep* ep, const struct iovec* iov, void** desc, size_t count,
                                fi_addr_t src_addr, uint64_t tag, uint64_t ignore, void* context)
{
    return FI_CALL(tagged, recvv, ep->tagged, ep, iov, desc, count, src_addr, tag, ignore, context);
}

static inline ssize_t fi_trecvmsg(struct fid_ep* ep, const struct fi_msg_tagged* msg, uint64_t flags)
{
    return FI_CALL(tagged, recvmsg, ep->tagged, ep, msg, flags);
}

static inline ssize_t fi_tsend(struct fid_ep* ep, const void* buf, size_t len, void* desc,
                               fi_addr_t dest_addr, uint64_t tag, void* context)
{
    return FI_CALL(tagged, send, ep->tagged, ep, buf, len, desc, dest_addr, tag, context);
}

static inline ssize_t fi_tsendv(struct fid_ep* ep, const struct iovec* iov, void** desc, size_t count,
                                fi_addr_t dest_addr, uint64_t tag, void* context)
{
    return FI_CALL(tagged, sendv, ep->tagged, ep, iov, desc, count, dest_addr, tag, context);
}

static inline ssize_t fi_tsendmsg(struct fid_ep* ep, const struct fi_msg_tagged* msg, uint64_t flags)
{
    return FI_CALL(tagged, sendmsg, ep->tagged, ep, msg, flags);
}

static inline ssize_t fi_tinject(struct fid_ep* ep, const void* buf, size_t len, fi_addr_t dest_addr,
                                 uint64_t tag)
{
    return FI_CALL(tagged, inject, ep->tagged, ep, buf, len, dest_addr, tag);
}

static inline ssize_t fi_tsenddata(struct fid_ep* ep, const void* buf, size_t len, void* desc, uint64_t data,
                                   fi_addr_t dest_addr, uint64_t tag, void* context)
{
    return FI_CALL(tagged, senddata, ep->tagged, ep, buf, len, desc, data, dest_addr, tag, context);
}

static inline ssize_t fi_tinjectdata(struct fid_ep* ep, const void* buf, size_t len, uint64_t data,
                                     fi_addr_t dest_addr, uint64_t tag)
{
    return FI_CALL(tagged, injectdata, ep->tagged, ep, buf, len, data, dest_addr, tag);
}

#ifdef __cplusplus
}
#endif

#endif
