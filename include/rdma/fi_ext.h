/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Extensions: options of single providers, objects shared between libraries (fi_export_fid, fi_import_fid),
 * and what an application may put in place of the library's log and memory monitor. See fi_provider(3),
 * fi_mr(3).
 */
#ifndef FI_EXT_H
#define FI_EXT_H

#include <stdbool.h>

#include <rdma/fabric.h>
#include <rdma/providers/fi_log.h>
#include <rdma/providers/fi_prov.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Number spaces of provider options: they count up from the negative, and never meet FI_OPT_* of the API. */
#define FI_PROV_SPECIFIC_EFA (0xefa << 16)
#define FI_PROV_SPECIFIC_TCP (0x7cb << 16)

/* fi_setopt and fi_getopt names of the efa provider. */
enum {
    FI_OPT_EFA_RNR_RETRY = -FI_PROV_SPECIFIC_EFA,
    FI_OPT_EFA_EMULATED_READ,
    FI_OPT_EFA_EMULATED_WRITE,
    FI_OPT_EFA_EMULATED_ATOMICS,
    FI_OPT_EFA_USE_DEVICE_RDMA,
    FI_OPT_EFA_SENDRECV_IN_ORDER_ALIGNED_128_BYTES,
    FI_OPT_EFA_WRITE_IN_ORDER_ALIGNED_128_BYTES,
    FI_OPT_EFA_HOMOGENEOUS_PEERS,
    FI_OPT_EFA_USE_UNSOLICITED_WRITE_RECV,
};

/* Argument of fi_control FI_EXPORT_FID: *fid receives the exported object. */
struct fi_fid_export {
    struct fid** fid;
    uint64_t flags;
    void* context;
};

struct fid_mem_monitor;

/*
 * A memory monitor that the application brings (fi_import of "mr_cache"): the library calls start,
 * subscribe, valid; the application calls notify, through the import_ops that the library filled in, when a
 * subscribed range has changed.
 */
struct fi_ops_mem_monitor {
    size_t size;
    int (*start)(struct fid_mem_monitor* monitor);
    void (*stop)(struct fid_mem_monitor* monitor);
    int (*subscribe)(struct fid_mem_monitor* monitor, const void* addr, size_t len);
    void (*unsubscribe)(struct fid_mem_monitor* monitor, const void* addr, size_t len);
    bool (*valid)(struct fid_mem_monitor* monitor, const void* addr, size_t len);
};

struct fi_ops_mem_notify {
    size_t size;
    void (*notify)(struct fid_mem_monitor* monitor, const void* addr, size_t len);
};

struct fid_mem_monitor {
    struct fid fid;
    struct fi_ops_mem_monitor* export_ops; /* the application's */
    struct fi_ops_mem_notify* import_ops;  /* the library's, set by the import */
};

/* Set in the flags of the log operations when FI_LOG_PROV filters the provider out. */
#define FI_LOG_PROV_FILTERED (1ULL << 0)

/*
 * A log that takes the library's place (fi_import_log). enabled and ready answer 1 or 0; msg is one
 * formatted line. A NULL slot keeps the library's own behaviour. Any thread may call, several at once.
 * Closing the imported fid restores the default.
 */
struct fi_ops_log {
    size_t size;
    int (*enabled)(const struct fi_provider* prov, enum fi_log_level level, enum fi_log_subsys subsys,
                   uint64_t flags);
    int (*ready)(const struct fi_provider* prov, enum fi_log_level level, enum fi_log_subsys subsys,
                 uint64_t flags, uint64_t* showtime);
    void (*log)(const struct fi_provider* prov, enum fi_log_level level, enum fi_log_subsys subsys,
                const char* func, int line, const char* msg);
};

struct fid_logging {
    struct fid fid;
    struct fi_ops_log* ops;
};

#ifdef __cplusplus
}
#endif

#include <rdma/inline/ext.h>

#endif
