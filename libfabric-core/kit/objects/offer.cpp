// SPDX-License-Identifier: BSD-2-Clause
//
// The attribute checks: one line for each attribute of fi_info, by kind of demand.
//
// Zero in a hint means "any" for every attribute but the modes, where zero means "nothing". The kinds are: a
// ceiling that is not exceeded, a choice that is equal, a set that is covered, a rank that is reached, and
// the modes, where the application must cover the provider.

#include "kit/objects/offer.hpp"

#include "kit/objects/caps.hpp"
#include "kit/objects/demands.hpp"
#include "kit/objects/growth.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

namespace fi::kit {
namespace {

/// How much a threading, progress or resource model does for the application; more satisfies less. 0 asks for
/// nothing, kNever is not a value of the API version.
constexpr int kNever = std::numeric_limits<int>::max();

int threading_rank(uint32_t model)
{
    switch (model) {
    case FI_THREAD_UNSPEC:
        return 0;
    case FI_THREAD_DOMAIN:
        return 1;
    case FI_THREAD_COMPLETION:
        return 2;
    case FI_THREAD_ENDPOINT:
        return 3; // deprecated, served as FI_THREAD_SAFE, and so is the next
    case FI_THREAD_FID:
        return 4;
    case FI_THREAD_SAFE:
        return 5;
    default:
        return kNever;
    }
}

int progress_rank(uint32_t api, uint32_t model)
{
    switch (model) {
    case FI_PROGRESS_UNSPEC:
        return 0;
    case FI_PROGRESS_CONTROL_UNIFIED:
        return api < growth::kSecondEdition ? kNever : 1;
    case FI_PROGRESS_MANUAL:
        return 2;
    case FI_PROGRESS_AUTO:
        return 3;
    default:
        return kNever;
    }
}

/// The number in an enumeration that the application wrote: it may be one that this library has no enumerator
/// for, which must not be read as the enumeration's type.
template <class Enum>
uint32_t number_in(const Enum& value)
{
    static_assert(sizeof(Enum) == sizeof(uint32_t));
    uint32_t out = 0;
    std::memcpy(&out, &value, sizeof(out));
    return out;
}

int resource_rank(uint32_t model)
{
    return model <= FI_RM_ENABLED ? static_cast<int>(model) : kNever;
}

/// The checks of one entry, block by block.
class Checks : private Demands {
  public:
    Checks(const fi_provider& prov, uint32_t api, const fi_info& offer, const fi_info& hints)
        : Demands(prov), prov_(prov), api_(api), offer_(offer), hints_(hints)
    {
    }

    void info();
    void fabric(const fi_fabric_attr& asked, const fi_fabric_attr& offered);
    void domain(const fi_domain_attr& asked, const fi_domain_attr& offered);
    void endpoint(const fi_ep_attr& asked, const fi_ep_attr& offered);
    void transmit(const fi_tx_attr& asked, const fi_tx_attr& offered);
    void receive(const fi_rx_attr& asked, const fi_rx_attr& offered);

    using Demands::passed;

  private:
    bool since(uint32_t version) const { return api_ >= version; }

    /// Before 2.0 strict completion order could be asked for, and is not refused where it is not kept: the
    /// answer says so.
    uint64_t completion_order(uint64_t offered) const
    {
        return since(growth::kSecondEdition) ? 0 : offered | growth::kOrderStrict;
    }

    void names_us(const char* prov_name);
    void side_caps(const char* attribute, uint64_t asked);
    void auth_key(const char* attribute, size_t asked, size_t offered, const void* key);
    void contexts(const char* attribute, uint64_t asked, uint64_t separate, uint64_t shared);
    void tag_format(uint64_t asked, uint64_t offered);
    void traffic_class(const char* attribute, uint32_t asked, uint32_t offered);

