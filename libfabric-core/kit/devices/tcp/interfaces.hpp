// SPDX-License-Identifier: BSD-2-Clause
//
// Under which of its addresses a machine should be known to others.
//
// A machine has many: two ports of a network card, bridges of containers and virtual machines, tunnels,
// loopback. The one that comes first is the one that nearly every application uses, and an address that
// others cannot reach costs them a connect timeout. So the addresses are ranked by what the system knows of
// their interfaces, the user's FI_SOFT_IFACE decides over the ranking, and each place has its reason in
// words.
#pragma once

#include "kit/objects/address.hpp"

#include <optional>
#include <rdma/providers/fi_prov.h>
#include <string>
#include <string_view>
#include <vector>

namespace fi::kit::tcp {

/// A network interface as the system describes it.
struct Interface {
    std::string name;
    int index = 0;
    unsigned flags = 0; ///< IFF_*
    std::string kind;   ///< the kernel's word for what it is made of, e.g. "bridge"; empty: hardware
    /// The metric of the best default route through it; nothing: there is none.
    std::optional<std::uint32_t> default_v4, default_v6;
    std::vector<Address> addresses; ///< IPv4 and IPv6, port 0
};

/// From best to worst.
enum class Standing : std::uint8_t {
    DefaultRoute, ///< the way out of this host
    Hardware,
    Stacked, ///< made of hardware: bonds, VLANs
    Bridge,
    Virtual, ///< veth and the like: usually they end in this host
    Tunnel,
    HostOnly,  ///< bridges that container and virtual machine managers make for their guests
    NoCarrier, ///< up, but nothing is plugged in
    Loopback,
};

/// An address to be known by, and why it stands where it does.
struct LocalAddress {
    Address address; ///< port 0
    std::string interface;
    Standing standing;
    std::string reason; ///< for people, e.g. "default route, metric 100"
};

/// The user's choice: names and networks, separated by commas; after a `^` those that are not wanted.
/// "eth1,10.0.0.0/8" takes these two only, in this order; "^docker0,192.168.0.0/16" all but these. A name
/// may end in `*`. IPv6 link-local addresses are wanted only where a network names them; loopback where its
/// name or network stands here.
class InterfaceFilter {
  public:
    /// Everything is wanted.
    InterfaceFilter() = default;
    /// Throws std::bad_alloc.
    explicit InterfaceFilter(std::string_view text);

    /// Whether the user said nothing.
    [[nodiscard]] bool all() const noexcept { return wanted_.empty() && unwanted_.empty(); }
    /// How early the user named this address (0: first, or there is no list of wanted ones); nothing: it is
    /// not wanted.
    [[nodiscard]] std::optional<std::size_t> place(const Interface& interface, const Address& address) const;
    /// Whether the list of wanted ones has it, by name or by network.
    [[nodiscard]] bool names(const Interface& interface, const Address& address) const;
    /// Whether a network in the list of wanted ones has it.
    [[nodiscard]] bool names_network_of(const Address& address) const;
    /// The items that fit no address of these interfaces, with a `^` where they had one: spelled wrong, most
    /// likely.
    [[nodiscard]] std::vector<std::string> unmatched(const std::vector<Interface>& interfaces) const;

  private:
    struct Item {
        std::string text;
        std::optional<Address> network; ///< nothing: `text` is a name
        unsigned bits = 0;              ///< of the network that count
        [[nodiscard]] bool fits(const Interface& interface, const Address& address) const;
    };
    static Item parse(std::string_view text);

    std::vector<Item> wanted_; ///< empty: all
    std::vector<Item> unwanted_;
};

/// The interfaces that are up. By way of libnl-route where it is installed and netlink is allowed, else from
/// what is left (interfaces_plain.cpp). Throws std::system_error, std::bad_alloc.
std::vector<Interface> read_interfaces();

/// The two ways of reading. The first says false when it cannot, and then changed nothing. Throw
/// std::bad_alloc, the second also std::system_error.
bool read_by_netlink(std::vector<Interface>& out);
std::vector<Interface> read_plainly();

/// The addresses of that family (AF_UNSPEC: both) to be known by, best first. Loopback is among them only if
/// the user named it or nothing else is left. Pure. Throws std::bad_alloc.
std::vector<LocalAddress> ranked(const std::vector<Interface>& interfaces, int family,
                                 const InterfaceFilter& filter);

/// One line of the log per address, best first, at FI_LOG_INFO.
void log_order(const fi_provider& provider, const std::vector<LocalAddress>& addresses);

} // namespace fi::kit::tcp
