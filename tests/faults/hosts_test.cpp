// SPDX-License-Identifier: BSD-2-Clause
//
// Hosts that talk over cables: which addresses they choose, and what they make of peers that are not there.
#include "world.hpp"

#include <arpa/inet.h>
#include <thread>

namespace faults {
namespace {

class Hosts : public Network {};

/// The address of an endpoint's name, as text.
std::string host_of(const Machine& machine)
{
    const auto name = machine.node().name();
    char text[INET_ADDRSTRLEN] = "";
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(name.data())->sin_addr, text, sizeof text);
    return text;
}

TEST_F(Hosts, SendEachOtherMessagesOfEverySize)
{
    Host one, two;
    one.connect(two, "v0", "10.1.0.1/24", "10.1.0.2/24");
    const Machine a(one), b(two);
    const fi_addr_t to_b = a.insert(b), to_a = b.insert(a);
    for (const std::size_t size : {0, 8, 1024, 65536, 65537, 3 << 20}) {
        expect_message(a, b, to_b, size);
        expect_message(b, a, to_a, size);
    }
}

TEST_F(Hosts, TalkOverIPv6Too)
{
    Host one, two;
    // "nodad": the kernel asks nobody whether the address is free, which takes it a second.
    one.connect(two, "v0", "fd00:1::1/64 nodad", "fd00:1::2/64 nodad");
    const Wish wish{.addr_format = FI_SOCKADDR_IN6};
    const Machine a(one, wish), b(two, wish);
    ASSERT_EQ(b.node().name().size(), sizeof(sockaddr_in6));
    expect_message(a, b, a.insert(b), 100000);
}

TEST_F(Hosts, C30_AnInterfaceThatIsNewShowsUp)
{
    Host one, two;
    const auto count = [&] {
        return one.on([] {
            fi_info* list = nullptr;
            EXPECT_EQ(fi_getinfo(FI_VERSION(2, 6), nullptr, nullptr, FI_RESCAN,
                                 contract::hints_for({.addr_format = FI_SOCKADDR_IN}).get(), &list),
                      0);
            const contract::Info owner(list);
            int entries = 0;
            for (const fi_info* entry = list; entry; entry = entry->next)
                entries++;
            return entries;
        });
    };
    one.connect(two, "v0", "10.1.0.1/24", "10.1.0.2/24");
    EXPECT_EQ(count(), 1);
    one.connect(two, "v1", "10.2.0.1/24", "10.2.0.2/24");
    EXPECT_EQ(count(), 2);
}

TEST_F(Hosts, B18_FindEachOtherAmongInterfacesThatLeadNowhere)
{
    Host one, two;
    std::string elsewhere = "link add docker0 type bridge\n"
                            "address add 172.17.0.1/16 dev docker0\n"
                            "link set docker0 up\n"
                            "tuntap add tun0 mode tun\n"
                            "address add 10.8.0.1/24 dev tun0\n"
                            "link set tun0 up\n";
    for (int i = 0; i < 8; i++) {
        const std::string number = std::to_string(i), name = "stray" + number, end = "other" + number;
        elsewhere += "link add " + name + " type veth peer name " + end + "\naddress add 10.9." + number +
                     ".1/24 dev " + name + "\nlink set " + name + " up\nlink set " + end + " up\n";
    }
    one.ip(elsewhere);
    two.ip(elsewhere);
    one.connect(two, "v0", "10.1.0.1/24", "10.1.0.2/24");
    one.ip("route add default via 10.1.0.2");
    two.ip("route add default via 10.1.0.1");
    const Machine a(one), b(two);
    EXPECT_EQ(host_of(a), "10.1.0.1");
    EXPECT_EQ(host_of(b), "10.1.0.2");
    expect_message(a, b, a.insert(b), 8);
}

TEST_F(Hosts, WithoutAnyNetworkOneTalksToItself)
{
    Host one;
    const Machine a(one), b(one);
    EXPECT_EQ(host_of(a), "127.0.0.1");
    expect_message(a, b, a.insert(b), 100000);
}

/// The name of an endpoint as if its host had that address.
std::vector<char> at(const Machine& machine, const char* address)
{
    auto name = machine.node().name();
    inet_pton(AF_INET, address, &reinterpret_cast<sockaddr_in*>(name.data())->sin_addr);
    return name;
}

TEST_F(Hosts, APortThatSwallowsEverythingEndsInATimeoutAndTroublesNobodyElse)
{
    Host one, two;
    one.connect(two, "v0", "10.1.0.1/24", "10.1.0.2/24");
    one.ip("neighbour replace 10.1.0.9 lladdr 02:00:00:00:00:99 dev v0 nud permanent");
    const Machine a(one), b(two);
    const fi_addr_t to_b = a.insert(b), to_nowhere = a.insert(at(b, "10.1.0.9"));
    const auto bytes = contract::pattern(8, 1);
    ASSERT_EQ(a.send(bytes, to_nowhere, 9), 0);
    expect_message(a, b, to_b, 8);
    const Completion failed = next({&a, &b});
    ASSERT_TRUE(failed.failed);
    EXPECT_EQ(failed.error.err, FI_ETIMEDOUT);
    EXPECT_EQ(failed.error.op_context, contract::context(9));
}

// Its timer has run out, but so has the kernel finished: what counts is when, not when somebody looked.
TEST_F(Hosts, ACallerThatComputesLongerThanTheConnectTimeoutStillFindsTheConnection)
{
    Host one, two;
    one.connect(two, "v0", "10.1.0.1/24", "10.1.0.2/24");
    one.ip("neighbour replace 10.1.0.9 lladdr 02:00:00:00:00:99 dev v0 nud permanent");
    const Machine a(one), b(two);
    const fi_addr_t to_b = a.insert(b), to_nowhere = a.insert(at(b, "10.1.0.9"));
    const auto bytes = contract::pattern(8, 1);
    std::vector<unsigned char> got(8);
    ASSERT_EQ(b.receive(got, 2), 0);
    // The first call's time is over before the second is made, so that it is the first of what is seen.
    constexpr std::chrono::milliseconds kLonger(1600); // than FI_SOFT_CONNECT_TIMEOUT
    ASSERT_EQ(a.send(bytes, to_nowhere, 9), 0);
    std::this_thread::sleep_for(kLonger);
    ASSERT_EQ(a.send(bytes, to_b, 1), 0);
    std::this_thread::sleep_for(kLonger);
    for (int completions = 0; completions < 2; completions++) {
        const Completion done = next({&a, &b});
        const void* context = done.failed ? done.error.op_context : done.entry.op_context;
        EXPECT_EQ(context, contract::context(done.failed ? 9 : 1));
    }
    EXPECT_FALSE(next({&b, &a}).failed);
    EXPECT_TRUE(got == bytes);
}

TEST_F(Hosts, B40_AServerThatComesLateIsReachedAfterTheRefusal)
{
    Host one, two;
    one.connect(two, "v0", "10.1.0.1/24", "10.1.0.2/24");
    const Machine a(one);
    auto name = a.node().name();
    auto& where = reinterpret_cast<sockaddr_in&>(*name.data());
    inet_pton(AF_INET, "10.1.0.2", &where.sin_addr);
    where.sin_port = htons(7471);
    const fi_addr_t to_b = a.insert(name);
    const auto bytes = contract::pattern(8, 1);
    for (int i = 0; i < 3; i++) {
        ASSERT_EQ(a.send(bytes, to_b, 1), 0);
        const Completion failed = next({&a});
        ASSERT_TRUE(failed.failed);
        EXPECT_EQ(failed.error.err, FI_ECONNREFUSED);
    }
    const Machine b(two, {.addr_format = FI_SOCKADDR_IN, .service = "7471"});
    expect_message(a, b, to_b, 8);
}

TEST_F(Hosts, APortWithoutAListenerIsRefusedThoughAConnectionCanReachItselfThere)
{
    const Host one;
    const Machine a(one);
    auto name = a.node().name();
    reinterpret_cast<sockaddr_in*>(name.data())->sin_port = htons(7472);
    // The only port that a caller can get is the one that it calls.
    int status = -1;
    one.output("echo 7472 7472 >/proc/sys/net/ipv4/ip_local_port_range", &status);
    if (status)
        GTEST_SKIP() << "the range of local ports cannot be set here";
    const fi_addr_t to_nobody = a.insert(name);
    ASSERT_EQ(a.send(contract::pattern(8, 1), to_nobody, 9), 0);
    const Completion failed = next({&a});
    ASSERT_TRUE(failed.failed);
    EXPECT_EQ(failed.error.err, FI_ECONNREFUSED);
}

TEST_F(Hosts, B41_APeerWhoseHostIsGoneBeforeTheFirstContactIsAnError)
{
    Host one, two;
    one.connect(two, "v0", "10.1.0.1/24", "10.1.0.2/24");
    const Machine a(one), b(two);
    const fi_addr_t to_b = a.insert(b);
    one.ip("link set v0 down");
    const auto bytes = contract::pattern(8, 1);
    ASSERT_EQ(a.send(bytes, to_b, 1), 0);
    const Completion failed = next({&a, &b});
    ASSERT_TRUE(failed.failed);
    EXPECT_EQ(failed.error.err, FI_ENETUNREACH);
}

TEST_F(Hosts, B47_ManyCallersAtOnceAreAllServed)
{
    Host one, two;
    one.connect(two, "v0", "10.1.0.1/24", "10.1.0.2/24");
    const Machine server(one);
    std::vector<std::unique_ptr<Machine>> clients;
    const auto bytes = contract::pattern(100, 1);
    std::vector<unsigned char> got(bytes.size());
    for (int i = 0; i < 48; i++)
        clients.push_back(std::make_unique<Machine>(two));
    for (const auto& client : clients)
        ASSERT_EQ(client->send(bytes, client->insert(server), 1), 0);
    std::size_t sent = 0, received = 0;
    ASSERT_EQ(server.receive(got, 2), 0);
    drive({&server}, [&] {
        for (const auto& client : clients) {
            Completion entry;
            if (client->read(entry)) {
                EXPECT_FALSE(entry.failed) << fi_strerror(entry.error.err);
                sent++;
            }
        }
        Completion entry;
        if (server.read(entry)) {
            EXPECT_FALSE(entry.failed) << fi_strerror(entry.error.err);
            EXPECT_TRUE(got == bytes);
            received++;
            EXPECT_EQ(server.receive(got, 2), 0);
        }
        return sent == clients.size() && received == clients.size();
    });
}

} // namespace
} // namespace faults
