/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * struct fi_info and its blocks: the form that fi_getinfo(3) takes as hints and answers as results.
 * As hints, 0 or NULL means "any" except for mode bits, sizes and counts are minima, the rest must be met
 * exactly. As results, they say what the object opened from them will do.
 * Blocks grow at their end: allocate with fi_allocinfo or fi_dupinfo only. Fields newer than the API version
 * that an application passes to fi_getinfo are not read.
 */
#ifndef FI_BASE_INFO_H
#define FI_BASE_INFO_H

#include <stddef.h>
#include <stdint.h>

#include <rdma/base/object.h>

#ifdef __cplusplus
extern "C" {
#endif

struct fid_fabric;
struct fid_domain;
struct fid_nic;

/* A peer as operations name it: the result of fi_av_insert, meaningful in that AV only. */
typedef uint64_t fi_addr_t;

#define FI_ADDR_UNSPEC ((uint64_t)-1)   /* receive from anybody */
#define FI_ADDR_NOTAVAIL ((uint64_t)-1) /* nobody, or not known */
#define FI_KEY_NOTAVAIL ((uint64_t)-1)  /* no key yet, or one that does not fit 64 bits */

/* Elements of one type, for atomics. */
struct fi_ioc {
    void* addr;
    size_t count; /* elements, not bytes */
};

#define FI_SHARED_CONTEXT SIZE_MAX /* ep_attr.tx_ctx_cnt, rx_ctx_cnt: use a shared context */
#define FI_AV_AUTH_KEY SIZE_MAX    /* domain_attr.auth_key_size: keys come from the AV */

enum {
    FI_NAME_MAX = 64, /* bytes, with the final zero */
    /* Frozen at what 1.x had; loops over enum fi_op and enum fi_datatype must not rely on them. */
    FI_ATOMIC_OP_LAST = 19,
    FI_DATATYPE_LAST = 14,
};

/* fi_info.addr_format: the form of addresses in fi_info, fi_av_insert, fi_getname ... */
enum {
    FI_FORMAT_UNSPEC, /* the provider's own, opaque */
    FI_SOCKADDR,      /* struct sockaddr, by sa_family */
    FI_SOCKADDR_IN,
    FI_SOCKADDR_IN6,
    FI_SOCKADDR_IB,
    FI_ADDR_PSMX,
    FI_ADDR_GNI,
    FI_ADDR_BGQ,
    FI_ADDR_MLX,
    FI_ADDR_STR, /* text: format://node:service/field?key=value */
    FI_ADDR_PSMX2,
    FI_ADDR_IB_UD,
    FI_ADDR_EFA,
    FI_ADDR_PSMX3,
    FI_ADDR_OPX,
    FI_ADDR_CXI,
    FI_ADDR_UCX,
    FI_SOCKADDR_IP, /* struct sockaddr, IPv4 or IPv6 and nothing else */
};

enum fi_ep_type {
    FI_EP_UNSPEC,
    FI_EP_MSG,   /* connected, reliable, keeps message boundaries */
    FI_EP_DGRAM, /* unconnected, unreliable */
    FI_EP_RDM,   /* unconnected, reliable */
};
#define FI_EP_SOCK_STREAM FI_EP_UNSPEC /* dropped; asks for nothing */

/* ep_attr.protocol: endpoints talk to each other only with the same one. Bit 31: private to a provider. */
enum {
    FI_PROTO_UNSPEC,
    FI_PROTO_RDMA_CM_IB_RC,
    FI_PROTO_IWARP,
    FI_PROTO_IB_UD,
    FI_PROTO_PSMX,
    FI_PROTO_UDP,
    FI_PROTO_SOCK_TCP,
    FI_PROTO_MXM,
    FI_PROTO_IWARP_RDM,
    FI_PROTO_IB_RDM,
    FI_PROTO_GNI,
    FI_PROTO_RXM,
    FI_PROTO_RXD,
    FI_PROTO_MLX,
    FI_PROTO_NETWORKDIRECT,
    FI_PROTO_PSMX2,
    FI_PROTO_SHM,
    FI_PROTO_MRAIL,
    FI_PROTO_RSTREAM,
    FI_PROTO_RDMA_CM_IB_XRC,
    FI_PROTO_EFA,
    FI_PROTO_PSMX3,
    FI_PROTO_RXM_TCP,
    FI_PROTO_OPX,
    FI_PROTO_CXI,
    FI_PROTO_XNET,
    FI_PROTO_COLL,
    FI_PROTO_UCX,
    FI_PROTO_SM2,
    FI_PROTO_CXI_RNR,
    FI_PROTO_LPP,
    FI_PROTO_LNX,
};

/* ep_attr.mem_tag_format: how tags are used. From FI_TAG_MAX_FORMAT on, the value is a mask of bit fields. */
enum {
    FI_TAG_BITS, /* 64 bits, any ignore mask */
    FI_TAG_MPI,  /* 32-bit tag and 8-bit payload id; ignore covers whole fields */
    FI_TAG_CCL,  /* one payload id, matched exactly */
    FI_TAG_MAX_FORMAT = 1 << 16,
};

/* tx_attr.tclass, domain_attr.tclass: a label, or a DSCP value (fi_tc_dscp_set). */
enum {
    FI_TC_UNSPEC,
    FI_TC_DSCP = 0x100,
    FI_TC_LABEL = 0x200,
    FI_TC_BEST_EFFORT = FI_TC_LABEL,
    FI_TC_LOW_LATENCY,
    FI_TC_DEDICATED_ACCESS,
    FI_TC_BULK_DATA,
    FI_TC_SCAVENGER,
    FI_TC_NETWORK_CTRL,
};

/* dscp: 0 to 63. */
static inline uint32_t fi_tc_dscp_set(uint8_t dscp)
{
    return (uint32_t)dscp | FI_TC_DSCP;
}

/* 0 for a class that is not a DSCP value. */
static inline uint8_t fi_tc_dscp_get(uint32_t tclass)
{
    return (uint8_t)((tclass & FI_TC_DSCP) ? (uint8_t)tclass : 0);
}

/* Who serializes calls. Control calls stay safe under all of them, see FI_PROGRESS_CONTROL_UNIFIED. */
enum fi_threading {
    FI_THREAD_UNSPEC,
    FI_THREAD_SAFE,       /* the library does */
    FI_THREAD_FID,        /* deprecated: the application, per object */
    FI_THREAD_DOMAIN,     /* the application, per domain */
    FI_THREAD_COMPLETION, /* the application, per group of objects joined by a CQ or counter */
    FI_THREAD_ENDPOINT,   /* deprecated: the application, per endpoint */
};

/* Who makes accepted operations go on. */
enum fi_progress {
    FI_PROGRESS_UNSPEC,
    FI_PROGRESS_AUTO,            /* the library, without further calls */
    FI_PROGRESS_MANUAL,          /* the application, by reading or waiting on the queue that will report */
    FI_PROGRESS_CONTROL_UNIFIED, /* as MANUAL, and control calls are serialized like data calls */
};

enum fi_resource_mgmt {
    FI_RM_UNSPEC,
    FI_RM_DISABLED, /* overrun of local queues is the application's fault, and fatal */
    FI_RM_ENABLED,  /* full queues answer -FI_EAGAIN, busy receivers are retried */
};

enum fi_av_type {
    FI_AV_UNSPEC,
    FI_AV_MAP,   /* deprecated: opaque fi_addr_t */
    FI_AV_TABLE, /* fi_addr_t counts up from 0 */
};

struct fi_tx_attr {
    uint64_t caps;        /* hints: 0 derives them from fi_info.caps */
    uint64_t mode;        /* hints: 0 takes fi_info.mode */
    uint64_t op_flags;    /* flags of calls that take none */
    uint64_t msg_order;   /* FI_ORDER_*, with the peer's receive side */
    uint64_t comp_order;  /* read for 1.x applications only; else 0 */
    size_t inject_size;   /* bytes, largest inject */
    size_t size;          /* operations, a guide for queue depth */
    size_t iov_limit;     /* local segments per operation */
    size_t rma_iov_limit; /* remote segments per operation, as initiator and as target */
    uint32_t tclass;      /* 0: the domain's */
};

struct fi_rx_attr {
    uint64_t caps;
    uint64_t mode;
    uint64_t op_flags;
    uint64_t msg_order;
    uint64_t comp_order;        /* read for 1.x applications only; else 0 */
    size_t total_buffered_recv; /* bytes; read for 1.x applications only; else 0 */
    size_t size;                /* posted receives, a guide for queue depth */
    size_t iov_limit;           /* segments per receive */
};

struct fi_ep_attr {
    enum fi_ep_type type;
    uint32_t protocol; /* FI_PROTO_* */
    uint32_t protocol_version;
    size_t max_msg_size;       /* bytes of one transfer */
    size_t msg_prefix_size;    /* bytes, a multiple of 8; 0 without FI_MSG_PREFIX */
    size_t max_order_raw_size; /* bytes up to which data keeps FI_ORDER_RAW; 0 none, -1 any size */
    size_t max_order_war_size;
    size_t max_order_waw_size;
    uint64_t mem_tag_format; /* FI_TAG_*, or a mask; bits the provider keeps are 0 */
    size_t tx_ctx_cnt;       /* transmit contexts; FI_SHARED_CONTEXT */
    size_t rx_ctx_cnt;
    size_t auth_key_size; /* bytes; 0: the domain's key */
    uint8_t* auth_key;
};

struct fi_domain_attr {
    struct fid_domain* domain; /* hints: only this open domain; results: an open one of that name or NULL */
    char* name;
    enum fi_threading threading;
    enum fi_progress control_progress; /* keeps its place; progress rules */
    __extension__ union {
        enum fi_progress data_progress; /* old name */
        enum fi_progress progress;
    };
    enum fi_resource_mgmt resource_mgmt;
    enum fi_av_type av_type;
    int mr_mode;         /* FI_MR_* */
    size_t mr_key_size;  /* bytes; above 8 with FI_MR_RAW only */
    size_t cq_data_size; /* bytes of remote CQ data: 0 or at least 4 */
    size_t cq_cnt;       /* counts say what works well, not what opens */
    size_t ep_cnt;
    size_t tx_ctx_cnt;
    size_t rx_ctx_cnt;
    size_t max_ep_tx_ctx; /* contexts of one scalable endpoint */
    size_t max_ep_rx_ctx;
    size_t max_ep_stx_ctx; /* endpoints on one shared context */
    size_t max_ep_srx_ctx;
    size_t cntr_cnt;
    size_t mr_iov_limit; /* segments of one registration */
    uint64_t caps;
    uint64_t mode;
    uint8_t* auth_key;    /* default of endpoints and regions */
    size_t auth_key_size; /* bytes, or FI_AV_AUTH_KEY with auth_key NULL */
    size_t max_err_data;  /* bytes of err_data in error entries */
    size_t mr_cnt;
    uint32_t tclass;
    size_t max_ep_auth_key;      /* keys of one connectionless endpoint */
    uint32_t max_group_id;       /* highest group of fi_group_addr; 0: no groups */
    uint64_t max_cntr_value;     /* 0 reads as UINT64_MAX */
    uint64_t max_err_cntr_value; /* 0 reads as UINT64_MAX */
};

struct fi_fabric_attr {
    struct fid_fabric* fabric; /* like fi_domain_attr.domain */
    char* name;
    char* prov_name; /* layered: lowest;...;top */
    uint32_t prov_version;
    uint32_t api_version; /* results: the version asked for */
};

struct fi_info {
    struct fi_info* next;
    uint64_t caps;
    uint64_t mode;
    uint32_t addr_format; /* FI_SOCKADDR* and FI_ADDR_* */
    size_t src_addrlen;   /* bytes */
    size_t dest_addrlen;
    void* src_addr;
    void* dest_addr;
    fid_t handle; /* a passive endpoint, or the request of an FI_CONNREQ event; not owned by the entry */
    struct fi_tx_attr* tx_attr;
    struct fi_rx_attr* rx_attr;
    struct fi_ep_attr* ep_attr;
    struct fi_domain_attr* domain_attr;
    struct fi_fabric_attr* fabric_attr;
    struct fid_nic* nic; /* the device below, if known; owned by the entry */
};

#ifdef __cplusplus
}
#endif

#endif /* FI_BASE_INFO_H */
