/* SPDX-License-Identifier: BSD-2-Clause */
/* AV sets, the members of a collective group: struct fi_ops_av_set in fi_collective.h. */
#ifndef FI_INLINE_AV_SET_H
#define FI_INLINE_AV_SET_H

#include <rdma/fi_collective.h>
#include <rdma/fi_errno.h>
#include <rdma/inline/dispatch.h>

#ifdef FI_DIRECT_HEADER_av_set
#include FI_DIRECT_HEADER_av_set
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Opens a set of addresses of an AV, in the order in which they are listed. */
static inline int fi_av_set(struct fid_av* av, struct fi_av_set_attr* attr, struct fid_av_set** set,
                            void* context)
{
    if (!FI_CHECK_OP(av->ops, struct fi_ops_av, av_set))
        return -FI_ENOSYS;
    int ret = FI_CALL(av, av_set, av->ops, av, attr, set, context);
    if (!ret)
        FI_OPENED(av_set, *set);
    return ret;
}

static inline int fi_av_set_union(struct fid_av_set* dst, const struct fid_av_set* src)
{
    return FI_CALL(av_set, set_union, dst->ops, dst, src);
}

static inline int fi_av_set_intersect(struct fid_av_set* dst, const struct fid_av_set* src)
{
    return FI_CALL(av_set, intersect, dst->ops, dst, src);
}

static inline int fi_av_set_diff(struct fid_av_set* dst, const struct fid_av_set* src)
{
    return FI_CALL(av_set, diff, dst->ops, dst, src);
}

static inline int fi_av_set_insert(struct fid_av_set* set, fi_addr_t addr)
{
    return FI_CALL(av_set, insert, set->ops, set, addr);
}

static inline int fi_av_set_remove(struct fid_av_set* set, fi_addr_t addr)
{
    return FI_CALL(av_set, remove, set->ops, set, addr);
}

static inline int fi_av_set_addr(struct fid_av_set* set, fi_addr_t* coll_addr)
{
    return FI_CALL(av_set, addr, set->ops, set, coll_addr);
}

#ifdef __cplusplus
}
#endif

#endif
