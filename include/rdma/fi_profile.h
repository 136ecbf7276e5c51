/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Performance variables and events of an endpoint or domain. fi_profile_open gives -FI_ENOSYS where there
 * are none. See fi_profile(3).
 */
#ifndef FI_PROFILE_H
#define FI_PROFILE_H

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How fi_profile_desc.datatype is to be read. */
enum fi_profile_type {
    fi_primitive_type, /* datatype.primitive */
    fi_defined_type,   /* datatype.defined */
};

/* Variables that mean the same with every provider; a provider's own ids lie elsewhere. */
enum {
    FI_VAR_UNEXP_MSG_CNT, /* messages that wait for a receive */
    FI_VAR_UNEXP_MSG_QUEUE,
    FI_VAR_MSG_QUEUE_CNT,
    FI_VAR_CONNECTION_CNT,
    FI_VAR_CONN_REQUEST,
    FI_VAR_CONN_ACCEPT,
    FI_VAR_CONN_REJECT,
    FI_VAR_OFI_MEM,
};

enum {
    FI_EVENT_UNEXP_MSG_RECVD,
    FI_EVENT_UNEXP_MSG_MATCHED,
};

/* One variable or event. Strings are the provider's, valid while the profile object is open. */
struct fi_profile_desc {
    uint32_t id;
    enum fi_profile_type datatype_sel;
    union {
        enum fi_datatype primitive;
        enum fi_type defined;
    } datatype;
    uint64_t flags;
    size_t size; /* bytes of the value */
    const char* name;
    const char* desc;
};

struct fid_profile;

/*
 * query_* with a NULL list only set *count; else *count is the room on entry and the number written on
 * return. An unknown id gives -FI_EINVAL. Reads between start_reads and end_reads are one snapshot. A
 * callback runs inside the provider: it may read variables and nothing else.
 */
struct fi_profile_ops {
    size_t size;
    void (*reset)(struct fid_profile* prof_fid, uint64_t flags);
    ssize_t (*query_vars)(struct fid_profile* prof_fid, struct fi_profile_desc* varlist, size_t* count);
    ssize_t (*query_events)(struct fid_profile* prof_fid, struct fi_profile_desc* eventlist, size_t* count);
    ssize_t (*read_var)(struct fid_profile* prof_fid, uint32_t var_id, void* data, size_t* size);
    int (*reg_callback)(struct fid_profile* prof_fid, uint32_t event_id,
                        int (*callback)(struct fid_profile* prof_fid, struct fi_profile_desc* event,
                                        void* param, size_t size, void* context),
                        void* context);
    void (*start_reads)(struct fid_profile* prof_fid, uint64_t flags);
    void (*end_reads)(struct fid_profile* prof_fid, uint64_t flags);
};

struct fid_profile {
    struct fid fid;
    struct fi_profile_ops* ops;
};

#ifdef __cplusplus
}
#endif

#include <rdma/inline/profile.h>

#endif
