// SPDX-License-Identifier: BSD-2-Clause
//
// Why a query found nothing: what providers log is captured, what the core decided is added, and a query that
// succeeds pays for none of it.
#include <algorithm>

#include <gtest/gtest.h>
#include <rdma/providers/fi_log.h>

#include "discovery/plugins.hpp"
#include "discovery/reasons.hpp"
#include "fake_provider.hpp"

namespace fi::test {
namespace {

using core::Filter;
using core::Finding;
using core::Findings;
using core::loader::PluginFile;

constexpr uint32_t kApi = FI_VERSION(2, 6);

/// A provider that says no as the provider kit does, or in words of its own.
FakeProvider::GetInfo refusing(const FakeProvider& provider, std::string line)
{
    return [&provider, line](const Request&, fi_info**) {
        FI_INFO(&provider.impl, FI_LOG_CORE, "%s\n", line.c_str());
        return -FI_ENODATA;
    };
}

class Reasons : public testing::Test {
  protected:
    Findings explain(const Request& request = {kApi, nullptr, nullptr, 0, nullptr},
                     const Filter& filter = Filter(), std::vector<PluginFile> files = {})
    {
        const auto providers = fakes.list();
        return core::reasons::explain(providers, files, filter, request);
    }
    static bool has(const Findings& findings, const Finding& finding)
    {
        return std::find(findings.begin(), findings.end(), finding) != findings.end();
    }
    static std::string text_of(const Findings& findings, const std::string& provider)
    {
        for (const Finding& finding : findings)
            if (finding.provider == provider)
                return finding.attribute + "|" + finding.text;
        return "(none)";
    }

