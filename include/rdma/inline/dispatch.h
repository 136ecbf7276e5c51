/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How an API call reaches a provider. Every wrapper calls FI_CALL(table, slot, ops, args...), and nothing
 * else in these headers calls through a table: <table> is the table's struct without "fi_ops_" (struct fi_ops
 * itself: fid). By default FI_CALL is ops->slot(args). A provider's DIRECT HEADER can answer for single slots
 * with inline code:
 *
 *     #define FI_DIRECT_<table>_<slot> ~, CALL     CALL(table, slot, ops, args...) is used instead of
 * FI_CALL_TABLE and may fall back on FI_CALL_TABLE with the same arguments #define FI_DIRECT_opened_<kind> ~,
 * TOLD     TOLD(kind, object) runs after an object was opened or enabled #define FI_DIRECT_HEADER_<file>
 * "x/y.h"     included by inline/<file>.h just before its wrappers, when all types of its public header are
 * complete: the place for functions
 *
 * The direct header holds only such macros and standard includes, because no type is known when it is read.
 * It is <rdma/direct/NAME.h> with -DFI_GUARDED=NAME, read here; with -DFABRIC_DIRECT it is
 * <rdma/fi_direct.h>, which fabric.h reads. Macros are looked up where the wrapper is defined, so a call
 * costs what its author wrote.
 * "~" is never used: it moves CALL to the second place, where the default stands when the macro does not
 * exist.
 */
#ifndef FI_INLINE_DISPATCH_H
#define FI_INLINE_DISPATCH_H

#define FI_PICK_SECOND_(first, second, ...) second
#define FI_PICK_(...) FI_PICK_SECOND_(__VA_ARGS__)

/* The call through the table, whatever a direct header answers. ops is evaluated once. */
#define FI_CALL_TABLE(table, slot, ops, ...) ((ops)->slot(__VA_ARGS__))

#define FI_CALL(table, slot, ops, ...)                                                                       \
    FI_PICK_(FI_DIRECT_##table##_##slot, FI_CALL_TABLE, ~)(table, slot, ops, __VA_ARGS__)

/*
 * Tells the direct header that *object was opened (kind: domain eq cq cntr av av_set mr wait poll pep ep stx
 * mc) or that an endpoint was enabled, after which its tables are final (kind: enabled). object is the typed
 * handle.
 */
#define FI_OPENED(kind, object) FI_PICK_(FI_DIRECT_opened_##kind, FI_OPENED_UNTOLD_, ~)(kind, object)
#define FI_OPENED_UNTOLD_(kind, object) ((void)0)

#ifdef FI_GUARDED
#define FI_QUOTE_(text) #text
#define FI_QUOTE_PATH_(name) FI_QUOTE_(rdma / direct / name.h)
#include FI_QUOTE_PATH_(FI_GUARDED)
#endif

#endif
