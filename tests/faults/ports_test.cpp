// SPDX-License-Identifier: BSD-2-Clause
//
// FI_SOFT_PORT_RANGE=7100-7102, on hosts of the test's own, where nobody else uses these ports.
#include "world.hpp"

#include <arpa/inet.h>
#include <set>

namespace faults {
namespace {

class Ports : public Network {};

int port_of(const Node& node)
{
    const auto name = node.name();
    return ntohs(reinterpret_cast<const sockaddr_in*>(name.data())->sin_port);
}

TEST_F(Ports, AreTakenFromTheRangeOneForEachEndpoint)
{
    const Host host;
    std::set<int> ports;
    std::vector<std::unique_ptr<Node>> nodes;
    for (int i = 0; i < 3; i++) {
        nodes.push_back(host.on([] { return std::make_unique<Node>(); }));
        ports.insert(port_of(*nodes.back()));
    }
    EXPECT_EQ(ports, (std::set<int>{7100, 7101, 7102}));
}

TEST_F(Ports, WhenAllAreInUseEnablingFailsAndTheLogNamesTheRange)
{
    const Host host;
    std::vector<std::unique_ptr<Node>> nodes;
    for (int i = 0; i < 3; i++)
        nodes.push_back(host.on([] { return std::make_unique<Node>(); }));
    host.on([&] {
        Node late(Wish{}, false);
        late.bind(&late.cq->fid, FI_TRANSMIT | FI_RECV);
        late.bind(&late.av->fid, 0);
        testing::internal::CaptureStderr();
        EXPECT_EQ(fi_enable(late.ep.get()), -FI_EADDRINUSE);
        const std::string log = testing::internal::GetCapturedStderr();
        EXPECT_NE(log.find("7100-7102"), log.npos) << log;
        const int freed = port_of(*nodes[1]);
        nodes[1].reset();
        EXPECT_EQ(fi_enable(late.ep.get()), 0);
        EXPECT_EQ(port_of(late), freed);
    });
}

TEST_F(Ports, OneThatTheApplicationNamesNeedNotBeInTheRange)
{
    const Host host;
    host.on([] {
        const Node node(Wish{.addr_format = FI_SOCKADDR_IN, .service = "9000"});
        EXPECT_EQ(port_of(node), 9000);
        Node second(Wish{.addr_format = FI_SOCKADDR_IN, .service = "9000"}, false);
        second.bind(&second.cq->fid, FI_TRANSMIT | FI_RECV);
        second.bind(&second.av->fid, 0);
        testing::internal::CaptureStderr();
        EXPECT_EQ(fi_enable(second.ep.get()), -FI_EADDRINUSE);
        const std::string log = testing::internal::GetCapturedStderr();
        EXPECT_NE(log.find(":9000"), log.npos) << log;
    });
}

} // namespace
} // namespace faults
