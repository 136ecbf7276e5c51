// SPDX-License-Identifier: BSD-2-Clause
// The same through the shared library, whose C++ run-time is its own and hidden: what an application sees
// through fi_getplugins and fi_getinfo. Rules L20, L30, L38, L70 and L74 of docs/loader.md, and B12.
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fakes.hpp"

using namespace fi::fakes;
using testing::HasSubstr;

namespace {

enum PluginField { kPath = 1, kProvider, kVersion, kApi, kState, kReason };

Outcome ask(const std::string& path, const std::vector<std::string>& commands)
{
    return run(FI_FAKE_PROBE, commands, {{"FI_PROVIDER_PATH", path}, {"FI_LOG_LEVEL", "warn"}});
}

} // namespace

TEST(Library, L20_L30_B12_BadPluginsAreListedWithReasonsAndHideNobody)
{
    const PluginDirectory plugins;
    plugins.add("liba-fi.so", "name=good\ninfo=ep:rdm,domain:d,fabric:f\n");
    plugins.add_file("libb-fi.so", "text");
    plugins.add_copy("libc-fi.so", FI_FAKE_THROWING);
    plugins.add_copy("libd-fi.so", FI_FAKE_THROWING_INT);
    plugins.add_copy("libe-fi.so", FI_FAKE_UNDEFINED_SYMBOL);
    plugins.add_copy("libf-fi.so", FI_FAKE_BORROWED_ENTRY);
    plugins.add("libg-fi.so", "ini=null\n");
    const Outcome outcome = ask(plugins.path(), {"plugins", "getinfo"});
    EXPECT_EQ(outcome.exit_code, 0) << "signal " << outcome.signal << "\n" << outcome.log;
    EXPECT_EQ(outcome.column("plugin", kState), "refused refused refused refused refused refused active");
    EXPECT_EQ(outcome.field("plugin", "libb-fi.so", kReason), "not an ELF file");
    EXPECT_EQ(outcome.field("plugin", "libc-fi.so", kReason),
              "fi_prov_ini threw an exception: no device today");
    EXPECT_EQ(outcome.field("plugin", "libd-fi.so", kReason), "fi_prov_ini threw an exception");
    EXPECT_THAT(outcome.field("plugin", "libe-fi.so", kReason), HasSubstr("undefined symbol"));
    EXPECT_EQ(outcome.column("info", 1), "good");
}

TEST(Library, L38_APluginThatAsksForProvidersWhileItStartsIsShownNone)
{
    const PluginDirectory plugins;
    plugins.add("liba-fi.so", "name=first\n");
    plugins.add("libb-fi.so", "name=curious\nini=getinfo\n");
    const Outcome outcome = ask(plugins.path(), {"attr-only"});
    EXPECT_EQ(outcome.column("info", 1), "curious first");
    EXPECT_EQ(plugins.trace("libb-fi.so"), "ini\nnested ini -61\n");
}

TEST(Library, L74_EachOfOurPluginsWorksAlone)
{
    std::istringstream files(FI_OUR_PLUGINS);
    for (std::string file; std::getline(files, file, ':');) {
        const PluginDirectory empty;
        const Outcome outcome = ask(empty.path() + ":+" + file, {"plugins"});
        EXPECT_EQ(outcome.column("plugin", kState), "active")
            << file << ": " << outcome.column("plugin", kReason);
    }
}

TEST(Library, L75_B01_PluginsUseTheCoresParametersAndNoCopyOfTheirOwn)
{
    std::istringstream files(FI_OUR_PLUGINS);
    for (std::string file; std::getline(files, file, ':');) {
        const std::string bytes = read_file(file);
        EXPECT_THAT(bytes, HasSubstr("libfabric.so.1")) << file;
        EXPECT_THAT(bytes, testing::Not(HasSubstr("FI_UNIVERSE_SIZE"))) << file;
    }
}
