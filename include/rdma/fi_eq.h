/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where results arrive: completion queues (one entry per data operation), counters (one number for many of
 * them), event queues (connections, asynchronous control), and the wait objects with which a thread sleeps.
 */
#ifndef FI_EQ_H
#define FI_EQ_H

#include <poll.h>
#include <pthread.h>

#include <rdma/fabric.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a queue or counter lets an application sleep on; fi_control FI_GETWAIT hands it out. */
enum fi_wait_obj {
    FI_WAIT_NONE,       /* nothing: it is only polled */
    FI_WAIT_UNSPEC,     /* the provider's choice: only the library's blocking calls use it */
    FI_WAIT_SET,        /* deprecated: a wait set */
    FI_WAIT_FD,         /* int, for select, poll, epoll; fi_trywait before each sleep */
    FI_WAIT_MUTEX_COND, /* deprecated: struct fi_mutex_cond */
    FI_WAIT_YIELD,      /* blocking calls spin and yield */
    FI_WAIT_POLLFD,     /* struct fi_wait_pollfd */
};

/*
 * Completion queues. fi_cq(3)
 */

/* Layouts of an entry; each begins with the one before it. */
enum fi_cq_format {
    FI_CQ_FORMAT_UNSPEC,  /* the provider chooses, and writes its choice into fi_cq_attr */
    FI_CQ_FORMAT_CONTEXT, /* struct fi_cq_entry */
    FI_CQ_FORMAT_MSG,
    FI_CQ_FORMAT_DATA,
    FI_CQ_FORMAT_TAGGED,
};

struct fi_cq_entry {
    void* op_context; /* as given with the operation; NULL if none was posted for the event */
};

struct fi_cq_msg_entry {
    void* op_context;
    uint64_t flags; /* FI_SEND | FI_MSG and the like; FI_REMOTE_CQ_DATA; FI_MULTI_RECV: buffer released */
    size_t len;     /* bytes placed, on receives and on writes that carried data */
};

struct fi_cq_data_entry {
    void* op_context;
    uint64_t flags;
    size_t len;
    void* buf;     /* start of this message in a multi-receive buffer */
    uint64_t data; /* valid with FI_REMOTE_CQ_DATA */
};

struct fi_cq_tagged_entry {
    void* op_context;
    uint64_t flags;
    size_t len;
    void* buf;
    uint64_t data;
    uint64_t tag; /* the sender's, on tagged receives */
};

/* Fields that do not apply are 0 or NULL. */
struct fi_cq_err_entry {
    void* op_context;
    uint64_t flags;
    size_t len; /* bytes placed before the end of the buffer */
    void* buf;
    uint64_t data;
    uint64_t tag;
    size_t olen;    /* bytes that did not fit: FI_ETRUNC */
    int err;        /* positive: FI_ECANCELED, FI_ETRUNC ... */
    int prov_errno; /* for fi_cq_strerror */
    /* In: the caller's buffer. Size 0 on input or API before 1.5: out, library memory until the next read. */
    void* err_data;
    size_t err_data_size; /* bytes; out: copied */
    fi_addr_t src_addr;   /* since API 1.20; FI_ADDR_NOTAVAIL if not known */
};

enum fi_cq_wait_cond {
    FI_CQ_COND_NONE,
    FI_CQ_COND_THRESHOLD, /* cond of fi_cq_sread: wake at that many entries, as an optimization */
};

struct fi_cq_attr {
    size_t size;    /* entries at least; 0: the provider's default */
    uint64_t flags; /* FI_AFFINITY */
    enum fi_cq_format format;
    enum fi_wait_obj wait_obj;
    int signaling_vector; /* preferred interrupt, with FI_AFFINITY */
    enum fi_cq_wait_cond wait_cond;
    struct fid_wait* wait_set; /* FI_WAIT_SET */
};

struct fid_cq;

/* Reads give the number of entries, -FI_EAGAIN when empty, -FI_EAVAIL until readerr has taken an error. */
struct fi_ops_cq {
    size_t size;
    ssize_t (*read)(struct fid_cq* cq, void* buf, size_t count);
    ssize_t (*readfrom)(struct fid_cq* cq, void* buf, size_t count, fi_addr_t* src_addr);
    ssize_t (*readerr)(struct fid_cq* cq, struct fi_cq_err_entry* buf, uint64_t flags);
    ssize_t (*sread)(struct fid_cq* cq, void* buf, size_t count, const void* cond, int timeout);
    ssize_t (*sreadfrom)(struct fid_cq* cq, void* buf, size_t count, fi_addr_t* src_addr, const void* cond,
                         int timeout);
    int (*signal)(struct fid_cq* cq);
    const char* (*strerror)(struct fid_cq* cq, int prov_errno, const void* err_data, char* buf, size_t len);
};

struct fid_cq {
    struct fid fid;
    struct fi_ops_cq* ops;
};

/*
 * Counters. fi_cntr(3)
 */

enum fi_cntr_events {
    FI_CNTR_EVENTS_COMP,  /* one per successful operation */
    FI_CNTR_EVENTS_BYTES, /* its user bytes; an error still counts 1 */
};

struct fi_cntr_attr {
    enum fi_cntr_events events;
    enum fi_wait_obj wait_obj;
    struct fid_wait* wait_set;
    uint64_t flags; /* 0 */
};

struct fid_cntr;

