// SPDX-License-Identifier: BSD-2-Clause
//
// The ranking of interfaces, the user's say in it, and both ways of reading them from the system.

#include "kit/devices/tcp/interfaces.hpp"
#include "kit/devices/tcp/listen.hpp"

#include <algorithm>
#include <cstddef>
#include <gtest/gtest.h>
#include <iterator>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <net/if.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using fi::kit::Address;
using fi::kit::tcp::Interface;
using fi::kit::tcp::InterfaceFilter;
using fi::kit::tcp::PortRange;
using fi::kit::tcp::Standing;

Address address(const std::string& host)
{
    const bool v6 = host.find(':') != host.npos;
    return *Address::parse(v6 ? "fi_sockaddr_in6://[" + host + "]" : "fi_sockaddr_in://" + host);
}

Interface interface(const char* name, const char* kind, std::initializer_list<const char*> hosts)
{
    static int index = 1;
    Interface out{.name = name, .index = index++, .flags = IFF_UP | IFF_RUNNING, .kind = kind};
    for (const char* host : hosts)
        out.addresses.push_back(address(host));
    return out;
}

Interface loopback()
{
    Interface out = interface("lo", "", {"127.0.0.1", "::1"});
    out.flags |= IFF_LOOPBACK;
    return out;
}

Interface with_default(Interface in, std::uint32_t metric)
{
    in.default_v4 = in.default_v6 = metric;
    return in;
}

Interface with_flags(Interface in, unsigned flags)
{
    in.flags = flags;
    return in;
}

/// The names in their order, each with as many entries as it has addresses there.
std::vector<std::string> order(const std::vector<Interface>& in, const char* filter = "",
                               int family = AF_INET)
{
    std::vector<std::string> names;
    for (const auto& local : fi::kit::tcp::ranked(in, family, InterfaceFilter(filter)))
        names.push_back(local.interface);
    return names;
}

using Names = std::vector<std::string>;

TEST(Interfaces, B18_TheWayOutComesFirstAndWhatOthersCannotReachLast)
{
    const std::vector<Interface> machine{
        loopback(),
        interface("docker0", "bridge", {"172.17.0.1"}),
        interface("virbr0", "bridge", {"192.168.122.1"}),
        interface("br-0123456789ab", "bridge", {"172.18.0.1"}),
        interface("tun0", "tun", {"10.8.0.2"}),
        interface("veth1", "veth", {"10.9.0.1"}),
        interface("br0", "bridge", {"10.7.0.1"}),
        interface("vlan7", "vlan", {"10.6.0.1"}),
        interface("eth0", "", {"10.5.0.1"}),
        with_default(interface("eth1", "", {"10.0.0.1"}), 100),
    };
    EXPECT_EQ(order(machine), (Names{"eth1", "eth0", "vlan7", "br0", "veth1", "tun0", "docker0", "virbr0",
                                     "br-0123456789ab"}));
}

TEST(Interfaces, B18_ATunnelStaysBehindHardwareEvenWithADefaultRoute)
{
    EXPECT_EQ(
        order({with_default(interface("tun0", "tun", {"10.8.0.2"}), 1),
               with_default(
                   with_flags(interface("vpn", "", {"10.8.1.2"}), IFF_UP | IFF_RUNNING | IFF_POINTOPOINT), 1),
               interface("eth0", "", {"10.0.0.1"})}),
        (Names{"eth0", "tun0", "vpn"}));
}

TEST(Interfaces, AContainersVethOrAServersBridgeWithTheDefaultRouteIsTheWayOut)
{
    EXPECT_EQ(order({interface("eth1", "", {"10.1.0.1"}),
                     with_default(interface("eth0", "veth", {"10.0.0.1"}), 0)}),
              (Names{"eth0", "eth1"}));
    EXPECT_EQ(order({interface("eth1", "", {"10.1.0.1"}),
                     with_default(interface("br0", "bridge", {"10.0.0.1"}), 0)}),
              (Names{"br0", "eth1"}));
}

TEST(Interfaces, OfTwoDefaultRoutesTheLowerMetricIsFirst)
{
    EXPECT_EQ(order({with_default(interface("wlan0", "", {"10.1.0.1"}), 600),
                     with_default(interface("eth0", "", {"10.0.0.1"}), 100)}),
              (Names{"eth0", "wlan0"}));
}

