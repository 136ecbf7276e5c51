/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What every object of the API has in common. A handle is a C struct that starts with a struct fid: its
 * class, the application's context and the table of common operations. All that a caller can reach goes
 * through such tables; the provider keeps its own state behind the handle.
 */
#ifndef FI_BASE_OBJECT_H
#define FI_BASE_OBJECT_H

#include <stddef.h>
#include <stdint.h>

#include <rdma/base/compiler.h>

#ifdef __cplusplus
extern "C" {
#endif

struct fid;
typedef struct fid* fid_t;

/* fid.fclass */
enum {
    FI_CLASS_UNSPEC,
    FI_CLASS_FABRIC,
    FI_CLASS_DOMAIN,
    FI_CLASS_EP,
    FI_CLASS_SEP, /* scalable endpoint */
    FI_CLASS_RX_CTX,
    FI_CLASS_SRX_CTX, /* shared receive context */
    FI_CLASS_TX_CTX,
    FI_CLASS_STX_CTX, /* shared transmit context */
    FI_CLASS_PEP,     /* passive (listening) endpoint */
    FI_CLASS_INTERFACE,
    FI_CLASS_AV,
    FI_CLASS_MR,
    FI_CLASS_EQ,
    FI_CLASS_CQ,
    FI_CLASS_CNTR,
    FI_CLASS_WAIT,
    FI_CLASS_POLL,
    FI_CLASS_CONNREQ, /* a connection request: fi_info.handle of an FI_CONNREQ event */
    FI_CLASS_MC,      /* membership of a multicast or collective group */
    FI_CLASS_NIC,
    FI_CLASS_AV_SET,
    FI_CLASS_MR_CACHE,
    FI_CLASS_MEM_MONITOR,
    FI_CLASS_PEER_CQ,
    FI_CLASS_PEER_SRX,
    FI_CLASS_LOG,
    FI_CLASS_PEER_AV,
    FI_CLASS_PEER_AV_SET,
    FI_CLASS_PEER_CNTR,
    FI_CLASS_PROFILE,
};

/*
 * Common operations. size is that of the table as its provider knew it. close, bind, control and ops_open
 * are always present; tostr and ops_set came later: FI_CHECK_OP.
 */
struct fi_ops {
    size_t size;
    int (*close)(struct fid* fid);
    int (*bind)(struct fid* fid, struct fid* bfid, uint64_t flags);
    int (*control)(struct fid* fid, int command, void* arg);
    int (*ops_open)(struct fid* fid, const char* name, uint64_t flags, void** ops, void* context);
    int (*tostr)(const struct fid* fid, char* buf, size_t len);
    int (*ops_set)(struct fid* fid, const char* name, uint64_t flags, void* ops, void* context);
};

struct fid {
    size_t fclass; /* FI_CLASS_* */
    void* context; /* given at open, comes back in events about the object */
    struct fi_ops* ops;
};

/* Commands of fi_control, with the type arg points to. An object that does not know one refuses it. */
enum {
    FI_GETFIDFLAG,  /* uint64_t: flags of the object */
    FI_SETFIDFLAG,  /* uint64_t */
    FI_GETOPSFLAG,  /* uint64_t: in FI_TRANSMIT or FI_RECV, out the default operation flags of that side */
    FI_SETOPSFLAG,  /* uint64_t: FI_TRANSMIT or FI_RECV with the new default operation flags */
    FI_ALIAS,       /* struct fi_alias */
    FI_GETWAIT,     /* the wait object in its own type: int, struct fi_mutex_cond, struct fi_wait_pollfd */
    FI_ENABLE,      /* NULL */
    FI_BACKLOG,     /* int: pending requests of a passive endpoint */
    FI_GET_RAW_MR,  /* struct fi_mr_raw_attr */
    FI_MAP_RAW_MR,  /* struct fi_mr_map_raw */
    FI_UNMAP_KEY,   /* uint64_t: key made by FI_MAP_RAW_MR */
    FI_QUEUE_WORK,  /* struct fi_deferred_work */
    FI_CANCEL_WORK, /* struct fi_deferred_work */
    FI_FLUSH_WORK,  /* NULL: drops all work of the domain; else that of one counter */
    FI_REFRESH,     /* struct fi_mr_modify */
    FI_DUP,         /* out, pointer to the object's type: a copy (fid_nic) */
    FI_GETWAITOBJ,  /* enum fi_wait_obj */
    FI_GET_VAL,     /* struct fi_fid_var */
    FI_SET_VAL,     /* struct fi_fid_var */
    FI_EXPORT_FID,  /* struct fi_fid_export */
    FI_GET_FD,      /* int: the socket below a connected endpoint */
};

struct fi_alias {
    struct fid** fid; /* out: the alias */
    uint64_t flags;
};

struct fi_fid_var {
    int name;
    void* val; /* type by name */
};

/* base_addr, raw_key (of *key_size bytes) and key_size are outputs; -FI_ETOOSMALL writes the size needed. */
struct fi_mr_raw_attr {
    uint64_t flags; /* 0 */
    uint64_t* base_addr;
    uint8_t* raw_key;
    size_t* key_size;
};

struct fi_mr_map_raw {
    uint64_t flags; /* 0 */
    uint64_t base_addr;
    uint8_t* raw_key;
    size_t key_size; /* bytes */
    uint64_t* key;   /* out: what RMA calls take; released by FI_UNMAP_KEY before the domain closes */
};

#ifdef __cplusplus
}
#endif

#endif /* FI_BASE_OBJECT_H */
