/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How an API call reaches a provider. Every wrapper goes through FI_CALL(table, slot, ops, args...); nothing
 * else in these headers calls through a table. <table> is the table's struct without "fi_ops_" (struct fi_ops
 * itself: fid). FI_CALL is ops->slot(args), unless a provider's DIRECT HEADER answers for that slot:
 *
 *   #define FI_DIRECT_<table>_<slot> ~, CALL    CALL(table, slot, ops, args...) takes the place of the call;
 *                                               it may fall back on FI_CALL_TABLE with the same arguments
 *   #define FI_DIRECT_opened_<kind> ~, TOLD     TOLD(kind, object): see FI_OPENED
 *   #define FI_DIRECT_HEADER_<file> "x/y.h"     included by inline/<file>.h before its wrappers, when types
 *                                               of its public header are complete: for inline functions
 *
 * The direct header has only such macros: it is read before the first wrapper, when few types are known. It
 * is <rdma/direct/NAME.h> with -DFI_GUARDED=NAME (any provider's objects may turn up: CALL compares ops
 * first), or <rdma/fi_direct.h> with -DFABRIC_DIRECT, which fabric.h reads (one provider only).
 */
#ifndef FI_INLINE_DISPATCH_H
#define FI_INLINE_DISPATCH_H

/* Undefined, FI_DIRECT_x is one argument and the default comes second; defined, it puts its macro there. */
#define FI_PICK_SECOND_(first, second, ...) second
#define FI_PICK_(...) FI_PICK_SECOND_(__VA_ARGS__)

/* The call through the table, whatever a direct header answers. */
#define FI_CALL_TABLE(table, slot, ops, ...) ((ops)->slot(__VA_ARGS__))

#define FI_CALL(table, slot, ops, ...)                                                                       \
    FI_PICK_(FI_DIRECT_##table##_##slot, FI_CALL_TABLE, ~)(table, slot, ops, __VA_ARGS__)

/*
 * Tells the direct header that an object was opened, so that it can remember the tables of its provider.
 * object is the typed handle. Kinds, and the inline file that tells: eq (eq), domain wait (fabric), cq cntr
 * av poll (domain), mr (mr), ep pep stx (ep), av_set (av_set), mc (cm); and enabled (ep), for an endpoint
 * that fi_enable has just enabled: its tables may differ from those at opening.
 */
#define FI_OPENED(kind, object) FI_PICK_(FI_DIRECT_opened_##kind, FI_OPENED_UNTOLD_, ~)(kind, object)
#define FI_OPENED_UNTOLD_(kind, object) ((void)0)

#ifdef FI_GUARDED
#define FI_QUOTE_(text) #text
/* A blank in the path would become part of the file's name. */
/* clang-format off */
#define FI_DIRECT_PATH_(name) FI_QUOTE_(rdma/direct/name.h)
/* clang-format on */
#include FI_DIRECT_PATH_(FI_GUARDED)
#endif

#endif
