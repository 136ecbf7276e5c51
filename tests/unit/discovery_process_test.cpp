// SPDX-License-Identifier: BSD-2-Clause
//
// Discovery as applications meet it: real plugins behind the exported functions, each question in a fresh
// process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fakes.hpp"

namespace {

using fi::fakes::Environment;
using fi::fakes::Outcome;
using fi::fakes::PluginDirectory;
using testing::HasSubstr;
using testing::Not;

constexpr size_t kName = 1; // of an info line

class Discovery : public testing::Test {
  protected:
    Discovery()
    {
        plugins.add("libtcp-fi.so", "name=tcp\nversion=3.1\ninfo=ep:msg,domain:lo,fabric:net\n");
        plugins.add("libshm-fi.so", "name=shm\ninfo=ep:rdm,domain:shm,fabric:shm\n");
        plugins.add("librxm-fi.so", "name=ofi_rxm\nversion=9.9\nnested=1\n");
    }
    Outcome ask(const std::vector<std::string>& commands, Environment extra = {})
    {
        extra["FI_PROVIDER_PATH"] = plugins.path();
        return fi::fakes::run(FI_FAKE_PROBE, commands, extra);
    }
    static size_t count(const std::string& text, const std::string& piece)
    {
        size_t found = 0;
        for (size_t at = text.find(piece); at != text.npos; at = text.find(piece, at + 1))
            ++found;
        return found;
    }

    PluginDirectory plugins;
};

TEST_F(Discovery, C14EverythingIsListedWithoutArguments)
{
    const Outcome outcome = ask({"getinfo"});
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.column("info", kName), "tcp;ofi_rxm shm tcp");
    EXPECT_EQ(outcome.log, "");
}

TEST_F(Discovery, C36C37LayeredNamesInBothOrdersGiveTheUtilitysEntry)
{
    for (const char* name : {"tcp;ofi_rxm", "ofi_rxm;tcp"}) {
        const Outcome outcome = ask({"getinfo", std::string("prov=") + name});
        EXPECT_EQ(outcome.column("info", kName), "tcp;ofi_rxm") << name;
        EXPECT_EQ(outcome.column("info", 2), "9.9") << name;
    }
}

TEST_F(Discovery, NestedQueryReachesCoreProvidersWithTheUtilityExcluded)
{
    EXPECT_EQ(ask({"getinfo", "prov=tcp"}).column("info", kName), "tcp;ofi_rxm tcp");
    const std::string trace = plugins.trace("libtcp-fi.so");
    EXPECT_THAT(trace, HasSubstr("flags=0x800000000000000 node=NULL service=NULL prov=tcp;^ofi_rxm"));
    EXPECT_THAT(trace, HasSubstr("flags=0x0 node=NULL service=NULL prov=tcp\n"));
    EXPECT_THAT(plugins.trace("libshm-fi.so"), Not(HasSubstr("getinfo")));
}

TEST_F(Discovery, B02C275FilterIsReadAgainAtEachCall)
{
    const Outcome outcome =
        ask({"getinfo", "setenv", "FI_PROVIDER=shm", "getinfo", "setenv", "FI_PROVIDER=tcp", "getinfo",
             "setenv", "FI_PROVIDER=", "getinfo", "unsetenv", "FI_PROVIDER", "getinfo"});
    EXPECT_EQ(outcome.column("info", kName), "tcp;ofi_rxm shm tcp "
                                             "shm "
                                             "tcp;ofi_rxm tcp "
                                             "tcp;ofi_rxm shm tcp");
    EXPECT_EQ(outcome.column("result", 2), "0 0 0 -61 0");
}