/* Two values: successes and errors. adderr and seterr came later: FI_CHECK_OP. */
struct fi_ops_cntr {
    size_t size;
    uint64_t (*read)(struct fid_cntr* cntr);
    uint64_t (*readerr)(struct fid_cntr* cntr);
    int (*add)(struct fid_cntr* cntr, uint64_t value);
    int (*set)(struct fid_cntr* cntr, uint64_t value);
    int (*wait)(struct fid_cntr* cntr, uint64_t threshold, int timeout);
    int (*adderr)(struct fid_cntr* cntr, uint64_t value);
    int (*seterr)(struct fid_cntr* cntr, uint64_t value);
};

struct fid_cntr {
    struct fid fid;
    struct fi_ops_cntr* ops;
};

/*
 * Event queues. fi_eq(3)
 */

/* Events of fi_eq_read. The connection's three come as fi_eq_cm_entry, the COMPLETE ones as fi_eq_entry. */
enum {
    FI_NOTIFY,
    FI_CONNREQ,       /* fid: the passive endpoint; info: the request, owned by the application */
    FI_CONNECTED,     /* fid: the endpoint */
    FI_SHUTDOWN,      /* fid: the endpoint */
    FI_MR_COMPLETE,   /* fid: the region; data unused */
    FI_AV_COMPLETE,   /* fid: the vector; data: addresses inserted */
    FI_JOIN_COMPLETE, /* fid: the fid_mc */
};

struct fi_eq_entry {
    fid_t fid;
    void* context; /* of the request */
    uint64_t data;
};

struct fi_eq_err_entry {
    fid_t fid;
    void* context;
    uint64_t data;        /* fi_av_insert: index of the address */
    int err;              /* positive */
    int prov_errno;       /* for fi_eq_strerror */
    void* err_data;       /* as in fi_cq_err_entry; of a refused connection: the peer's private data */
    size_t err_data_size; /* bytes */
};

/* C++ has no flexible arrays; both compilers take them, but clang does not honour __extension__ here. */
#if defined(__clang__) && defined(__cplusplus)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wc99-extensions"
#endif
struct fi_eq_cm_entry {
    fid_t fid;
    struct fi_info* info;
    __extension__ uint8_t data[]; /* private data, as much as the read buffer holds */
};
#if defined(__clang__) && defined(__cplusplus)
#pragma clang diagnostic pop
#endif

struct fi_eq_attr {
    size_t size;    /* events at least; 0: the provider's default */
    uint64_t flags; /* FI_WRITE: fi_eq_write is allowed; FI_AFFINITY */
    enum fi_wait_obj wait_obj;
    int signaling_vector;
    struct fid_wait* wait_set;
};

/* Reads take one event and give its bytes; -FI_EAGAIN when empty, -FI_EAVAIL until readerr took an error. */
struct fi_ops_eq {
    size_t size;
    ssize_t (*read)(struct fid_eq* eq, uint32_t* event, void* buf, size_t len, uint64_t flags);
    ssize_t (*readerr)(struct fid_eq* eq, struct fi_eq_err_entry* buf, uint64_t flags);
    ssize_t (*write)(struct fid_eq* eq, uint32_t event, const void* buf, size_t len, uint64_t flags);
    ssize_t (*sread)(struct fid_eq* eq, uint32_t* event, void* buf, size_t len, int timeout, uint64_t flags);
    const char* (*strerror)(struct fid_eq* eq, int prov_errno, const void* err_data, char* buf, size_t len);
};

struct fid_eq {
    struct fid fid;
    struct fi_ops_eq* ops;
};

/*
 * Wait objects; wait sets and poll sets, which are deprecated. fi_poll(3). Timeouts are in milliseconds
 * everywhere, negative waits forever.
 */

struct fi_mutex_cond {
    pthread_mutex_t* mutex;
    pthread_cond_t* cond;
};

struct fi_wait_pollfd {
    uint64_t change_index; /* grows whenever the list changes */
    size_t nfds;           /* in: room in fd; out: needed, beyond the room with -FI_ETOOSMALL */
    struct pollfd* fd;
};

struct fi_wait_attr {
    enum fi_wait_obj wait_obj;
    uint64_t flags; /* 0 */
};

struct fi_ops_wait {
    size_t size;
    int (*wait)(struct fid_wait* waitset, int timeout);
};

struct fid_wait {
    struct fid fid;
    struct fi_ops_wait* ops;
};

struct fi_poll_attr {
    uint64_t flags; /* 0 */
};

struct fid_poll;

struct fi_ops_poll {
    size_t size;
    int (*poll)(struct fid_poll* pollset, void** context, int count);
    int (*poll_add)(struct fid_poll* pollset, struct fid* event_fid, uint64_t flags);
    int (*poll_del)(struct fid_poll* pollset, struct fid* event_fid, uint64_t flags);
};

struct fid_poll {
    struct fid fid;
    struct fi_ops_poll* ops;
};

#ifdef __cplusplus
}
#endif

#ifdef FABRIC_DIRECT
#include <rdma/fi_direct_eq.h>
#endif

#ifndef FABRIC_DIRECT_EQ
#include <rdma/inline/cntr.h>
#include <rdma/inline/cq.h>
#include <rdma/inline/eq.h>
#include <rdma/inline/poll.h>
#include <rdma/inline/wait.h>
#endif

#endif /* FI_EQ_H */