TEST(Interfaces, OneWithoutCarrierComesLastAndOneThatIsDownNotAtAll)
{
    EXPECT_EQ(order({with_flags(interface("eth0", "", {"10.0.0.1"}), IFF_UP),
                     with_flags(interface("eth1", "", {"10.1.0.1"}), IFF_RUNNING),
                     interface("tun0", "tun", {"10.8.0.2"})}),
              (Names{"tun0", "eth0"}));
}

TEST(Interfaces, IPoverInfiniBandIsHardware)
{
    EXPECT_EQ(order({interface("veth0", "veth", {"10.2.0.1"}), interface("ib0", "ipoib", {"10.1.0.1"})}),
              (Names{"ib0", "veth0"}));
}

TEST(Interfaces, OfOneInterfaceIPv4ComesFirst)
{
    const auto found = fi::kit::tcp::ranked({interface("eth0", "", {"fd00::1", "10.0.0.1"})}, AF_UNSPEC, {});
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].address, address("10.0.0.1"));
    EXPECT_EQ(found[1].address, address("fd00::1"));
}

TEST(Interfaces, EachPlaceHasItsReason)
{
    const auto found = fi::kit::tcp::ranked(
        {with_default(interface("eth0", "", {"10.0.0.1"}), 100), interface("veth0", "veth", {"10.1.0.1"})},
        AF_INET, {});
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].reason, "default route, metric 100");
    EXPECT_EQ(found[1].reason, "virtual (veth)");
}

TEST(Interfaces, B17_LoopbackIsThereOnlyWhenAskedForOrAlone)
{
    const std::vector<Interface> machine{loopback(), interface("eth0", "", {"10.0.0.1"})};
    EXPECT_EQ(order(machine), Names{"eth0"});
    EXPECT_EQ(order(machine, "lo"), Names{"lo"});
    EXPECT_EQ(order(machine, "127.0.0.0/8"), Names{"lo"});
    EXPECT_EQ(order(machine, "eth0,lo"), (Names{"eth0", "lo"}));
    EXPECT_EQ(order({loopback()}), Names{"lo"});
    EXPECT_EQ(order(machine, "^eth0"), Names{"lo"});
    EXPECT_EQ(order(machine, "^eth0,lo"), Names{});
}

TEST(Interfaces, LinkLocalAddressesAreThereOnlyWhenTheirNetworkIsNamed)
{
    const std::vector<Interface> machine{interface("eth0", "", {"fe80::1", "fd00::1"})};
    EXPECT_EQ(order(machine, "", AF_INET6).size(), 1u);
    EXPECT_EQ(order(machine, "eth0", AF_INET6).size(), 1u);
    EXPECT_EQ(order(machine, "eth0,fe80::/10", AF_INET6).size(), 2u);
    EXPECT_EQ(order(machine, "fe80::/10", AF_INET6).size(), 1u);
}

TEST(Filter, TakesTheNamedOnesInTheUsersOrder)
{
    const std::vector<Interface> machine{with_default(interface("eth0", "", {"10.0.0.1"}), 0),
                                         interface("eth1", "", {"10.1.0.1"}),
                                         interface("ib0", "", {"10.2.0.1"})};
    EXPECT_EQ(order(machine, "ib0,eth0"), (Names{"ib0", "eth0"}));
    EXPECT_EQ(order(machine, "10.1.0.0/16, 10.2.0.1"), (Names{"eth1", "ib0"}));
    EXPECT_EQ(order(machine, "eth*"), (Names{"eth0", "eth1"}));
}

TEST(Filter, ACaretExcludesAllThatFollow)
{
    const std::vector<Interface> machine{interface("eth0", "", {"10.0.0.1"}),
                                         interface("eth1", "", {"10.1.0.1"}),
                                         interface("eth2", "", {"10.2.0.1"})};
    EXPECT_EQ(order(machine, "^eth0,10.1.0.0/16"), Names{"eth2"});
    EXPECT_EQ(order(machine, "^eth0,^eth1"), Names{"eth2"});
    EXPECT_EQ(order(machine, "10.0.0.0/8,^10.1.0.0/16"), (Names{"eth0", "eth2"}));
}

