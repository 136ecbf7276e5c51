/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Triggered operations (FI_TRIGGER: a transfer that starts when a counter reaches a value) and deferred
 * work (operations queued at a domain with fi_control FI_QUEUE_WORK). See fi_trigger(3).
 */
#ifndef FI_TRIGGER_H
#define FI_TRIGGER_H

#include <stddef.h>
#include <stdint.h>

#include <rdma/fabric.h>
#include <rdma/fi_atomic.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_tagged.h>

#ifdef __cplusplus
extern "C" {
#endif

enum fi_trigger_event {
    FI_TRIGGER_THRESHOLD, /* trigger.threshold */
    FI_TRIGGER_XPU,       /* trigger.xpu: an accelerator starts the operation by writing variables */
};

enum fi_op_type {
    FI_OP_RECV,
    FI_OP_SEND,
    FI_OP_TRECV,
    FI_OP_TSEND,
    FI_OP_READ,
    FI_OP_WRITE,
    FI_OP_ATOMIC,
    FI_OP_FETCH_ATOMIC,
    FI_OP_COMPARE_ATOMIC,
    FI_OP_CNTR_SET,
    FI_OP_CNTR_ADD,
};

/* Starts at once if the counter is there already; lower thresholds first, equal ones as posted. */
struct fi_trigger_threshold {
    struct fid_cntr* cntr;
    size_t threshold;
};

/* A value that the accelerator has to write to start the operation. count > 1: value.data points to the
 * array. */
struct fi_trigger_var {
    enum fi_datatype datatype;
    int count;
    void* addr;
    union {
        uint8_t val8;
        uint16_t val16;
        uint32_t val32;
        uint64_t val64;
        uint8_t* data;
    } value;
};

struct fi_trigger_xpu {
    int count; /* entries of var: room on entry, used on return */
    enum fi_hmem_iface iface;
    union {
        uint64_t reserved;
        int cuda;
        int ze;
    } device;
    struct fi_trigger_var* var;
};

/*
 * What a deferred operation does. The structures stay the provider's until it is done or cancelled, and the
 * data they point to is not read before the work fires.
 */
struct fi_op_msg {
    struct fid_ep* ep;
    struct fi_msg msg;
    uint64_t flags;
};

struct fi_op_tagged {
    struct fid_ep* ep;
    struct fi_msg_tagged msg;
    uint64_t flags;
};

struct fi_op_rma {
    struct fid_ep* ep;
    struct fi_msg_rma msg;
    uint64_t flags;
};

struct fi_op_atomic {
    struct fid_ep* ep;
    struct fi_msg_atomic msg;
    uint64_t flags;
};

struct fi_op_fetch_atomic {
    struct fid_ep* ep;
    struct fi_msg_atomic msg;
    struct fi_msg_fetch fetch;
    uint64_t flags;
};

struct fi_op_compare_atomic {
    struct fid_ep* ep;
    struct fi_msg_atomic msg;
    struct fi_msg_fetch fetch;
    struct fi_msg_compare compare;
    uint64_t flags;
};

struct fi_op_cntr {
    struct fid_cntr* cntr;
    uint64_t value;
};

#ifdef __cplusplus
}
#endif

#ifdef FABRIC_DIRECT
#include <rdma/fi_direct_trigger.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

#ifndef FABRIC_DIRECT_TRIGGER
/* The context argument of a call with FI_TRIGGER; in place, and as large as, struct fi_context. */
struct fi_triggered_context {
    enum fi_trigger_event event_type;
    union {
        struct fi_trigger_threshold threshold;
        struct fi_trigger_xpu xpu;
        void* internal[3];
    } trigger;
};

/* The same in place of struct fi_context2. */
struct fi_triggered_context2 {
    enum fi_trigger_event event_type;
    union {
        struct fi_trigger_threshold threshold;
        struct fi_trigger_xpu xpu;
        void* internal[7];
    } trigger;
};
#endif

/*
 * Fires when success plus error count of triggering_cntr reach threshold. A finished transfer adds one to
 * completion_cntr and writes a CQ entry only with FI_COMPLETION; counter operations need completion_cntr
 * NULL. Valid until done or cancelled.
 */
struct fi_deferred_work {
    struct fi_context2 context; /* the provider's */
    uint64_t threshold;
    struct fid_cntr* triggering_cntr;
    struct fid_cntr* completion_cntr;
    enum fi_op_type op_type; /* selects the member of op */
    union {
        struct fi_op_msg* msg;
        struct fi_op_tagged* tagged;
        struct fi_op_rma* rma;
        struct fi_op_atomic* atomic;
        struct fi_op_fetch_atomic* fetch_atomic;
        struct fi_op_compare_atomic* compare_atomic;
        struct fi_op_cntr* cntr;
    } op;
};

#ifdef __cplusplus
}
#endif

#endif
