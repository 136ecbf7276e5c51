/* SPDX-License-Identifier: BSD-2-Clause */
/* Performance variables and events: struct fi_profile_ops in fi_profile.h. */
#ifndef FI_INLINE_PROFILE_H
#define FI_INLINE_PROFILE_H

#include <rdma/fi_profile.h>
#include <rdma/inline/dispatch.h>

#ifdef FI_DIRECT_HEADER_profile
#include FI_DIRECT_HEADER_profile
#endif

#ifdef __cplusplus
extern "C" {
#endif

static inline void fi_profile_reset(struct fid_profile* prof_fid, uint64_t flags)
{
    FI_CALL(profile, reset, prof_fid->ops, prof_fid, flags);
}

static inline ssize_t fi_profile_query_vars(struct fid_profile* prof_fid, struct fi_profile_desc* varlist,
                                            size_t* count)
{
    return FI_CALL(profile, query_vars, prof_fid->ops, prof_fid, varlist, count);
}

static inline ssize_t fi_profile_query_events(struct fid_profile* prof_fid, struct fi_profile_desc* eventlist,
                                              size_t* count)
{
    return FI_CALL(profile, query_events, prof_fid->ops, prof_fid, eventlist, count);
}

/* A provider may return the bytes that it wrote; the caller gets 0. */
static inline ssize_t fi_profile_read_u64(struct fid_profile* prof_fid, uint32_t var_id, uint64_t* data)
{
    size_t size = sizeof(uint64_t);
    ssize_t ret = FI_CALL(profile, read_var, prof_fid->ops, prof_fid, var_id, (void*)data, &size);
    return ret > 0 ? 0 : ret;
}

static inline int fi_profile_register_callback(struct fid_profile* prof_fid, uint32_t event_id,
                                               int (*callback)(struct fid_profile* prof_fid,
                                                               struct fi_profile_desc* event, void* param,
                                                               size_t size, void* context),
                                               void* context)
{
    return FI_CALL(profile, reg_callback, prof_fid->ops, prof_fid, event_id, callback, context);
}

static inline void fi_profile_start_reads(struct fid_profile* prof_fid, uint64_t flags)
{
    FI_CALL(profile, start_reads, prof_fid->ops, prof_fid, flags);
}

static inline void fi_profile_end_reads(struct fid_profile* prof_fid, uint64_t flags)
{
    FI_CALL(profile, end_reads, prof_fid->ops, prof_fid, flags);
}

/* The provider answers with the address of its object's ops member, which leads to the object. */
static inline int fi_profile_open(struct fid* fid, uint64_t flags, struct fid_profile** prof_fid,
                                  void* context)
{
    void* ops; /* address of the object's ops member */
    int ret = fi_open_ops(fid, "fi_profile_ops", flags, &ops, context);
    if (!ret)
        *prof_fid = (struct fid_profile*)((char*)ops - offsetof(struct fid_profile, ops));
    return ret;
}

static inline int fi_profile_close(struct fid_profile* prof_fid)
{
    return FI_CALL(fid, close, prof_fid->fid.ops, &prof_fid->fid);
}

#ifdef __cplusplus
}
#endif

#endif
