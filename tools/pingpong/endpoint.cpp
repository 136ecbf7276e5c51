// SPDX-License-Identifier: BSD-2-Clause
// What every endpoint type needs: the query, the buffers, the queues. Which of several fitting entries is
// used is the library's choice: the first one is the best. The steps that differ by type are in names.cpp.

#include "endpoint.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

#include <netdb.h>
#include <sys/socket.h>

#include <rdma/fi_errno.h>

#include "open.hpp"
#include "report.hpp"

namespace fi::tools::pingpong {
namespace {

char* copy(const std::string& text)
{
    // fi_freeinfo releases names with free().
    char* result = strdup(text.c_str());
    if (!result)
        throw std::bad_alloc();
    return result;
}

void* copy(const void* data, std::size_t length)
{
    void* result = std::malloc(length);
    if (!result)
        throw std::bad_alloc();
    return std::memcpy(result, data, length);
}

void set_source(fi_info& hints, const std::string& source)
{
    addrinfo* list = nullptr;
    const int error = getaddrinfo(source.c_str(), nullptr, nullptr, &list);
    if (error != 0)
        fail_because("cannot resolve " + source + ": " + gai_strerror(error), -FI_EADDRNOTAVAIL);
    const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owned(list, freeaddrinfo);
    hints.src_addr = copy(list->ai_addr, list->ai_addrlen);
    hints.src_addrlen = list->ai_addrlen;
    hints.addr_format = list->ai_family == AF_INET6 ? FI_SOCKADDR_IN6 : FI_SOCKADDR_IN;
}

InfoList make_hints(const Options& options)
{
    InfoList hints(fi_allocinfo());
    if (!hints)
        throw std::bad_alloc();
    hints->ep_attr->type = options.ep_type;
    hints->caps = options.tagged ? FI_TAGGED : FI_MSG;
    hints->mode = FI_CONTEXT | FI_CONTEXT2 | FI_MSG_PREFIX;
    hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_VIRT_ADDR;
    if (options.domain)
        hints->domain_attr->name = copy(*options.domain);
    if (options.fabric)
        hints->fabric_attr->name = copy(*options.fabric);
    if (options.provider)
        hints->fabric_attr->prov_name = copy(*options.provider);
    if (options.ep_type == FI_EP_DGRAM && options.sizes == Sizes::One)
        hints->ep_attr->max_msg_size = static_cast<std::size_t>(options.size);
    if (options.source)
        set_source(*hints, *options.source);
    return hints;
}

std::string text_of(const fi_info& info)
{
    std::string text(8192, '\0');
    fi_tostr_r(text.data(), text.size(), &info, FI_TYPE_INFO);
    text.resize(std::strlen(text.c_str()));
    return text;
}

Owned<fid_cq> open_queue(Endpoint& endpoint, std::size_t size)
{
    fi_cq_attr attr{};
    attr.size = size;
    attr.format = FI_CQ_FORMAT_MSG;
    attr.wait_obj = FI_WAIT_NONE;
    fid_cq* queue = nullptr;
    check("fi_cq_open", fi_cq_open(endpoint.domain.get(), &attr, &queue, nullptr));
    return Owned<fid_cq>(queue);
}

} // namespace

Buffers::Buffers(std::size_t prefix, std::size_t payload) : prefix_(prefix)
{
    constexpr std::size_t kPage = 4096;
    each_ = (prefix + payload + kPage - 1) / kPage * kPage;
    memory_.reset(static_cast<std::byte*>(std::aligned_alloc(kPage, 2 * each_)));
    if (!memory_)
        throw std::bad_alloc();
    std::memset(memory_.get(), 0, 2 * each_);
}

InfoList query(const Options& options, const Name* peer)
{
    const InfoList hints = make_hints(options);
    if (peer) {
        hints->addr_format = peer->format;
        hints->dest_addr = copy(peer->bytes.data(), peer->bytes.size());
        hints->dest_addrlen = peer->bytes.size();
    }
    // An older library of the same soname knows fewer versions and refuses more.
    const std::uint32_t version =
        std::min<std::uint32_t>(FI_VERSION(FI_MAJOR_VERSION, FI_MINOR_VERSION), fi_version());
    fi_info* info = nullptr;
    check("fi_getinfo", fi_getinfo(version, nullptr, nullptr, 0, hints.get(), &info));
    return InfoList(info);
}

void open_fabric(Endpoint& endpoint)
{
    fid_fabric* fabric = nullptr;
    check("fi_fabric", fi_fabric(endpoint.info->fabric_attr, &fabric, nullptr));
    endpoint.fabric.reset(fabric);
}

void open_domain(Endpoint& endpoint, const Options& options, fi_info& info)
{
    debug("Opening the endpoint of this entry:\n" + text_of(info));
    fid_domain* domain = nullptr;
    check("fi_domain", fi_domain(endpoint.fabric.get(), &info, &domain, nullptr));
    endpoint.domain.reset(domain);

    constexpr std::size_t kSmallest = 64; // room for the messages beside the series
    // An entry that came with a connection request may differ from the one that was listened on.
    endpoint.sizes = sizes_to_run(options, info.ep_attr->max_msg_size);
    endpoint.inject_size = info.tx_attr->inject_size;
    if (endpoint.sizes.empty())
        fail_because("the endpoint takes messages up to " + std::to_string(info.ep_attr->max_msg_size) +
                         " bytes, none of the sizes asked for",
                     -FI_EMSGSIZE);
    const std::size_t prefix = info.mode & FI_MSG_PREFIX ? info.ep_attr->msg_prefix_size : 0;
    endpoint.buffers = Buffers(prefix, std::max(endpoint.sizes.back(), kSmallest));
    endpoint.tagged = options.tagged;
    if (info.domain_attr->mr_mode & FI_MR_LOCAL) {
        const auto memory = endpoint.buffers.all();
        fid_mr* region = nullptr;
        check("fi_mr_reg",
              fi_mr_reg(domain, memory.data(), memory.size(), FI_SEND | FI_RECV, 0, 0, 0, &region, nullptr));
        endpoint.region.reset(region);
    }
    endpoint.transmits = open_queue(endpoint, info.tx_attr->size);
    endpoint.receives = open_queue(endpoint, info.rx_attr->size);
    fid_ep* ep = nullptr;
    check("fi_endpoint", fi_endpoint(domain, &info, &ep, nullptr));
    endpoint.ep.reset(ep);
    check("fi_ep_bind", fi_ep_bind(ep, &endpoint.transmits->fid, FI_TRANSMIT));
    check("fi_ep_bind", fi_ep_bind(ep, &endpoint.receives->fid, FI_RECV));
}

} // namespace fi::tools::pingpong
