// SPDX-License-Identifier: BSD-2-Clause
#include "kit/devices/tcp/port.hpp"

#include <ifaddrs.h>
#include <memory>
#include <net/if.h>
#include <system_error>

namespace fi::kit::tcp {
namespace {

/// Smaller is better. Link-local addresses need a scope that means nothing to other hosts.
int rank(const ifaddrs& interface, const Address& address) noexcept
{
    const auto* v6 = reinterpret_cast<const sockaddr_in6*>(address.data());
    const bool link_local = address.family() == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&v6->sin6_addr);
    if (interface.ifa_flags & IFF_LOOPBACK)
        return 3;
    if (link_local)
        return 2;
    return interface.ifa_flags & (IFF_POINTOPOINT | IFF_MASTER | IFF_SLAVE) ? 1 : 0;
}

} // namespace

std::vector<Address> interface_addresses(int family)
{
    ifaddrs* list = nullptr;
    if (getifaddrs(&list))
        throw std::system_error(errno, std::generic_category(), "getifaddrs");
    const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owner(list, freeifaddrs);
    std::vector<std::pair<int, Address>> found;
    for (const ifaddrs* entry = list; entry; entry = entry->ifa_next) {
        if (!entry->ifa_addr || !(entry->ifa_flags & IFF_UP))
            continue;
        const int its = entry->ifa_addr->sa_family;
        if ((its != AF_INET && its != AF_INET6) || (family != AF_UNSPEC && family != its))
            continue;
        const auto address =
            Address::from(entry->ifa_addr, its == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6));
        if (address)
            found.emplace_back(rank(*entry, *address), *address);
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Address> addresses;
    addresses.reserve(found.size());
    for (const auto& [order, address] : found)
        addresses.push_back(address);
    return addresses;
}

} // namespace fi::kit::tcp
