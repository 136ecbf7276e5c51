// SPDX-License-Identifier: BSD-2-Clause
//
// What fi_info shows of the interfaces of a host, and what the user's variables do to it.
#include "world.hpp"

namespace faults {
namespace {

class Offers : public Network {
  protected:
    void SetUp() override
    {
        Network::SetUp();
        if (IsSkipped())
            return;
        one_ = std::make_unique<Host>();
        two_ = std::make_unique<Host>();
        one_->connect(*two_, "v0", "10.1.0.1/24", "10.1.0.2/24");
        one_->connect(*two_, "v1", "10.2.0.1/24", "10.2.0.2/24");
        one_->ip("route add default via 10.2.0.2");
    }
    /// The source addresses of soft's IPv4 entries, in order.
    [[nodiscard]] std::vector<std::string> sources(const std::string& environment,
                                                   const std::string& options = "") const
    {
        std::vector<std::string> found;
        const std::string said =
            one_->output(environment + " " FI_TEST_INFO " -v -p soft " + options + " 2>/dev/null");
        constexpr std::string_view kMark = "src_addr: fi_sockaddr_in://";
        for (std::size_t at = 0; (at = said.find(kMark, at)) != said.npos;) {
            at += kMark.size();
            found.push_back(said.substr(at, said.find(':', at) - at));
        }
        return found;
    }

    std::unique_ptr<Host> one_, two_;
};

using Names = std::vector<std::string>;

TEST_F(Offers, AreAllAddressesInTheOrderOfTheRanking)
{
    EXPECT_EQ(sources(""), (Names{"10.2.0.1", "10.1.0.1"}));
    const std::string log = one_->output("FI_LOG_LEVEL=info " FI_TEST_INFO " -p soft");
    EXPECT_NE(log.find("interface 1: fi_sockaddr_in://10.2.0.1:0 on v1: default route, metric 0"), log.npos)
        << log;
    EXPECT_NE(log.find("interface 2: fi_sockaddr_in://10.1.0.1:0 on v0: virtual (veth)"), log.npos) << log;
}

TEST_F(Offers, B17_LoopbackIsNotAmongThemUnlessTheUserNamesIt)
{
    EXPECT_EQ(sources("", "-c 'FI_MSG|FI_REMOTE_COMM'"), (Names{"10.2.0.1", "10.1.0.1"}));
    EXPECT_EQ(sources("FI_SOFT_IFACE=lo"), Names{"127.0.0.1"});
    EXPECT_EQ(sources("FI_SOFT_IFACE=lo", "-c 'FI_MSG|FI_REMOTE_COMM'"), Names{"127.0.0.1"});
    EXPECT_EQ(sources("FI_SOFT_IFACE=v0"), Names{"10.1.0.1"});
    EXPECT_EQ(sources("FI_SOFT_IFACE=^v1"), Names{"10.1.0.1"});
    EXPECT_EQ(sources("FI_SOFT_IFACE=10.1.0.0/16,v1"), (Names{"10.1.0.1", "10.2.0.1"}));
}

TEST_F(Offers, B17_APeerOnLoopbackGetsLoopbackUnlessOtherHostsShallReachUsToo)
{
    EXPECT_EQ(sources("", "-n 127.0.0.1"), Names{"127.0.0.1"});
    EXPECT_EQ(sources("", "-n 127.0.0.1 -c 'FI_MSG|FI_REMOTE_COMM'"), (Names{"10.2.0.1", "10.1.0.1"}));
    EXPECT_EQ(sources("", "-n 10.1.0.2"), Names{"10.1.0.1"});
    EXPECT_EQ(sources("FI_SOFT_IFACE=v1", "-n 10.1.0.2"), Names{"10.2.0.1"});
}

TEST_F(Offers, B17_ANameThatFitsNoInterfaceIsWarnedOfAndIsTheReason)
{
    int status = 0;
    const std::string said =
        one_->output("FI_LOG_LEVEL=warn FI_SOFT_IFACE=v7 " FI_TEST_INFO " -p soft --why", &status);
    EXPECT_NE(status, 0);
    EXPECT_NE(said.find("FI_SOFT_IFACE: v7 fits no interface that is up"), said.npos) << said;
    EXPECT_NE(said.find("no usable interface"), said.npos) << said;
}

TEST_F(Offers, B17_WithoutAnyNetworkThereIsLoopbackAlsoWhereOtherHostsAreAskedFor)
{
    one_->ip("link set v0 down");
    one_->ip("link set v1 down");
    EXPECT_EQ(sources("", "-c 'FI_MSG|FI_REMOTE_COMM'"), Names{"127.0.0.1"});
    EXPECT_EQ(sources(""), Names{"127.0.0.1"});
}

} // namespace
} // namespace faults
