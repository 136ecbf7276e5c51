// SPDX-License-Identifier: BSD-2-Clause
//
// FI_PROVIDER in its two stages (fabric(7); C275) and at each call anew (B02).
#include <cstdlib>

#include <gtest/gtest.h>

#include "discovery/filter.hpp"
#include "discovery/suggest.hpp"
#include "fake_provider.hpp"

namespace fi::test {
namespace {

using core::Filter;

class ProviderFilter : public testing::Test {
  protected:
    ProviderFilter()
    {
        fakes.core("tcp");
        fakes.core("shm");
        fakes.utility("ofi_rxm");
        fakes.add("off_coll", ProviderType::Offload);
        providers = fakes.list();
    }

    std::string asked(const Filter& filter)
    {
        std::string names;
        for (const Provider& provider : providers)
            if (!filter.hides(provider))
                names += std::string(names.empty() ? "" : " ") + provider.impl->name;
        return names;
    }

    Fakes fakes;
    std::vector<Provider> providers;
};

TEST_F(ProviderFilter, C275UnsetLetsEverythingPass)
{
    EXPECT_EQ(asked(Filter()), "tcp shm ofi_rxm off_coll");
    EXPECT_FALSE(Filter().drops("tcp"));
}

TEST_F(ProviderFilter, C275ListOfAllowedNamesHidesOtherCoreProvidersOnly)
{
    EXPECT_EQ(asked(Filter("tcp")), "tcp ofi_rxm off_coll");
    EXPECT_EQ(asked(Filter("TCP")), "tcp ofi_rxm off_coll");
    EXPECT_EQ(asked(Filter("ofi_rxm")), "ofi_rxm off_coll");
    EXPECT_EQ(asked(Filter("tcp;ofi_rxm")), "tcp ofi_rxm off_coll");
    EXPECT_EQ(asked(Filter("udp,shm")), "shm ofi_rxm off_coll");
}

TEST_F(ProviderFilter, C275CaretHidesTheListedOfAnyType)
{
    EXPECT_EQ(asked(Filter("^tcp")), "shm ofi_rxm off_coll");
    EXPECT_EQ(asked(Filter("^tcp,ofi_rxm")), "shm off_coll");
    EXPECT_EQ(asked(Filter("^tcp;ofi_rxm")), "tcp shm ofi_rxm off_coll");
}

TEST_F(ProviderFilter, EmptyTextAllowsNothing)
{
    EXPECT_EQ(asked(Filter("")), "ofi_rxm off_coll");
    EXPECT_TRUE(Filter("").drops("tcp"));
    EXPECT_TRUE(Filter("").drops("tcp;ofi_rxm"));
}

TEST_F(ProviderFilter, BlanksArePartOfNames)
{
    EXPECT_EQ(asked(Filter("tcp, shm")), "tcp ofi_rxm off_coll");
}

TEST_F(ProviderFilter, AllowedNameCoversWhatStandsOnIt)
{
    EXPECT_FALSE(Filter("tcp").drops("tcp"));
    EXPECT_FALSE(Filter("tcp").drops("tcp;ofi_rxm"));
    EXPECT_TRUE(Filter("tcp").drops("tcpx"));
    EXPECT_TRUE(Filter("ofi_rxm").drops("tcp;ofi_rxm"));
    EXPECT_FALSE(Filter("tcp;ofi_rxm").drops("tcp;ofi_rxm"));
    EXPECT_TRUE(Filter("tcp;ofi_rxm").drops("tcp"));
}

TEST_F(ProviderFilter, ForbiddenNameTakesWhatStandsOnItAlong)
{
    EXPECT_TRUE(Filter("^tcp").drops("tcp"));
    EXPECT_TRUE(Filter("^tcp").drops("tcp;ofi_rxm"));
    EXPECT_FALSE(Filter("^tcp").drops("shm"));
    EXPECT_TRUE(Filter("^tcp;ofi_rxm").drops("tcp;ofi_rxm"));
    EXPECT_FALSE(Filter("^tcp;ofi_rxm").drops("tcp"));
}

TEST_F(ProviderFilter, NamesNobodyHasAreReportedAndTheNearestIsFound)
{
    EXPECT_EQ(Filter("tpc,shm").unknown(providers), (std::vector<std::string_view>{"tpc"}));
    EXPECT_EQ(Filter("^tcp;rxm").unknown(providers), (std::vector<std::string_view>{"rxm"}));
    EXPECT_TRUE(Filter("tcp;ofi_rxm").unknown(providers).empty());
    EXPECT_EQ(core::nearest_name("tpc", providers), "tcp");
    EXPECT_EQ(core::nearest_name("SHMM", providers), "shm");
    EXPECT_EQ(core::nearest_name("ofi_rmx", providers), "ofi_rxm");
    EXPECT_EQ(core::nearest_name("infiniband", providers), "");
}

TEST_F(ProviderFilter, B02NewValueHoldsFromTheNextCallOn)
{
    ::setenv("FI_PROVIDER", "tcp", 1);
    EXPECT_EQ(asked(Filter::current()), "tcp ofi_rxm off_coll");
    ::setenv("FI_PROVIDER", "^tcp", 1);
    EXPECT_EQ(asked(Filter::current()), "shm ofi_rxm off_coll");
    ::unsetenv("FI_PROVIDER");
    EXPECT_EQ(asked(Filter::current()), "tcp shm ofi_rxm off_coll");
}

} // namespace
} // namespace fi::test
