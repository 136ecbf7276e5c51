// SPDX-License-Identifier: BSD-2-Clause
// Types, places and conflicts: rules L40 to L60 of docs/loader.md.
#include <deque>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "loader/arrange.hpp"
#include "loader/naming.hpp"
#include "probing.hpp"

using namespace fi::core::loader;
using namespace fi::fakes;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

int no_getinfo(uint32_t, const char*, const char*, uint64_t, const fi_info*, fi_info**)
{
    return -FI_ENODATA;
}

// Contenders from (name, version) pairs; the path says which one it was.
class Arrange : public testing::Test {
  protected:
    void add(const char* name, uint32_t minor, const std::string& path, bool preferred = false)
    {
        providers_.push_back({.version = FI_VERSION(1, minor), .name = name, .getinfo = no_getinfo});
        contenders_.push_back({&providers_.back(), preferred, path});
    }

    std::vector<std::string> paths(bool first_found_wins = false) const
    {
        std::vector<std::string> list;
        for (const Provider& provider : arrange(contenders_, first_found_wins))
            list.push_back((provider.active ? "" : "-") + provider.path);
        return list;
    }

    std::deque<fi_provider> providers_;
    std::vector<Contender> contenders_;
};

ProviderType type_of_name(const char* name)
{
    const fi_provider provider{.name = name, .getinfo = no_getinfo};
    return type_of(provider);
}

} // namespace

TEST(Naming, L40_TheTypeComesFromTheNameUnlessThereIsNothingToQuery)
{
    EXPECT_EQ(type_of_name("tcp"), ProviderType::Core);
    EXPECT_EQ(type_of_name("ofi_rxm"), ProviderType::Utility);
    EXPECT_EQ(type_of_name("OFI_RXM"), ProviderType::Utility);
    EXPECT_EQ(type_of_name("off_coll"), ProviderType::Offload);
    EXPECT_EQ(type_of_name("lnx"), ProviderType::Lnx);
    EXPECT_EQ(type_of_name("lnxother"), ProviderType::Lnx);
    EXPECT_EQ(type_of_name("ofi"), ProviderType::Core);
    const fi_provider hook{.name = "ofi_hook_trace"};
    EXPECT_EQ(type_of(hook), ProviderType::Hook);
}

TEST(Naming, L41_LayeringIsDisabledForUtilitiesAndCompleteProviders)
{
    for (const char* name : {"sockets", "shm", "efa", "psm3", "ucx", "cxi", "soft", "mlx", "SHM"})
        EXPECT_TRUE(layering_disabled_for(name, ProviderType::Core)) << name;
    EXPECT_TRUE(layering_disabled_for("ofi_rxm", ProviderType::Utility));
    for (const char* name : {"tcp", "verbs", "udp", "mine"})
        EXPECT_FALSE(layering_disabled_for(name, ProviderType::Core)) << name;
}

TEST(Naming, L43_OurProvidersStandBeforeThoseTheyReplace)
{
    EXPECT_LT(place_of("mlx"), place_of("verbs"));
    EXPECT_LT(place_of("soft"), place_of("shm"));
    EXPECT_LT(place_of("soft"), place_of("tcp"));
    EXPECT_EQ(place_of("mine"), order_table().size());
    EXPECT_EQ(place_of("TCP"), place_of("tcp"));
}

TEST_F(Arrange, L43_L44_PlacesComeFromTheTableAndStrangersFollowInRegistrationOrder)
{
    for (const char* name :
         {"zebra", "tcp", "ofi_rxm", "ant", "soft", "verbs", "shm", "mlx", "off_coll", "efa"})
        add(name, 0, name);
    EXPECT_THAT(paths(), ElementsAre("efa", "mlx", "verbs", "ofi_rxm", "soft", "shm", "tcp", "off_coll",
                                     "zebra", "ant"));
}

TEST_F(Arrange, L50_NamesAreTheSameWithoutRegardToCase)
{
    add("tcp", 1, "first");
    add("TCP", 2, "second");
    EXPECT_THAT(paths(), ElementsAre("second", "-first"));
}

