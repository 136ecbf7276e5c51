/* SPDX-License-Identifier: BSD-2-Clause */
/* Address vectors; meanings and errors: struct fi_ops_av in fi_domain.h. */
#ifndef FI_INLINE_AV_H
#define FI_INLINE_AV_H

#include <rdma/fi_domain.h>
#include <rdma/fi_errno.h>
#include <rdma/inline/dispatch.h>

#ifdef FI_DIRECT_HEADER_av
#include FI_DIRECT_HEADER_av
#endif

#ifdef __cplusplus
extern "C" {
#endif

static inline FI_DEPRECATED_FUNC int fi_av_bind(struct fid_av* av, struct fid* fid, uint64_t flags)
{
    return FI_CALL(fid, bind, av->fid.ops, &av->fid, fid, flags);
}

static inline int fi_av_insert(struct fid_av* av, const void* addr, size_t count, fi_addr_t* fi_addr,
                               uint64_t flags, void* context)
{
    return FI_CALL(av, insert, av->ops, av, addr, count, fi_addr, flags, context);
}

static inline int fi_av_insertsvc(struct fid_av* av, const char* node, const char* service,
                                  fi_addr_t* fi_addr, uint64_t flags, void* context)
{
    return FI_CALL(av, insertsvc, av->ops, av, node, service, fi_addr, flags, context);
}

static inline int fi_av_insertsym(struct fid_av* av, const char* node, size_t nodecnt, const char* service,
                                  size_t svccnt, fi_addr_t* fi_addr, uint64_t flags, void* context)
{
    return FI_CALL(av, insertsym, av->ops, av, node, nodecnt, service, svccnt, fi_addr, flags, context);
}

static inline int fi_av_remove(struct fid_av* av, fi_addr_t* fi_addr, size_t count, uint64_t flags)
{
    return FI_CALL(av, remove, av->ops, av, fi_addr, count, flags);
}

static inline int fi_av_lookup(struct fid_av* av, fi_addr_t fi_addr, void* addr, size_t* addrlen)
{
    return FI_CALL(av, lookup, av->ops, av, fi_addr, addr, addrlen);
}

static inline const char* fi_av_straddr(struct fid_av* av, const void* addr, char* buf, size_t* len)
{
    return FI_CALL(av, straddr, av->ops, av, addr, buf, len);
}

static inline int fi_av_insert_auth_key(struct fid_av* av, const void* auth_key, size_t auth_key_size,
                                        fi_addr_t* fi_addr, uint64_t flags)
{
    if (!FI_CHECK_OP(av->ops, struct fi_ops_av, insert_auth_key))
        return -FI_ENOSYS;
    return FI_CALL(av, insert_auth_key, av->ops, av, auth_key, auth_key_size, fi_addr, flags);
}

static inline int fi_av_lookup_auth_key(struct fid_av* av, fi_addr_t addr, void* auth_key,
                                        size_t* auth_key_size)
{
    if (!FI_CHECK_OP(av->ops, struct fi_ops_av, lookup_auth_key))
        return -FI_ENOSYS;
    return FI_CALL(av, lookup_auth_key, av->ops, av, addr, auth_key, auth_key_size);
}

static inline int fi_av_set_user_id(struct fid_av* av, fi_addr_t fi_addr, fi_addr_t user_id, uint64_t flags)
{
    if (!FI_CHECK_OP(av->ops, struct fi_ops_av, set_user_id))
        return -FI_ENOSYS;
    return FI_CALL(av, set_user_id, av->ops, av, fi_addr, user_id, flags);
}

#ifdef __cplusplus
}
#endif

#endif
