/* SPDX-License-Identifier: BSD-2-Clause */
/* Untagged messages; meanings and errors: struct fi_ops_msg in fi_endpoint.h. */
#ifndef FI_INLINE_MSG_H
#define FI_INLINE_MSG_H

#include <rdma/fi_endpoint.h>
#include <rdma/inline/dispatch.h>

#ifdef FI_DIRECT_HEADER_msg
#include FI_DIRECT_HEADER_msg
#endif

#ifdef __cplusplus
extern "C" {
#endif

static inline ssize_t fi_recv(struct fid_ep* ep, void* buf, size_t len, void* desc, fi_addr_t src_addr,
                              void* context)
{
    return FI_CALL(msg, recv, ep->msg, ep, buf, len, desc, src_addr, context);
}

static inline ssize_t fi_recvv(struct fid_ep* ep, const struct iovec* iov, void** desc, size_t count,
                               fi_addr_t src_addr, void* context)
{
    return FI_CALL(msg, recvv, ep->msg, ep, iov, desc, count, src_addr, context);
}

static inline ssize_t fi_recvmsg(struct fid_ep* ep, const struct fi_msg* msg, uint64_t flags)
{
    return FI_CALL(msg, recvmsg, ep->msg, ep, msg, flags);
}

static inline ssize_t fi_send(struct fid_ep* ep, const void* buf, size_t len, void* desc, fi_addr_t dest_addr,
                              void* context)
{
    return FI_CALL(msg, send, ep->msg, ep, buf, len, desc, dest_addr, context);
}

static inline ssize_t fi_sendv(struct fid_ep* ep, const struct iovec* iov, void** desc, size_t count,
                               fi_addr_t dest_addr, void* context)
{
    return FI_CALL(msg, sendv, ep->msg, ep, iov, desc, count, dest_addr, context);
}

static inline ssize_t fi_sendmsg(struct fid_ep* ep, const struct fi_msg* msg, uint64_t flags)
{
    return FI_CALL(msg, sendmsg, ep->msg, ep, msg, flags);
}

static inline ssize_t fi_inject(struct fid_ep* ep, const void* buf, size_t len, fi_addr_t dest_addr)
{
    return FI_CALL(msg, inject, ep->msg, ep, buf, len, dest_addr);
}

static inline ssize_t fi_senddata(struct fid_ep* ep, const void* buf, size_t len, void* desc, uint64_t data,
                                  fi_addr_t dest_addr, void* context)
{
    return FI_CALL(msg, senddata, ep->msg, ep, buf, len, desc, data, dest_addr, context);
}

static inline ssize_t fi_injectdata(struct fid_ep* ep, const void* buf, size_t len, uint64_t data,
                                    fi_addr_t dest_addr)
{
    return FI_CALL(msg, injectdata, ep->msg, ep, buf, len, data, dest_addr);
}

#ifdef __cplusplus
}
#endif

#endif
