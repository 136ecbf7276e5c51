// SPDX-License-Identifier: BSD-2-Clause
//
// What soft offers. Capabilities are what the engine has methods for; limits are the engine's own constants.
#include "soft.hpp"

namespace fi::soft {
namespace {

constexpr std::uint64_t kCaps = FI_MSG | FI_TAGGED | FI_SEND | FI_RECV | FI_DIRECTED_RECV | FI_SOURCE |
                                FI_MULTI_RECV | FI_TAGGED_MULTI_RECV | FI_TAGGED_DIRECTED_RECV |
                                FI_SOURCE_ERR | FI_FENCE | FI_LOCAL_COMM | FI_REMOTE_COMM;
constexpr std::size_t kMaxQueue = 65536;                       ///< operations in flight, each direction
constexpr std::uint32_t kProtocol = 0x80000000u | 0x736f6674u; ///< private (top bit), "soft"

char name[] = "soft";

fi_tx_attr tx_attr{
    .caps = kCaps,
    .op_flags = FI_COMPLETION | FI_INJECT | FI_INJECT_COMPLETE | FI_TRANSMIT_COMPLETE | FI_DELIVERY_COMPLETE |
                FI_MATCH_COMPLETE,
    .msg_order = FI_ORDER_SAS,
    .inject_size = kit::kMaxInject,
    .size = kMaxQueue,
    .iov_limit = kit::kIovLimit,
};
fi_rx_attr rx_attr{
    .caps = kCaps,
    .op_flags = FI_COMPLETION | FI_MULTI_RECV,
    .msg_order = FI_ORDER_SAS,
    .total_buffered_recv = kit::kUnexpectedLimit,
    .size = kMaxQueue,
    .iov_limit = kit::kIovLimit,
};
fi_ep_attr ep_attr{
    .type = FI_EP_RDM,
    .protocol = kProtocol,
    .protocol_version = kit::kWireVersion,
    .max_msg_size = kit::kMaxMessage,
    .tx_ctx_cnt = 1,
    .rx_ctx_cnt = 1,
};

fi_domain_attr make_domain_attr()
{
    fi_domain_attr attr{};
    attr.name = name;
    attr.threading = FI_THREAD_SAFE;
    attr.control_progress = FI_PROGRESS_AUTO;
    attr.progress = FI_PROGRESS_AUTO;
    attr.resource_mgmt = FI_RM_ENABLED;
    attr.av_type = FI_AV_UNSPEC;
    attr.mr_key_size = sizeof(std::uint64_t);
    attr.cq_data_size = sizeof(std::uint64_t);
    attr.max_err_data = kit::kMaxErrorData;
    attr.cq_cnt = 32768;
    attr.cntr_cnt = 32768;
    attr.ep_cnt = 32768;
    attr.tx_ctx_cnt = 32768;
    attr.rx_ctx_cnt = 32768;
    attr.max_ep_tx_ctx = 1;
    attr.max_ep_rx_ctx = 1;
    attr.max_ep_srx_ctx = 32768;
    attr.caps = FI_LOCAL_COMM | FI_REMOTE_COMM;
    return attr;
}

fi_domain_attr domain_attr = make_domain_attr();
fi_fabric_attr fabric_attr{.name = name, .prov_version = FI_VERSION(206, 0), .api_version = FI_VERSION(2, 6)};

fi_info make(std::uint32_t format)
{
    fi_info info{};
    info.caps = kCaps;
    info.addr_format = format;
    info.tx_attr = &tx_attr;
    info.rx_attr = &rx_attr;
    info.ep_attr = &ep_attr;
    info.domain_attr = &domain_attr;
    info.fabric_attr = &fabric_attr;
    return info;
}

const fi_info offer_v4 = make(FI_SOCKADDR_IN);
const fi_info offer_v6 = make(FI_SOCKADDR_IN6);

} // namespace

const fi_info& offer(int family) noexcept
{
    return family == AF_INET6 ? offer_v6 : offer_v4;
}

} // namespace fi::soft