    const fi_provider& prov_;
    const uint32_t api_;
    const fi_info& offer_;
    const fi_info& hints_;
};

void Checks::info()
{
    const uint64_t asked = caps::asked(api_, hints_.caps);
    covered("caps", asked, caps::offered(api_, offer_), FI_TYPE_CAPS);
    for (const caps::Dependency& rule : caps::kDependencies)
        if ((asked & rule.bits) && !(asked & rule.any_of))
            refuse_lazily(
                "caps", [&] { return show::flags(asked & rule.bits, FI_TYPE_CAPS); },
                [&] { return "it only beside one of " + show::flags(rule.any_of, FI_TYPE_CAPS); });

    const caps::Registration mr =
        caps::registration(api_, offer_.domain_attr->mr_mode, caps::in_force(api_, offer_, &hints_), &hints_);
    needed("mode", hints_.mode, offer_.mode | mr.info_mode, FI_TYPE_MODE);
    if (!mr.agreed)
        refuse_lazily(
            "domain_attr->mr_mode",
            [&] {
                return show::flags(
                    static_cast<uint32_t>(hints_.domain_attr ? hints_.domain_attr->mr_mode : 0),
                    FI_TYPE_MR_MODE);
            },
            [&] { return show::flags(mr.needed, FI_TYPE_MR_MODE); });
    if (!format_compatible(hints_.addr_format, offer_.addr_format))
        same("addr_format", hints_.addr_format, offer_.addr_format, FI_TYPE_ADDR_FORMAT);
}

void Checks::names_us(const char* prov_name)
{
    // "soft", "soft;ofi_rxm", "ofi_rxm;soft", and what a utility provider asks below itself: "soft;^ofi_rxm".
    bool others = false;
    std::string_view rest = prov_name;
    while (!rest.empty()) {
        const std::string_view one = rest.substr(0, rest.find(';'));
        rest.remove_prefix(std::min(rest.size(), one.size() + 1));
        if (one.size() == std::strlen(prov_.name) && strncasecmp(one.data(), prov_.name, one.size()) == 0)
            return;
        others = others || (!one.empty() && one.front() != '^');
    }
    if (others)
        refuse("fabric_attr->prov_name", show::text(prov_name), show::text(prov_.name));
}

void Checks::fabric(const fi_fabric_attr& asked, const fi_fabric_attr& offered)
{
    same_object("fabric_attr->fabric", asked.fabric, offered.fabric);
    same_text("fabric_attr->name", asked.name, offered.name);
    if (asked.prov_name)
        names_us(asked.prov_name);
    if (asked.prov_version > prov_.version)
        refuse("fabric_attr->prov_version", show::version(asked.prov_version), show::version(prov_.version));
    if (since(growth::kDomainLimits) && asked.api_version > prov_.fi_version)
        refuse("fabric_attr->api_version", show::version(asked.api_version), show::version(prov_.fi_version));
}

void Checks::domain(const fi_domain_attr& asked, const fi_domain_attr& offered)
{
    const auto threading = [](uint32_t model) { return show::name(model, FI_TYPE_THREADING); };
    const auto progress = [](uint32_t model) { return show::name(model, FI_TYPE_PROGRESS); };
    const uint32_t models = offered.threading ? offered.threading : FI_THREAD_SAFE;
    const int driven = progress_rank(growth::kSecondEdition, offered.progress);

    same_object("domain_attr->domain", asked.domain, offered.domain);
    same_text("domain_attr->name", asked.name, offered.name);
    reaches("domain_attr->threading", threading_rank(number_in(asked.threading)), threading_rank(models),
            number_in(asked.threading), models, threading);
    if (since(growth::kSecondEdition)) {
        reaches("domain_attr->progress", progress_rank(api_, number_in(asked.progress)), driven,
                number_in(asked.progress), offered.progress, progress);
    } else {
        reaches("domain_attr->control_progress", progress_rank(api_, number_in(asked.control_progress)),
                driven, number_in(asked.control_progress), offered.progress, progress);
        reaches("domain_attr->data_progress", progress_rank(api_, number_in(asked.data_progress)), driven,
                number_in(asked.data_progress), offered.progress, progress);
    }
    reaches("domain_attr->resource_mgmt", resource_rank(number_in(asked.resource_mgmt)),
            resource_rank(offered.resource_mgmt), number_in(asked.resource_mgmt), offered.resource_mgmt,
            show::resource_mgmt);
    if (offered.av_type != FI_AV_UNSPEC || number_in(asked.av_type) > FI_AV_TABLE)
        same("domain_attr->av_type", number_in(asked.av_type), offered.av_type, FI_TYPE_AV_TYPE);
    at_most("domain_attr->mr_key_size", asked.mr_key_size, offered.mr_key_size);
    at_most("domain_attr->cq_data_size", asked.cq_data_size, offered.cq_data_size);
    at_most("domain_attr->cq_cnt", asked.cq_cnt, offered.cq_cnt);
    at_most("domain_attr->ep_cnt", asked.ep_cnt, offered.ep_cnt);
    at_most("domain_attr->tx_ctx_cnt", asked.tx_ctx_cnt, offered.tx_ctx_cnt);
    at_most("domain_attr->rx_ctx_cnt", asked.rx_ctx_cnt, offered.rx_ctx_cnt);
    at_most("domain_attr->max_ep_tx_ctx", asked.max_ep_tx_ctx, offered.max_ep_tx_ctx);
    at_most("domain_attr->max_ep_rx_ctx", asked.max_ep_rx_ctx, offered.max_ep_rx_ctx);
    at_most("domain_attr->max_ep_stx_ctx", asked.max_ep_stx_ctx, offered.max_ep_stx_ctx);
    at_most("domain_attr->max_ep_srx_ctx", asked.max_ep_srx_ctx, offered.max_ep_srx_ctx);
    if (since(growth::kDomainLimits)) {
        at_most("domain_attr->cntr_cnt", asked.cntr_cnt, offered.cntr_cnt);
        at_most("domain_attr->mr_iov_limit", asked.mr_iov_limit, offered.mr_iov_limit);
        covered("domain_attr->caps", asked.caps, offered.caps, FI_TYPE_CAPS);
        needed("domain_attr->mode", asked.mode ? asked.mode : hints_.mode, offered.mode, FI_TYPE_MODE);
        auth_key("domain_attr->auth_key_size", asked.auth_key_size, offered.auth_key_size, asked.auth_key);
        at_most("domain_attr->max_err_data", asked.max_err_data, offered.max_err_data);
        at_most("domain_attr->mr_cnt", asked.mr_cnt, offered.mr_cnt);
    }
    if (since(growth::kTrafficClass))
        traffic_class("domain_attr->tclass", asked.tclass, offered.tclass);
    if (since(growth::kAvAuthKey))
        at_most("domain_attr->max_ep_auth_key", asked.max_ep_auth_key, offered.max_ep_auth_key);
    if (since(growth::kGroups))
        at_most("domain_attr->max_group_id", asked.max_group_id, offered.max_group_id);
    if (since(growth::kCounterLimits)) {
        // A provider without a limit may say 0 (C99).
        const auto limit = [](uint64_t value) {
            return value ? value : std::numeric_limits<uint64_t>::max();
        };
        at_most("domain_attr->max_cntr_value", asked.max_cntr_value, limit(offered.max_cntr_value));
        at_most("domain_attr->max_err_cntr_value", asked.max_err_cntr_value,
                limit(offered.max_err_cntr_value));
    }
}

void Checks::endpoint(const fi_ep_attr& asked, const fi_ep_attr& offered)
{
    const fi_domain_attr& domain = *offer_.domain_attr;
    same("ep_attr->type", number_in(asked.type), offered.type, FI_TYPE_EP_TYPE);
    same("ep_attr->protocol", asked.protocol, offered.protocol, FI_TYPE_PROTOCOL);
    at_most("ep_attr->protocol_version", asked.protocol_version, offered.protocol_version);
    at_most("ep_attr->max_msg_size", asked.max_msg_size, offered.max_msg_size);
    at_most("ep_attr->msg_prefix_size", asked.msg_prefix_size, offered.msg_prefix_size);
    at_most("ep_attr->max_order_raw_size", asked.max_order_raw_size, offered.max_order_raw_size);
    at_most("ep_attr->max_order_war_size", asked.max_order_war_size, offered.max_order_war_size);
    at_most("ep_attr->max_order_waw_size", asked.max_order_waw_size, offered.max_order_waw_size);
    tag_format(asked.mem_tag_format, offered.mem_tag_format);
    contexts("ep_attr->tx_ctx_cnt", asked.tx_ctx_cnt, domain.max_ep_tx_ctx, domain.max_ep_stx_ctx);
    contexts("ep_attr->rx_ctx_cnt", asked.rx_ctx_cnt, domain.max_ep_rx_ctx, domain.max_ep_srx_ctx);
    if (since(growth::kDomainLimits))
        auth_key("ep_attr->auth_key_size", asked.auth_key_size, offered.auth_key_size, asked.auth_key);
}

void Checks::transmit(const fi_tx_attr& asked, const fi_tx_attr& offered)
{
    side_caps("tx_attr->caps", asked.caps);
    needed("tx_attr->mode", asked.mode ? asked.mode : hints_.mode, offered.mode, FI_TYPE_MODE);
    covered("tx_attr->op_flags", asked.op_flags, offered.op_flags, FI_TYPE_OP_FLAGS);
    covered("tx_attr->msg_order", asked.msg_order, offered.msg_order, FI_TYPE_MSG_ORDER);
    covered("tx_attr->comp_order", asked.comp_order, completion_order(offered.comp_order), FI_TYPE_MSG_ORDER);
    at_most("tx_attr->inject_size", asked.inject_size, offered.inject_size);
    at_most("tx_attr->size", asked.size, offered.size);
    at_most("tx_attr->iov_limit", asked.iov_limit, offered.iov_limit);
    at_most("tx_attr->rma_iov_limit", asked.rma_iov_limit, offered.rma_iov_limit);
    if (since(growth::kTrafficClass))
        traffic_class("tx_attr->tclass", asked.tclass, offered.tclass);
}

void Checks::receive(const fi_rx_attr& asked, const fi_rx_attr& offered)
{
    side_caps("rx_attr->caps", asked.caps);
    needed("rx_attr->mode", asked.mode ? asked.mode : hints_.mode, offered.mode, FI_TYPE_MODE);
    covered("rx_attr->op_flags", asked.op_flags, offered.op_flags, FI_TYPE_OP_FLAGS);
    covered("rx_attr->msg_order", asked.msg_order, offered.msg_order, FI_TYPE_MSG_ORDER);
    covered("rx_attr->comp_order", asked.comp_order, completion_order(offered.comp_order), FI_TYPE_MSG_ORDER);
    at_most("rx_attr->total_buffered_recv", asked.total_buffered_recv,
            since(growth::kSecondEdition) ? 0 : offered.total_buffered_recv);
    at_most("rx_attr->size", asked.size, offered.size);
    at_most("rx_attr->iov_limit", asked.iov_limit, offered.iov_limit);
}

void Checks::side_caps(const char* attribute, uint64_t asked)
{
    // Applications put all their capabilities into both sides; what belongs to the other one does no harm
    // here. Within what the same hints ask for as a whole (C58) only from 2.0 on: before, the two were not
    // compared.
    uint64_t limit = caps::offered(api_, offer_);
    if (hints_.caps && since(growth::kSecondEdition))
        limit &= caps::in_force(api_, offer_, &hints_);
    covered(attribute, asked, limit, FI_TYPE_CAPS);
}

void Checks::auth_key(const char* attribute, size_t asked, size_t offered, const void* key)
{
    if (asked && asked != offered)
        refuse(attribute, show::number(asked), show::number(offered));
    else if (asked == FI_AV_AUTH_KEY && since(growth::kAvAuthKey) && key)
        refuse(attribute, "FI_AV_AUTH_KEY with a key", "FI_AV_AUTH_KEY without"); // C96
    else if (asked && asked != FI_AV_AUTH_KEY && !key)
        refuse(attribute, show::number(asked) + " without a key", show::number(offered) + " with one");
}

void Checks::contexts(const char* attribute, uint64_t asked, uint64_t separate, uint64_t shared)
{
    if (asked == FI_SHARED_CONTEXT) {
        if (!shared)
            refuse(attribute, show::contexts(asked), show::number(separate));
    } else {
        at_most(attribute, asked, separate);
    }
}

void Checks::tag_format(uint64_t asked, uint64_t offered)
{
    const uint64_t bits = offered ? std::bit_width(offered) : 64;
    uint64_t wanted = std::bit_width(asked);
    if (since(growth::kSecondEdition) && asked < FI_TAG_MAX_FORMAT) {
        constexpr uint64_t kMpiTagBits = 32 + 8; // a tag and a payload id (C117)
        if (asked == FI_TAG_MPI)
            wanted = kMpiTagBits;
        else if (asked == FI_TAG_CCL)
            wanted = 1;
        else if (asked != FI_TAG_BITS)
            wanted = std::numeric_limits<uint64_t>::max(); // a format that this library has never heard of
    }
    if (wanted > bits)
        refuse("ep_attr->mem_tag_format", show::hex(asked), show::hex(offered));
}

void Checks::traffic_class(const char* attribute, uint32_t asked, uint32_t offered)
{
    // A class is a wish about queues on the way; before 2.0 providers without any let it pass.
    if (!asked || !since(growth::kSecondEdition))
        return;
    constexpr uint32_t kDscpBits = 0x3f;
    const bool label = asked >= FI_TC_BEST_EFFORT && asked <= FI_TC_NETWORK_CTRL && (offered & FI_TC_LABEL);
    const bool dscp = (asked & ~kDscpBits) == FI_TC_DSCP && (offered & FI_TC_DSCP);
    if (!label && !dscp)
        refuse(attribute, show::hex(asked), show::hex(offered));
}

} // namespace

bool format_compatible(uint32_t asked, uint32_t offered) noexcept
{
    const bool ip = offered == FI_SOCKADDR_IN || offered == FI_SOCKADDR_IN6 || offered == FI_SOCKADDR_IP;
    switch (asked) {
    case FI_FORMAT_UNSPEC:
        return true;
    case FI_SOCKADDR:
        return ip || offered == FI_SOCKADDR || offered == FI_SOCKADDR_IB;
    case FI_SOCKADDR_IP:
        return ip || offered == FI_SOCKADDR;
    case FI_ADDR_STR:
        return ip || offered == FI_SOCKADDR || offered == FI_ADDR_STR;
    case FI_SOCKADDR_IN:
    case FI_SOCKADDR_IN6:
        return asked == offered || offered == FI_SOCKADDR_IP || offered == FI_SOCKADDR;
    default:
        return asked == offered;
    }
}

bool acceptable(const fi_provider& prov, uint32_t api, const fi_info& offer, const fi_info* hints)
{
    if (!hints)
        return true;
    static constexpr fi_tx_attr kNoTransmit{};
    static constexpr fi_rx_attr kNoReceive{};
    static constexpr fi_ep_attr kNoEndpoint{};
    static constexpr fi_domain_attr kNoDomain{};
    static constexpr fi_fabric_attr kNoFabric{};

    Checks checks(prov, api, offer, *hints);
    checks.info();
    checks.fabric(hints->fabric_attr ? *hints->fabric_attr : kNoFabric, *offer.fabric_attr);
    checks.domain(hints->domain_attr ? *hints->domain_attr : kNoDomain, *offer.domain_attr);
    checks.endpoint(hints->ep_attr ? *hints->ep_attr : kNoEndpoint, *offer.ep_attr);
    checks.transmit(hints->tx_attr ? *hints->tx_attr : kNoTransmit, *offer.tx_attr);
    checks.receive(hints->rx_attr ? *hints->rx_attr : kNoReceive, *offer.rx_attr);
    return checks.passed();
}

} // namespace fi::kit
