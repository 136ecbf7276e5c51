// SPDX-License-Identifier: BSD-2-Clause
//
// From an offer and hints that fit it to an fi_info. What was refused never gets here, so each attribute is
// one decision: the offer's value, or the one asked for where asking for less gives the application less to
// pay for.

#include "kit/objects/answer.hpp"

#include "kit/objects/address.hpp"
#include "kit/objects/caps.hpp"
#include "kit/objects/growth.hpp"

#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <type_traits>

namespace fi::kit {
namespace {

template <class Block>
Block* allocate()
{
    static_assert(std::is_trivial_v<Block>);
    void* memory = std::calloc(1, sizeof(Block));
    if (!memory)
        throw std::bad_alloc();
    return static_cast<Block*>(memory);
}

void* duplicate(const void* data, size_t size)
{
    if (!data || !size)
        return nullptr;
    void* memory = std::malloc(size);
    if (!memory)
        throw std::bad_alloc();
    return std::memcpy(memory, data, size);
}

char* duplicate(const char* text)
{
    return text ? static_cast<char*>(duplicate(text, std::strlen(text) + 1)) : nullptr;
}

InfoPtr empty_info()
{
    InfoPtr info(allocate<fi_info>());
    info->tx_attr = allocate<fi_tx_attr>();
    info->rx_attr = allocate<fi_rx_attr>();
    info->ep_attr = allocate<fi_ep_attr>();
    info->domain_attr = allocate<fi_domain_attr>();
    info->fabric_attr = allocate<fi_fabric_attr>();
    return info;
}

fid_nic* duplicate(fid_nic* nic)
{
    if (!nic || !nic->fid.ops || !nic->fid.ops->control)
        return nullptr;
    fid_nic* copy = nullptr;
    const int status = nic->fid.ops->control(&nic->fid, FI_DUP, &copy);
    if (status == -FI_ENOMEM)
        throw std::bad_alloc();
    return status ? nullptr : copy;
}

template <class T>
T either(T asked, T otherwise)
{
    return asked ? asked : otherwise;
}

/// The domain's block up to the members that this API version has.
fi_domain_attr known_part(uint32_t api, const fi_domain_attr& domain)
{
    fi_domain_attr out{};
    out.domain = domain.domain;
    out.name = domain.name;
    out.threading = domain.threading;
    out.control_progress = domain.control_progress;
    out.data_progress = domain.data_progress;
    out.resource_mgmt = domain.resource_mgmt;
    out.av_type = domain.av_type;
    out.mr_mode = domain.mr_mode;
    out.mr_key_size = domain.mr_key_size;
    out.cq_data_size = domain.cq_data_size;
    out.cq_cnt = domain.cq_cnt;
    out.ep_cnt = domain.ep_cnt;
    out.tx_ctx_cnt = domain.tx_ctx_cnt;
    out.rx_ctx_cnt = domain.rx_ctx_cnt;
    out.max_ep_tx_ctx = domain.max_ep_tx_ctx;
    out.max_ep_rx_ctx = domain.max_ep_rx_ctx;
    out.max_ep_stx_ctx = domain.max_ep_stx_ctx;
    out.max_ep_srx_ctx = domain.max_ep_srx_ctx;
    if (api >= growth::kDomainLimits) {
        out.cntr_cnt = domain.cntr_cnt;
        out.mr_iov_limit = domain.mr_iov_limit;
        out.caps = domain.caps;
        out.mode = domain.mode;
        out.auth_key = domain.auth_key;
        out.auth_key_size = domain.auth_key_size;
        out.max_err_data = domain.max_err_data;
        out.mr_cnt = domain.mr_cnt;
    }
    if (api >= growth::kTrafficClass)
        out.tclass = domain.tclass;
    if (api >= growth::kAvAuthKey)
        out.max_ep_auth_key = domain.max_ep_auth_key;
    if (api >= growth::kGroups)
        out.max_group_id = domain.max_group_id;
    if (api >= growth::kCounterLimits) {
        out.max_cntr_value = domain.max_cntr_value;
        out.max_err_cntr_value = domain.max_err_cntr_value;
    }
    return out;
}

/// A key's bytes; FI_AV_AUTH_KEY is a size without any.
uint8_t* duplicate_key(const uint8_t* key, size_t size)
{
    return size == FI_AV_AUTH_KEY ? nullptr
                                  : static_cast<uint8_t*>(duplicate(static_cast<const void*>(key), size));
}

/// A kind of traffic class that the offer honours; other wishes (let pass for old applications) read as none.
uint32_t traffic_class(uint32_t asked, uint32_t offered)
{
    return asked & offered & (FI_TC_LABEL | FI_TC_DSCP) ? asked : 0;
}

/// Writes an answer block by block; each function fills one from the copy of the offer that is already there.
class Answer {
  public:
    Answer(uint32_t api, const fi_info& offer, const fi_info* hints, const Unasked& unasked)
        : api_(api), offer_(offer), hints_(hints), unasked_(unasked), info_(copy_info(api, offer)),
          caps_(caps::in_force(api, offer, hints))
    {
    }

