/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * -DFI_GUARDED=soft: fi_cq_read and fi_tinject of the soft provider without an intermediate call.
 *
 * The same binary still runs on every provider: the wrapper compares the object's table with the one
 * remembered when an object of soft was opened, and calls through the table if it is another. Read by
 * <rdma/inline/dispatch.h> before any type is known, so this file holds macros only.
 */
#ifndef FI_DIRECT_SOFT_H
#define FI_DIRECT_SOFT_H

#define FI_DIRECT_HEADER_cq "rdma/direct/soft_cq.h"
#define FI_DIRECT_HEADER_ep "rdma/direct/soft_ep.h"
#define FI_DIRECT_HEADER_tagged "rdma/direct/soft_tagged.h"

#define FI_DIRECT_opened_cq ~, FI_SOFT_OPENED
#define FI_DIRECT_opened_enabled ~, FI_SOFT_OPENED
#define FI_SOFT_OPENED(kind, object) fi_soft_opened_##kind(object)

#define FI_DIRECT_cq_read ~, FI_SOFT_CALL
#define FI_DIRECT_tagged_inject ~, FI_SOFT_CALL
#define FI_SOFT_CALL(table, slot, ops, ...)                                                                  \
    ((const void*)(ops) == __atomic_load_n(&fi_soft_table_##table, __ATOMIC_RELAXED)                         \
         ? fi_soft_##table##_##slot(ops, __VA_ARGS__)                                                        \
         : FI_CALL_TABLE(table, slot, ops, __VA_ARGS__))

#endif /* FI_DIRECT_SOFT_H */
