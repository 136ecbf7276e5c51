// SPDX-License-Identifier: BSD-2-Clause
// Which files FI_PROVIDER_PATH leads to: rules L1 to L12 of docs/loader.md.
#include <algorithm>
#include <cerrno>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "loader/search.hpp"
#include "probing.hpp"

using namespace fi::core::loader;
using namespace fi::fakes;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

// A file system of three directories.
Listing fake_listing(const std::string& directory)
{
    static const std::map<std::string, std::vector<std::string>> directories = {
        {"/default", {"libdefault-fi.so", "."}},
        {"/a",
         {"libone-fi.so", "libtwo-fi.so", "Zfi.so", "readme.txt", "fi.so", "libx-fi.so.1", "..", ".fi.so"}},
        {"/b", {"libb-fi.so"}},
    };
    const auto found = directories.find(directory);
    return found == directories.end() ? Listing{ENOENT, {}} : Listing{0, found->second};
}

SearchPlan plan(std::optional<std::string_view> setting)
{
    return plan_search(setting, "/default", fake_listing);
}

// Paths in order; "+" marks preferred, "!" what is only reported.
std::vector<std::string> files(const SearchPlan& plan)
{
    std::vector<std::string> list;
    for (const Candidate& candidate : plan.candidates)
        list.push_back((candidate.preferred ? "+" : "") + std::string(candidate.problem.empty() ? "" : "!") +
                       candidate.path);
    return list;
}

} // namespace

TEST(Search, L1_UnsetPathSearchesTheDefaultDirectoryOnly)
{
    EXPECT_THAT(files(plan(std::nullopt)), ElementsAre("/default/libdefault-fi.so"));
}

TEST(Search, L2_EmptyPathSearchesTheDefaultDirectoryOnly)
{
    EXPECT_THAT(files(plan("")), ElementsAre("/default/libdefault-fi.so"));
}

TEST(Search, L3_DirectoriesReplaceTheDefaultAndKeepTheirOrder)
{
    EXPECT_THAT(files(plan("/b:/a")),
                ElementsAre("/b/libb-fi.so", "/a/libtwo-fi.so", "/a/libone-fi.so", "/a/Zfi.so", "/a/.fi.so"));
}

TEST(Search, L4_OnlyNamesEndingInFiSoCountInReverseByteOrder)
{
    EXPECT_THAT(files(plan("/a")),
                ElementsAre("/a/libtwo-fi.so", "/a/libone-fi.so", "/a/Zfi.so", "/a/.fi.so"));
    EXPECT_FALSE(is_plugin_name("fi.so"));
    EXPECT_TRUE(is_plugin_name("xfi.so"));
    EXPECT_FALSE(is_plugin_name("probe.so"));
}

TEST(Search, L4_ATrailingSlashIsNotDoubled)
{
    const SearchPlan found = plan_search("/b/", "/default", [](const std::string&) {
        return Listing{0, {"libb-fi.so"}};
    });
    EXPECT_THAT(files(found), ElementsAre("/b/libb-fi.so"));
}

TEST(Search, L5_AtSignMeansFirstFoundWinsAndIsNotPartOfThePath)
{
    EXPECT_TRUE(plan("@/b").first_found_wins);
    EXPECT_THAT(files(plan("@/b")), ElementsAre("/b/libb-fi.so"));
    EXPECT_FALSE(plan("/b").first_found_wins);
}

TEST(Search, L5_AtSignAloneKeepsTheDefaultDirectory)
{
    EXPECT_TRUE(plan("@").first_found_wins);
    EXPECT_THAT(files(plan("@")), ElementsAre("/default/libdefault-fi.so"));
}

TEST(Search, L6_PlusNamesAPreferredFileAndTheDefaultDirectoryFollows)
{
    EXPECT_THAT(files(plan("+/x/mine.so")), ElementsAre("+/x/mine.so", "/default/libdefault-fi.so"));
    EXPECT_THAT(files(plan("@+/x/mine.so")), ElementsAre("+/x/mine.so", "/default/libdefault-fi.so"));
}

TEST(Search, L6_PlusBesideADirectoryKeepsItsPlaceWithoutTheDefault)
{
    EXPECT_THAT(files(plan("/b:+/x/mine.so")), ElementsAre("/b/libb-fi.so", "+/x/mine.so"));
}

TEST(Search, L7_PlusWithARelativePathIsReportedAndSkipped)
{
    const SearchPlan found = plan("+mine.so");
    EXPECT_THAT(files(found), ElementsAre("+!mine.so", "/default/libdefault-fi.so"));
    EXPECT_THAT(found.candidates.front().problem, HasSubstr("absolute path"));
}

