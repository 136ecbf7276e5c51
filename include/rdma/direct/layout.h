/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How code that is inlined into an application makes sure that it knows the object before it touches it.
 *
 * fi_open_ops(fid, FI_DIRECT_LAYOUT_NAME, 0, &layout, NULL) on a completion queue, or on an enabled endpoint,
 * gives a struct fi_direct_layout if the object is one of this project's and is used without locks
 * (FI_THREAD_DOMAIN). Whoever finds another version than its own, or another table
 * than the object's, calls through the tables, which always works.
 */
#ifndef FI_DIRECT_LAYOUT_H
#define FI_DIRECT_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#define FI_DIRECT_LAYOUT_NAME "direct_layout"

/* Goes up whenever a structure in rdma/hot changes; tests/unit/hot_layout_test.cpp pins what belongs to it.
 */
#define FI_HOT_LAYOUT 3

struct fi_direct_layout {
    size_t size; /* of this structure */
    uint32_t version;
    const void* table; /* the provider's own table of the object: a hook passes the question on, but has
                          another table */
};

#endif /* FI_DIRECT_LAYOUT_H */
