// SPDX-License-Identifier: BSD-2-Clause
//
// The address rules of fi_getinfo (C14 to C28) for socket addresses; resolve.hpp has them as a table.

#include "kit/objects/resolve.hpp"

#include "kit/objects/refusal.hpp"

#include <algorithm>
#include <memory>
#include <netdb.h>
#include <rdma/fi_errno.h>
#include <unistd.h>

namespace fi::kit {
namespace {

int family_of(uint32_t addr_format)
{
    switch (addr_format) {
    case FI_SOCKADDR_IN:
        return AF_INET;
    case FI_SOCKADDR_IN6:
        return AF_INET6;
    default:
        return AF_UNSPEC;
    }
}

int ask_system(const char* node, const char* service, uint64_t flags, int family, std::vector<Address>& out,
               std::string& why)
{
    addrinfo wanted{};
    wanted.ai_family = family;
    wanted.ai_socktype = SOCK_STREAM; // one entry for each address instead of one for each kind of socket
    wanted.ai_flags = (flags & FI_SOURCE ? AI_PASSIVE : 0) | (flags & FI_NUMERICHOST ? AI_NUMERICHOST : 0);
    addrinfo* list = nullptr;
    if (const int status = getaddrinfo(node, service, &wanted, &list)) {
        why = std::string("no address (") + gai_strerror(status) + ")";
        return -FI_ENODATA;
    }
    const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(list, freeaddrinfo);
    for (const addrinfo* one = list; one; one = one->ai_next) {
        const auto address = Address::from(one->ai_addr, one->ai_addrlen);
        if (address && std::find(out.begin(), out.end(), *address) == out.end())
            out.push_back(*address);
    }
    if (out.empty())
        why = "no IPv4 or IPv6 address";
    return out.empty() ? -FI_ENODATA : 0;
}

int ask_system(const AddressString& text, const Lookup& query, std::vector<Address>& out, std::string& why)
{
    const int wanted = family_of(query.addr_format);
    if (wanted != AF_UNSPEC && text.family != AF_UNSPEC && wanted != text.family) {
        why = "addresses of the format in the hints";
        return -FI_ENODATA;
    }
    // getaddrinfo() wants at least one of the two.
    const char* service = text.service.empty() && text.host.empty() ? "0" : text.service.c_str();
    return ask_system(text.host.empty() ? nullptr : text.host.c_str(), *service ? service : nullptr,
                      query.flags, text.family == AF_UNSPEC ? wanted : text.family, out, why);
}

/// An address of the hints, by the rule that a length beside NULL means nothing and NULL beside a length is
/// no address.
int take_hint(Refusals& refusals, const char* attribute, uint32_t format, const void* bytes, size_t size,
              std::vector<Address>& out)
{
    if (!bytes)
        return 0;
    const auto address = size ? Address::load(format, bytes, size) : std::nullopt;
    if (address) {
        out.push_back(*address);
        return 0;
    }
    refusals.add(
        attribute,
        [&] {
            return std::to_string(size) + " bytes that are no address of format " +
                   show::name(format, FI_TYPE_ADDR_FORMAT);
        },
        [] { return std::string("IPv4 and IPv6 socket addresses"); });
    return size ? -FI_ENODATA : -FI_EINVAL;
}

} // namespace

int lookup(const Lookup& query, std::vector<Address>& out, std::string& why)
{
    if (!query.node && !query.service) {
        why = "nothing without a node or service";
        return -FI_EINVAL;
    }
    if (!query.node || !is_address_string(query.node))
        return ask_system(query.node, query.service, query.flags, family_of(query.addr_format), out, why);
    if (query.service) {
        why = "an address string only without a service";
        return -FI_EINVAL;
    }
    const auto text = split_address_string(query.node);
    if (!text) {
        why = "fi_sockaddr_in:// and fi_sockaddr_in6:// strings";
        return -FI_ENODATA;
    }
    return ask_system(*text, query, out, why);
}

int resolve(const fi_provider& prov, const char* node, const char* service, uint64_t flags,
            const fi_info* hints, Resolved& out)
{
    Refusals refusals(prov);
    const bool source = (flags & FI_SOURCE) != 0;
    const bool named = node || service;
    const uint32_t format = hints ? hints->addr_format : uint32_t{FI_FORMAT_UNSPEC};

    if (!format_takes(format, AF_INET) && !format_takes(format, AF_INET6)) {
        refusals.add(
            "addr_format", [&] { return show::name(format, FI_TYPE_ADDR_FORMAT); },
            [] { return std::string("FI_SOCKADDR_IN, FI_SOCKADDR_IN6"); });
        return -FI_ENODATA;
    }
    if (source && !named) {
        refusals.add(
            "node", [] { return std::string("FI_SOURCE"); },
            [] { return std::string("it only with a node or service"); });
        return -FI_EINVAL;
    }
    if (named) {
        std::string why;
        std::vector<Address>& found = source ? out.sources : out.peers;
        if (const int status = lookup({node, service, flags, format}, found, why)) {
            refusals.add(
                "node",
                [&] { return (node ? show::text(node) : "") + (service ? ":" + show::text(service) : ""); },
                [&] { return why; });
            return status;
        }
    }
    if (!hints)
        return 0;
    if (!source)
        if (const int status =
                take_hint(refusals, "src_addr", format, hints->src_addr, hints->src_addrlen, out.sources))
            return status;
    if (source || !named)
        return take_hint(refusals, "dest_addr", format, hints->dest_addr, hints->dest_addrlen, out.peers);
    return 0;
}

std::optional<Address> local_address_towards(const Address& peer)
{
    // Connecting a datagram socket sends nothing; it makes the system choose.
    const int fd = socket(peer.family(), SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return std::nullopt;
    Address target = peer;
    if (!target.port())
        target.set_port(1);
    sockaddr_storage local{};
    socklen_t size = sizeof(local);
    const bool known = connect(fd, target.data(), target.size()) == 0 &&
                       getsockname(fd, reinterpret_cast<sockaddr*>(&local), &size) == 0;
    ::close(fd);
    auto out = known ? Address::from(&local, size) : std::nullopt;
    if (out)
        out->set_port(0);
    return out;
}

} // namespace fi::kit
