/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory registration; meanings and errors: struct fi_ops_mr in fi_domain.h. */
#ifndef FI_INLINE_MR_H
#define FI_INLINE_MR_H

#include <string.h>

#include <rdma/fi_domain.h>
#include <rdma/inline/dispatch.h>

#ifdef FI_DIRECT_HEADER_mr
#include FI_DIRECT_HEADER_mr
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Some functions have a name that a structure has too; in C++, -Wshadow objects to that. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"

static inline int fi_mr_reg(struct fid_domain* domain, const void* buf, size_t len, uint64_t acs,
                            uint64_t offset, uint64_t requested_key, uint64_t flags, struct fid_mr** mr,
                            void* context)
{
    int ret =
        FI_CALL(mr, reg, domain->mr, &domain->fid, buf, len, acs, offset, requested_key, flags, mr, context);
    if (!ret)
        FI_OPENED(mr, *mr);
    return ret;
}

static inline int fi_mr_regv(struct fid_domain* domain, const struct iovec* iov, size_t count, uint64_t acs,
                             uint64_t offset, uint64_t requested_key, uint64_t flags, struct fid_mr** mr,
                             void* context)
{
    int ret = FI_CALL(mr, regv, domain->mr, &domain->fid, iov, count, acs, offset, requested_key, flags, mr,
                      context);
    if (!ret)
        FI_OPENED(mr, *mr);
    return ret;
}

static inline int fi_mr_regattr(struct fid_domain* domain, const struct fi_mr_attr* attr, uint64_t flags,
                                struct fid_mr** mr)
{
    int ret = FI_CALL(mr, regattr, domain->mr, &domain->fid, attr, flags, mr);
    if (!ret)
        FI_OPENED(mr, *mr);
    return ret;
}

/* Copies out the raw key, whose size exceeds 64 bits. *key_size: room on entry, size on return. */
static inline int fi_mr_raw_attr(struct fid_mr* mr, uint64_t* base_addr, uint8_t* raw_key, size_t* key_size,
                                 uint64_t flags)
{
    struct fi_mr_raw_attr attr;
    attr.flags = flags;
    attr.base_addr = base_addr;
    attr.raw_key = raw_key;
    attr.key_size = key_size;
    return FI_CALL(fid, control, mr->fid.ops, &mr->fid, FI_GET_RAW_MR, &attr);
}

/* Makes a 64-bit key for a raw key of another process, until fi_mr_unmap_key. */
static inline int fi_mr_map_raw(struct fid_domain* domain, uint64_t base_addr, uint8_t* raw_key,
                                size_t key_size, uint64_t* key, uint64_t flags)
{
    struct fi_mr_map_raw map;
    map.flags = flags;
    map.base_addr = base_addr;
    map.raw_key = raw_key;
    map.key_size = key_size;
    map.key = key;
    return FI_CALL(fid, control, domain->fid.ops, &domain->fid, FI_MAP_RAW_MR, &map);
}

static inline int fi_mr_unmap_key(struct fid_domain* domain, uint64_t key)
{
    return FI_CALL(fid, control, domain->fid.ops, &domain->fid, FI_UNMAP_KEY, &key);
}

static inline int fi_mr_bind(struct fid_mr* mr, struct fid* bfid, uint64_t flags)
{
    return FI_CALL(fid, bind, mr->fid.ops, &mr->fid, bfid, flags);
}

/* Tells the provider that the pages behind the ranges have changed. */
static inline int fi_mr_refresh(struct fid_mr* mr, const struct iovec* iov, size_t count, uint64_t flags)
{
    struct fi_mr_modify modify;
    memset(&modify, 0, sizeof(modify));
    modify.flags = flags;
    modify.attr.mr_iov = iov;
    modify.attr.iov_count = count;
    return FI_CALL(fid, control, mr->fid.ops, &mr->fid, FI_REFRESH, &modify);
}

/* Completes a registration that was bound to an endpoint or counter (FI_MR_ENDPOINT, FI_RMA_EVENT). */
static inline int fi_mr_enable(struct fid_mr* mr)
{
    return FI_CALL(fid, control, mr->fid.ops, &mr->fid, FI_ENABLE, NULL);
}

#pragma GCC diagnostic pop

#ifdef __cplusplus
}
#endif

#endif
