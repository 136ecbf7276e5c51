/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The 64-bit vocabularies of the API: capabilities, operation flags, mode bits, memory registration
 * modes and ordering. Capabilities and operation flags share one number space, and a few bits carry a
 * different name in each place; the field or argument decides which one is meant.
 */
#ifndef FI_BASE_FLAGS_H
#define FI_BASE_FLAGS_H

#include <stdint.h>

#include <rdma/base/compiler.h>

/* Primary capabilities: granted only when asked for. fi_getinfo(3) */
#define FI_MSG (1ULL << 1)        /* messages matched by arrival */
#define FI_RMA (1ULL << 2)        /* read and write of remote memory */
#define FI_TAGGED (1ULL << 3)     /* messages matched by a 64-bit tag */
#define FI_ATOMIC (1ULL << 4)     /* read-modify-write of remote memory */
#define FI_ATOMICS FI_ATOMIC      /* older spelling */
#define FI_MULTICAST (1ULL << 5)  /* needs FI_MSG; as flag: the address is a multicast group */
#define FI_COLLECTIVE (1ULL << 6) /* barrier, broadcast, reductions ...; also an MR access right */

/*
 * Modifiers of the above; none given means all that apply. The same bits are MR access rights, counter
 * and CQ binding directions, and the operation named in a completion's flags.
 */
#define FI_READ (1ULL << 8)
#define FI_WRITE (1ULL << 9)
#define FI_RECV (1ULL << 10)
#define FI_SEND (1ULL << 11)
#define FI_TRANSMIT FI_SEND
#define FI_REMOTE_READ (1ULL << 12)  /* this side's memory is read by a peer */
#define FI_REMOTE_WRITE (1ULL << 13) /* this side's memory is written by a peer */

#define FI_AV_USER_ID (1ULL << 41)           /* completions name peers by the application's own ids */
#define FI_PEER (1ULL << 43)                 /* queues and counters of another provider can be imported */
#define FI_TAGGED_DIRECTED_RECV (1ULL << 45) /* source matching, tagged receives only */
#define FI_HMEM (1ULL << 47)                 /* buffers may lie in device memory */
#define FI_EXACT_DIRECTED_RECV (1ULL << 48)  /* directed receives never use FI_ADDR_UNSPEC */
#define FI_NAMED_RX_CTX (1ULL << 58)         /* one receive context of a peer can be addressed (fi_rx_addr) */
#define FI_DIRECTED_RECV (1ULL << 59)        /* receives may name their source */

/* Secondary capabilities: delivered when asked for, present unasked where they cost nothing. */
#define FI_MULTI_RECV (1ULL << 16)        /* many messages into one buffer; as flag: use it so */
#define FI_TRIGGER (1ULL << 20)           /* operations that wait for a counter; as flag: this one does */
#define FI_FENCE (1ULL << 21)             /* as flag: start only after earlier operations to that peer */
#define FI_TAGGED_MULTI_RECV (1ULL << 46) /* FI_MULTI_RECV for tagged receives */
#define FI_RMA_PMEM (1ULL << 49)          /* targets of RMA may be persistent memory */
#define FI_SOURCE_ERR (1ULL << 50)        /* with FI_SOURCE: unknown senders reported with raw address */
#define FI_LOCAL_COMM (1ULL << 51)        /* peers on this host */
#define FI_REMOTE_COMM (1ULL << 52)       /* peers on other hosts */
#define FI_SHARED_AV (1ULL << 53)         /* address vectors shared by name */
#define FI_RMA_EVENT (1ULL << 56)         /* remote access counts at the target */
#define FI_SOURCE (1ULL << 57)            /* receives tell who sent */

/* Flags of data operations. fi_msg(3), fi_tagged(3), fi_cq(3) */
#define FI_REMOTE_CQ_DATA (1ULL << 17) /* carry the data field to the peer's completion */
#define FI_MORE (1ULL << 18)           /* another post follows at once: may be batched */
#define FI_PEEK (1ULL << 19)           /* look without taking; of messages, the answer is a completion */
#define FI_COMPLETION (1ULL << 24)     /* report success even on a selectively bound CQ */
#define FI_EVENT FI_COMPLETION         /* the same for event queues */
#define FI_INJECT (1ULL << 25)         /* buffers are free again on return; at most inject_size bytes */
#define FI_AUTH_KEY (1ULL << 57)       /* the address argument is the handle of an authorization key */
#define FI_DISCARD (1ULL << 58)        /* with FI_PEEK or FI_CLAIM: drop the message */
#define FI_CLAIM (1ULL << 59)          /* with FI_PEEK: reserve the message; without: receive it */

/* What a completion of a transmit operation means, weakest first; more may be given than asked. */
#define FI_INJECT_COMPLETE (1ULL << 26)   /* source buffer reusable */
#define FI_TRANSMIT_COMPLETE (1ULL << 27) /* needs nothing of this side any more */
#define FI_DELIVERY_COMPLETE (1ULL << 28) /* processed at the target */
#define FI_COMMIT_COMPLETE (1ULL << 30)   /* durable at the target */
#define FI_MATCH_COMPLETE (1ULL << 31)    /* the target's application took or discarded it */

