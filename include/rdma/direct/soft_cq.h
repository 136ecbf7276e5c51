/* SPDX-License-Identifier: BSD-2-Clause */
/* The completion queue's share of <rdma/direct/soft.h>. */
#ifndef FI_DIRECT_SOFT_CQ_H
#define FI_DIRECT_SOFT_CQ_H

#include <rdma/direct/layout.h>
#include <rdma/hot/cq.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The table of soft's unlocked completion queues, once one has been opened. It begins as an address that is
 * no table's (not NULL, which an object may well have). Weak and hidden: one for the whole program or
 * library, seen by nobody else. Plugins are never unloaded, so what is remembered stays true.
 */
__attribute__((weak, visibility("hidden"))) const void* fi_soft_table_cq = &fi_soft_table_cq;

/* The object's table if inlined code may touch the object, else `otherwise`. */
static inline const void* fi_soft_trusted_table(struct fid* fid, const void* table, const void* otherwise)
{
    struct fi_direct_layout* layout = NULL;

    if (!fid->ops->ops_open || fid->ops->ops_open(fid, FI_DIRECT_LAYOUT_NAME, 0, (void**)&layout, NULL) != 0)
        return otherwise;
    return layout->size >= sizeof(*layout) && layout->version == FI_HOT_LAYOUT && layout->table == table
               ? table
               : otherwise;
}

static inline void fi_soft_opened_cq(struct fid_cq* cq)
{
    const void* known = __atomic_load_n(&fi_soft_table_cq, __ATOMIC_RELAXED);

    __atomic_store_n(&fi_soft_table_cq, fi_soft_trusted_table(&cq->fid, cq->ops, known), __ATOMIC_RELAXED);
}

__attribute__((always_inline)) static inline ssize_t fi_soft_cq_read(struct fi_ops_cq* ops, struct fid_cq* cq,
                                                                     void* buf, size_t count)
{
    ssize_t ret;

    return fi_hot_cq_read((struct fi_hot_cq*)cq, buf, count, &ret)
               ? ret
               : FI_CALL_TABLE(cq, read, ops, cq, buf, count);
}

#ifdef __cplusplus
}
#endif

#endif /* FI_DIRECT_SOFT_CQ_H */