    Fakes fakes;
};

TEST(ReasonLine, RefusalIsTakenApart)
{
    EXPECT_EQ(core::read_line("p", "refused domain_attr->mr_mode: asked [ ], offered [ FI_MR_LOCAL ]\n"),
              (Finding{"p", "domain_attr->mr_mode", "asked [ ], offered [ FI_MR_LOCAL ]"}));
    EXPECT_EQ(core::read_line("p", "refused caps: asked a: b, offered c"),
              (Finding{"p", "caps", "asked a: b, offered c"}));
}

TEST(ReasonLine, AnythingElseStaysAsItIs)
{
    EXPECT_EQ(core::read_line("p", "  Unsupported endpoint type \n"),
              (Finding{"p", "", "Unsupported endpoint type"}));
    EXPECT_EQ(core::read_line("p", "refused by the peer: timeout"),
              (Finding{"p", "", "refused by the peer: timeout"}));
    EXPECT_EQ(core::read_line("p", "refused caps"), (Finding{"p", "", "refused caps"}));
}

TEST_F(Reasons, EveryAttributeThatRefusesIsNamed)
{
    // One provider per member of fi_info, each refusing exactly that one.
    const char* const attributes[] = {
        "caps",
        "mode",
        "addr_format",
        "src_addr",
        "dest_addr",
        "handle",
        "tx_attr->caps",
        "tx_attr->size",
        "rx_attr->msg_order",
        "ep_attr->type",
        "ep_attr->protocol",
        "domain_attr->threading",
        "domain_attr->mr_mode",
        "domain_attr->max_cntr_value",
        "fabric_attr->prov_version",
        "nic",
    };
    for (const char* attribute : attributes) {
        Fakes one;
        auto& provider = one.core("soft");
        provider.answer =
            refusing(provider, std::string("refused ") + attribute + ": asked this, offered that");
        const auto providers = one.list();
        EXPECT_EQ(core::reasons::explain(providers, {}, Filter(), {kApi, nullptr, nullptr, 0, nullptr}),
                  (Findings{{"soft", attribute, "asked this, offered that"}}));
    }
}

TEST_F(Reasons, StrangersLinesAreKeptOnceEach)
{
    auto& stranger = fakes.core("verbs");
    stranger.answer = [&](const Request&, fi_info**) {
        for (int device = 0; device < 3; ++device)
            FI_INFO(&stranger.impl, FI_LOG_FABRIC, "no hardware found\n");
        FI_WARN(&stranger.impl, FI_LOG_CORE, "giving up\n");
        return -FI_ENODEV;
    };
    EXPECT_EQ(explain(), (Findings{{"verbs", "", "no hardware found"}, {"verbs", "", "giving up"}}));
}

TEST_F(Reasons, SilentProvidersAreReportedWithTheirResult)
{
    fakes.core("fails").answer = [](const Request&, fi_info**) { return -FI_ENODEV; };
    fakes.core("empty").answer = [](const Request&, fi_info**) { return 0; };
    const auto findings = explain();
    EXPECT_NE(text_of(findings, "fails").find(fi_strerror(FI_ENODEV)), std::string::npos)
        << text_of(findings, "fails");
    EXPECT_EQ(text_of(findings, "empty"), "|found nothing and logged nothing");
}

TEST_F(Reasons, LowerProvidersLinesAppearUnderTheLayeredName)
{
    auto& tcp = fakes.core("tcp");
    auto& rxm = fakes.utility("ofi_rxm");
    tcp.answer = refusing(tcp, "refused caps: asked x, offered y");
    rxm.answer = [&](const Request&, fi_info**) {
        FI_INFO(&tcp.impl, FI_LOG_CORE, "refused mode: asked x, offered y\n");
        FI_INFO(&rxm.impl, FI_LOG_CORE, "no lower provider\n");
        return -FI_ENODATA;
    };
    EXPECT_EQ(explain(), (Findings{{"tcp", "caps", "asked x, offered y"},
                                   {"tcp;ofi_rxm", "mode", "asked x, offered y"},
                                   {"ofi_rxm", "", "no lower provider"}}));
}

TEST_F(Reasons, ProvidersThatWereNotAskedSayWhy)
{
    fakes.core("shm");
    auto& old = fakes.core("old");
    old.impl.fi_version = FI_VERSION(1, 9);
    auto& loser = fakes.core("tcp");
    loser.active = false;
    loser.why_inactive = "version 2.0 of the same name is used";
    fakes.core("udp");
    fakes.add("ofi_hook_noop", ProviderType::Hook);
    const auto findings = explain({kApi, nullptr, nullptr, 0, nullptr}, Filter("^shm"));
    EXPECT_EQ(text_of(findings, "shm"), "|left out by FI_PROVIDER=^shm");
    EXPECT_EQ(text_of(findings, "old"), "|implements API 1.9, asked is 2.6");
    EXPECT_EQ(text_of(findings, "tcp"), "|is inactive: version 2.0 of the same name is used");
    EXPECT_EQ(text_of(findings, "udp"), "(none)");
    EXPECT_EQ(text_of(findings, "ofi_hook_noop"), "(none)");
    EXPECT_EQ(fakes.list().size(), 5u);
}

TEST_F(Reasons, NameHintSaysWhoWasAskedForAndWhoThereIs)
{
    fakes.core("tcp");
    const core::info::Owned wanted(entry(FI_EP_UNSPEC, nullptr, nullptr));
    wanted->fabric_attr->prov_name = copy_of("tpc");
    const auto findings = explain({kApi, nullptr, nullptr, 0, wanted.get()});
    EXPECT_EQ(text_of(findings, "tcp"), "fabric_attr->prov_name|asked tpc, offered tcp");
    EXPECT_EQ(text_of(findings, "tpc"),
              "fabric_attr->prov_name|there is no such provider here; the nearest name is tcp");
}

TEST_F(Reasons, EntriesTakenOutByNamesSayWhatWasOffered)
{
    fakes.core("tcp").answer = [](const Request&, fi_info** list) {
        *list = chain({entry(FI_EP_MSG, "lo"), entry(FI_EP_MSG, "eth0")});
        return 0;
    };
    const core::info::Owned wanted(entry(FI_EP_UNSPEC, "ib0", nullptr));
    const auto findings = explain({kApi, nullptr, nullptr, 0, wanted.get()});
    EXPECT_EQ(findings, (Findings{{"tcp", "domain_attr->name", "asked ib0, offered lo"},
                                  {"tcp", "domain_attr->name", "asked ib0, offered eth0"}}));
    // With one entry left there is nothing to explain.
    const core::info::Owned other(entry(FI_EP_UNSPEC, "lo", nullptr));
    EXPECT_TRUE(explain({kApi, nullptr, nullptr, 0, other.get()}).empty());
}

TEST_F(Reasons, UnknownNameInFilterIsReported)
{
    fakes.core("tcp");
    EXPECT_TRUE(has(
        explain({kApi, nullptr, nullptr, 0, nullptr}, Filter("tpc")),
        {"tpc", "", "listed in FI_PROVIDER, but there is no such provider here; the nearest name is tcp"}));
}

TEST_F(Reasons, RefusedPluginFilesAndAnEmptyListAreReported)
{
    PluginFile file;
    file.path = "/plugins/libx-fi.so";
    file.reason = "file too short";
    const auto findings = explain({kApi, nullptr, nullptr, 0, nullptr}, Filter(), {file});
    EXPECT_TRUE(has(findings, {"core", "", "no provider is registered"}));
    EXPECT_TRUE(has(findings, {file.path, "", "plugin /plugins/libx-fi.so was refused: file too short"}));
}

TEST_F(Reasons, SuccessAsksEachProviderOnceAndCapturesNothing)
{
    auto& tcp = fakes.core("tcp");
    int enabled = -1;
    tcp.answer = [&](const Request&, fi_info** list) {
        enabled = fi_log_enabled(&tcp.impl, FI_LOG_WARN, FI_LOG_CORE);
        *list = entry();
        return 0;
    };
    const auto providers = fakes.list();
    fi_info* list = nullptr;
    ASSERT_EQ(core::query::walk(providers, Filter(), {kApi, nullptr, nullptr, 0, nullptr}, &list), 0);
    const core::info::Owned owned(list);
    EXPECT_EQ(tcp.asked, 1);
    EXPECT_EQ(enabled, 0) << "a capture was open though nobody asked for reasons";
    EXPECT_TRUE(explain().empty());
    EXPECT_EQ(enabled, 1);
}

TEST_F(Reasons, NothingIsPrintedWhileReasonsAreCollected)
{
    auto& tcp = fakes.core("tcp");
    tcp.answer = refusing(tcp, "refused caps: asked x, offered y");
    testing::internal::CaptureStderr();
    const auto findings = explain();
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    EXPECT_EQ(findings.size(), 1u);
}

TEST_F(Reasons, PluginsHiddenByTheFilterAreMarked)
{
    fakes.core("tcp");
    fakes.core("shm");
    const auto providers = fakes.list();
    std::vector<PluginFile> files(3);
    files[0] = {"/p/libtcp-fi.so", "tcp", 1, 2, PluginFile::State::Active, ""};
    files[1] = {"/p/libshm-fi.so", "shm", 1, 2, PluginFile::State::Active, ""};
    files[2] = {"/p/libbad-fi.so", "", 0, 0, PluginFile::State::Refused, "no entry point"};
    const auto found = core::plugins(files, providers, Filter("shm"));
    ASSERT_EQ(found.size(), 3u);
    EXPECT_EQ(found[0].state, PluginFile::State::Hidden);
    EXPECT_EQ(found[0].reason, "left out by FI_PROVIDER=shm");
    EXPECT_EQ(found[1].state, PluginFile::State::Active);
    EXPECT_EQ(found[2].reason, "no entry point");
}

} // namespace
} // namespace fi::test
