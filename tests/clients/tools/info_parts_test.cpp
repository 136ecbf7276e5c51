// SPDX-License-Identifier: BSD-2-Clause
// The parts of fi_info that need no provider: the command line, the hints made of it, the choice of an
// answer.

#include <cerrno>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

#include "names.hpp"
#include "options.hpp"
#include "output.hpp"

namespace {

using namespace fi::tools::info;

Parsed parsed(std::vector<std::string> words)
{
    words.insert(words.begin(), "fi_info");
    std::vector<char*> argv;
    for (std::string& word : words)
        argv.push_back(word.data());
    argv.push_back(nullptr);
    return parse(static_cast<int>(words.size()), argv.data());
}

Options options(std::vector<std::string> words)
{
    const Parsed result = parsed(std::move(words));
    EXPECT_TRUE(result.options.has_value());
    return result.options.value_or(Options{});
}

TEST(InfoOptions, WithoutAHintAskForNone)
{
    const Options given =
        options({"-n", "host", "-P", "1", "-e", "-v", "-l", "--json", "--why", "-i", "x", "-g", "y"});
    EXPECT_FALSE(given.use_hints);
    EXPECT_EQ(make_hints(given), nullptr);
}

TEST(InfoOptions, LongAndShortMeanTheSame)
{
    const std::vector<std::vector<std::string>> same = {
        {"-n", "h", "-P", "7", "-c", "FI_RMA", "-m", "FI_CONTEXT", "-t", "FI_EP_MSG"},
        {"--node=h", "--port=7", "--caps=FI_RMA", "--mode=FI_CONTEXT", "--ep_type=FI_EP_MSG"},
        {"--node", "h", "--po", "7", "--ca", "FI_RMA", "--mod", "FI_CONTEXT", "--ep", "FI_EP_MSG"},
    };
    for (const auto& words : same) {
        const Options given = options(words);
        EXPECT_EQ(given.node, "h");
        EXPECT_EQ(given.service, "7");
        EXPECT_EQ(given.caps, FI_RMA);
        EXPECT_EQ(given.mode, FI_CONTEXT);
        EXPECT_EQ(given.ep_type, FI_EP_MSG);
        EXPECT_TRUE(given.use_hints);
    }
}

TEST(InfoOptions, SourceAndNodeShareOnePlaceAndTheLastWins)
{
    EXPECT_EQ(options({"-n", "a", "-s", "b"}).node, "b");
    EXPECT_EQ(options({"-s", "b", "-n", "a"}).node, "a");
    EXPECT_EQ(options({"-s", "b", "-n", "a"}).flags, FI_SOURCE);
    EXPECT_EQ(options({"-s", "b", "-l"}).flags, FI_SOURCE | FI_PROV_ATTR_ONLY);
    EXPECT_EQ(options({"-n", "a"}).flags, 0U);
}

TEST(InfoOptions, CapabilitiesAddUpAndModeReplaces)
{
    const Options given = options(
        {"-c", "FI_MSG|FI_RMA", "-c", "||fi_hmem|", "-m", "FI_CONTEXT", "-m", "FI_CONTEXT2|FI_ASYNC_IOV"});
    EXPECT_EQ(given.caps, FI_MSG | FI_RMA | FI_HMEM);
    EXPECT_EQ(given.mode, FI_CONTEXT2 | FI_ASYNC_IOV);
}

TEST(InfoOptions, AHintOpensAllModesAndRegistrationModes)
{
    const InfoList hints = make_hints(options({"-p", "tcp;ofi_rxm"}));
    ASSERT_NE(hints, nullptr);
    EXPECT_STREQ(hints->fabric_attr->prov_name, "tcp;ofi_rxm");
    EXPECT_EQ(hints->caps, 0U);
    EXPECT_EQ(hints->mode, ~0ULL);
    EXPECT_EQ(hints->domain_attr->mode, ~0ULL);
    EXPECT_EQ(hints->domain_attr->mr_mode, ~3);
    EXPECT_EQ(hints->ep_attr->type, FI_EP_UNSPEC);
}

TEST(InfoOptions, EachHintReachesItsField)
{
    const InfoList hints = make_hints(options({"-d", "dom", "-f", "fab", "-a", "fi_sockaddr_in", "-m",
                                               "FI_CONTEXT", "-t", "fi_ep_rdm", "-d", "last"}));
    ASSERT_NE(hints, nullptr);
    EXPECT_STREQ(hints->domain_attr->name, "last");
    EXPECT_STREQ(hints->fabric_attr->name, "fab");
    EXPECT_EQ(hints->addr_format, FI_SOCKADDR_IN);
    EXPECT_EQ(hints->mode, FI_CONTEXT);
    EXPECT_EQ(hints->ep_attr->type, FI_EP_RDM);
}

TEST(InfoOptions, UsageIsStatusOneAndABadNameTwentyTwo)
{
    for (const auto& words :
         std::vector<std::vector<std::string>>{{"-h"}, {"--help"}, {"-Z"}, {"--zork"}, {"-c"}}) {
        EXPECT_FALSE(parsed(words).options);
        EXPECT_EQ(parsed(words).exit_code, 1);
    }
    for (const char* option : {"-c", "-m", "-t", "-a"}) {
        EXPECT_FALSE(parsed({option, "FI_ZORK"}).options);
        EXPECT_EQ(parsed({option, "FI_ZORK"}).exit_code, EINVAL);
    }
    EXPECT_EQ(parsed({"-t", "FI_EP_MSG|FI_EP_RDM"}).exit_code, EINVAL);
    EXPECT_EQ(parsed({"--version", "-Z"}).exit_code, 0);
}

TEST(InfoOptions, TakeEveryNameThatUpstreamTakesAndNoOther)
{
    for (const char* name :
         {"FI_MSG", "FI_COLLECTIVE", "FI_MORE", "FI_PEEK", "FI_SOURCE_ERR", "FI_NAMED_RX_CTX"})
        EXPECT_TRUE(capability(name)) << name;
    for (const char* name : {"", "MSG", "FI_MSG ", "FI_PEER", "FI_CONTEXT", "FI_RMA_PMEM"})
        EXPECT_FALSE(capability(name)) << name;
    EXPECT_TRUE(mode_bit("FI_RX_CQ_DATA"));
    EXPECT_FALSE(mode_bit("FI_LOCAL_MR"));
    EXPECT_EQ(endpoint_type("FI_EP_UNSPEC"), FI_EP_UNSPEC);
    EXPECT_FALSE(endpoint_type("FI_EP_SOCK_STREAM"));
    EXPECT_EQ(address_format("FI_ADDR_EFA"), FI_ADDR_EFA);
    EXPECT_FALSE(address_format("FI_SOCKADDR_IP"));
}

TEST(InfoView, FollowsOnePrecedence)
{
    EXPECT_EQ(view_of(options({})), View::Short);
    EXPECT_EQ(view_of(options({"-l"})), View::Providers);
    EXPECT_EQ(view_of(options({"-l", "-v"})), View::Plugins);
    EXPECT_EQ(view_of(options({"-l", "-v", "-i", "x"})), View::Full);
    EXPECT_EQ(view_of(options({"-i", "x"})), View::Full);
    EXPECT_EQ(view_of(options({"-v", "-e"})), View::Params);
    EXPECT_EQ(view_of(options({"-l", "-g", "x"})), View::Params);
    EXPECT_EQ(view_of(options({"-e", "-l", "-v", "--why"})), View::Reasons);
}

TEST(Words, AreFoundInAnyCase)
{
    EXPECT_TRUE(contains_any_case("FI_EP_RDM", "ep_r"));
    EXPECT_TRUE(contains_any_case("anything", ""));
    EXPECT_TRUE(contains_any_case("", ""));
    EXPECT_FALSE(contains_any_case("short", "longer than that"));
    EXPECT_FALSE(equal_any_case("tcp", "tcpx"));
}

} // namespace
