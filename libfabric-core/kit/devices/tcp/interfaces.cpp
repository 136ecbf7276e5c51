// SPDX-License-Identifier: BSD-2-Clause
//
// The ranking of interfaces and the user's say in it. Nothing here asks the system.
#include "kit/devices/tcp/interfaces.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cstdlib>
#include <limits>
#include <net/if.h>
#include <rdma/providers/fi_log.h>
#include <tuple>

namespace fi::kit::tcp {
namespace {

bool any_of(std::string_view word, std::initializer_list<std::string_view> words)
{
    return std::find(words.begin(), words.end(), word) != words.end();
}

bool begins_with_any(std::string_view word, std::initializer_list<std::string_view> starts)
{
    return std::any_of(starts.begin(), starts.end(),
                       [&](std::string_view start) { return word.starts_with(start); });
}

/// Bridges that lead to the guests of this host and nowhere else. Their kind is that of any bridge, so only
/// the names that their makers give them tell. ("br-" and twelve digits: a network of Docker's.)
bool is_host_only(std::string_view name)
{
    if (begins_with_any(name, {"docker", "virbr", "lxcbr", "lxdbr", "podman", "cni", "vmnet", "vboxnet"}))
        return true;
    return name.starts_with("br-") && name.size() == 15 &&
           name.find_first_not_of("0123456789abcdef", 3) == name.npos;
}

bool is_tunnel(const Interface& interface)
{
    return (interface.flags & IFF_POINTOPOINT) ||
           any_of(interface.kind,
                  {"tun", "ipip", "sit", "gre", "gretap", "erspan", "ip6tnl", "ip6gre", "ip6gretap", "vti",
                   "vti6", "vxlan", "geneve", "wireguard", "ppp", "xfrm", "l2tp", "openvpn"});
}

struct Judgement {
    Standing standing;
    std::uint32_t metric; ///< among equal ones
    std::string reason;
};

/// A VPN's default route does not make it the best way to the peers of a job, nor does one through a bridge
/// of Docker's; a bridge that has the host's own default route is that host's network card in all but name.
Judgement judge(const Interface& interface, int family)
{
    if (interface.flags & IFF_LOOPBACK)
        return {Standing::Loopback, 0, "loopback"};
    if (!(interface.flags & IFF_RUNNING))
        return {Standing::NoCarrier, 0, "no carrier"};
    if (is_host_only(interface.name))
        return {Standing::HostOnly, 0, "leads to guests of this host"};
    if (is_tunnel(interface))
        return {Standing::Tunnel, 0,
                "a tunnel" + (interface.kind.empty() ? "" : " (" + interface.kind + ")")};
    if (const auto& route = family == AF_INET ? interface.default_v4 : interface.default_v6)
        return {Standing::DefaultRoute, *route, "default route, metric " + std::to_string(*route)};
    // IP over InfiniBand has a kind, though it is as much hardware as Ethernet.
    if (interface.kind.empty() || interface.kind == "ipoib")
        return {Standing::Hardware, 0, "hardware"};
    if (any_of(interface.kind, {"bond", "team", "vlan", "macvlan", "macvtap", "ipvlan", "hsr"}))
        return {Standing::Stacked, 0, "made of hardware (" + interface.kind + ")"};
    if (any_of(interface.kind, {"bridge", "openvswitch", "vrf"}))
        return {Standing::Bridge, 0, "a bridge"};
    return {Standing::Virtual, 0, "virtual (" + interface.kind + ")"};
}

const unsigned char* bytes_of(const Address& address)
{
    if (address.family() == AF_INET)
        return reinterpret_cast<const unsigned char*>(
            &reinterpret_cast<const sockaddr_in*>(address.data())->sin_addr);
    return reinterpret_cast<const sockaddr_in6*>(address.data())->sin6_addr.s6_addr;
}

bool is_link_local(const Address& address)
{
    return address.family() == AF_INET6 &&
           IN6_IS_ADDR_LINKLOCAL(&reinterpret_cast<const sockaddr_in6*>(address.data())->sin6_addr);
}

bool in_network(const Address& address, const Address& network, unsigned bits)
{
    if (address.family() != network.family())
        return false;
    const unsigned char* a = bytes_of(address);
    const unsigned char* b = bytes_of(network);
    const unsigned whole = bits / 8;
    if (!std::equal(a, a + whole, b))
        return false;
    return bits % 8 == 0 || ((a[whole] ^ b[whole]) >> (8 - bits % 8)) == 0;
}

/// "10.0.0.0", "fe80::".
std::optional<Address> numeric(const std::string& text)
{
    sockaddr_in v4{};
    sockaddr_in6 v6{};
    v4.sin_family = AF_INET;
    v6.sin6_family = AF_INET6;
    if (inet_pton(AF_INET, text.c_str(), &v4.sin_addr) == 1)
        return Address::from(&v4, sizeof v4);
    if (inet_pton(AF_INET6, text.c_str(), &v6.sin6_addr) == 1)
        return Address::from(&v6, sizeof v6);
    return std::nullopt;
}

} // namespace

InterfaceFilter::InterfaceFilter(std::string_view text)
{
    bool unwanted = false;
    while (!text.empty()) {
        const std::size_t comma = std::min(text.find(','), text.size());
        std::string_view item = text.substr(0, comma);
        text.remove_prefix(std::min(comma + 1, text.size()));
        while (item.starts_with(' '))
            item.remove_prefix(1);
        while (item.ends_with(' '))
            item.remove_suffix(1);
        if (item.starts_with('^')) {
            unwanted = true;
            item.remove_prefix(1);
        }
        if (!item.empty())
            (unwanted ? unwanted_ : wanted_).push_back(parse(item));
    }
}

/// Whatever is no network is a name, also what was meant to be one: as a name it fits nothing, and that is
/// told.
InterfaceFilter::Item InterfaceFilter::parse(std::string_view text)
{
    Item item{.text = std::string(text), .network = {}};
    const std::size_t slash = text.find('/');
    const auto network = numeric(std::string(text.substr(0, slash)));
    if (!network)
        return item;
    const unsigned most = network->family() == AF_INET ? 32 : 128;
    item.bits = most;
    if (slash != text.npos) {
        const std::string_view digits = text.substr(slash + 1);
        if (digits.empty() || digits.size() > 3 || digits.find_first_not_of("0123456789") != digits.npos)
            return item;
        item.bits = static_cast<unsigned>(std::atoi(std::string(digits).c_str()));
        if (item.bits > most)
            return item;
    }
    item.network = network;
    return item;
}

bool InterfaceFilter::Item::fits(const Interface& interface, const Address& address) const
{
    if (network)
        return in_network(address, *network, bits);
    if (text.ends_with('*'))
        return interface.name.starts_with(std::string_view(text).substr(0, text.size() - 1));
    return interface.name == text;
}

std::optional<std::size_t> InterfaceFilter::place(const Interface& interface, const Address& address) const
{
    for (const Item& item : unwanted_)
        if (item.fits(interface, address))
            return std::nullopt;
    for (std::size_t i = 0; i < wanted_.size(); i++)
        if (wanted_[i].fits(interface, address))
            return i;
    return wanted_.empty() ? std::optional<std::size_t>(0) : std::nullopt;
}

bool InterfaceFilter::names(const Interface& interface, const Address& address) const
{
    return !wanted_.empty() && place(interface, address);
}

bool InterfaceFilter::names_network_of(const Address& address) const
{
    return std::any_of(wanted_.begin(), wanted_.end(), [&](const Item& item) {
        return item.network && in_network(address, *item.network, item.bits);
    });
}

std::vector<std::string> InterfaceFilter::unmatched(const std::vector<Interface>& interfaces) const
{
    std::vector<std::string> out;
    const auto fits_any = [&](const Item& item) {
        return std::any_of(interfaces.begin(), interfaces.end(), [&](const Interface& interface) {
            // A name also fits an interface that has no address.
            if (!item.network)
                return item.fits(interface, {});
            return std::any_of(interface.addresses.begin(), interface.addresses.end(),
                               [&](const Address& address) { return item.fits(interface, address); });
        });
    };
    for (const Item& item : wanted_)
        if (!fits_any(item))
            out.push_back(item.text);
    for (const Item& item : unwanted_)
        if (!fits_any(item))
            out.push_back("^" + item.text);
    return out;
}

std::vector<LocalAddress> ranked(const std::vector<Interface>& interfaces, int family,
                                 const InterfaceFilter& filter)
{
    struct Entry {
        std::tuple<std::size_t, Standing, std::uint32_t, int, bool> order;
        LocalAddress local;
    };
    std::vector<Entry> entries;
    std::vector<Entry> loopback;
    for (const Interface& interface : interfaces) {
        if (!(interface.flags & IFF_UP))
            continue;
        for (const Address& address : interface.addresses) {
            const auto place = filter.place(interface, address);
            if ((family != AF_UNSPEC && address.family() != family) || !place)
                continue;
            // Others would need to know which of their own interfaces leads here.
            if (is_link_local(address) && !filter.names_network_of(address))
                continue;
            Judgement its = judge(interface, address.family());
            const bool aside = its.standing == Standing::Loopback && !filter.names(interface, address);
            (aside ? loopback : entries)
                .push_back({{*place, its.standing, its.metric, interface.index, address.family() == AF_INET6},
                            {address, interface.name, its.standing, std::move(its.reason)}});
        }
    }
    if (entries.empty())
        entries = std::move(loopback);
    std::stable_sort(entries.begin(), entries.end(),
                     [](const Entry& a, const Entry& b) { return a.order < b.order; });
    std::vector<LocalAddress> out;
    out.reserve(entries.size());
    for (Entry& entry : entries)
        out.push_back(std::move(entry.local));
    return out;
}

std::vector<Interface> read_interfaces()
{
    std::vector<Interface> found;
    return read_by_netlink(found) ? found : read_plainly();
}

void log_order(const fi_provider& provider, const std::vector<LocalAddress>& addresses)
{
    std::size_t place = 1;
    for (const LocalAddress& local : addresses) {
        if (!fi_log_enabled(&provider, FI_LOG_INFO, FI_LOG_CORE))
            return;
        FI_INFO(&provider, FI_LOG_CORE, "interface %zu: %s on %s: %s\n", place++,
                local.address.text().c_str(), local.interface.c_str(), local.reason.c_str());
    }
}

} // namespace fi::kit::tcp
