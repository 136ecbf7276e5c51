// SPDX-License-Identifier: BSD-2-Clause
//
// Which classes make up soft: the kit's objects, the kit's engine, shared memory and TCP; with a lock or
// without.
#include "kit/objects/caps.hpp"
#include "soft.hpp"

#include <cstring>

namespace fi::soft {

static_assert(kit::Port<kit::tcp::Port> && kit::Port<kit::shm::Port> && kit::Port<Port>);
static_assert(kit::Sink<kit::Engine<Port>, Port::Link>);

int open_fabric(fi_fabric_attr* attr, fid_fabric** out, void* context) noexcept
{
    const char* const name = offer(AF_INET).fabric_attr->name;
    if (attr->name && std::strcmp(attr->name, name) != 0)
        return kit::refuse(Soft::provider(), FI_LOG_FABRIC, -FI_ENODATA, "fi_fabric",
                           "there is no fabric \"%s\", only \"%s\"", attr->name, name);
    return kit::guarded(Soft::provider(), FI_LOG_FABRIC, "fi_fabric", [&] {
        *out = &(new kit::Fabric<Soft>(name, context))->fid;
        return 0;
    });
}

int Soft::open_domain(kit::Fabric<Soft>& fabric, const fi_info& info, fid_domain** out, void* context)
{
    if (!info.domain_attr)
        return kit::refuse(provider(), FI_LOG_DOMAIN, -FI_EINVAL, "fi_domain",
                           "the fi_info has no domain_attr");
    const bool by_itself = info.domain_attr->progress == FI_PROGRESS_AUTO;
    if (by_itself || kit::needs_lock(info.domain_attr->threading))
        *out = &(new kit::Domain<Soft, kit::Mutex>(fabric, info, context))->fid;
    else
        *out = &(new kit::Domain<Soft, kit::NoLock>(fabric, info, context))->fid;
    return 0;
}

template <class Lock>
int Soft::open_endpoint(kit::Domain<Soft, Lock>& domain, const fi_info& info, fid_ep** out, void* context)
{
    const auto no = [](const char* why) {
        return kit::refuse(provider(), FI_LOG_EP_CTRL, -FI_EINVAL, "fi_endpoint", "%s", why);
    };
    if (!info.ep_attr || !info.tx_attr || !info.rx_attr)
        return no("the fi_info has no ep_attr, tx_attr or rx_attr");
    if (info.ep_attr->type != FI_EP_RDM)
        return no("only endpoints of type FI_EP_RDM");
    kit::tcp::PortConfig port{
        .provider = &provider(),
        .bind_to = {},
        .interfaces = {},
        .connect_milliseconds = static_cast<std::uint64_t>(settings().connect_milliseconds),
        .peer_milliseconds = static_cast<std::uint64_t>(settings().peer_milliseconds),
        .ports = settings().listen_on,
    };
    const auto source =
        info.src_addr ? kit::Address::load(info.addr_format, info.src_addr, info.src_addrlen) : std::nullopt;
    if (info.src_addr && !source)
        return no("src_addr is no address of this format");
    if (source) {
        port.bind_to = *source;
    } else {
        sockaddr_in any{};
        any.sin_family = AF_INET;
        port.bind_to = *kit::Address::from(&any, sizeof any);
    }
    if (port.bind_to.is_wildcard())
        for (const kit::tcp::LocalAddress& local : local_addresses(port.bind_to.family()))
            port.interfaces.push_back(local.address);

    const kit::EndpointSetup setup{
        .background = domain.background(),
        .domain = &domain.children(),
        .api_version = domain.api_version(),
        .caps = kit::caps::with_directions(info.caps),
        .transmit_flags = info.tx_attr->op_flags,
        .receive_flags = info.rx_attr->op_flags,
        .transmit_size = info.tx_attr->size,
        .receive_size = info.rx_attr->size,
        .most_operations = offer(AF_INET).tx_attr->size,
        .shared_memory = settings().shared_memory,
        .addr_format = info.addr_format,
        .iov_limit = kit::kIovLimit,
        .shares_receives = info.ep_attr->rx_ctx_cnt == FI_SHARED_CONTEXT,
    };
    *out = &(new kit::Endpoint<Lock, Port>(domain.lock(), setup, {std::move(port), settings().shared_memory},
                                           context))
                ->fid;
    return 0;
}

template <class Lock>
int Soft::open_shared_receives(kit::Domain<Soft, Lock>& domain, const fi_rx_attr* attr, fid_ep** out,
                               void* context)
{
    const fi_rx_attr& most = *offer(AF_INET).rx_attr;
    fi_rx_attr asked = attr ? *attr : fi_rx_attr{};
    if (asked.size > most.size || asked.iov_limit > most.iov_limit)
        return kit::refuse(provider(), FI_LOG_EP_CTRL, -FI_EINVAL, "fi_srx_context",
                           "at most %zu receives of %zu segments", most.size, most.iov_limit);
    if (!asked.size)
        asked.size = kDefaultQueue;
    if (!asked.caps)
        asked.caps = kit::caps::receive_side(kit::caps::with_directions(most.caps));
    *out = &(new kit::SharedReceives<Lock, Port>(domain.lock(), domain.children(), asked, most.iov_limit,
                                                 context))
                ->fid;
    return 0;
}

template int Soft::open_shared_receives(kit::Domain<Soft, kit::NoLock>&, const fi_rx_attr*, fid_ep**, void*);
template int Soft::open_shared_receives(kit::Domain<Soft, kit::Mutex>&, const fi_rx_attr*, fid_ep**, void*);
template int Soft::open_endpoint(kit::Domain<Soft, kit::NoLock>&, const fi_info&, fid_ep**, void*);
template int Soft::open_endpoint(kit::Domain<Soft, kit::Mutex>&, const fi_info&, fid_ep**, void*);

} // namespace fi::soft
