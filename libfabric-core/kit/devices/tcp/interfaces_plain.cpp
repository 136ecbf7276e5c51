// SPDX-License-Identifier: BSD-2-Clause
//
// Interfaces where there is no libnl, or where netlink is refused (some sandboxes do): ioctl, /proc and
// /sys. (getifaddrs() is no way out: the C library asks netlink too.) What cannot be read is left out, and
// costs the ranking some of its sense but nobody an address.
#include "kit/devices/tcp/interfaces.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <net/if.h>
#include <sstream>
#include <sys/ioctl.h>
#include <system_error>
#include <unistd.h>

namespace fi::kit::tcp {
namespace {

class Datagram {
  public:
    Datagram() : fd_(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0))
    {
        if (fd_ < 0)
            throw std::system_error(errno, std::generic_category(), "socket");
    }
    ~Datagram() { ::close(fd_); }
    Datagram(const Datagram&) = delete;
    Datagram& operator=(const Datagram&) = delete;
    [[nodiscard]] int fd() const noexcept { return fd_; }

  private:
    int fd_;
};

/// What the kernel made it of, as netlink would say.
std::string kind_of(const std::string& name)
{
    const std::string directory = "/sys/class/net/" + name;
    if (access((directory + "/tun_flags").c_str(), F_OK) == 0)
        return "tun";
    std::ifstream uevent(directory + "/uevent");
    std::string line;
    while (std::getline(uevent, line))
        if (line.rfind("DEVTYPE=", 0) == 0 && line != "DEVTYPE=wlan" && line != "DEVTYPE=wwan")
            return line.substr(8);
    const bool hardware = access((directory + "/device").c_str(), F_OK) == 0;
    return hardware || access(directory.c_str(), F_OK) != 0 ? "" : "virtual";
}

Interface& interface_named(std::vector<Interface>& in, const std::string& name, int fd)
{
    const auto known =
        std::find_if(in.begin(), in.end(), [&](const Interface& one) { return one.name == name; });
    if (known != in.end())
        return *known;
    ifreq request{};
    std::strncpy(request.ifr_name, name.c_str(), IFNAMSIZ - 1);
    Interface interface {
        .name = name
    };
    if (ioctl(fd, SIOCGIFFLAGS, &request) == 0)
        interface.flags = static_cast<unsigned short>(request.ifr_flags);
    interface.index = static_cast<int>(if_nametoindex(name.c_str()));
    interface.kind = kind_of(name);
    return in.emplace_back(std::move(interface));
}

void read_v4(std::vector<Interface>& to, int fd)
{
    std::vector<ifreq> requests(16);
    ifconf all{};
    do { // a list that fills the array may have been cut
        requests.resize(requests.size() * 2);
        all.ifc_len = static_cast<int>(requests.size() * sizeof(ifreq));
        all.ifc_req = requests.data();
        if (ioctl(fd, SIOCGIFCONF, &all))
            throw std::system_error(errno, std::generic_category(), "SIOCGIFCONF");
    } while (static_cast<std::size_t>(all.ifc_len) == requests.size() * sizeof(ifreq));
    requests.resize(static_cast<std::size_t>(all.ifc_len) / sizeof(ifreq));
    for (const ifreq& request : requests) {
        std::string name(request.ifr_name, strnlen(request.ifr_name, IFNAMSIZ));
        name.resize(std::min(name.find(':'), name.size())); // "eth0:1" is another address of eth0
        if (auto address = Address::from(&request.ifr_addr, sizeof(sockaddr_in)))
            interface_named(to, name, fd).addresses.push_back(*address);
    }
}

/// Lines of 32 digits, index, prefix length, scope, flags (all hexadecimal) and name.
void read_v6(std::vector<Interface>& to, int fd)
{
    std::ifstream table("/proc/net/if_inet6");
    std::string digits, name;
    unsigned index = 0, prefix = 0, scope = 0, flags = 0;
    while (table >> digits >> std::hex >> index >> prefix >> scope >> flags >> name) {
        constexpr unsigned kDadFailed = 0x08, kTentative = 0x40;
        if (digits.size() != 32 || (flags & (kDadFailed | kTentative)))
            continue;
        sockaddr_in6 v6{};
        v6.sin6_family = AF_INET6;
        for (std::size_t i = 0; i < 16; i++)
            v6.sin6_addr.s6_addr[i] =
                static_cast<unsigned char>(std::strtoul(digits.substr(2 * i, 2).c_str(), nullptr, 16));
        if (IN6_IS_ADDR_LINKLOCAL(&v6.sin6_addr))
            v6.sin6_scope_id = index;
        if (const auto address = Address::from(&v6, sizeof v6))
            interface_named(to, name, fd).addresses.push_back(*address);
    }
}

void note_default(std::vector<Interface>& in, const std::string& name,
                  std::optional<std::uint32_t> Interface::*which, std::uint32_t metric)
{
    for (Interface& interface : in)
        if (interface.name == name)
            interface.*which = interface.*which ? std::min(*(interface.*which), metric) : metric;
}

/// IPv4: name, destination, gateway, flags, 2 counters, metric, mask. IPv6: destination, its length, source,
/// its length, gateway, metric, 2 counters, flags, name.
void read_routes(std::vector<Interface>& to)
{
    constexpr unsigned kUp = 0x1, kReject = 0x200;
    std::string line;
    std::ifstream v4("/proc/net/route");
    while (std::getline(v4, line)) {
        std::istringstream row(line);
        std::string name, destination, gateway, unused, mask;
        unsigned flags = 0;
        std::uint32_t metric = 0;
        if (row >> name >> destination >> gateway >> std::hex >> flags >> unused >> unused >> std::dec >>
            metric >> mask)
            if (destination == "00000000" && mask == "00000000" && (flags & (kUp | kReject)) == kUp)
                note_default(to, name, &Interface::default_v4, metric);
    }
    std::ifstream v6("/proc/net/ipv6_route");
    while (std::getline(v6, line)) {
        std::istringstream row(line);
        std::string destination, length, source, source_length, gateway, unused, name;
        unsigned flags = 0;
        std::uint32_t metric = 0;
        if (row >> destination >> length >> source >> source_length >> gateway >> std::hex >> metric >>
            unused >> unused >> flags >> name)
            if (length == "00" && (flags & (kUp | kReject)) == kUp)
                note_default(to, name, &Interface::default_v6, metric);
    }
}

} // namespace

std::vector<Interface> read_plainly()
{
    const Datagram datagram;
    std::vector<Interface> found;
    read_v4(found, datagram.fd());
    read_v6(found, datagram.fd());
    std::erase_if(found, [](const Interface& interface) { return !(interface.flags & IFF_UP); });
    read_routes(found);
    return found;
}

} // namespace fi::kit::tcp