TEST_F(Arrange, L51_L55_TheHighestVersionWinsAndTheOthersFollowItHidden)
{
    add("tcp", 1, "v1");
    add("other", 1, "other");
    add("tcp", 3, "v3");
    add("tcp", 2, "v2");
    EXPECT_THAT(paths(), ElementsAre("v3", "-v1", "-v2", "other"));
    EXPECT_EQ(arrange(contenders_, false)[1].why_inactive, "hidden by v3: version 1.3 over 1.1");
    EXPECT_EQ(arrange(contenders_, false)[2].why_inactive, "hidden by v3: version 1.3 over 1.2");
}

TEST_F(Arrange, L52_TheFirstOfEqualVersionsWins)
{
    add("tcp", 1, "first");
    add("tcp", 1, "second");
    EXPECT_THAT(paths(), ElementsAre("first", "-second"));
    EXPECT_THAT(arrange(contenders_, false)[1].why_inactive, HasSubstr("same version"));
}

TEST_F(Arrange, L53_WithTheAtSignTheFirstFoundWins)
{
    add("tcp", 1, "first");
    add("tcp", 9, "second");
    EXPECT_THAT(paths(true), ElementsAre("first", "-second"));
    EXPECT_THAT(arrange(contenders_, true)[1].why_inactive, HasSubstr("'@'"));
}

TEST_F(Arrange, L54_APreferredOneWinsOverAnyVersionAndOverTheAtSign)
{
    add("tcp", 9, "newest");
    add("tcp", 1, "preferred", true);
    add("tcp", 10, "newer still");
    EXPECT_THAT(paths(), ElementsAre("preferred", "-newest", "-newer still"));
    EXPECT_THAT(paths(true), ElementsAre("preferred", "-newest", "-newer still"));
}

TEST_F(Arrange, L54_OfTwoPreferredTheFirstWins)
{
    add("tcp", 1, "first", true);
    add("tcp", 9, "second", true);
    EXPECT_THAT(paths(), ElementsAre("first", "-second"));
}

namespace {

// B11: three plugins named tcp in two directories; where the winner comes from, for each form of
// FI_PROVIDER_PATH.
class SameName : public testing::Test {
  protected:
    SameName()
    {
        first.add("libtcp-fi.so", "name=tcp\nversion=1.0\n");
        first.add("libother-fi.so", "name=tcp\nversion=2.0\n");
        second.add("libtcp-fi.so", "name=tcp\nversion=3.0\n");
    }

    std::string winner_of(const std::string& path)
    {
        return winner(probe({{"FI_PROVIDER_PATH", path}, {"DEFAULT_DIRECTORY", first.path()}}), "tcp");
    }

    PluginDirectory first;
    PluginDirectory second;
};

} // namespace

TEST_F(SameName, B11_L51_HighestVersionOfAllDirectories)
{
    EXPECT_EQ(winner_of(first.path() + ":" + second.path()), second / "libtcp-fi.so");
    EXPECT_EQ(winner_of(first.path()), first / "libother-fi.so");
}

TEST_F(SameName, B11_L53_AtSignTakesTheFirstFound)
{
    EXPECT_EQ(winner_of("@" + first.path() + ":" + second.path()), first / "libtcp-fi.so");
    EXPECT_EQ(winner_of("@" + second.path() + ":" + first.path()), second / "libtcp-fi.so");
}

TEST_F(SameName, B11_L5_AtSignAloneTakesTheFirstOfTheDefaultDirectory)
{
    EXPECT_EQ(winner_of("@"), first / "libtcp-fi.so");
}

TEST_F(SameName, B11_L2_AnEmptyPathTakesTheHighestOfTheDefaultDirectory)
{
    EXPECT_EQ(winner_of(""), first / "libother-fi.so");
}

TEST_F(SameName, B11_L54_PlusIsPreferredOverTheDefaultDirectoryAndOverNamedOnes)
{
    const std::string oldest = first / "libtcp-fi.so";
    EXPECT_EQ(winner_of("+" + oldest), oldest);
    EXPECT_EQ(winner_of("+" + oldest + ":" + second.path()), oldest);
    EXPECT_EQ(winner_of(second.path() + ":+" + oldest), oldest);
}