TEST(Search, L7_PlusWithAFileThatDoesNotExistIsReportedAndTheRestGoesOn)
{
    const PluginDirectory plugins;
    plugins.add("libone-fi.so", "name=one\n");
    const Outcome outcome = probe_path("+/nonexistent/x-fi.so:" + plugins.path());
    EXPECT_EQ(outcome.field("file", "x-fi.so", kFileReason), "cannot open: No such file or directory");
    EXPECT_EQ(outcome.column("provider", kName), "one");
}

TEST(Search, L8_EmptyElementsAreNotTheCurrentDirectory)
{
    EXPECT_THAT(files(plan("/b::")), ElementsAre("/b/libb-fi.so"));
    EXPECT_THAT(files(plan(":")), ElementsAre("/default/libdefault-fi.so"));
}

TEST(Search, L9_ADirectoryThatCannotBeReadIsReportedAndTheNextOneSearched)
{
    const SearchPlan found = plan("/gone:/b");
    EXPECT_THAT(files(found), ElementsAre("!/gone", "/b/libb-fi.so"));
    EXPECT_EQ(found.candidates.front().problem, "cannot read this directory: No such file or directory");
}

TEST(Search, L9_AMissingDefaultDirectoryIsNoRemark)
{
    EXPECT_THAT(files(plan_search("", "/gone", fake_listing)), IsEmpty());
    const SearchPlan unreadable = plan_search("", "/x", [](const std::string&) {
        return Listing{EACCES, {}};
    });
    EXPECT_THAT(files(unreadable), ElementsAre("!/x"));
}

TEST(Search, L1_L2_TheFirstCallFindsTheDefaultDirectoryWhenUnsetAndWhenEmpty)
{
    const PluginDirectory plugins;
    plugins.add("libone-fi.so", "name=one\n");
    EXPECT_EQ(probe({{"DEFAULT_DIRECTORY", plugins.path()}}).column("provider", kName), "one");
    EXPECT_EQ(
        probe({{"DEFAULT_DIRECTORY", plugins.path()}, {"FI_PROVIDER_PATH", ""}}).column("provider", kName),
        "one");
}

TEST(Search, L1_NothingIsSearchedByGuessedNamesInTheLinkersPath)
{
    const PluginDirectory plugins;
    plugins.add("libtcp-fi.so", "name=tcp\n");
    for (const Environment& environment : {Environment{}, Environment{{"FI_PROVIDER_PATH", ""}}}) {
        Environment complete = environment;
        complete["LD_LIBRARY_PATH"] = plugins.path();
        EXPECT_THAT(probe(complete).all("file"), IsEmpty());
    }
    EXPECT_EQ(plugins.trace("libtcp-fi.so"), "");
}

TEST(Search, L10_AFileReachedTwiceIsStartedOnce)
{
    const PluginDirectory plugins;
    plugins.add("libone-fi.so", "name=one\n");
    const Outcome outcome = probe_path(plugins.path() + ":" + plugins.path() + "/.:" + plugins.path());
    EXPECT_EQ(plugins.trace("libone-fi.so"), "ini\n");
    EXPECT_EQ(outcome.column("provider", kName), "one");
    EXPECT_THAT(outcome.field("file", plugins.path() + "/./libone-fi.so", kFileReason),
                HasSubstr("the same file as"));
}

TEST(Search, L10_ALinkBesideItsTargetIsReportedAsHidden)
{
    const PluginDirectory plugins;
    plugins.add("libone-fi.so", "name=one\n");
    ASSERT_EQ(symlink("libone-fi.so", (plugins / "liball-fi.so").c_str()), 0);
    const Outcome outcome = probe_path(plugins.path());
    EXPECT_EQ(outcome.field("file", "liball-fi.so", kFileState), "hidden");
    EXPECT_EQ(outcome.field("file", "libone-fi.so", kFileState), "active");
}

TEST(Search, L10_PlusHoldsForAFileThatADirectoryFoundFirst)
{
    const PluginDirectory plugins;
    const std::string old_one = plugins.add("libold-fi.so", "name=x\nversion=1.0\n");
    plugins.add("libnew-fi.so", "name=x\nversion=2.0\n");
    EXPECT_EQ(winner(probe_path(plugins.path() + ":+" + old_one), "x"), old_one);
}

TEST(Search, L12_ThePathMayComeFromTheConfigurationFile)
{
    const PluginDirectory plugins;
    plugins.add("libone-fi.so", "name=one\n");
    plugins.add_file("libfabric.conf", "FI_PROVIDER_PATH=" + plugins.path() + "\n");
    const Environment configured = {{"CONFIGURATION", plugins / "libfabric.conf"}};
    EXPECT_EQ(probe(configured).column("provider", kName), "one");
    Environment both = configured;
    both["FI_PROVIDER_PATH"] = "/nonexistent";
    EXPECT_EQ(probe(both).column("provider", kName), "");
}
