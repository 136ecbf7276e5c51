/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls that every object answers; meanings and errors: struct fi_ops in fabric.h. */
#ifndef FI_INLINE_FID_H
#define FI_INLINE_FID_H

#include <rdma/fabric.h>
#include <rdma/fi_errno.h>
#include <rdma/inline/dispatch.h>

#ifdef FI_DIRECT_HEADER_fid
#include FI_DIRECT_HEADER_fid
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Some functions have a name that a structure has too; in C++, -Wshadow objects to that. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"

static inline int fi_close(struct fid* fid)
{
    return FI_CALL(fid, close, fid->ops, fid);
}

static inline int fi_control(struct fid* fid, int command, void* arg)
{
    return FI_CALL(fid, control, fid->ops, fid, command, arg);
}

/* Opens a second handle to the object, with other default flags; both are closed. */
static inline int fi_alias(struct fid* fid, struct fid** alias_fid, uint64_t flags)
{
    struct fi_alias alias;
    alias.fid = alias_fid;
    alias.flags = flags;
    return fi_control(fid, FI_ALIAS, &alias);
}

static inline int fi_get_val(struct fid* fid, int name, void* val)
{
    struct fi_fid_var var;
    var.name = name;
    var.val = val;
    return fi_control(fid, FI_GET_VAL, &var);
}

static inline int fi_set_val(struct fid* fid, int name, void* val)
{
    struct fi_fid_var var;
    var.name = name;
    var.val = val;
    return fi_control(fid, FI_SET_VAL, &var);
}

static inline int fi_open_ops(struct fid* fid, const char* name, uint64_t flags, void** ops, void* context)
{
    return FI_CALL(fid, ops_open, fid->ops, fid, name, flags, ops, context);
}

/* Replaces operations that the object names. Providers older than the slot: -FI_ENOSYS. */
static inline int fi_set_ops(struct fid* fid, const char* name, uint64_t flags, void* ops, void* context)
{
    if (!FI_CHECK_OP(fid->ops, struct fi_ops, ops_set))
        return -FI_ENOSYS;
    return FI_CALL(fid, ops_set, fid->ops, fid, name, flags, ops, context);
}

#pragma GCC diagnostic pop

#ifdef __cplusplus
}
#endif

#endif
