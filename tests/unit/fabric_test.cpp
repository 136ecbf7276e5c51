// SPDX-License-Identifier: BSD-2-Clause
//
// fi_fabric(3): which provider opens, what it is told, and what FI_HOOK puts in front (C281).
#include <gtest/gtest.h>

#include "api/fabric.hpp"
#include "fake_provider.hpp"

namespace fi::test {
namespace {

using core::fabric::open;

class OpenFabric : public testing::Test {
  protected:
    /// Lets `provider` return `fabric` and remember what it was given.
    void opens(FakeProvider& provider, fid_fabric& fabric)
    {
        provider.open = [this, &provider, &fabric](fi_fabric_attr* given, fid_fabric** out,
                                                   void* given_context) {
            log.push_back(provider.name);
            seen_attr = *given;
            seen_context = given_context;
            *out = &fabric;
            return 0;
        };
    }
    int open_as(const char* prov_name, const char* hooks = nullptr)
    {
        attr.prov_name = const_cast<char*>(prov_name);
        attr.name = const_cast<char*>("net");
        attr.api_version = FI_VERSION(1, 9);
        const auto providers = fakes.list();
        return open(providers, hooks, &attr, &result, &context);
    }

    Fakes fakes;
    std::vector<std::string> log;
    fi_fabric_attr attr{}, seen_attr{};
    void* seen_context = nullptr;
    int context = 0;
    fid_fabric* result = nullptr;
    fid_fabric plain{}, hooked{}, hooked_twice{};
};

TEST_F(OpenFabric, MissingPartsAreInvalid)
{
    const auto providers = fakes.list();
    EXPECT_EQ(open(providers, nullptr, nullptr, &result, nullptr), -FI_EINVAL);
    EXPECT_EQ(open(providers, nullptr, &attr, &result, nullptr), -FI_EINVAL);
    attr.name = const_cast<char*>("net");
    EXPECT_EQ(open(providers, nullptr, &attr, &result, nullptr), -FI_EINVAL);
}

TEST_F(OpenFabric, UnknownProviderIsNoDevice)
{
    fakes.core("tcp").impl.fabric = nullptr;
    EXPECT_EQ(open_as("udp"), -FI_ENODEV);
    EXPECT_EQ(open_as("tcp"), -FI_ENODEV);
    EXPECT_EQ(result, nullptr);
}

TEST_F(OpenFabric, TopOfTheLayeredNameOpensAndGetsTheCallersAttributes)
{
    fid_fabric other{};
    opens(fakes.core("tcp"), other);
    opens(fakes.utility("ofi_rxm"), plain);
    ASSERT_EQ(open_as("tcp;OFI_RXM"), 0);
    EXPECT_EQ(result, &plain);
    EXPECT_EQ(log, (std::vector<std::string>{"ofi_rxm"}));
    EXPECT_STREQ(seen_attr.prov_name, "tcp;OFI_RXM");
    EXPECT_EQ(seen_context, &context);
    EXPECT_EQ(plain.api_version, FI_VERSION(1, 9));
}

TEST_F(OpenFabric, ProvidersOlderThan1_5HaveNoVersionMemberToWrite)
{
    auto& old = fakes.core("old");
    old.impl.fi_version = FI_VERSION(1, 4);
    opens(old, plain);
    plain.api_version = 0x5a5a;
    ASSERT_EQ(open_as("old"), 0);
    EXPECT_EQ(plain.api_version, 0x5a5au);
}

TEST_F(OpenFabric, ActiveProviderOfANameOpens)
{
    auto& loser = fakes.core("tcp");
    loser.active = false;
    fid_fabric other{};
    opens(loser, other);
    opens(fakes.core("tcp"), plain);
    ASSERT_EQ(open_as("tcp"), 0);
    EXPECT_EQ(result, &plain);
}

TEST_F(OpenFabric, ProvidersErrorIsReturnedAndOutputUntouched)
{
    fakes.core("tcp").open = [](fi_fabric_attr*, fid_fabric** out, void*) {
        *out = nullptr;
        return -FI_EBUSY;
    };
    result = &hooked;
    EXPECT_EQ(open_as("tcp", "noop"), -FI_EBUSY);
    EXPECT_EQ(result, &hooked);
}

TEST_F(OpenFabric, C281HooksWrapInOrderAndKnowWhatTheyWrap)
{
    auto& tcp = fakes.core("tcp");
    opens(tcp, plain);
    auto& noop = fakes.add("ofi_hook_noop", ProviderType::Hook);
    auto& trace = fakes.add("my_trace", ProviderType::Hook);
    noop.open = [&](fi_fabric_attr* given, fid_fabric** out, void* below) {
        EXPECT_EQ(given->fabric, &plain);
        EXPECT_EQ(given->name, nullptr);
        EXPECT_EQ(below, &tcp.impl);
        *out = &hooked;
        return 0;
    };
    trace.open = [&](fi_fabric_attr* given, fid_fabric** out, void* below) {
        EXPECT_EQ(given->fabric, &hooked);
        EXPECT_EQ(below, &tcp.impl);
        *out = &hooked_twice;
        return 0;
    };
    ASSERT_EQ(open_as("tcp", "noop;my_trace"), 0);
    EXPECT_EQ(result, &hooked_twice);
}

TEST_F(OpenFabric, C281HooksThatFailOrAreNoneAreLeftOut)
{
    opens(fakes.core("tcp"), plain);
    auto& broken = fakes.add("ofi_hook_broken", ProviderType::Hook);
    broken.open = [](fi_fabric_attr*, fid_fabric**, void*) { return -FI_ENOMEM; };
    auto& noop = fakes.add("ofi_hook_noop", ProviderType::Hook);
    noop.open = [&](fi_fabric_attr* given, fid_fabric** out, void*) {
        EXPECT_EQ(given->fabric, &plain);
        *out = &hooked;
        return 0;
    };
    ASSERT_EQ(open_as("tcp", "nobody;;tcp;broken;noop"), 0);
    EXPECT_EQ(result, &hooked);
    EXPECT_EQ(log.size(), 1u) << "a provider that is no hook was asked to wrap";
}

TEST_F(OpenFabric, HookIsNotAProviderToOpenByName)
{
    opens(fakes.add("ofi_hook_noop", ProviderType::Hook), hooked);
    EXPECT_EQ(open_as("ofi_hook_noop"), -FI_ENODEV);
    EXPECT_TRUE(log.empty());
}

} // namespace
} // namespace fi::test