TEST_F(Discovery, B03C29AttributesOnlyListsEveryProvider)
{
    plugins.add("libnone-fi.so", "name=none\nversion=4.2\ngetinfo=error:-19\n");
    plugins.add("libhook-fi.so", "name=ofi_hook_x\ngetinfo=none\n");
    const Outcome outcome = ask({"attr-only"}, {{"FI_PROVIDER", "shm"}});
    const auto lines = outcome.all("info");
    EXPECT_EQ(lines.size(), 5u);
    EXPECT_EQ(outcome.field("info", "none", 2), "4.2");
    EXPECT_EQ(outcome.field("info", "ofi_hook_x", 2), "1.0");
    EXPECT_THAT(plugins.trace("libnone-fi.so"), Not(HasSubstr("getinfo")));
}

TEST_F(Discovery, C1C12ErrorsOfFailingQueries)
{
    const Outcome outcome =
        ask({"getinfo", "version=2.7", "getinfo", "domain=nowhere", "getinfo", "version=0.0"});
    EXPECT_EQ(outcome.column("result", 2), "-38 -61 0");
}

TEST_F(Discovery, ProvidersThatLieDoNotHarmOthers)
{
    plugins.add("liba-fi.so", "name=bare\ninfo=ep:rdm\nlie=no_fabric_attr\n");
    plugins.add("libb-fi.so", "name=ring\ninfo=ep:rdm\ninfo=ep:rdm\nlie=cycle\n");
    plugins.add("libc-fi.so", "name=torn\ninfo=ep:rdm\nlie=error_with_list\ngetinfo=error:-12\n");
    plugins.add("libd-fi.so", "name=empty\ngetinfo=empty\n");
    const Outcome outcome = ask({"getinfo", "ep=rdm"});
    EXPECT_EQ(outcome.signal, 0);
    EXPECT_EQ(outcome.exit_code, 0);
    const std::string names = outcome.column("info", kName);
    EXPECT_EQ(count(names, "ring"), names.find("ring;ofi_rxm") == names.npos ? 2u : 4u) << names;
    EXPECT_THAT(names, Not(HasSubstr("bare")));
    EXPECT_THAT(names, Not(HasSubstr("torn")));
    EXPECT_THAT(names, HasSubstr("shm"));
}

TEST_F(Discovery, ReasonsNameProviderAttributeAskedAndOffered)
{
    plugins.add("libsoft-fi.so",
                "name=soft\ngetinfo=error:-61\n"
                "log=info|refused domain_attr->mr_mode: asked [ ], offered [ FI_MR_LOCAL ]\n");
    plugins.add("libverbs-fi.so", "name=verbs\ngetinfo=error:-19\nlog=warn|no device found\n");
    const Outcome outcome = ask({"reasons", "domain=ib0"});
    const auto has = [&](const char* provider, const char* attribute, const char* text) {
        for (const auto& line : outcome.all("reason"))
            if (line[1] == provider && line[2] == attribute && line[3] == text)
                return true;
        return false;
    };
    EXPECT_TRUE(has("soft", "domain_attr->mr_mode", "asked [ ], offered [ FI_MR_LOCAL ]"));
    EXPECT_TRUE(has("verbs", "-", "no device found"));
    EXPECT_TRUE(has("tcp", "domain_attr->name", "asked ib0, offered lo"));
    EXPECT_EQ(outcome.log, "");
}

TEST_F(Discovery, ReasonsOfAnUnknownProviderNameTheNearestOne)
{
    const Outcome outcome = ask({"reasons", "prov=tpc"});
    EXPECT_THAT(outcome.field("reason", "tpc", 3), HasSubstr("the nearest name is tcp"));
}

TEST_F(Discovery, WithoutLogLevelAFailingQueryPrintsNothingAndAsksOnce)
{
    plugins.add("libverbs-fi.so", "name=verbs\ngetinfo=error:-19\nlog=warn|no device found\n");
    const Outcome outcome = ask({"getinfo", "prov=verbs"});
    EXPECT_EQ(outcome.column("result", 2), "-61");
    EXPECT_EQ(outcome.log, "");
    EXPECT_EQ(count(plugins.trace("libverbs-fi.so"), "flags=0x0"), 1u);
}

