/* SPDX-License-Identifier: BSD-2-Clause */
/* Names, connections, multicast; meanings and errors: struct fi_ops_cm in fi_cm.h. */
#ifndef FI_INLINE_CM_H
#define FI_INLINE_CM_H

#include <rdma/fi_cm.h>
#include <rdma/fi_errno.h>
#include <rdma/inline/dispatch.h>

#ifdef FI_DIRECT_HEADER_cm
#include FI_DIRECT_HEADER_cm
#endif

#ifdef __cplusplus
extern "C" {
#endif

static inline int fi_setname(fid_t fid, void* addr, size_t addrlen)
{
    return FI_CALL(cm, setname, ((struct fid_ep*)fid)->cm, fid, addr, addrlen);
}

static inline int fi_getname(fid_t fid, void* addr, size_t* addrlen)
{
    return FI_CALL(cm, getname, ((struct fid_ep*)fid)->cm, fid, addr, addrlen);
}

static inline int fi_getpeer(struct fid_ep* ep, void* addr, size_t* addrlen)
{
    return FI_CALL(cm, getpeer, ep->cm, ep, addr, addrlen);
}

static inline int fi_listen(struct fid_pep* pep)
{
    return FI_CALL(cm, listen, pep->cm, pep);
}

static inline int fi_connect(struct fid_ep* ep, const void* addr, const void* param, size_t paramlen)
{
    return FI_CALL(cm, connect, ep->cm, ep, addr, param, paramlen);
}

static inline int fi_accept(struct fid_ep* ep, const void* param, size_t paramlen)
{
    return FI_CALL(cm, accept, ep->cm, ep, param, paramlen);
}

static inline int fi_reject(struct fid_pep* pep, fid_t handle, const void* param, size_t paramlen)
{
    return FI_CALL(cm, reject, pep->cm, pep, handle, param, paramlen);
}

static inline int fi_shutdown(struct fid_ep* ep, uint64_t flags)
{
    return FI_CALL(cm, shutdown, ep->cm, ep, flags);
}

static inline int fi_join(struct fid_ep* ep, const void* addr, uint64_t flags, struct fid_mc** mc,
                          void* context)
{
    if (!FI_CHECK_OP(ep->cm, struct fi_ops_cm, join))
        return -FI_ENOSYS;
    int ret = FI_CALL(cm, join, ep->cm, ep, addr, flags, mc, context);
    if (!ret)
        FI_OPENED(mc, *mc);
    return ret;
}

#ifdef __cplusplus
}
#endif

#endif
