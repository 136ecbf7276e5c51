/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The entrance: what every application includes first. It asks fi_getinfo what there is, opens a fabric from
 * an answer, and from there every object opens the next. Unless stated, calls return 0 or a negative fi_errno
 * value, and write their outputs only on success.
 *
 * base/ holds the parts of this header: flags, the common object, struct fi_info.
 */
#ifndef FABRIC_H
#define FABRIC_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#include <rdma/base/compiler.h>
#include <rdma/base/flags.h>
#include <rdma/base/info.h>
#include <rdma/base/object.h>
#include <rdma/fi_errno.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the API that these headers describe. */
#define FI_MAJOR_VERSION 2
#define FI_MINOR_VERSION 6
#define FI_REVISION_VERSION 0

/* A version in 32 bits: major above, minor below; comparable as a number. */
#define FI_VERSION(major, minor) ((uint32_t)(((major) << 16) | (minor)))
#define FI_MAJOR(version) ((version) >> 16)
#define FI_MINOR(version) ((version)&0xFFFF)
#define FI_VERSION_GE(v1, v2) ((v1) >= (v2))
#define FI_VERSION_LT(v1, v2) ((v1) < (v2))

struct fid_ep;
struct fid_eq;
struct fid_pep;
struct fid_wait;
struct fi_eq_attr;
struct fi_wait_attr;

/* The version of the library that runs, which may be newer than these headers. */
uint32_t fi_version(void);

/*
 * Lists what can be opened, fastest first. version: FI_VERSION that the application is written for, the
 * library behaves accordingly. node and service name the peer, or this side with FI_SOURCE; each, and hints,
 * may be NULL. flags: FI_NUMERICHOST, FI_SOURCE, FI_PROV_ATTR_ONLY, FI_RESCAN. Thread safe.
 * The list is freed by fi_freeinfo. -FI_ENODATA: nothing fits (*info is NULL then); -FI_ENOSYS: version is
 * newer than the library. fi_getinfo(3)
 */
int fi_getinfo(uint32_t version, const char* node, const char* service, uint64_t flags,
               const struct fi_info* hints, struct fi_info** info);
/* Frees a list from fi_getinfo, a copy, or the info of an FI_CONNREQ event; not what handle refers to. */
void fi_freeinfo(struct fi_info* info);
/* Copies one entry with all its blocks; NULL makes an empty one. NULL when memory is short. */
struct fi_info* fi_dupinfo(const struct fi_info* info);

/* An empty entry with its five blocks, to be filled as hints; NULL when memory is short. */
static inline struct fi_info* fi_allocinfo(void)
{
    return fi_dupinfo(NULL);
}

/*
 * Opens the fabric that an answer of fi_getinfo names. The provider is the last part of attr->prov_name.
 * -FI_EINVAL: attr or one of its names missing; -FI_ENODEV: no such provider. fi_fabric(3)
 */
int fi_fabric(struct fi_fabric_attr* attr, struct fid_fabric** fabric, void* context);
/* The same from a whole entry; flags must be 0. */
int fi_fabric2(struct fi_info* info, struct fid_fabric** fabric, uint64_t flags, void* context);

/*
 * Opens an object of the library itself: "logging" or "mr_cache", attr NULL with attr_len 0, flags 0.
 * -FI_ENOSYS: no such name. fi_provider(3)
 */
int fi_open(uint32_t version, const char* name, void* attr, size_t attr_len, uint64_t flags, struct fid** fid,
            void* context);

struct fi_ops_fabric {
    size_t size;
    int (*domain)(struct fid_fabric* fabric, struct fi_info* info, struct fid_domain** dom, void* context);
    int (*passive_ep)(struct fid_fabric* fabric, struct fi_info* info, struct fid_pep** pep, void* context);
    int (*eq_open)(struct fid_fabric* fabric, struct fi_eq_attr* attr, struct fid_eq** eq, void* context);
    int (*wait_open)(struct fid_fabric* fabric, struct fi_wait_attr* attr, struct fid_wait** waitset);
    int (*trywait)(struct fid_fabric* fabric, struct fid** fids, int count);
    int (*domain2)(struct fid_fabric* fabric, struct fi_info* info, struct fid_domain** dom, uint64_t flags,
                   void* context);
};

struct fid_fabric {
    struct fid fid;
    struct fi_ops_fabric* ops;
    uint32_t api_version; /* what the application asked for in fi_getinfo */
};

/* The device behind an answer. Text and numbers that are not known are NULL and 0. fi_nic(3) */
struct fi_device_attr {
    char* name;
    char* device_id;
    char* device_version;
    char* vendor_id;
    char* driver;
    char* firmware;
};

enum fi_bus_type {
    FI_BUS_UNSPEC,
    FI_BUS_UNKNOWN = FI_BUS_UNSPEC,
    FI_BUS_PCI,
};

struct fi_pci_attr {
    uint16_t domain_id;
    uint8_t bus_id;
    uint8_t device_id;
    uint8_t function_id;
};

struct fi_bus_attr {
    enum fi_bus_type bus_type;
    union {
        struct fi_pci_attr pci; /* FI_BUS_PCI */
    } attr;
};

