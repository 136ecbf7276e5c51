// SPDX-License-Identifier: BSD-2-Clause
//
// Interfaces, their addresses and the default routes by way of libnl-route.
//
// The library is opened when it is first needed instead of linked: a provider that every machine shall load
// may need nothing but libc, and libnl is not everywhere (containers mostly lack it). One table of functions
// holds what is used; a library that lacks one of them counts as not there. Speaking rtnetlink by hand would
// spare that table and cost a parser of our own for three kinds of messages.
#include "kit/devices/tcp/interfaces.hpp"

#include <dlfcn.h>
#include <linux/if_addr.h>
#include <memory>
#include <net/if.h>
#include <netlink/route/addr.h>
#include <netlink/route/link.h>
#include <netlink/route/route.h>

namespace fi::kit::tcp {
namespace {

/// The functions, by the names that they have there.
struct Libnl {
#define FI_LIBNL(X)                                                                                          \
    X(nl_addr_fill_sockaddr)                                                                                 \
    X(nl_addr_get_prefixlen)                                                                                 \
    X(nl_cache_free)                                                                                         \
    X(nl_cache_get_first)                                                                                    \
    X(nl_cache_get_next)                                                                                     \
    X(nl_connect)                                                                                            \
    X(nl_socket_alloc)                                                                                       \
    X(nl_socket_free)                                                                                        \
    X(rtnl_addr_alloc_cache)                                                                                 \
    X(rtnl_addr_get_flags)                                                                                   \
    X(rtnl_addr_get_ifindex)                                                                                 \
    X(rtnl_addr_get_local)                                                                                   \
    X(rtnl_link_alloc_cache)                                                                                 \
    X(rtnl_link_get_flags)                                                                                   \
    X(rtnl_link_get_ifindex)                                                                                 \
    X(rtnl_link_get_name)                                                                                    \
    X(rtnl_link_get_type)                                                                                    \
    X(rtnl_route_alloc_cache)                                                                                \
    X(rtnl_route_get_dst)                                                                                    \
    X(rtnl_route_get_family)                                                                                 \
    X(rtnl_route_get_nnexthops)                                                                              \
    X(rtnl_route_get_priority)                                                                               \
    X(rtnl_route_get_table)                                                                                  \
    X(rtnl_route_get_type)                                                                                   \
    X(rtnl_route_nexthop_n)                                                                                  \
    X(rtnl_route_nh_get_ifindex)
#define FI_MEMBER(function) decltype(&::function) function = nullptr;
    FI_LIBNL(FI_MEMBER)
#undef FI_MEMBER
    bool complete = false;

