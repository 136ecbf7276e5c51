// SPDX-License-Identifier: BSD-2-Clause
//
// Who is asked for which prov_name hint (fi_fabric(3) on prov_name; C36, C280).
#include <gtest/gtest.h>

#include "discovery/layering.hpp"
#include "fake_provider.hpp"

namespace fi::test {
namespace {

using core::layering::Hint;
using core::layering::kCoreOnly;
using core::layering::split;
using core::layering::top;

class Layering : public testing::Test {
  protected:
    Layering()
    {
        fakes.core("tcp");
        fakes.core("verbs");
        fakes.core("shm").layering_disabled = true;
        fakes.utility("ofi_rxm");
        fakes.utility("ofi_rxd");
        providers = fakes.list();
    }

    std::string asked(const char* hint, uint64_t flags = 0)
    {
        std::string names;
        const Hint taken(hint);
        for (const Provider& provider : providers)
            if (taken.admits(provider, flags, providers))
                names += std::string(names.empty() ? "" : " ") + provider.impl->name;
        return names;
    }

    Fakes fakes;
    std::vector<Provider> providers;
};

TEST_F(Layering, WithoutHintEverybodyIsAsked)
{
    EXPECT_EQ(asked(nullptr), "tcp verbs shm ofi_rxm ofi_rxd");
}

TEST_F(Layering, C280CoreNameAloneAlsoAsksUtilityProviders)
{
    EXPECT_EQ(asked("tcp"), "tcp ofi_rxm ofi_rxd");
    EXPECT_EQ(asked("TCP"), "tcp ofi_rxm ofi_rxd");
}

TEST_F(Layering, NothingGoesOnTopOfProviderThatDoesNotWantIt)
{
    EXPECT_EQ(asked("shm"), "shm");
}

TEST_F(Layering, UtilityNameAloneAsksThatUtilityOnly)
{
    EXPECT_EQ(asked("ofi_rxm"), "ofi_rxm");
}

TEST_F(Layering, C36BothOrdersOfLayeredNameAskTheUtility)
{
    EXPECT_EQ(asked("verbs;ofi_rxm"), "ofi_rxm");
    EXPECT_EQ(asked("ofi_rxm;verbs"), "ofi_rxm");
    EXPECT_EQ(asked("shm;ofi_rxd"), "ofi_rxd");
}

TEST_F(Layering, LastNameCountsAmongMoreThanTwo)
{
    EXPECT_EQ(asked("tcp;ofi_rxd;ofi_rxm"), "ofi_rxm");
    EXPECT_EQ(asked("ofi_rxm;ofi_rxd;tcp"), "tcp");
}

TEST_F(Layering, ExcludedNameAtTheEndIsNotAsked)
{
    EXPECT_EQ(asked("^ofi_rxm"), "tcp verbs shm ofi_rxd");
    EXPECT_EQ(asked("tcp;^ofi_rxm"), "tcp ofi_rxd");
    EXPECT_EQ(asked("tcp;^ofi_rxm;^ofi_rxd"), "tcp");
}

TEST_F(Layering, CaretBeforeTheEndIsPartOfAName)
{
    EXPECT_EQ(asked("^tcp;verbs"), "verbs");
}

TEST_F(Layering, CoreOnlyQueryAsksCoreProvidersThatAllowLayering)
{
    EXPECT_EQ(asked(nullptr, kCoreOnly), "tcp verbs");
    EXPECT_EQ(asked("^ofi_rxm", kCoreOnly), "tcp verbs");
    EXPECT_EQ(asked("tcp;^ofi_rxm", kCoreOnly), "tcp");
    EXPECT_EQ(asked("shm;^ofi_rxm", kCoreOnly), "shm");
}

TEST_F(Layering, UnknownNameAsksNoCoreProvider)
{
    EXPECT_EQ(asked("nobody"), "ofi_rxm ofi_rxd");
    EXPECT_EQ(asked("nobody", kCoreOnly), "");
}

TEST(LayeredName, SplitsAtEachDelimiterAndKeepsEmptyPieces)
{
    EXPECT_EQ(split("a;b", ';'), (std::vector<std::string_view>{"a", "b"}));
    EXPECT_EQ(split("", ';'), (std::vector<std::string_view>{""}));
    EXPECT_EQ(split(";a;", ';'), (std::vector<std::string_view>{"", "a", ""}));
}

TEST(LayeredName, TopIsThePartAfterTheLastDelimiter)
{
    EXPECT_EQ(top("tcp;ofi_rxm"), "ofi_rxm");
    EXPECT_EQ(top("tcp"), "tcp");
    EXPECT_EQ(top("a;b;c"), "c");
}

} // namespace
} // namespace fi::test
