/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The domain: one device port with its resources. It opens endpoints, queues and counters; this header also
 * has what belongs to it directly, address vectors (whom to talk to) and memory regions (what may be
 * touched).
 */
#ifndef FI_DOMAIN_H
#define FI_DOMAIN_H

#include <rdma/fabric.h>
#include <rdma/fi_eq.h>

#ifdef __cplusplus
extern "C" {
#endif

struct fid_av_set;
struct fid_stx;
struct fi_atomic_attr;
struct fi_collective_attr;

/*
 * Address vectors. fi_av(3)
 */

#define FI_SYMMETRIC (1ULL << 59) /* fi_av_attr: every node has the same services, in sequence */
#define FI_SYNC_ERR (1ULL << 58)  /* insertion: context is an int per address, out: 0 or its fi_errno */

struct fi_av_attr {
    enum fi_av_type type; /* out: the type chosen */
    int rx_ctx_bits;      /* upper bits of fi_addr_t that name a receive context */
    size_t count;         /* expected addresses, no limit */
    size_t ep_per_node;   /* 0: not known */
    const char* name;     /* shared under this name; NULL: private */
    void* map_addr;       /* where a named one is mapped; out: the value used */
    uint64_t flags;       /* FI_READ: an existing named one; FI_AV_USER_ID; FI_EVENT (deprecated) */
};

struct fid_av;
struct fi_av_set_attr;

/*
 * insert, insertsvc and insertsym give the number of addresses inserted; the fi_addr slots of the others
 * become FI_ADDR_NOTAVAIL. lookup and straddr cut to the buffer and write the full size in bytes. The slots
 * after straddr came later: FI_CHECK_OP.
 */
struct fi_ops_av {
    size_t size;
    int (*insert)(struct fid_av* av, const void* addr, size_t count, fi_addr_t* fi_addr, uint64_t flags,
                  void* context);
    int (*insertsvc)(struct fid_av* av, const char* node, const char* service, fi_addr_t* fi_addr,
                     uint64_t flags, void* context);
    int (*insertsym)(struct fid_av* av, const char* node, size_t nodecnt, const char* service, size_t svccnt,
                     fi_addr_t* fi_addr, uint64_t flags, void* context);
    int (*remove)(struct fid_av* av, fi_addr_t* fi_addr, size_t count, uint64_t flags);
    int (*lookup)(struct fid_av* av, fi_addr_t fi_addr, void* addr, size_t* addrlen);
    const char* (*straddr)(struct fid_av* av, const void* addr, char* buf, size_t* len);
    int (*av_set)(struct fid_av* av, struct fi_av_set_attr* attr, struct fid_av_set** av_set, void* context);
    int (*insert_auth_key)(struct fid_av* av, const void* auth_key, size_t auth_key_size, fi_addr_t* fi_addr,
                           uint64_t flags);
    int (*lookup_auth_key)(struct fid_av* av, fi_addr_t fi_addr, void* auth_key, size_t* auth_key_size);
    int (*set_user_id)(struct fid_av* av, fi_addr_t fi_addr, fi_addr_t user_id, uint64_t flags);
};

struct fid_av {
    struct fid fid;
    struct fi_ops_av* ops;
};

/* fi_addr aimed at receive context rx_index; rx_ctx_bits (1 to 63) as in fi_av_attr. */
static inline fi_addr_t fi_rx_addr(fi_addr_t fi_addr, int rx_index, int rx_ctx_bits)
{
    return (fi_addr_t)(((uint64_t)rx_index << (64 - rx_ctx_bits)) | fi_addr);
}

/* fi_addr within a group: only receives of the same group match. group_id up to max_group_id. */
static inline fi_addr_t fi_group_addr(fi_addr_t fi_addr, uint32_t group_id)
{
    return (fi_addr_t)(((uint64_t)group_id << 32) | fi_addr);
}

/* An ordered part of an AV for collectives. fi_av_set(3) */
struct fi_av_set_attr {
    size_t count;         /* members at most; 0: the provider's choice */
    fi_addr_t start_addr; /* start, end and stride pick members of an FI_AV_TABLE; end is included */
    fi_addr_t end_addr;
    uint64_t stride;
    size_t comm_key_size; /* bytes */
    uint8_t* comm_key;
    uint64_t flags; /* FI_UNIVERSE, *_SET */
};

#define FI_UNIVERSE (1ULL << 57) /* all addresses of the AV */

/* The collectives that a set is made for; none given means all supported. */
#define FI_BARRIER_SET (1ULL << 40)
#define FI_BROADCAST_SET (1ULL << 41)
#define FI_ALLTOALL_SET (1ULL << 42)
#define FI_ALLREDUCE_SET (1ULL << 43)
#define FI_ALLGATHER_SET (1ULL << 44)
#define FI_REDUCE_SCATTER_SET (1ULL << 45)
#define FI_REDUCE_SET (1ULL << 46)
#define FI_SCATTER_SET (1ULL << 47)
#define FI_GATHER_SET (1ULL << 48)

/*
 * Memory regions. fi_mr(3)
 */

/* Where a buffer lies. */
enum fi_hmem_iface {
    FI_HMEM_SYSTEM, /* host memory */
    FI_HMEM_CUDA,
    FI_HMEM_ROCR,
    FI_HMEM_ZE,
    FI_HMEM_NEURON,
    FI_HMEM_SYNAPSEAI,
};

/* fi_mr_attr.device.ze of one device of one driver. */
static inline int fi_hmem_ze_device(int driver_index, int device_index)
{
    return (driver_index << 16) | device_index;
}

/* Flags of registration; those about device memory need a domain with FI_HMEM. */
#define FI_MR_DMABUF (1ULL << 40)        /* the memory is fi_mr_attr.dmabuf */
#define FI_MR_SINGLE_USE (1ULL << 41)    /* the key dies with its first remote use */
#define FI_HMEM_HOST_ALLOC (1ULL << 45)  /* host memory from the device's allocator */
#define FI_HMEM_DEVICE_ONLY (1ULL << 46) /* the CPU has no access */

/* fi_domain_bind: registration ends in FI_MR_COMPLETE. */
#define FI_REG_MR FI_DEPRECATED_CONST("FI_REG_MR is old: registration is synchronous", (1ULL << 59))

struct fi_mr_dmabuf {
    int fd;
    uint64_t offset; /* bytes from the start of the dma-buf */
    size_t len;      /* bytes */
    void* base_addr; /* where the dma-buf is mapped, or NULL */
};

/* What auth_key points to in a domain with FI_AV_AUTH_KEY. */
struct fi_mr_auth_key {
    struct fid_av* av;
    fi_addr_t src_addr; /* from fi_av_insert_auth_key, or an address of that AV */
};

struct fi_mr_attr {
    __extension__ union {
        const struct iovec* mr_iov;
        const struct fi_mr_dmabuf* dmabuf; /* FI_MR_DMABUF */
    };
    size_t iov_count;       /* up to mr_iov_limit */
    uint64_t access;        /* FI_SEND, FI_RECV, FI_READ, FI_WRITE, FI_REMOTE_*, FI_COLLECTIVE */
    uint64_t offset;        /* 0 */
    uint64_t requested_key; /* without FI_MR_PROV_KEY; -FI_ENOKEY in use, -FI_EKEYREJECTED not possible */
    void* context;
    size_t auth_key_size; /* bytes; 0: the domain's */
    uint8_t* auth_key;
    enum fi_hmem_iface iface; /* read with FI_HMEM */
    union {
        uint64_t reserved;
        int cuda;
        int ze;
        int neuron;
        int synapseai;
        int rocr;
    } device;
    void* hmem_data;              /* NULL */
    size_t page_size;             /* bytes, a hint; 0: any */
    const struct fid_mr* base_mr; /* register a part of this region */
    size_t sub_mr_cnt;            /* parts expected, a hint */
};

struct fi_mr_modify {
    uint64_t flags;
    struct fi_mr_attr attr; /* mr_iov and iov_count: the ranges that changed */
};

struct fid_mr {
    struct fid fid;
    void* mem_desc;
    uint64_t key;
};

/* What local operations pass as desc. */
static inline void* fi_mr_desc(struct fid_mr* mr)
{
    return mr->mem_desc;
}

/* What peers pass as key; FI_KEY_NOTAVAIL while there is none, or with a raw key. */
static inline uint64_t fi_mr_key(struct fid_mr* mr)
{
    return mr->key;
}

struct fi_ops_mr {
    size_t size;
    int (*reg)(struct fid* fid, const void* buf, size_t len, uint64_t access, uint64_t offset,
               uint64_t requested_key, uint64_t flags, struct fid_mr** mr, void* context);
    int (*regv)(struct fid* fid, const struct iovec* iov, size_t count, uint64_t access, uint64_t offset,
                uint64_t requested_key, uint64_t flags, struct fid_mr** mr, void* context);
    int (*regattr)(struct fid* fid, const struct fi_mr_attr* attr, uint64_t flags, struct fid_mr** mr);
};

/* fi_set_ops on a domain: how objects opened later copy device memory. Bytes copied, or a negative error. */
#define FI_SET_OPS_HMEM_OVERRIDE "hmem_override_ops"

struct fi_hmem_override_ops {
    size_t size;
    ssize_t (*copy_from_hmem_iov)(void* dest, size_t size, enum fi_hmem_iface iface, uint64_t device,
                                  const struct iovec* hmem_iov, size_t hmem_iov_count,
                                  uint64_t hmem_iov_offset);
    ssize_t (*copy_to_hmem_iov)(enum fi_hmem_iface iface, uint64_t device, const struct iovec* hmem_iov,
                                size_t hmem_iov_count, uint64_t hmem_iov_offset, const void* src,
                                size_t size);
};

/*
 * Types and operations of atomics and collectives; fi_atomic(3), fi_collective(3). A direct build may bring
 * its own.
 */

#ifdef FABRIC_DIRECT
#include <rdma/fi_direct_atomic_def.h>
#endif

#ifndef FABRIC_DIRECT_ATOMIC_DEF

#define FI_COLLECTIVE_OFFSET 256 /* values from here on are for collectives only */

enum fi_datatype {
    FI_INT8,
    FI_UINT8,
    FI_INT16,
    FI_UINT16,
    FI_INT32,
    FI_UINT32,
    FI_INT64,
    FI_UINT64,
    FI_FLOAT,
    FI_DOUBLE,
    FI_FLOAT_COMPLEX,
    FI_DOUBLE_COMPLEX,
    FI_LONG_DOUBLE,
    FI_LONG_DOUBLE_COMPLEX,
    FI_INT128,
    FI_UINT128,
    FI_FLOAT16,
    FI_BFLOAT16,
    FI_FLOAT8_E4M3,
    FI_FLOAT8_E5M2,
    FI_VOID = FI_COLLECTIVE_OFFSET,
};

/* t: target, o: operand, c: compare. The result, if asked for, is t from before. */
enum fi_op {
    FI_MIN,          /* t = o if o < t */
    FI_MAX,          /* t = o if o > t */
    FI_SUM,          /* t = t + o */
    FI_PROD,         /* t = t * o */
    FI_LOR,          /* t = t || o */
    FI_LAND,         /* t = t && o */
    FI_BOR,          /* t = t | o */
    FI_BAND,         /* t = t & o */
    FI_LXOR,         /* t = !t != !o */
    FI_BXOR,         /* t = t ^ o */
    FI_ATOMIC_READ,  /* fetch only; o is not read */
    FI_ATOMIC_WRITE, /* t = o */
    FI_CSWAP,        /* t = o if c == t */
    FI_CSWAP_NE,     /* t = o if c != t */
    FI_CSWAP_LE,     /* t = o if c <= t */
    FI_CSWAP_LT,     /* t = o if c < t */
    FI_CSWAP_GE,     /* t = o if c >= t */
    FI_CSWAP_GT,     /* t = o if c > t */
    FI_MSWAP,        /* t = (o & c) | (t & ~c) */
    FI_DIFF,         /* t = t - o */
    FI_NOOP = FI_COLLECTIVE_OFFSET,
};

#endif /* FABRIC_DIRECT_ATOMIC_DEF */

#ifdef FABRIC_DIRECT
#include <rdma/fi_direct_collective_def.h>
#endif

#ifndef FABRIC_DIRECT_COLLECTIVE_DEF

enum fi_collective_op {
    FI_BARRIER,
    FI_BROADCAST,
    FI_ALLTOALL,
    FI_ALLREDUCE,
    FI_ALLGATHER,
    FI_REDUCE_SCATTER,
    FI_REDUCE,
    FI_SCATTER,
    FI_GATHER,
};

#endif /* FABRIC_DIRECT_COLLECTIVE_DEF */

/*
 * The domain itself. fi_domain(3)
 */

struct fi_ops_domain {
    size_t size;
    int (*av_open)(struct fid_domain* domain, struct fi_av_attr* attr, struct fid_av** av, void* context);
    int (*cq_open)(struct fid_domain* domain, struct fi_cq_attr* attr, struct fid_cq** cq, void* context);
    int (*endpoint)(struct fid_domain* domain, struct fi_info* info, struct fid_ep** ep, void* context);
    int (*scalable_ep)(struct fid_domain* domain, struct fi_info* info, struct fid_ep** sep, void* context);
    int (*cntr_open)(struct fid_domain* domain, struct fi_cntr_attr* attr, struct fid_cntr** cntr,
                     void* context);
    int (*poll_open)(struct fid_domain* domain, struct fi_poll_attr* attr, struct fid_poll** pollset);
    int (*stx_ctx)(struct fid_domain* domain, struct fi_tx_attr* attr, struct fid_stx** stx, void* context);
    int (*srx_ctx)(struct fid_domain* domain, struct fi_rx_attr* attr, struct fid_ep** rx_ep, void* context);
    int (*query_atomic)(struct fid_domain* domain, enum fi_datatype datatype, enum fi_op op,
                        struct fi_atomic_attr* attr, uint64_t flags);
    int (*query_collective)(struct fid_domain* domain, enum fi_collective_op coll,
                            struct fi_collective_attr* attr, uint64_t flags);
    int (*endpoint2)(struct fid_domain* domain, struct fi_info* info, struct fid_ep** ep, uint64_t flags,
                     void* context);
};

struct fid_domain {
    struct fid fid;
    struct fi_ops_domain* ops;
    struct fi_ops_mr* mr;
};

#ifdef __cplusplus
}
#endif

#ifdef FABRIC_DIRECT
#include <rdma/fi_direct_domain.h>
#endif

#ifndef FABRIC_DIRECT_DOMAIN
#include <rdma/inline/av.h>
#include <rdma/inline/domain.h>
#include <rdma/inline/fabric.h>
#include <rdma/inline/mr.h>
#endif

#endif /* FI_DOMAIN_H */