    /// Never closed: what a program's exit does to a library that is still in use is not ours to find out.
    static const Libnl& get()
    {
        static const Libnl loaded = [] {
            Libnl table;
            // It brings libnl-3.so.200 with it, and its symbols are found through this handle too.
            void* library = dlopen("libnl-route-3.so.200", RTLD_NOW | RTLD_LOCAL);
            if (!library)
                return table;
            table.complete = true;
#define FI_FIND(function)                                                                                    \
    table.function = reinterpret_cast<decltype(&::function)>(dlsym(library, #function));                     \
    table.complete = table.complete && table.function;
            FI_LIBNL(FI_FIND)
#undef FI_FIND
            return table;
        }();
        return loaded;
    }
#undef FI_LIBNL
};

using Socket = std::unique_ptr<nl_sock, void (*)(nl_sock*)>;
using Cache = std::unique_ptr<nl_cache, void (*)(nl_cache*)>;

template <class T, class F>
void for_each(const Libnl& nl, nl_cache* cache, F&& what)
{
    for (nl_object* object = nl.nl_cache_get_first(cache); object; object = nl.nl_cache_get_next(object))
        what(reinterpret_cast<T*>(object));
}

Interface* find(std::vector<Interface>& in, int index)
{
    for (Interface& interface : in)
        if (interface.index == index)
            return &interface;
    return nullptr;
}

void add_address(const Libnl& nl, rtnl_addr* entry, std::vector<Interface>& to)
{
    // An address that another host was found to have, or that may yet be, cannot be listened on.
    if (nl.rtnl_addr_get_flags(entry) & (IFA_F_DADFAILED | IFA_F_TENTATIVE))
        return;
    Interface* interface = find(to, nl.rtnl_addr_get_ifindex(entry));
    nl_addr* local = nl.rtnl_addr_get_local(entry);
    sockaddr_storage bytes{};
    socklen_t size = sizeof bytes;
    if (!interface || !local ||
        nl.nl_addr_fill_sockaddr(local, reinterpret_cast<sockaddr*>(&bytes), &size) < 0)
        return;
    if (bytes.ss_family == AF_INET6) {
        auto& v6 = reinterpret_cast<sockaddr_in6&>(bytes);
        if (IN6_IS_ADDR_LINKLOCAL(&v6.sin6_addr))
            v6.sin6_scope_id = static_cast<std::uint32_t>(interface->index);
    }
    if (const auto address = Address::from(&bytes, size))
        interface->addresses.push_back(*address);
}

void add_default_route(const Libnl& nl, rtnl_route* route, std::vector<Interface>& to)
{
    nl_addr* destination = nl.rtnl_route_get_dst(route);
    if (nl.rtnl_route_get_table(route) != RT_TABLE_MAIN || nl.rtnl_route_get_type(route) != RTN_UNICAST ||
        (destination && nl.nl_addr_get_prefixlen(destination) != 0))
        return;
    const int family = nl.rtnl_route_get_family(route);
    const std::uint32_t metric = nl.rtnl_route_get_priority(route);
    for (int i = 0; i < nl.rtnl_route_get_nnexthops(route); i++) {
        rtnl_nexthop* hop = nl.rtnl_route_nexthop_n(route, i);
        Interface* interface = hop ? find(to, nl.rtnl_route_nh_get_ifindex(hop)) : nullptr;
        if (!interface)
            continue;
        auto& known = family == AF_INET ? interface->default_v4 : interface->default_v6;
        known = known ? std::min(*known, metric) : metric;
    }
}

} // namespace

bool read_by_netlink(std::vector<Interface>& out)
{
    const Libnl& nl = Libnl::get();
    if (!nl.complete)
        return false;
    const Socket socket(nl.nl_socket_alloc(), nl.nl_socket_free);
    if (!socket || nl.nl_connect(socket.get(), NETLINK_ROUTE) < 0)
        return false;
    nl_cache* raw = nullptr;
    const auto read = [&](int status) { return Cache(status < 0 ? nullptr : raw, nl.nl_cache_free); };
    const Cache links = read(nl.rtnl_link_alloc_cache(socket.get(), AF_UNSPEC, &raw));
    const Cache addresses = read(nl.rtnl_addr_alloc_cache(socket.get(), &raw));
    const Cache routes = read(nl.rtnl_route_alloc_cache(socket.get(), AF_UNSPEC, 0, &raw));
    if (!links || !addresses)
        return false;
    std::vector<Interface> found;
    for_each<rtnl_link>(nl, links.get(), [&](rtnl_link* link) {
        const char* kind = nl.rtnl_link_get_type(link);
        Interface interface {
            .name = nl.rtnl_link_get_name(link), .index = nl.rtnl_link_get_ifindex(link),
            .flags = nl.rtnl_link_get_flags(link), .kind = kind ? kind : ""
        };
        if (interface.flags & IFF_UP)
            found.push_back(std::move(interface));
    });
    for_each<rtnl_addr>(nl, addresses.get(), [&](rtnl_addr* entry) { add_address(nl, entry, found); });
    if (routes)
        for_each<rtnl_route>(nl, routes.get(),
                             [&](rtnl_route* route) { add_default_route(nl, route, found); });
    out = std::move(found);
    return true;
}

} // namespace fi::kit::tcp