/* Flags of control calls. */
#define FI_AFFINITY (1ULL << 29)             /* CQ, EQ: signaling_vector is meant */
#define FI_RESCAN (1ULL << 35)               /* fi_getinfo: look at the interfaces anew */
#define FI_PEER_TRANSFER (1ULL << 36)        /* open: the context is that of a transfer peer */
#define FI_FIREWALL_ADDR (1ULL << 42)        /* AV insert: the peer has to connect to us */
#define FI_PROV_ATTR_ONLY (1ULL << 54)       /* fi_getinfo: one line per provider, names and versions only */
#define FI_NUMERICHOST (1ULL << 55)          /* fi_getinfo: node is numeric, ask no name service */
#define FI_SELECTIVE_COMPLETION (1ULL << 59) /* CQ binding: report success only with FI_COMPLETION */

/* Mode bits: duties that a provider may put on an application that offered to bear them. */
#define FI_CONTEXT2 (1ULL << 52)   /* operation contexts point to a struct fi_context2 */
#define FI_RX_CQ_DATA (1ULL << 56) /* remote CQ data consumes a posted receive */
#define FI_ASYNC_IOV (1ULL << 57)  /* iov and desc arrays stay untouched until completion */
#define FI_MSG_PREFIX (1ULL << 58) /* buffers begin with msg_prefix_size bytes for the provider */
#define FI_CONTEXT (1ULL << 59)    /* operation contexts point to a struct fi_context */
#define FI_LOCAL_MR FI_DEPRECATED_CONST("FI_LOCAL_MR is old: use FI_MR_LOCAL in mr_mode", (1ULL << 55))

/* Duties of memory registration: domain_attr.mr_mode, an int. fi_mr(3) */
#define FI_MR_LOCAL (1 << 2)       /* local buffers are registered and passed with their desc */
#define FI_MR_RAW (1 << 3)         /* keys longer than 8 bytes: fi_mr_raw_attr, fi_mr_map_raw */
#define FI_MR_VIRT_ADDR (1 << 4)   /* peers use virtual addresses, not offsets from 0 */
#define FI_MR_ALLOCATED (1 << 5)   /* pages exist before registration and stay */
#define FI_MR_PROV_KEY (1 << 6)    /* the provider chooses the keys */
#define FI_MR_MMU_NOTIFY (1 << 7)  /* changed mappings are announced by fi_mr_refresh */
#define FI_MR_RMA_EVENT (1 << 8)   /* counted regions: bind, then fi_mr_enable */
#define FI_MR_ENDPOINT (1 << 9)    /* regions belong to an endpoint: bind, then fi_mr_enable */
#define FI_MR_HMEM (1 << 10)       /* device memory is registered and passed with its desc */
#define FI_MR_COLLECTIVE (1 << 11) /* buffers of collectives are registered with FI_COLLECTIVE */
/* Before API 1.5 this was one choice out of three. */
#define FI_MR_UNSPEC FI_DEPRECATED_CONST("FI_MR_UNSPEC is old: use 0 or single mr_mode bits", 0)
#define FI_MR_BASIC                                                                                          \
    FI_DEPRECATED_CONST("FI_MR_BASIC is old: FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY", (1 << 0))
#define FI_MR_SCALABLE FI_DEPRECATED_CONST("FI_MR_SCALABLE is old: use mr_mode 0", (1 << 1))

/*
 * Message order: FI_ORDER_xAy keeps an x behind an earlier y between one pair of endpoints, where R and W
 * are reads and writes by RMA or atomics and S is any send. RMA_ and ATOMIC_ order within their class.
 */
#define FI_ORDER_RAR (1ULL << 0)
#define FI_ORDER_RAW (1ULL << 1)
#define FI_ORDER_RAS (1ULL << 2)
#define FI_ORDER_WAR (1ULL << 3)
#define FI_ORDER_WAW (1ULL << 4)
#define FI_ORDER_WAS (1ULL << 5)
#define FI_ORDER_SAR (1ULL << 6)
#define FI_ORDER_SAW (1ULL << 7)
#define FI_ORDER_SAS (1ULL << 8)
#define FI_ORDER_RMA_RAR (1ULL << 32)
#define FI_ORDER_RMA_RAW (1ULL << 33)
#define FI_ORDER_RMA_WAR (1ULL << 34)
#define FI_ORDER_RMA_WAW (1ULL << 35)
#define FI_ORDER_ATOMIC_RAR (1ULL << 36)
#define FI_ORDER_ATOMIC_RAW (1ULL << 37)
#define FI_ORDER_ATOMIC_WAR (1ULL << 38)
#define FI_ORDER_ATOMIC_WAW (1ULL << 39)
/* Values of the former comp_order: served for 1.x applications. */
#define FI_ORDER_NONE FI_DEPRECATED_CONST("FI_ORDER_NONE is old: use 0", 0ULL)
#define FI_ORDER_STRICT FI_DEPRECATED_CONST("FI_ORDER_STRICT is old: name the order bits", 0x1FF)
#define FI_ORDER_DATA FI_DEPRECATED_CONST("FI_ORDER_DATA is old: completions carry no order", (1ULL << 16))

/* Names of dropped features: they compile and ask for nothing. */
#define FI_VARIABLE_MSG 0ULL
#define FI_NOTIFY_FLAGS_ONLY 0ULL
#define FI_RESTRICTED_COMP 0ULL

#endif /* FI_BASE_FLAGS_H */