TEST(Filter, NetworksMatchToTheBit)
{
    const std::vector<Interface> machine{interface("eth0", "", {"10.0.0.127"}),
                                         interface("eth1", "", {"10.0.0.128"}),
                                         interface("eth2", "", {"fd00:0:0:7fff::1"})};
    EXPECT_EQ(order(machine, "10.0.0.0/25"), Names{"eth0"});
    EXPECT_EQ(order(machine, "10.0.0.128/25"), Names{"eth1"});
    EXPECT_EQ(order(machine, "0.0.0.0/0"), (Names{"eth0", "eth1"}));
    EXPECT_EQ(order(machine, "fd00:0:0:4000::/50", AF_INET6), Names{"eth2"});
    EXPECT_EQ(order(machine, "fd00:0:0:8000::/49", AF_INET6), Names{});
}

TEST(Filter, B17_TellsWhatFitsNothing)
{
    const std::vector<Interface> machine{interface("eth0", "", {"10.0.0.1"})};
    EXPECT_EQ(InterfaceFilter("eth0,eth9,10.0.0.0/99,192.168.0.0/16,^10.0.0.0/8,docker*").unmatched(machine),
              (Names{"eth9", "10.0.0.0/99", "192.168.0.0/16", "^docker*"}));
    EXPECT_EQ(order(machine, "eth9"), Names{});
}

TEST(Filter, EmptyItemsAndSpacesMeanNothing)
{
    EXPECT_TRUE(InterfaceFilter(" , ,").all());
    EXPECT_TRUE(InterfaceFilter("^").all());
    EXPECT_EQ(order({interface("eth0", "", {"10.0.0.1"})}, " eth0 ,"), Names{"eth0"});
}

/// What the two ways of reading can both know.
std::vector<std::string> facts(std::vector<Interface> interfaces)
{
    std::vector<std::string> out;
    for (const Interface& one : interfaces) {
        const std::string front = one.name + " " + std::to_string(one.index) + " " +
                                  std::to_string(one.flags & (IFF_UP | IFF_LOOPBACK | IFF_RUNNING)) + " " +
                                  (one.default_v4 ? std::to_string(*one.default_v4) : "-") + " ";
        for (const Address& its : one.addresses)
            out.push_back(front + its.text());
    }
    std::sort(out.begin(), out.end());
    return out;
}

TEST(Reading, WithoutNetlinkAllAddressesAndDefaultRoutesAreFoundToo)
{
    std::vector<Interface> by_netlink;
    if (!fi::kit::tcp::read_by_netlink(by_netlink))
        GTEST_SKIP() << "netlink is refused here";
    EXPECT_EQ(facts(fi::kit::tcp::read_plainly()), facts(by_netlink));
    EXPECT_FALSE(by_netlink.empty());
}

/// What `body` returns in a child that may not open netlink sockets; 77: there can be none.
int exit_status_without_netlink(int (*body)())
{
    const pid_t child = fork();
    if (child == 0) {
        constexpr auto kDomain = static_cast<std::uint32_t>(offsetof(seccomp_data, args));
        constexpr auto kNumber = static_cast<std::uint32_t>(offsetof(seccomp_data, nr));
        sock_filter program[] = {
            BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kNumber),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 3),
            BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kDomain),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_NETLINK, 0, 1),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EAFNOSUPPORT),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        };
        const sock_fprog filter{std::size(program), program};
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
            _exit(77);
        _exit(body());
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Reading, WhereNetlinkIsRefusedTheOtherWayIsTaken)
{
    const int status = exit_status_without_netlink([] {
        std::vector<Interface> unused;
        if (fi::kit::tcp::read_by_netlink(unused))
            return 1;
        return fi::kit::tcp::read_interfaces().empty() ? 2 : 0;
    });
    if (status == 77)
        GTEST_SKIP() << "seccomp filters are not allowed here";
    EXPECT_EQ(status, 0);
}

TEST(Ports, ARangeIsTwoPortsOrOne)
{
    const auto range = PortRange::parse("7000-7100");
    ASSERT_TRUE(range);
    EXPECT_EQ(range->low, 7000);
    EXPECT_EQ(range->high, 7100);
    const auto one = PortRange::parse("65535");
    ASSERT_TRUE(one);
    EXPECT_EQ(one->low, 65535);
    EXPECT_EQ(one->high, 65535);
    for (const char* wrong :
         {"", "0", "0-5", "7100-7000", "7000-", "-7000", "7000-65536", "7000-7100x", "7000 7100", "a-b"})
        EXPECT_FALSE(PortRange::parse(wrong)) << wrong;
}

} // namespace
