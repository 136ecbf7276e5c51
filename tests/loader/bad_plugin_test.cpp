// SPDX-License-Identifier: BSD-2-Clause
// One bad plugin costs neither the process nor the others, and its record says why: rules L20 and L26 to L39
// of docs/loader.md.
#include "bad_plugin.hpp"

using namespace fi::fakes;
using testing::AllOf;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

TEST_F(BadPlugin, L26_B12_AnUndefinedSymbolIsNamedByDlerror)
{
    plugins.add_copy(kBad, FI_FAKE_UNDEFINED_SYMBOL);
    expect_refused(
        AllOf(StartsWith("dlopen: "), HasSubstr("undefined symbol: fi_fake_function_that_nobody_has")));
}

TEST_F(BadPlugin, L28_B12_NoEntryFunction)
{
    plugins.add_copy(kBad, FI_FAKE_NO_ENTRY);
    expect_refused(AllOf(StartsWith("no fi_prov_ini in it: "), HasSubstr("undefined symbol")));
}

TEST_F(BadPlugin, L29_AnEntryFunctionThatADependencyHas)
{
    plugins.add_copy(kBad, FI_FAKE_BORROWED_ENTRY);
    expect_refused(testing::Eq("fi_prov_ini is not its own but comes from a library it depends on"));
}

TEST_F(BadPlugin, L30_AnExceptionIsCaughtAndQuoted)
{
    plugins.add_copy(kBad, FI_FAKE_THROWING);
    expect_refused(testing::Eq("fi_prov_ini threw an exception: no device today"));
}

TEST_F(BadPlugin, L30_AnExceptionOfAPluginWithItsOwnRunTimeIsCaught)
{
    plugins.add_copy(kBad, FI_FAKE_THROWING_INT);
    expect_refused(testing::Eq("fi_prov_ini threw an exception"));
}

TEST_F(BadPlugin, L31_ASlowOneIsAcceptedWithAWarning)
{
    plugins.add(kBad, "name=slow\nini_ms=1100\n");
    const Outcome outcome = probe_path(plugins.path());
    EXPECT_EQ(outcome.column("provider", kName), "before slow after");
    EXPECT_EQ(outcome.field("file", kBad, kFileState), "active");
    EXPECT_THAT(outcome.field("file", kBad, kFileReason), MatchesRegex("slow: it took [0-9.]+ s to start"));
    EXPECT_THAT(outcome.log, HasSubstr("plugin " + (plugins / kBad) + ": slow"));
}

TEST_F(BadPlugin, L32_B12_AnEntryFunctionThatReturnsNull)
{
    plugins.add(kBad, "ini=null\n");
    expect_refused(testing::Eq("fi_prov_ini returned NULL"));
}

TEST_F(BadPlugin, L33_AConstantProviderObject)
{
    plugins.add(kBad, "ini=const\n");
    expect_refused(HasSubstr("memory that cannot be written"));
}

TEST_F(BadPlugin, L33_AWildPointer)
{
    plugins.add(kBad, "ini=garbage\n");
    expect_refused(HasSubstr("memory that cannot be written"));
    EXPECT_EQ(plugins.trace(kBad), "ini\n");
}

TEST_F(BadPlugin, L34_L39_NoName)
{
    plugins.add(kBad, "name=NULL\n");
    expect_refused(testing::Eq("the provider has no name"));
    EXPECT_EQ(plugins.trace(kBad), "ini\ncleanup\n");
}

TEST_F(BadPlugin, L34_AnEmptyName)
{
    plugins.add(kBad, "name=\n");
    expect_refused(testing::Eq("the provider's name is empty"));
}

TEST_F(BadPlugin, L34_AnEndlessName)
{
    plugins.add(kBad, "name=" + std::string(64, 'x') + "\n");
    expect_refused(HasSubstr("longer than 63 bytes"));
}

TEST_F(BadPlugin, L35_L39_TooOldAndCleanedUp)
{
    plugins.add(kBad, "name=old\nversion=7.5\nfi_version=1.2\n");
    expect_refused(testing::Eq("too old: it implements API 1.2, the oldest accepted is 1.3"));
    EXPECT_EQ(plugins.trace(kBad), "ini\ncleanup\n");
    const Outcome outcome = probe_path(plugins.path());
    EXPECT_EQ(outcome.field("file", kBad, kFileProvider), "old");
    EXPECT_EQ(outcome.field("file", kBad, kFileVersion), "7.5");
    EXPECT_EQ(outcome.field("file", kBad, kFileApi), "1.2");
}

TEST_F(BadPlugin, L35_TheOldestAndAFutureApiAreAccepted)
{
    plugins.add("libo-fi.so", "name=oldest\nfi_version=1.3\n");
    plugins.add("libf-fi.so", "name=future\nfi_version=3.0\n");
    EXPECT_EQ(probe_path(plugins.path()).column("provider", kName), "before oldest future after");
}

TEST_F(BadPlugin, L36_L39_NoFabricFunctionAndCleanedUp)
{
    plugins.add(kBad, "name=x\nfabric=none\n");
    expect_refused(testing::Eq("the provider has no fabric function"));
    EXPECT_EQ(plugins.trace(kBad), "ini\ncleanup\n");
}

TEST_F(BadPlugin, L39_WithoutACleanupFunctionNoneIsCalled)
{
    plugins.add(kBad, "name=x\nfabric=none\ncleanup=none\n");
    expect_refused(testing::Eq("the provider has no fabric function"));
    EXPECT_EQ(plugins.trace(kBad), "ini\n");
}

TEST_F(BadPlugin, L37_TheProviderObjectOfAnotherPlugin)
{
    plugins.add(kBad, "ini=borrow:" + (plugins / "libz-fi.so") + "\n");
    expect_refused(testing::Eq("it returned the provider object of " + (plugins / "libz-fi.so")));
    EXPECT_THAT(plugins.trace("libz-fi.so"), Not(HasSubstr("cleanup")));
}

TEST_F(BadPlugin, L20_SilentWithoutALogLevel)
{
    plugins.add_file(kBad, "text");
    const Outcome outcome = run(FI_REGISTRY_PROBE, {"list"}, {{"FI_PROVIDER_PATH", plugins.path()}});
    EXPECT_EQ(outcome.log, "");
    EXPECT_EQ(outcome.field("file", kBad, kFileReason), "not an ELF file");
}

TEST_F(BadPlugin, L20_AllKindsTogetherHideNobody)
{
    plugins.add_file("libb-fi.so", "text");
    plugins.add_file("libc-fi.so", fake_bytes(8192));
    plugins.add_copy("libd-fi.so", FI_FAKE_THROWING);
    plugins.add_copy("libe-fi.so", FI_FAKE_UNDEFINED_SYMBOL);
    plugins.add_copy("libf-fi.so", FI_FAKE_NO_ENTRY);
    plugins.add_copy("libg-fi.so", FI_FAKE_BORROWED_ENTRY);
    plugins.add("libh-fi.so", "ini=null\n");
    plugins.add("libi-fi.so", "ini=const\n");
    plugins.add("libj-fi.so", "fi_version=1.0\n");
    plugins.add("libk-fi.so", "fabric=none\n");
    plugins.add("libl-fi.so", "name=NULL\n");
    const Outcome outcome = probe_path(plugins.path());
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.column("provider", kName), "before after");
    EXPECT_EQ(file_order(outcome),
              "libz-fi.so libl-fi.so libk-fi.so libj-fi.so libi-fi.so libh-fi.so libg-fi.so libf-fi.so "
              "libe-fi.so libd-fi.so libc-fi.so libb-fi.so liba-fi.so");
}