TEST_F(SameName, L55_TheLoserStaysLoadedIsListedWithItsReasonAndNotCleanedUp)
{
    const Outcome outcome = probe_path(first.path());
    EXPECT_EQ(outcome.column("provider", kActive), "active hidden");
    EXPECT_EQ(outcome.field("file", "libtcp-fi.so", kFileState), "hidden");
    EXPECT_EQ(outcome.field("file", "libtcp-fi.so", kFileReason),
              "hidden by " + (first / "libother-fi.so") + ": version 2.0 over 1.0");
    EXPECT_EQ(first.trace("libtcp-fi.so"), "ini\n");
}

TEST(Registration, L42_TheLogFilterIsDecidedOnRegistration)
{
    const PluginDirectory plugins;
    plugins.add("liba-fi.so", "name=loud\n");
    plugins.add("libb-fi.so", "name=quiet\n");
    const Outcome outcome = probe({{"FI_PROVIDER_PATH", plugins.path()}, {"FI_LOG_PROV", "loud"}});
    EXPECT_EQ(outcome.field("provider", "loud", kLogDisabled), "0");
    EXPECT_EQ(outcome.field("provider", "quiet", kLogDisabled), "1");
}

TEST(Registration, L40_L41_TypeAndLayeringAreWrittenIntoTheProvidersContext)
{
    const PluginDirectory plugins;
    plugins.add("liba-fi.so", "name=ofi_x\n");
    plugins.add("libb-fi.so", "name=ofi_hook_x\ngetinfo=none\n");
    plugins.add("libc-fi.so", "name=plain\n");
    const Outcome outcome = probe_path(plugins.path());
    EXPECT_EQ(outcome.field("provider", "ofi_x", kType), "utility");
    EXPECT_EQ(outcome.field("provider", "ofi_x", kLayeringDisabled), "1");
    EXPECT_EQ(outcome.field("provider", "ofi_hook_x", kType), "hook");
    EXPECT_EQ(outcome.field("provider", "plain", kType), "core");
    EXPECT_EQ(outcome.field("provider", "plain", kLayeringDisabled), "0");
}

TEST(Registration, L56_TheProviderFilterPlaysNoPart)
{
    const PluginDirectory plugins;
    plugins.add("liba-fi.so", "name=one\n");
    plugins.add("libb-fi.so", "name=two\n");
    const Outcome outcome = probe({{"FI_PROVIDER_PATH", plugins.path()}, {"FI_PROVIDER", "one"}});
    EXPECT_EQ(outcome.column("provider", kActive), "active active");
}

TEST(Registration, L57_FindIgnoresCaseAndHiddenOnes)
{
    const PluginDirectory plugins;
    plugins.add("liba-fi.so", "name=tcp\nversion=1.0\n");
    plugins.add("libb-fi.so", "name=Tcp\nversion=2.0\n");
    const Environment environment = {{"FI_PROVIDER_PATH", plugins.path()}};
    EXPECT_EQ(probe(environment, {"find", "TCP"}).field("find", "TCP", 2), plugins / "libb-fi.so");
    EXPECT_EQ(probe(environment, {"find", "tc"}).field("find", "tc", 2), "none");
}

TEST(Registration, L60_AProviderLinkedInIsListedWithoutAPath)
{
    const Outcome outcome = probe({{"LINKED", "soft:1.0"}});
    EXPECT_EQ(outcome.column("provider", kName), "soft");
    EXPECT_EQ(outcome.field("file", "soft", kFilePath), "");
    EXPECT_EQ(outcome.field("file", "soft", kFileState), "active");
}

TEST(Registration, L60_APluginWinsOverTheSameVersionLinkedInAndLosesToAHigherOne)
{
    const PluginDirectory plugins;
    const std::string file = plugins.add("libsoft-fi.so", "name=soft\nversion=2.0\n");
    const auto with = [&](const std::string& linked) {
        return probe({{"FI_PROVIDER_PATH", plugins.path()}, {"LINKED", "soft:" + linked}});
    };
    EXPECT_EQ(winner(with("2.0"), "soft"), file);
    EXPECT_EQ(winner(with("2.1"), "soft"), "");
    EXPECT_THAT(with("2.1").field("file", "libsoft-fi.so", kFileReason),
                HasSubstr("hidden by the one linked in"));
}
