// SPDX-License-Identifier: BSD-2-Clause
//
// Tables of names. What they hold and leave out is upstream 2.6's (tests compare with its recorded output):
// constants that 2.x only keeps for compatibility have no text there, and programs that parse fi_info's
// output rely on it.
#include "text/names.hpp"

#include <array>

#include <rdma/fabric.h>
#include <rdma/fi_atomic.h>
#include <rdma/fi_collective.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_trigger.h>

#include "log/words.hpp"

#define FI_NAMED(constant)                                                                                   \
    {                                                                                                        \
        static_cast<uint64_t>(constant), #constant                                                           \
    }

namespace fi::core::text {
namespace {

constexpr Name caps[] = {
    FI_NAMED(FI_MSG),           FI_NAMED(FI_RMA),
    FI_NAMED(FI_TAGGED),        FI_NAMED(FI_ATOMIC),
    FI_NAMED(FI_MULTICAST),     FI_NAMED(FI_COLLECTIVE),
    FI_NAMED(FI_READ),          FI_NAMED(FI_WRITE),
    FI_NAMED(FI_RECV),          FI_NAMED(FI_SEND),
    FI_NAMED(FI_REMOTE_READ),   FI_NAMED(FI_REMOTE_WRITE),
    FI_NAMED(FI_MULTI_RECV),    FI_NAMED(FI_REMOTE_CQ_DATA),
    FI_NAMED(FI_TRIGGER),       FI_NAMED(FI_FENCE),
    FI_NAMED(FI_RMA_PMEM),      FI_NAMED(FI_SOURCE_ERR),
    FI_NAMED(FI_LOCAL_COMM),    FI_NAMED(FI_REMOTE_COMM),
    FI_NAMED(FI_SHARED_AV),     FI_NAMED(FI_RMA_EVENT),
    FI_NAMED(FI_SOURCE),        FI_NAMED(FI_NAMED_RX_CTX),
    FI_NAMED(FI_DIRECTED_RECV), FI_NAMED(FI_AV_USER_ID),
    FI_NAMED(FI_PEER),          FI_NAMED(FI_HMEM),
};

constexpr Name mode[] = {
    FI_NAMED(FI_CONTEXT),    FI_NAMED(FI_MSG_PREFIX), FI_NAMED(FI_ASYNC_IOV),
    FI_NAMED(FI_RX_CQ_DATA), FI_NAMED(FI_LOCAL_MR),   FI_NAMED(FI_CONTEXT2),
};

constexpr Name op_flags[] = {
    FI_NAMED(FI_MULTICAST),
    FI_NAMED(FI_MULTI_RECV),
    FI_NAMED(FI_REMOTE_CQ_DATA),
    FI_NAMED(FI_MORE),
    FI_NAMED(FI_PEEK),
    FI_NAMED(FI_TRIGGER),
    FI_NAMED(FI_FENCE),
    FI_NAMED(FI_COMPLETION),
    FI_NAMED(FI_INJECT),
    FI_NAMED(FI_INJECT_COMPLETE),
    FI_NAMED(FI_TRANSMIT_COMPLETE),
    FI_NAMED(FI_DELIVERY_COMPLETE),
    FI_NAMED(FI_MATCH_COMPLETE),
    FI_NAMED(FI_AFFINITY),
    FI_NAMED(FI_CLAIM),
    FI_NAMED(FI_DISCARD),
};

constexpr Name msg_order[] = {
    FI_NAMED(FI_ORDER_RAR),        FI_NAMED(FI_ORDER_RAW),        FI_NAMED(FI_ORDER_RAS),
    FI_NAMED(FI_ORDER_WAR),        FI_NAMED(FI_ORDER_WAW),        FI_NAMED(FI_ORDER_WAS),
    FI_NAMED(FI_ORDER_SAR),        FI_NAMED(FI_ORDER_SAW),        FI_NAMED(FI_ORDER_SAS),
    FI_NAMED(FI_ORDER_RMA_RAR),    FI_NAMED(FI_ORDER_RMA_RAW),    FI_NAMED(FI_ORDER_RMA_WAR),
    FI_NAMED(FI_ORDER_RMA_WAW),    FI_NAMED(FI_ORDER_ATOMIC_RAR), FI_NAMED(FI_ORDER_ATOMIC_RAW),
    FI_NAMED(FI_ORDER_ATOMIC_WAR), FI_NAMED(FI_ORDER_ATOMIC_WAW),
};

constexpr Name mr_mode[] = {
    FI_NAMED(FI_MR_BASIC),    FI_NAMED(FI_MR_SCALABLE),   FI_NAMED(FI_MR_LOCAL),
    FI_NAMED(FI_MR_RAW),      FI_NAMED(FI_MR_VIRT_ADDR),  FI_NAMED(FI_MR_ALLOCATED),
    FI_NAMED(FI_MR_PROV_KEY), FI_NAMED(FI_MR_MMU_NOTIFY), FI_NAMED(FI_MR_RMA_EVENT),
    FI_NAMED(FI_MR_ENDPOINT), FI_NAMED(FI_MR_HMEM),       FI_NAMED(FI_MR_COLLECTIVE),
};

constexpr Name cq_event_flags[] = {
    FI_NAMED(FI_SEND),
    FI_NAMED(FI_RECV),
    FI_NAMED(FI_RMA),
    FI_NAMED(FI_ATOMIC),
    FI_NAMED(FI_MSG),
    FI_NAMED(FI_TAGGED),
    FI_NAMED(FI_READ),
    FI_NAMED(FI_WRITE),
    FI_NAMED(FI_REMOTE_READ),
    FI_NAMED(FI_REMOTE_WRITE),
    FI_NAMED(FI_REMOTE_CQ_DATA),
    FI_NAMED(FI_MULTI_RECV),
    FI_NAMED(FI_MORE),
    FI_NAMED(FI_CLAIM),
};

constexpr Name av_flags[] = {FI_NAMED(FI_EVENT), FI_NAMED(FI_READ), FI_NAMED(FI_SYMMETRIC)};

constexpr Name cq_flags[] = {FI_NAMED(FI_AFFINITY)};

constexpr Name mr_access[] = {
    FI_NAMED(FI_RECV),        FI_NAMED(FI_SEND),         FI_NAMED(FI_READ),       FI_NAMED(FI_WRITE),
    FI_NAMED(FI_REMOTE_READ), FI_NAMED(FI_REMOTE_WRITE), FI_NAMED(FI_COLLECTIVE),
};

constexpr Name ep_type[] = {
    FI_NAMED(FI_EP_UNSPEC),
    FI_NAMED(FI_EP_MSG),
    FI_NAMED(FI_EP_DGRAM),
    FI_NAMED(FI_EP_RDM),
};

constexpr Name addr_format[] = {
    FI_NAMED(FI_FORMAT_UNSPEC), FI_NAMED(FI_SOCKADDR), FI_NAMED(FI_SOCKADDR_IN), FI_NAMED(FI_SOCKADDR_IN6),
    FI_NAMED(FI_SOCKADDR_IB),   FI_NAMED(FI_ADDR_MLX), FI_NAMED(FI_ADDR_STR),    FI_NAMED(FI_ADDR_PSMX2),
    FI_NAMED(FI_ADDR_IB_UD),    FI_NAMED(FI_ADDR_EFA), FI_NAMED(FI_ADDR_PSMX3),  FI_NAMED(FI_ADDR_OPX),
    FI_NAMED(FI_ADDR_CXI),      FI_NAMED(FI_ADDR_UCX), FI_NAMED(FI_SOCKADDR_IP),
};

constexpr Name threading[] = {
    FI_NAMED(FI_THREAD_UNSPEC),
    FI_NAMED(FI_THREAD_SAFE),
    FI_NAMED(FI_THREAD_DOMAIN),
    FI_NAMED(FI_THREAD_COMPLETION),
};

constexpr Name progress[] = {
    FI_NAMED(FI_PROGRESS_UNSPEC),
    FI_NAMED(FI_PROGRESS_AUTO),
    FI_NAMED(FI_PROGRESS_MANUAL),
    FI_NAMED(FI_PROGRESS_CONTROL_UNIFIED),
};

constexpr Name protocol[] = {
    FI_NAMED(FI_PROTO_UNSPEC),    FI_NAMED(FI_PROTO_RDMA_CM_IB_RC), FI_NAMED(FI_PROTO_IWARP),
    FI_NAMED(FI_PROTO_IB_UD),     FI_NAMED(FI_PROTO_UDP),           FI_NAMED(FI_PROTO_SOCK_TCP),
    FI_NAMED(FI_PROTO_IWARP_RDM), FI_NAMED(FI_PROTO_IB_RDM),        FI_NAMED(FI_PROTO_RXM),
    FI_NAMED(FI_PROTO_RXD),       FI_NAMED(FI_PROTO_MLX),           FI_NAMED(FI_PROTO_NETWORKDIRECT),
    FI_NAMED(FI_PROTO_PSMX2),     FI_NAMED(FI_PROTO_SHM),           FI_NAMED(FI_PROTO_RDMA_CM_IB_XRC),
    FI_NAMED(FI_PROTO_EFA),       FI_NAMED(FI_PROTO_PSMX3),         FI_NAMED(FI_PROTO_RXM_TCP),
    FI_NAMED(FI_PROTO_OPX),       FI_NAMED(FI_PROTO_CXI),           FI_NAMED(FI_PROTO_XNET),
    FI_NAMED(FI_PROTO_UCX),       FI_NAMED(FI_PROTO_SM2),           FI_NAMED(FI_PROTO_CXI_RNR),
    FI_NAMED(FI_PROTO_LPP),       FI_NAMED(FI_PROTO_LNX),
};

constexpr Name av_type[] = {FI_NAMED(FI_AV_UNSPEC), FI_NAMED(FI_AV_MAP), FI_NAMED(FI_AV_TABLE)};

constexpr Name atomic_type[] = {
    FI_NAMED(FI_INT8),          FI_NAMED(FI_UINT8),
    FI_NAMED(FI_INT16),         FI_NAMED(FI_UINT16),
    FI_NAMED(FI_INT32),         FI_NAMED(FI_UINT32),
    FI_NAMED(FI_INT64),         FI_NAMED(FI_UINT64),
    FI_NAMED(FI_FLOAT),         FI_NAMED(FI_DOUBLE),
    FI_NAMED(FI_FLOAT_COMPLEX), FI_NAMED(FI_DOUBLE_COMPLEX),
    FI_NAMED(FI_LONG_DOUBLE),   FI_NAMED(FI_LONG_DOUBLE_COMPLEX),
    FI_NAMED(FI_INT128),        FI_NAMED(FI_UINT128),
};

constexpr Name atomic_op[] = {
    FI_NAMED(FI_MIN),      FI_NAMED(FI_MAX),      FI_NAMED(FI_SUM),         FI_NAMED(FI_PROD),
    FI_NAMED(FI_LOR),      FI_NAMED(FI_LAND),     FI_NAMED(FI_BOR),         FI_NAMED(FI_BAND),
    FI_NAMED(FI_LXOR),     FI_NAMED(FI_BXOR),     FI_NAMED(FI_ATOMIC_READ), FI_NAMED(FI_ATOMIC_WRITE),
    FI_NAMED(FI_CSWAP),    FI_NAMED(FI_CSWAP_NE), FI_NAMED(FI_CSWAP_LE),    FI_NAMED(FI_CSWAP_LT),
    FI_NAMED(FI_CSWAP_GE), FI_NAMED(FI_CSWAP_GT), FI_NAMED(FI_MSWAP),
};

constexpr Name eq_event[] = {
    FI_NAMED(FI_NOTIFY),      FI_NAMED(FI_CONNREQ),     FI_NAMED(FI_CONNECTED),     FI_NAMED(FI_SHUTDOWN),
    FI_NAMED(FI_MR_COMPLETE), FI_NAMED(FI_AV_COMPLETE), FI_NAMED(FI_JOIN_COMPLETE),
};

constexpr Name op_type[] = {
    FI_NAMED(FI_OP_RECV),     FI_NAMED(FI_OP_SEND),         FI_NAMED(FI_OP_TRECV),
    FI_NAMED(FI_OP_TSEND),    FI_NAMED(FI_OP_READ),         FI_NAMED(FI_OP_WRITE),
    FI_NAMED(FI_OP_ATOMIC),   FI_NAMED(FI_OP_FETCH_ATOMIC), FI_NAMED(FI_OP_COMPARE_ATOMIC),
    FI_NAMED(FI_OP_CNTR_SET), FI_NAMED(FI_OP_CNTR_ADD),
};

constexpr Name collective_op[] = {
    FI_NAMED(FI_BARRIER),   FI_NAMED(FI_BROADCAST), FI_NAMED(FI_ALLTOALL),
    FI_NAMED(FI_ALLREDUCE), FI_NAMED(FI_ALLGATHER), FI_NAMED(FI_REDUCE_SCATTER),
    FI_NAMED(FI_REDUCE),    FI_NAMED(FI_SCATTER),   FI_NAMED(FI_GATHER),
};

constexpr Name hmem_iface[] = {
    FI_NAMED(FI_HMEM_SYSTEM), FI_NAMED(FI_HMEM_CUDA),   FI_NAMED(FI_HMEM_ROCR),
    FI_NAMED(FI_HMEM_ZE),     FI_NAMED(FI_HMEM_NEURON), FI_NAMED(FI_HMEM_SYNAPSEAI),
};

constexpr Name cq_format[] = {
    FI_NAMED(FI_CQ_FORMAT_UNSPEC), FI_NAMED(FI_CQ_FORMAT_CONTEXT), FI_NAMED(FI_CQ_FORMAT_MSG),
    FI_NAMED(FI_CQ_FORMAT_DATA),   FI_NAMED(FI_CQ_FORMAT_TAGGED),
};

constexpr Name cq_wait_cond[] = {FI_NAMED(FI_CQ_COND_NONE), FI_NAMED(FI_CQ_COND_THRESHOLD)};

constexpr Name wait_obj[] = {
    FI_NAMED(FI_WAIT_NONE),       FI_NAMED(FI_WAIT_UNSPEC), FI_NAMED(FI_WAIT_SET),    FI_NAMED(FI_WAIT_FD),
    FI_NAMED(FI_WAIT_MUTEX_COND), FI_NAMED(FI_WAIT_YIELD),  FI_NAMED(FI_WAIT_POLLFD),
};

constexpr Name resource_mgmt[] = {FI_NAMED(FI_RM_UNSPEC), FI_NAMED(FI_RM_DISABLED), FI_NAMED(FI_RM_ENABLED)};

constexpr Name cntr_events[] = {FI_NAMED(FI_CNTR_EVENTS_COMP), FI_NAMED(FI_CNTR_EVENTS_BYTES)};

constexpr Name bus_type[] = {FI_NAMED(FI_BUS_UNKNOWN), FI_NAMED(FI_BUS_PCI)};

constexpr Name link_state[] = {FI_NAMED(FI_LINK_UNKNOWN), FI_NAMED(FI_LINK_DOWN), FI_NAMED(FI_LINK_UP)};

// The log's words are an array already; its values count from zero.
template <size_t N>
constexpr std::array<Name, N> numbered(const std::array<const char*, N>& words)
{
    std::array<Name, N> names{};
    for (size_t i = 0; i < N; ++i)
        names[i] = {i, words[i]};
    return names;
}

constexpr auto log_level = numbered(log::kLevelWords);
constexpr auto log_subsys = numbered(log::kSubsysWords);

} // namespace

constinit const Names kCaps = caps, kMode = mode, kOpFlags = op_flags, kMsgOrder = msg_order,
                      kMrMode = mr_mode, kCqEventFlags = cq_event_flags, kAvFlags = av_flags,
                      kCqFlags = cq_flags, kMrAccess = mr_access;

constinit const Names kEpType = ep_type, kAddrFormat = addr_format, kThreading = threading,
                      kProgress = progress, kProtocol = protocol, kAvType = av_type,
                      kAtomicType = atomic_type, kAtomicOp = atomic_op, kEqEvent = eq_event,
                      kOpType = op_type, kCollectiveOp = collective_op, kHmemIface = hmem_iface,
                      kCqFormat = cq_format, kCqWaitCond = cq_wait_cond, kWaitObj = wait_obj,
                      kResourceMgmt = resource_mgmt, kCntrEvents = cntr_events, kBusType = bus_type,
                      kLinkState = link_state, kLogLevel = log_level, kLogSubsys = log_subsys;

const char* name_of(Names names, uint64_t value)
{
    for (const Name& entry : names)
        if (entry.value == value)
            return entry.name;
    return "Unknown";
}

void write_flags(Writer& writer, Names names, uint64_t flags)
{
    const char* start = writer.here();
    for (const Name& entry : names) {
        if (!(flags & entry.value))
            continue;
        if (writer.here() != start)
            writer.text(", ");
        writer.text(entry.name);
    }
    writer.drop_separator(start);
}

} // namespace fi::core::text
