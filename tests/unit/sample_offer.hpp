// SPDX-License-Identifier: BSD-2-Clause
//
// An offer with a limit on every attribute, so that each can be asked for too much, and hints that it fits.
#pragma once

#include "kit/objects/answer.hpp"

#include <cstdlib>
#include <cstring>
#include <netinet/in.h>
#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/providers/fi_prov.h>

namespace fi::test {

struct SampleOffer {
    fi_tx_attr tx{};
    fi_rx_attr rx{};
    fi_ep_attr ep{};
    fi_domain_attr domain{};
    fi_fabric_attr fabric{};
    sockaddr_in source{};
    fi_info info{};
    fi_provider provider{};
    char domain_name[8] = "lo";
    char fabric_name[16] = "127.0.0.0/8";

    SampleOffer()
    {
        provider.name = "sample";
        provider.version = FI_VERSION(3, 1);
        provider.fi_version = FI_VERSION(2, 6);

        tx.mode = rx.mode = domain.mode = FI_CONTEXT;
        tx.op_flags = FI_COMPLETION | FI_INJECT | FI_TRANSMIT_COMPLETE | FI_DELIVERY_COMPLETE;
        tx.msg_order = FI_ORDER_SAS;
        tx.comp_order = 0x1ff;
        tx.inject_size = 64;
        tx.size = 256;
        tx.iov_limit = 4;
        tx.rma_iov_limit = 2;
        rx.op_flags = FI_COMPLETION;
        rx.msg_order = FI_ORDER_SAS;
        rx.comp_order = 0x1ff;
        rx.total_buffered_recv = 1 << 20;
        rx.size = 512;
        rx.iov_limit = 4;
        ep.type = FI_EP_RDM;
        ep.protocol = FI_PROTO_SOCK_TCP;
        ep.protocol_version = 3;
        ep.max_msg_size = 1 << 30;
        ep.max_order_raw_size = 8;
        ep.max_order_war_size = 16;
        ep.max_order_waw_size = 32;
        ep.mem_tag_format = 0x00ffffffffffffff;
        domain.name = domain_name;
        domain.threading = FI_THREAD_SAFE;
        domain.progress = FI_PROGRESS_MANUAL;
        domain.resource_mgmt = FI_RM_ENABLED;
        domain.av_type = FI_AV_UNSPEC;
        domain.mr_mode = FI_MR_VIRT_ADDR | FI_MR_PROV_KEY;
        domain.mr_key_size = 8;
        domain.cq_data_size = 8;
        domain.cq_cnt = 100;
        domain.ep_cnt = 101;
        domain.tx_ctx_cnt = 102;
        domain.rx_ctx_cnt = 103;
        domain.max_ep_tx_ctx = 1;
        domain.max_ep_rx_ctx = 2;
        domain.cntr_cnt = 104;
        domain.mr_iov_limit = 3;
        domain.caps = FI_LOCAL_COMM | FI_REMOTE_COMM | FI_DIRECTED_RECV;
        domain.max_err_data = 16;
        domain.mr_cnt = 105;
        domain.max_ep_auth_key = 1;
        domain.max_group_id = 7;
        domain.max_cntr_value = 1ULL << 40;
        domain.max_err_cntr_value = 1ULL << 20;
        domain.tclass = FI_TC_LABEL;
        tx.tclass = FI_TC_LABEL;
        fabric.name = fabric_name;

        source.sin_family = AF_INET;
        source.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        source.sin_port = htons(7471);
        info.caps = FI_MSG | FI_TAGGED | FI_RMA | FI_ATOMIC | FI_DIRECTED_RECV | FI_TAGGED_DIRECTED_RECV |
                    FI_MULTI_RECV | FI_SOURCE | FI_RMA_EVENT | FI_LOCAL_COMM | FI_REMOTE_COMM;
        info.mode = FI_CONTEXT;
        info.addr_format = FI_SOCKADDR_IN;
        info.src_addr = &source;
        info.src_addrlen = sizeof(source);
        info.tx_attr = &tx;
        info.rx_attr = &rx;
        info.ep_attr = &ep;
        info.domain_attr = &domain;
        info.fabric_attr = &fabric;
    }
    SampleOffer(const SampleOffer&) = delete;
    SampleOffer& operator=(const SampleOffer&) = delete;
};

/// All zero, with all five attribute blocks; free with fi::kit::free_info() or fi_freeinfo().
inline kit::InfoPtr empty_hints()
{
    kit::InfoPtr hints(static_cast<fi_info*>(std::calloc(1, sizeof(fi_info))));
    hints->tx_attr = static_cast<fi_tx_attr*>(std::calloc(1, sizeof(fi_tx_attr)));
    hints->rx_attr = static_cast<fi_rx_attr*>(std::calloc(1, sizeof(fi_rx_attr)));
    hints->ep_attr = static_cast<fi_ep_attr*>(std::calloc(1, sizeof(fi_ep_attr)));
    hints->domain_attr = static_cast<fi_domain_attr*>(std::calloc(1, sizeof(fi_domain_attr)));
    hints->fabric_attr = static_cast<fi_fabric_attr*>(std::calloc(1, sizeof(fi_fabric_attr)));
    return hints;
}

/// Hints that ask for nothing and are ready for everything that `offer` needs.
inline kit::InfoPtr easy_hints(const fi_info& offer)
{
    kit::InfoPtr hints = empty_hints();
    hints->mode = ~0ULL;
    hints->domain_attr->mr_mode = offer.domain_attr->mr_mode;
    return hints;
}

} // namespace fi::test
