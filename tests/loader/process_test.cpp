// SPDX-License-Identifier: BSD-2-Clause
// The loader as a guest in somebody's process: threads, fork, setuid, symbols, exit. Rules L11, L27, L38 and
// L70 to L74.
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probing.hpp"

using namespace fi::fakes;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Process, L70_ConcurrentFirstCallsStartEachPluginOnceAndSeeTheSameList)
{
    const PluginDirectory plugins;
    plugins.add("liba-fi.so", "name=a\nini_ms=50\n");
    plugins.add("libb-fi.so", "name=b\n");
    plugins.add_file("libc-fi.so", "text");
    const Outcome outcome = probe({{"FI_PROVIDER_PATH", plugins.path()}}, {"race"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.log;
    EXPECT_EQ(outcome.column("same", 1), "1");
    EXPECT_EQ(outcome.column("provider", kName), "b a");
    EXPECT_EQ(plugins.trace("liba-fi.so"), "ini\n");
    EXPECT_EQ(plugins.trace("libb-fi.so"), "ini\n");
}

TEST(Process, L71_AChildForkedWhileAnotherThreadLoadsCanStillAsk)
{
    const PluginDirectory plugins;
    plugins.add("liba-fi.so", "name=a\nini_ms=300\n");
    const Outcome outcome =
        probe({{"FI_PROVIDER_PATH", plugins.path()}, {"WATCH", plugins / "liba-fi.so.trace"}}, {"fork"});
    EXPECT_EQ(outcome.column("child", 1), "1") << outcome.log;
    EXPECT_EQ(outcome.exit_code, 0);
}

TEST(Process, L72_NothingIsTornDownAtExit)
{
    const PluginDirectory plugins;
    plugins.add("liba-fi.so", "name=a\n");
    EXPECT_EQ(probe_path(plugins.path()).exit_code, 0);
    EXPECT_EQ(plugins.trace("liba-fi.so"), "ini\n");
}

TEST(Process, L27_PluginsPutNoSymbolsIntoTheProgram)
{
    const PluginDirectory plugins;
    plugins.add("liba-fi.so", "name=a\n");
    plugins.add_copy("libb-fi.so", FI_FAKE_NO_ENTRY);
    const Outcome outcome = probe({{"FI_PROVIDER_PATH", plugins.path()}}, {"symbols"});
    EXPECT_EQ(outcome.column("global", 2), "0 0");
}

TEST(Process, L11_EnvironmentIsIgnoredInASetuidProgram)
{
    if (geteuid() != 0)
        GTEST_SKIP() << "only root can make a program setuid to another user";
    const PluginDirectory programs;
    const PluginDirectory plugins;
    const PluginDirectory installed;
    plugins.add("libevil-fi.so", "name=evil\n");
    const std::string program = programs.add_copy("probe", FI_REGISTRY_PROBE);
    ASSERT_EQ(chown(program.c_str(), 65534, 65534), 0);
    ASSERT_EQ(chmod(program.c_str(), 04755), 0);
    for (const PluginDirectory* directory : {&programs, &plugins, &installed})
        ASSERT_EQ(chmod(directory->path().c_str(), 0755), 0);
    installed.add("libgood-fi.so", "name=good\n");

    const Outcome outcome = run(
        program, {"list"}, {{"FI_PROVIDER_PATH", plugins.path()}, {"DEFAULT_DIRECTORY", installed.path()}});
    if (outcome.column("secure", 1) != "1")
        GTEST_SKIP() << "the temporary directory is mounted nosuid";
    EXPECT_EQ(outcome.column("provider", kName), "good");
    EXPECT_EQ(plugins.trace("libevil-fi.so"), "");
}