enum fi_link_state {
    FI_LINK_UNKNOWN,
    FI_LINK_DOWN,
    FI_LINK_UP,
};

struct fi_link_attr {
    char* address;
    size_t mtu;   /* bytes */
    size_t speed; /* bits per second */
    enum fi_link_state state;
    char* network_type; /* "Ethernet", "InfiniBand" ... */
};

struct fid_nic {
    struct fid fid;
    struct fi_device_attr* device_attr;
    struct fi_bus_attr* bus_attr;
    struct fi_link_attr* link_attr;
    void* prov_attr; /* the provider's own */
};

/* What fi_tostr prints. data points to a value of the type in brackets. */
enum fi_type {
    FI_TYPE_INFO,           /* struct fi_info */
    FI_TYPE_EP_TYPE,        /* enum fi_ep_type */
    FI_TYPE_CAPS,           /* uint64_t */
    FI_TYPE_OP_FLAGS,       /* uint64_t */
    FI_TYPE_ADDR_FORMAT,    /* uint32_t */
    FI_TYPE_TX_ATTR,        /* struct fi_tx_attr */
    FI_TYPE_RX_ATTR,        /* struct fi_rx_attr */
    FI_TYPE_EP_ATTR,        /* struct fi_ep_attr */
    FI_TYPE_DOMAIN_ATTR,    /* struct fi_domain_attr */
    FI_TYPE_FABRIC_ATTR,    /* struct fi_fabric_attr */
    FI_TYPE_THREADING,      /* enum fi_threading */
    FI_TYPE_PROGRESS,       /* enum fi_progress */
    FI_TYPE_PROTOCOL,       /* uint32_t */
    FI_TYPE_MSG_ORDER,      /* uint64_t */
    FI_TYPE_MODE,           /* uint64_t */
    FI_TYPE_AV_TYPE,        /* enum fi_av_type */
    FI_TYPE_ATOMIC_TYPE,    /* enum fi_datatype */
    FI_TYPE_ATOMIC_OP,      /* enum fi_op */
    FI_TYPE_VERSION,        /* the library's version; data is not read */
    FI_TYPE_EQ_EVENT,       /* int */
    FI_TYPE_CQ_EVENT_FLAGS, /* uint64_t */
    FI_TYPE_MR_MODE,        /* int */
    FI_TYPE_OP_TYPE,        /* enum fi_op_type */
    FI_TYPE_FID,            /* struct fid */
    FI_TYPE_COLLECTIVE_OP,  /* enum fi_collective_op */
    FI_TYPE_HMEM_IFACE,     /* enum fi_hmem_iface */
    FI_TYPE_CQ_FORMAT,      /* enum fi_cq_format */
    FI_TYPE_LOG_LEVEL,      /* enum fi_log_level */
    FI_TYPE_LOG_SUBSYS,     /* enum fi_log_subsys */
    FI_TYPE_AV_ATTR,        /* struct fi_av_attr */
    FI_TYPE_CQ_ATTR,        /* struct fi_cq_attr */
    FI_TYPE_MR_ATTR,        /* struct fi_mr_attr */
    FI_TYPE_CNTR_ATTR,      /* struct fi_cntr_attr */
    FI_TYPE_CQ_ERR_ENTRY,   /* struct fi_cq_err_entry */
    FI_TYPE_CQ_WAIT_COND,   /* enum fi_cq_wait_cond */
    FI_TYPE_WAIT_OBJ,       /* enum fi_wait_obj */
};

/* Text for a value. The result is the library's and lives until the same thread's next call. fi_tostr(3) */
char* fi_tostr(const void* data, enum fi_type datatype);
/* The same into buf of len bytes, cut to fit; returns buf, or NULL without data, buf or len. Re-entrant. */
char* fi_tostr_r(char* buf, size_t len, const void* data, enum fi_type datatype);

enum fi_param_type {
    FI_PARAM_STRING,
    FI_PARAM_INT,
    FI_PARAM_BOOL,
    FI_PARAM_SIZE_T,
};

/* A variable that steers the library or a provider. */
struct fi_param {
    const char* name; /* as in the environment */
    enum fi_param_type type;
    const char* help_string;
    const char* value; /* NULL when not set */
};

/* All defined variables: *count of them, then an empty one. Freed by fi_freeparams. */
int fi_getparams(struct fi_param** params, int* count);
void fi_freeparams(struct fi_param* params);

#ifdef __cplusplus
}
#endif

/* A direct header knows its provider: it may bring contexts of its own, of the same size. fi_direct(7) */
#ifdef FABRIC_DIRECT
#include <rdma/fi_direct.h>
#endif

#ifndef FABRIC_DIRECT_

/*
 * Room that an application gives to the provider with each operation, in mode FI_CONTEXT or FI_CONTEXT2.
 * It is the provider's until the operation has completed.
 */
struct fi_context {
    void* internal[4];
};

struct fi_context2 {
    void* internal[8];
};

/* Names one receive: the endpoint or receive context, and the operation context of the post. */
struct fi_recv_context {
    struct fid_ep* ep;
    void* context;
};

#endif /* FABRIC_DIRECT_ */

#include <rdma/inline/fid.h>

#endif /* FABRIC_H */