    fi_info* build()
    {
        info();
        addresses();
        fabric();
        domain();
        endpoint();
        transmit();
        receive();
        return info_.release();
    }

  private:
    bool since(uint32_t version) const { return api_ >= version; }

    void info();
    void addresses();
    void fabric();
    void domain();
    void endpoint();
    void transmit();
    void receive();
    void threading_and_progress(fi_domain_attr& out, const fi_domain_attr& asked);

    const fi_tx_attr& asked_tx() const { return hints_ && hints_->tx_attr ? *hints_->tx_attr : kNoTransmit; }
    const fi_rx_attr& asked_rx() const { return hints_ && hints_->rx_attr ? *hints_->rx_attr : kNoReceive; }
    const fi_ep_attr& asked_ep() const { return hints_ && hints_->ep_attr ? *hints_->ep_attr : kNoEndpoint; }
    const fi_domain_attr& asked_domain() const
    {
        return hints_ && hints_->domain_attr ? *hints_->domain_attr : kNoDomain;
    }

    static constexpr fi_tx_attr kNoTransmit{};
    static constexpr fi_rx_attr kNoReceive{};
    static constexpr fi_ep_attr kNoEndpoint{};
    static constexpr fi_domain_attr kNoDomain{};

    const uint32_t api_;
    const fi_info& offer_;
    const fi_info* hints_;
    const Unasked& unasked_;
    InfoPtr info_;
    const uint64_t caps_;
};

void Answer::info()
{
    const caps::Registration mr = caps::registration(api_, offer_.domain_attr->mr_mode, caps_, hints_);
    info_->caps = caps_;
    info_->mode = offer_.mode | mr.info_mode;
    info_->domain_attr->mr_mode = mr.mr_mode;
    if (hints_ && hints_->handle && hints_->handle->fclass == FI_CLASS_PEP)
        info_->handle = hints_->handle; // C33
}

void Answer::addresses()
{
    const uint32_t asked = hints_ ? hints_->addr_format : uint32_t{FI_FORMAT_UNSPEC};
    if (asked != FI_ADDR_STR || offer_.addr_format == FI_ADDR_STR)
        return;
    const auto spell = [](void*& address, size_t& size) {
        if (!address)
            return;
        const auto value = Address::from(address, size);
        const std::string text = value ? value->text() : std::string();
        void* spelled = duplicate(text.c_str(), text.size() + 1);
        std::free(address);
        address = spelled;
        size = text.size() + 1;
    };
    spell(info_->src_addr, info_->src_addrlen);
    spell(info_->dest_addr, info_->dest_addrlen);
    info_->addr_format = FI_ADDR_STR;
}

void Answer::fabric()
{
    fi_fabric_attr& out = *info_->fabric_attr;
    std::free(out.prov_name);
    out.prov_name = nullptr;
    if (since(growth::kDomainLimits))
        out.api_version = api_; // C9
}

void Answer::threading_and_progress(fi_domain_attr& out, const fi_domain_attr& asked)
{
    // What was promised is what is used; the two deprecated models are served with all the locks.
    const bool deprecated = asked.threading == FI_THREAD_FID || asked.threading == FI_THREAD_ENDPOINT;
    out.threading =
        deprecated ? FI_THREAD_SAFE : either(asked.threading, either(out.threading, FI_THREAD_SAFE));

    const fi_progress usual = either(unasked_.progress, offer_.domain_attr->progress);
    out.data_progress = either(asked.data_progress, usual);
    // From 2.0 on there is one model and control_progress is only there for the layout (C291).
    out.control_progress =
        since(growth::kSecondEdition) ? out.data_progress : either(asked.control_progress, usual);
}

void Answer::domain()
{
    const fi_domain_attr& asked = asked_domain();
    fi_domain_attr& out = *info_->domain_attr;
    threading_and_progress(out, asked);
    out.av_type = either(asked.av_type, out.av_type);
    if (!since(growth::kSecondEdition))
        out.caps &= growth::kFirstEditionDomainCaps; // C57
    if (since(growth::kDomainLimits) && asked.auth_key_size) {
        std::free(out.auth_key);
        out.auth_key = nullptr;
        out.auth_key = duplicate_key(asked.auth_key, asked.auth_key_size);
        out.auth_key_size = asked.auth_key_size;
    }
    if (since(growth::kTrafficClass))
        out.tclass = traffic_class(asked.tclass, offer_.domain_attr->tclass);
    if (since(growth::kCounterLimits)) {
        constexpr uint64_t kNoLimit = std::numeric_limits<uint64_t>::max();
        out.max_cntr_value = either(out.max_cntr_value, kNoLimit);
        out.max_err_cntr_value = either(out.max_err_cntr_value, kNoLimit);
    }
}

void Answer::endpoint()
{
    const fi_ep_attr& asked = asked_ep();
    fi_ep_attr& out = *info_->ep_attr;
    out.mem_tag_format = either(asked.mem_tag_format, out.mem_tag_format);
    if (!out.mem_tag_format && !since(growth::kSecondEdition))
        out.mem_tag_format = growth::kEveryTagBit;
    // 0 asks for one context for each direction in use (C114).
    const size_t sends = caps_ & (FI_SEND | FI_READ | FI_WRITE) ? 1 : 0;
    const size_t receives = caps_ & (FI_RECV | FI_REMOTE_READ | FI_REMOTE_WRITE) ? 1 : 0;
    out.tx_ctx_cnt = either(asked.tx_ctx_cnt, sends);
    out.rx_ctx_cnt = either(asked.rx_ctx_cnt, receives);
    if (!(info_->mode & FI_MSG_PREFIX))
        out.msg_prefix_size = 0; // C67
    if (since(growth::kDomainLimits) && asked.auth_key_size) {
        std::free(out.auth_key);
        out.auth_key = nullptr;
        out.auth_key = duplicate_key(asked.auth_key, asked.auth_key_size);
        out.auth_key_size = asked.auth_key_size;
    }
}

void Answer::transmit()
{
    const fi_tx_attr& asked = asked_tx();
    fi_tx_attr& out = *info_->tx_attr;
    const uint64_t side = caps::transmit_side(caps_);
    out.caps = either(caps::transmit_side(caps::with_directions(asked.caps)) & side, side);
    out.op_flags = asked.op_flags;
    out.comp_order = since(growth::kSecondEdition) ? 0 : asked.comp_order & out.comp_order;
    out.size = either(asked.size, either(unasked_.tx_size, out.size));
    if (since(growth::kTrafficClass))
        out.tclass = traffic_class(asked.tclass, offer_.tx_attr->tclass);
}

void Answer::receive()
{
    const fi_rx_attr& asked = asked_rx();
    fi_rx_attr& out = *info_->rx_attr;
    const uint64_t side = caps::receive_side(caps_);
    out.caps = either(caps::receive_side(caps::with_directions(asked.caps)) & side, side);
    out.op_flags = asked.op_flags;
    out.comp_order = since(growth::kSecondEdition) ? 0 : asked.comp_order & out.comp_order;
    out.total_buffered_recv = since(growth::kSecondEdition) ? 0 : asked.total_buffered_recv;
    out.size = either(asked.size, either(unasked_.rx_size, out.size));
}

} // namespace

fi_info* answer(uint32_t api, const fi_info& offer, const fi_info* hints, const Unasked& unasked)
{
    return Answer(api, offer, hints, unasked).build();
}

fi_info* copy_info(uint32_t api, const fi_info& info)
{
    InfoPtr out = empty_info();
    out->caps = info.caps;
    out->mode = info.mode;
    out->addr_format = info.addr_format;
    out->handle = info.handle;
    out->src_addr = duplicate(info.src_addr, info.src_addrlen);
    out->src_addrlen = out->src_addr ? info.src_addrlen : 0;
    out->dest_addr = duplicate(info.dest_addr, info.dest_addrlen);
    out->dest_addrlen = out->dest_addr ? info.dest_addrlen : 0;
    if (api >= growth::kNic)
        out->nic = duplicate(info.nic);

    *out->tx_attr = *info.tx_attr;
    if (api < growth::kTrafficClass)
        out->tx_attr->tclass = 0;
    *out->rx_attr = *info.rx_attr;

    // Pointers are taken over only when their copy exists: a half-built entry must be free to go.
    fi_ep_attr& ep = *out->ep_attr;
    ep = *info.ep_attr;
    ep.auth_key = nullptr;
    ep.auth_key_size = api < growth::kDomainLimits ? 0 : info.ep_attr->auth_key_size;
    if (ep.auth_key_size)
        ep.auth_key = duplicate_key(info.ep_attr->auth_key, ep.auth_key_size);

    fi_domain_attr& domain = *out->domain_attr;
    const fi_domain_attr known = known_part(api, *info.domain_attr);
    domain = known;
    domain.name = nullptr;
    domain.auth_key = nullptr;
    domain.name = duplicate(known.name);
    domain.auth_key = duplicate_key(known.auth_key, known.auth_key_size);

    fi_fabric_attr& fabric = *out->fabric_attr;
    fabric.fabric = info.fabric_attr->fabric;
    fabric.prov_version = info.fabric_attr->prov_version;
    fabric.api_version = api < growth::kDomainLimits ? 0 : info.fabric_attr->api_version;
    fabric.name = duplicate(info.fabric_attr->name);
    fabric.prov_name = duplicate(info.fabric_attr->prov_name);
    return out.release();
}

void free_info(fi_info* info) noexcept
{
    while (info) {
        fi_info* next = info->next;
        if (info->nic && info->nic->fid.ops && info->nic->fid.ops->close)
            info->nic->fid.ops->close(&info->nic->fid);
        std::free(info->src_addr);
        std::free(info->dest_addr);
        std::free(info->tx_attr);
        std::free(info->rx_attr);
        if (info->ep_attr) {
            std::free(info->ep_attr->auth_key);
            std::free(info->ep_attr);
        }
        if (info->domain_attr) {
            std::free(info->domain_attr->auth_key);
            std::free(info->domain_attr->name);
            std::free(info->domain_attr);
        }
        if (info->fabric_attr) {
            std::free(info->fabric_attr->name);
            std::free(info->fabric_attr->prov_name);
            std::free(info->fabric_attr);
        }
        std::free(info);
        info = next;
    }
}

} // namespace fi::kit