TEST_F(Discovery, WithWarningsAFailingQueryAsksAgainAndLogsTheReasonsOnce)
{
    plugins.add("libverbs-fi.so", "name=verbs\ngetinfo=error:-19\nlog=info|no device found\n");
    const Outcome outcome = ask({"getinfo", "prov=verbs"}, {{"FI_LOG_LEVEL", "warn"}});
    EXPECT_EQ(outcome.column("result", 2), "-61");
    EXPECT_EQ(count(outcome.log, "no device found"), 2u) << "verbs itself, and verbs below ofi_rxm\n"
                                                         << outcome.log;
    EXPECT_THAT(outcome.log, HasSubstr("verbs: no device found"));
    EXPECT_EQ(count(plugins.trace("libverbs-fi.so"), "flags=0x0"), 2u);
}

TEST_F(Discovery, SuccessAsksOnceEvenWithWarnings)
{
    EXPECT_EQ(ask({"getinfo", "prov=shm"}, {{"FI_LOG_LEVEL", "warn"}}).column("result", 2), "0");
    EXPECT_EQ(count(plugins.trace("libshm-fi.so"), "getinfo"), 1u);
}

TEST_F(Discovery, UnknownNamesInFilterAreWarnedOfOncePerValue)
{
    const Outcome outcome = ask({"getinfo", "getinfo", "setenv", "FI_PROVIDER=shmm,tcp", "getinfo"},
                                {{"FI_LOG_LEVEL", "warn"}, {"FI_PROVIDER", "tpc,shm"}});
    EXPECT_EQ(count(outcome.log, "FI_PROVIDER names 'tpc'"), 1u) << outcome.log;
    EXPECT_EQ(count(outcome.log, "FI_PROVIDER names 'shmm'"), 1u) << outcome.log;
}

TEST_F(Discovery, NestedQueryIsMarkedInTheLog)
{
    plugins.add("libverbs-fi.so", "name=verbs\ngetinfo=error:-19\nlog=info|no device found\n");
    const Outcome outcome = ask({"getinfo"}, {{"FI_LOG_LEVEL", "info"}});
    EXPECT_THAT(outcome.log, HasSubstr(":ofi_rxm:verbs:core:"));
    EXPECT_THAT(outcome.log, HasSubstr("::verbs:core:"));
}

TEST_F(Discovery, PluginsTellWhatFilterHidesAndWhatWasRefused)
{
    plugins.add_file("libbad-fi.so", "not a plugin");
    const Outcome outcome = ask({"plugins"}, {{"FI_PROVIDER", "shm"}});
    EXPECT_EQ(outcome.field("plugin", "libshm-fi.so", 5), "active");
    EXPECT_EQ(outcome.field("plugin", "libtcp-fi.so", 5), "hidden");
    EXPECT_EQ(outcome.field("plugin", "libtcp-fi.so", 6), "left out by FI_PROVIDER=shm");
    EXPECT_EQ(outcome.field("plugin", "libbad-fi.so", 5), "refused");
    EXPECT_EQ(outcome.field("plugin", "libbad-fi.so", 2), "-");
}

TEST_F(Discovery, C281HookPluginWrapsTheFabricAndUnknownHooksDoNoHarm)
{
    plugins.add("libhook-fi.so", "name=ofi_hook_count\ngetinfo=none\n");
    const Outcome outcome = ask({"fabric", "tcp", "fabric", "nobody", "fabric", "ofi_hook_count"},
                                {{"FI_HOOK", "nothing;count"}, {"FI_PROVIDER", "shm"}});
    EXPECT_EQ(outcome.column("result", 2), "0 -19 -19");
    EXPECT_THAT(plugins.trace("libhook-fi.so"), HasSubstr("fabric over=tcp"));
    EXPECT_THAT(plugins.trace("libtcp-fi.so"), HasSubstr("fabric name="));
}

} // namespace
