// SPDX-License-Identifier: BSD-2-Clause
//
// Every attribute of fi_info, refused once. The table is used twice: on the checks themselves, where the
// whole reason is compared, and through fi_getinfo() on a provider, where the reason has to name the
// attribute.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <limits>
#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

namespace fi::test {

struct Refusal {
    const char* attribute; ///< as the reason names it
    uint32_t api;          ///< the version that asks

    /// Changes hints which `offer` (an offer, or an entry that a provider returned) meets so that it does not
    /// meet them in this attribute. False if it is without a limit here, and nothing was changed.
    bool (*ask)(fi_info& hints, const fi_info& offer);

    const char* reason; ///< the rest of the reason where the offer is SampleOffer
};

namespace detail {

inline constexpr uint32_t kNow = FI_VERSION(2, 6);
inline constexpr uint32_t kOld = FI_VERSION(1, 17);
inline constexpr uint64_t kNamelessBit = 1ULL << 63;
inline constexpr uint32_t kNoSuchChoice = 99;

/// More than anything that has a limit. One below the largest value, which means something else in places.
template <class T>
bool exceed(T& member, T offered)
{
    constexpr T kHuge = std::numeric_limits<T>::max() - 1;
    if (offered >= kHuge)
        return false;
    member = kHuge;
    return true;
}

template <class T>
bool set(T& member, uint64_t value)
{
    // As C would: an enumeration may hold a number that has no name.
    std::memcpy(&member, &value, sizeof(member));
    return true;
}

inline bool set_text(char*& member, const char* value)
{
    member = strdup(value);
    return true;
}

template <class T>
bool set_object(T*& member)
{
    static fid stranger{};
    member = reinterpret_cast<T*>(&stranger);
    return true;
}

inline bool set_key(uint8_t*& key, size_t& size, size_t offered)
{
    size = offered + 3;
    key = static_cast<uint8_t*>(calloc(1, size));
    return true;
}

using Hints = fi_info&;
using Offer = const fi_info&;

} // namespace detail

#define FI_TEST_HUGE "18446744073709551614"

inline const Refusal kRefusals[] = {
    {"caps", detail::kNow,
     [](detail::Hints h, detail::Offer o) {
         return !(o.caps & FI_MULTICAST) && detail::set(h.caps, FI_MSG | FI_MULTICAST);
     },
     "asked [ FI_MULTICAST ], offered [ FI_MSG, FI_RMA, FI_TAGGED, FI_ATOMIC, FI_READ, FI_WRITE, FI_RECV, "
     "FI_SEND, "
     "FI_REMOTE_READ, FI_REMOTE_WRITE, FI_MULTI_RECV, FI_TAGGED_DIRECTED_RECV, FI_LOCAL_COMM, "
     "FI_REMOTE_COMM, "
     "FI_RMA_EVENT, FI_SOURCE, FI_DIRECTED_RECV ]"},
    {"mode", detail::kNow, [](detail::Hints h, detail::Offer o) { return o.mode && detail::set(h.mode, 0); },
     "asked [ ], offered [ FI_CONTEXT ]"},
    {"addr_format", detail::kNow,
     [](detail::Hints h, detail::Offer) { return detail::set(h.addr_format, FI_ADDR_EFA); },
     "asked FI_ADDR_EFA, offered FI_SOCKADDR_IN"},

    {"fabric_attr->fabric", detail::kNow,
     [](detail::Hints h, detail::Offer) { return detail::set_object(h.fabric_attr->fabric); }, nullptr},
    {"fabric_attr->name", detail::kNow,
     [](detail::Hints h, detail::Offer) { return detail::set_text(h.fabric_attr->name, "no such fabric"); },
     "asked no such fabric, offered 127.0.0.0/8"},
    {"fabric_attr->prov_version", detail::kNow,
     [](detail::Hints h, detail::Offer) {
         return detail::set(h.fabric_attr->prov_version, FI_VERSION(9999, 1));
     },
     "asked 9999.1, offered 3.1"},
    {"fabric_attr->api_version", detail::kNow,
     [](detail::Hints h, detail::Offer) {
         return detail::set(h.fabric_attr->api_version, FI_VERSION(99, 0));
     },
     "asked 99.0, offered 2.6"},

    {"domain_attr->domain", detail::kNow,
     [](detail::Hints h, detail::Offer) { return detail::set_object(h.domain_attr->domain); }, nullptr},
    {"domain_attr->name", detail::kNow,
     [](detail::Hints h, detail::Offer) { return detail::set_text(h.domain_attr->name, "no such\ndomain"); },
     "asked no such?domain, offered lo"},
    {"domain_attr->threading", detail::kNow,
     [](detail::Hints h, detail::Offer) {
         return detail::set(h.domain_attr->threading, detail::kNoSuchChoice);
     },
     "asked 99, offered FI_THREAD_SAFE"},
    {"domain_attr->progress", detail::kNow,
     [](detail::Hints h, detail::Offer) {
         return detail::set(h.domain_attr->progress, detail::kNoSuchChoice);
     },
     "asked 99, offered FI_PROGRESS_MANUAL"},
    {"domain_attr->control_progress", detail::kOld,
     [](detail::Hints h, detail::Offer) {
         return detail::set(h.domain_attr->control_progress, detail::kNoSuchChoice);
     },
     "asked 99, offered FI_PROGRESS_MANUAL"},
    {"domain_attr->data_progress", detail::kOld,
     [](detail::Hints h, detail::Offer) {
         return detail::set(h.domain_attr->data_progress, detail::kNoSuchChoice);
     },
     "asked 99, offered FI_PROGRESS_MANUAL"},
    {"domain_attr->resource_mgmt", detail::kNow,
     [](detail::Hints h, detail::Offer) {
         return detail::set(h.domain_attr->resource_mgmt, detail::kNoSuchChoice);
     },
     "asked 99, offered FI_RM_ENABLED"},
    {"domain_attr->av_type", detail::kNow,
     [](detail::Hints h, detail::Offer) {
         return detail::set(h.domain_attr->av_type, detail::kNoSuchChoice);
     },
     "asked 99, offered FI_AV_UNSPEC"},
    {"domain_attr->mr_mode", detail::kNow,
     [](detail::Hints h, detail::Offer o) {
         h.caps = FI_RMA;
         return o.domain_attr->mr_mode && detail::set(h.domain_attr->mr_mode, 0);
     },
     "asked [ ], offered [ FI_MR_VIRT_ADDR, FI_MR_PROV_KEY ]"},
    {"domain_attr->mr_key_size", detail::kNow,
     [](detail::Hints h, detail::Offer o) {
         return detail::exceed(h.domain_attr->mr_key_size, o.domain_attr->mr_key_size);
     },
     "asked " FI_TEST_HUGE ", offered 8"},
    {"domain_attr->cq_data_size", detail::kNow,
     [](detail::Hints h, detail::Offer o) {
         return detail::exceed(h.domain_attr->cq_data_size, o.domain_attr->cq_data_size);
     },
     "asked " FI_TEST_HUGE ", offered 8"},
    {"domain_attr->cq_cnt", detail::kNow,
     [](detail::Hints h, detail::Offer o) {
         return detail::exceed(h.domain_attr->cq_cnt, o.domain_attr->cq_cnt);
     },
     "asked " FI_TEST_HUGE ", offered 100"},
    {"domain_attr->ep_cnt", detail::kNow,
     [](detail::Hints h, detail::Offer o) {
         return detail::exceed(h.domain_attr->ep_cnt, o.domain_attr->ep_cnt);
     },
     "asked " FI_TEST_HUGE ", offered 101"},
    {"domain_attr->tx_ctx_cnt", detail::kNow,
     [](detail::Hints h, detail::Offer o) {
         return detail::exceed(h.domain_attr->tx_ctx_cnt, o.domain_attr->tx_ctx_cnt);
     },
     "asked " FI_TEST_HUGE ", offered 102"},
    {"domain_attr->rx_ctx_cnt", detail::kNow,
     [](detail::Hints h, detail::Offer o) {
         return detail::exceed(h.domain_attr->rx_ctx_cnt, o.domain_attr->rx_ctx_cnt);
     },
     "asked " FI_TEST_HUGE ", offered 103"},
    {"domain_attr->max_ep_tx_ctx", detail::kNow,
     [](detail::Hints h, detail::Offer o) {
         return detail::exceed(h.domain_attr->max_ep_tx_ctx, o.domain_attr->max_ep_tx_ctx);
     },
     "asked " FI_TEST_HUGE ", offered 1"},
    {"domain_attr->max_ep_rx_ctx", detail::kNow,
     [](detail::Hints h, detail::Offer o) {
         return detail::exceed(h.domain_attr->max_ep_rx_ctx, o.domain_attr->max_ep_rx_ctx);
     },
     "asked " FI_TEST_HUGE ", offered 2"},
    {"domain_attr->max_ep_stx_ctx", detail::kNow,
     [](detail::Hints h, detail::Offer o) {
         return detail::exceed(h.domain_attr->max_ep_stx_ctx, o.domain_attr->max_ep_stx_ctx);
     },
     "asked " FI_TEST_HUGE ", offered 0"},
    {"domain_attr->max_ep_srx_ctx", detail::kNow,
     [](detail::Hints h, detail::Offer o) {
         return detail::exceed(h.domain_attr->max_ep_srx_ctx, o.domain_attr->max_ep_srx_ctx);
     },
     "asked " FI_TEST_HUGE ", offered 0"},
    {"domain_attr->cntr_cnt", detail::kNow,
     [](detail::Hints h, detail::Offer o) {
         return detail::exceed(h.domain_attr->cntr_cnt, o.domain_attr->cntr_cnt);
     },
     "asked " FI_TEST_HUGE ", offered 104"},
    {"domain_attr->mr_iov_limit", detail::kNow,
     [](detail::Hints h, detail::Offer o) {
         return detail::exceed(h.domain_attr->mr_iov_limit, o.domain_attr->mr_iov_limit);
     },
     "asked " FI_TEST_HUGE ", offered 3"},
    {"domain_attr->caps", detail::kNow,
     [](detail::Hints h, detail::Offer o) {
         return !(o.domain_attr->caps & FI_SHARED_AV) && detail::set(h.domain_attr->caps, FI_SHARED_AV);
     },
     "asked [ FI_SHARED_AV ], offered [ FI_LOCAL_COMM, FI_REMOTE_COMM, FI_DIRECTED_RECV ]"},
    {"domain_attr->mode", detail::kNow,
     [](detail::Hints h, detail::Offer o) {
         return o.domain_attr->mode && detail::set(h.domain_attr->mode, detail::kNamelessBit);
     },
     "asked [ 0x8000000000000000 ], offered [ FI_CONTEXT ]"},
    {"domain_attr->auth_key_size", detail::kNow,
     [](detail::Hints h, detail::Offer o) {
         return detail::set_key(h.domain_attr->auth_key, h.domain_attr->auth_key_size,
                                o.domain_attr->auth_key_size);
     },
     "asked 3, offered 0"},
    {"domain_attr->max_err_data", detail::kNow,
     [](detail::Hints h, detail::Offer o) {
         return detail::exceed(h.domain_attr->max_err_data, o.domain_attr->max_err_data);
     },
     "asked " FI_TEST_HUGE ", offered 16"},
    {"domain_attr->mr_cnt", detail::kNow,
     [](detail::Hints h, detail::Offer o) {
         return detail::exceed(h.domain_attr->mr_cnt, o.domain_attr->mr_cnt);
     },
     "asked " FI_TEST_HUGE ", offered 105"},
    {"domain_attr->tclass", detail::kNow,
     [](detail::Hints h, detail::Offer) { return detail::set(h.domain_attr->tclass, 0x300); },
     "asked 0x300, offered 0x200"},
    {"domain_attr->max_ep_auth_key", detail::kNow,
     [](detail::Hints h, detail::Offer o) {
         return detail::exceed(h.domain_attr->max_ep_auth_key, o.domain_attr->max_ep_auth_key);
     },
     "asked " FI_TEST_HUGE ", offered 1"},
    {"domain_attr->max_group_id", detail::kNow,
     [](detail::Hints h, detail::Offer o) {
         return detail::exceed(h.domain_attr->max_group_id, o.domain_attr->max_group_id);
     },
     "asked 4294967294, offered 7"},
    {"domain_attr->max_cntr_value", detail::kNow,
     [](detail::Hints h, detail::Offer o) {
         return detail::exceed(h.domain_attr->max_cntr_value, o.domain_attr->max_cntr_value);
     },
     "asked " FI_TEST_HUGE ", offered 1099511627776"},
    {"domain_attr->max_err_cntr_value", detail::kNow,
     [](detail::Hints h, detail::Offer o) {
         return detail::exceed(h.domain_attr->max_err_cntr_value, o.domain_attr->max_err_cntr_value);
     },
     "asked " FI_TEST_HUGE ", offered 1048576"},

    {"ep_attr->type", detail::kNow,
     [](detail::Hints h, detail::Offer) { return detail::set(h.ep_attr->type, detail::kNoSuchChoice); },
     "asked 99, offered FI_EP_RDM"},
    {"ep_attr->protocol", detail::kNow,
     [](detail::Hints h, detail::Offer) { return detail::set(h.ep_attr->protocol, FI_PROTO_EFA); },
     "asked FI_PROTO_EFA, offered FI_PROTO_SOCK_TCP"},
    {"ep_attr->protocol_version", detail::kNow,
     [](detail::Hints h, detail::Offer o) {
         return detail::exceed(h.ep_attr->protocol_version, o.ep_attr->protocol_version);
     },
     "asked 4294967294, offered 3"},
    {"ep_attr->max_msg_size", detail::kNow,
     [](detail::Hints h, detail::Offer o) {
         return detail::exceed(h.ep_attr->max_msg_size, o.ep_attr->max_msg_size);
     },
     "asked " FI_TEST_HUGE ", offered 1073741824"},
    {"ep_attr->msg_prefix_size", detail::kNow,
     [](detail::Hints h, detail::Offer o) {
         return detail::exceed(h.ep_attr->msg_prefix_size, o.ep_attr->msg_prefix_size);
     },
     "asked " FI_TEST_HUGE ", offered 0"},
    {"ep_attr->max_order_raw_size", detail::kNow,
     [](detail::Hints h, detail::Offer o) {
         return detail::exceed(h.ep_attr->max_order_raw_size, o.ep_attr->max_order_raw_size);
     },
     "asked " FI_TEST_HUGE ", offered 8"},
    {"ep_attr->max_order_war_size", detail::kNow,
     [](detail::Hints h, detail::Offer o) {
         return detail::exceed(h.ep_attr->max_order_war_size, o.ep_attr->max_order_war_size);
     },
     "asked " FI_TEST_HUGE ", offered 16"},
    {"ep_attr->max_order_waw_size", detail::kNow,
     [](detail::Hints h, detail::Offer o) {
         return detail::exceed(h.ep_attr->max_order_waw_size, o.ep_attr->max_order_waw_size);
     },
     "asked " FI_TEST_HUGE ", offered 32"},
    {"ep_attr->mem_tag_format", detail::kNow,
     [](detail::Hints h, detail::Offer) { return detail::set(h.ep_attr->mem_tag_format, 3); },
     "asked 0x3, offered 0xffffffffffffff"},
    {"ep_attr->tx_ctx_cnt", detail::kNow,
     [](detail::Hints h, detail::Offer o) {
         return detail::exceed(h.ep_attr->tx_ctx_cnt, o.domain_attr->max_ep_tx_ctx);
     },
     "asked " FI_TEST_HUGE ", offered 1"},
    {"ep_attr->rx_ctx_cnt", detail::kNow,
     [](detail::Hints h, detail::Offer o) {
         return o.domain_attr->max_ep_srx_ctx
                    ? detail::exceed(h.ep_attr->rx_ctx_cnt, o.domain_attr->max_ep_rx_ctx)
                    : detail::set(h.ep_attr->rx_ctx_cnt, FI_SHARED_CONTEXT);
     },
     "asked FI_SHARED_CONTEXT, offered 2"},
    {"ep_attr->auth_key_size", detail::kNow,
     [](detail::Hints h, detail::Offer o) {
         return detail::set_key(h.ep_attr->auth_key, h.ep_attr->auth_key_size, o.ep_attr->auth_key_size);
     },
     "asked 3, offered 0"},

    {"tx_attr->caps", detail::kNow,
     [](detail::Hints h,
        detail::Offer
            o) { return !(o.caps & FI_MULTICAST) && detail::set(h.tx_attr->caps, FI_MSG | FI_MULTICAST); },
     nullptr},
    {"tx_attr->mode", detail::kNow,
     [](detail::Hints h,
        detail::Offer o) { return o.tx_attr->mode && detail::set(h.tx_attr->mode, detail::kNamelessBit); },
     "asked [ 0x8000000000000000 ], offered [ FI_CONTEXT ]"},
    {"tx_attr->op_flags", detail::kNow,
     [](detail::Hints h, detail::Offer) { return detail::set(h.tx_attr->op_flags, FI_COMMIT_COMPLETE); },
     "asked [ FI_COMMIT_COMPLETE ], offered [ FI_COMPLETION, FI_INJECT, FI_TRANSMIT_COMPLETE, "
     "FI_DELIVERY_COMPLETE ]"},
    {"tx_attr->msg_order", detail::kNow,
     [](detail::Hints h, detail::Offer) { return detail::set(h.tx_attr->msg_order, detail::kNamelessBit); },
     "asked [ 0x8000000000000000 ], offered [ FI_ORDER_SAS ]"},
    {"tx_attr->comp_order", detail::kNow,
     [](detail::Hints h, detail::Offer) { return detail::set(h.tx_attr->comp_order, FI_ORDER_SAS); },
     "asked [ FI_ORDER_SAS ], offered [ ]"},
    {"tx_attr->inject_size", detail::kNow,
     [](detail::Hints h,
        detail::Offer o) { return detail::exceed(h.tx_attr->inject_size, o.tx_attr->inject_size); },
     "asked " FI_TEST_HUGE ", offered 64"},
    {"tx_attr->size", detail::kNow,
     [](detail::Hints h, detail::Offer o) { return detail::exceed(h.tx_attr->size, o.tx_attr->size); },
     "asked " FI_TEST_HUGE ", offered 256"},
    {"tx_attr->iov_limit", detail::kNow,
     [](detail::Hints h,
        detail::Offer o) { return detail::exceed(h.tx_attr->iov_limit, o.tx_attr->iov_limit); },
     "asked " FI_TEST_HUGE ", offered 4"},
    {"tx_attr->rma_iov_limit", detail::kNow,
     [](detail::Hints h,
        detail::Offer o) { return detail::exceed(h.tx_attr->rma_iov_limit, o.tx_attr->rma_iov_limit); },
     "asked " FI_TEST_HUGE ", offered 2"},
    {"tx_attr->tclass", detail::kNow,
     [](detail::Hints h, detail::Offer) { return detail::set(h.tx_attr->tclass, 0x150); },
     "asked 0x150, offered 0x200"},

    {"rx_attr->caps", detail::kNow,
     [](detail::Hints h,
        detail::Offer
            o) { return !(o.caps & FI_MULTICAST) && detail::set(h.rx_attr->caps, FI_MSG | FI_MULTICAST); },
     nullptr},
    {"rx_attr->mode", detail::kNow,
     [](detail::Hints h,
        detail::Offer o) { return o.rx_attr->mode && detail::set(h.rx_attr->mode, detail::kNamelessBit); },
     "asked [ 0x8000000000000000 ], offered [ FI_CONTEXT ]"},
    {"rx_attr->op_flags", detail::kNow,
     [](detail::Hints h, detail::Offer) { return detail::set(h.rx_attr->op_flags, FI_COMMIT_COMPLETE); },
     "asked [ FI_COMMIT_COMPLETE ], offered [ FI_COMPLETION ]"},
    {"rx_attr->msg_order", detail::kNow,
     [](detail::Hints h, detail::Offer) { return detail::set(h.rx_attr->msg_order, detail::kNamelessBit); },
     "asked [ 0x8000000000000000 ], offered [ FI_ORDER_SAS ]"},
    {"rx_attr->comp_order", detail::kNow,
     [](detail::Hints h, detail::Offer) { return detail::set(h.rx_attr->comp_order, FI_ORDER_SAS); },
     "asked [ FI_ORDER_SAS ], offered [ ]"},
    {"rx_attr->total_buffered_recv", detail::kNow,
     [](detail::Hints h, detail::Offer) { return detail::set(h.rx_attr->total_buffered_recv, 1); },
     "asked 1, offered 0"},
    {"rx_attr->size", detail::kNow,
     [](detail::Hints h, detail::Offer o) { return detail::exceed(h.rx_attr->size, o.rx_attr->size); },
     "asked " FI_TEST_HUGE ", offered 512"},
    {"rx_attr->iov_limit", detail::kNow,
     [](detail::Hints h,
        detail::Offer o) { return detail::exceed(h.rx_attr->iov_limit, o.rx_attr->iov_limit); },
     "asked " FI_TEST_HUGE ", offered 4"},
};

#undef FI_TEST_HUGE

} // namespace fi::test
