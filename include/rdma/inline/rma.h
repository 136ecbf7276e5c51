/* SPDX-License-Identifier: BSD-2-Clause */
/* Remote memory access; meanings and errors: struct fi_ops_rma in fi_rma.h. */
#ifndef FI_INLINE_RMA_H
#define FI_INLINE_RMA_H

#include <rdma/fi_rma.h>
#include <rdma/inline/dispatch.h>

#ifdef FI_DIRECT_HEADER_rma
#include FI_DIRECT_HEADER_rma
#endif

#ifdef __cplusplus
extern "C" {
#endif

static inline ssize_t fi_read(struct fid_ep* ep, void* buf, size_t len, void* desc, fi_addr_t src_addr,
                              uint64_t addr, uint64_t key, void* context)
{
    return FI_CALL(rma, read, ep->rma, ep, buf, len, desc, src_addr, addr, key, context);
}

static inline ssize_t fi_readv(struct fid_ep* ep, const struct iovec* iov, void** desc, size_t count,
                               fi_addr_t src_addr, uint64_t addr, uint64_t key, void* context)
{
    return FI_CALL(rma, readv, ep->rma, ep, iov, desc, count, src_addr, addr, key, context);
}

static inline ssize_t fi_readmsg(struct fid_ep* ep, const struct fi_msg_rma* msg, uint64_t flags)
{
    return FI_CALL(rma, readmsg, ep->rma, ep, msg, flags);
}

static inline ssize_t fi_write(struct fid_ep* ep, const void* buf, size_t len, void* desc,
                               fi_addr_t dest_addr, uint64_t addr, uint64_t key, void* context)
{
    return FI_CALL(rma, write, ep->rma, ep, buf, len, desc, dest_addr, addr, key, context);
}

static inline ssize_t fi_writev(struct fid_ep* ep, const struct iovec* iov, void** desc, size_t count,
                                fi_addr_t dest_addr, uint64_t addr, uint64_t key, void* context)
{
    return FI_CALL(rma, writev, ep->rma, ep, iov, desc, count, dest_addr, addr, key, context);
}

static inline ssize_t fi_writemsg(struct fid_ep* ep, const struct fi_msg_rma* msg, uint64_t flags)
{
    return FI_CALL(rma, writemsg, ep->rma, ep, msg, flags);
}

static inline ssize_t fi_inject_write(struct fid_ep* ep, const void* buf, size_t len, fi_addr_t dest_addr,
                                      uint64_t addr, uint64_t key)
{
    return FI_CALL(rma, inject, ep->rma, ep, buf, len, dest_addr, addr, key);
}

static inline ssize_t fi_writedata(struct fid_ep* ep, const void* buf, size_t len, void* desc, uint64_t data,
                                   fi_addr_t dest_addr, uint64_t addr, uint64_t key, void* context)
{
    return FI_CALL(rma, writedata, ep->rma, ep, buf, len, desc, data, dest_addr, addr, key, context);
}

static inline ssize_t fi_inject_writedata(struct fid_ep* ep, const void* buf, size_t len, uint64_t data,
                                          fi_addr_t dest_addr, uint64_t addr, uint64_t key)
{
    return FI_CALL(rma, injectdata, ep->rma, ep, buf, len, data, dest_addr, addr, key);
}

#ifdef __cplusplus
}
#endif

#endif
