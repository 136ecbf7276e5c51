// SPDX-License-Identifier: BSD-2-Clause
//
// The walk over providers behind fi_getinfo(3): who is asked with what, and what becomes of the answers.
#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "discovery/layering.hpp"
#include "discovery/query.hpp"
#include "fake_provider.hpp"

namespace fi::test {
namespace {

using core::Filter;
using core::query::walk;
using Names = std::vector<std::string>;

constexpr uint32_t kApi = FI_VERSION(2, 6);

class Query : public testing::Test {
  protected:
    int ask(const Request& request, const Filter& filter = Filter())
    {
        fi_info* list = nullptr;
        const auto providers = fakes.list();
        const int rc = walk(providers, filter, request, &list);
        result.reset(list);
        return rc;
    }
    Names ask_names(uint64_t flags = 0, const fi_info* hints = nullptr, const Filter& filter = Filter())
    {
        ask({kApi, nullptr, nullptr, flags, hints}, filter);
        return names_of(result.get());
    }
    static core::info::Owned hints(const char* prov_name, const char* domain = nullptr,
                                   const char* fabric = nullptr)
    {
        core::info::Owned info(entry(FI_EP_UNSPEC, domain, fabric));
        info->fabric_attr->prov_name = copy_of(prov_name);
        return info;
    }

    Fakes fakes;
    core::info::Owned result;
};

TEST_F(Query, C1VersionAboveOursIsRefusedAndOutputUntouched)
{
    fakes.core("tcp");
    auto* untouched = reinterpret_cast<fi_info*>(0x10);
    fi_info* list = untouched;
    const auto providers = fakes.list();
    EXPECT_EQ(walk(providers, Filter(), {FI_VERSION(2, 7), nullptr, nullptr, 0, nullptr}, &list), -FI_ENOSYS);
    EXPECT_EQ(list, untouched);
    EXPECT_EQ(
        walk(providers, Filter(), {FI_VERSION(3, 0), nullptr, nullptr, FI_PROV_ATTR_ONLY, nullptr}, &list),
        -FI_ENOSYS);
}

TEST_F(Query, VersionZeroIsServed)
{
    fakes.core("tcp");
    EXPECT_EQ(ask({0, nullptr, nullptr, 0, nullptr}), 0);
}

TEST_F(Query, C12NoMatchGivesNoDataAndNull)
{
    auto* stale = reinterpret_cast<fi_info*>(0x10);
    fi_info* list = stale;
    EXPECT_EQ(walk({}, Filter(), {kApi, nullptr, nullptr, 0, nullptr}, &list), -FI_ENODATA);
    EXPECT_EQ(list, nullptr);
}

TEST_F(Query, ArgumentsReachTheProviderUnchanged)
{
    auto& tcp = fakes.core("tcp");
    Request seen{};
    tcp.answer = [&](const Request& request, fi_info** list) {
        seen = request;
        *list = entry();
        return 0;
    };
    const auto wanted = hints("tcp");
    const Request request{FI_VERSION(1, 4), "node", "service", FI_SOURCE | FI_NUMERICHOST, wanted.get()};
    ASSERT_EQ(ask(request), 0);
    EXPECT_EQ(seen.version, request.version);
    EXPECT_EQ(seen.node, request.node);
    EXPECT_EQ(seen.service, request.service);
    EXPECT_EQ(seen.flags, request.flags);
    EXPECT_EQ(seen.hints, request.hints);
}

TEST_F(Query, C9EntriesCarryTheAskedVersionAndTheProvidersOwn)
{
    auto& tcp = fakes.core("tcp");
    tcp.impl.version = FI_VERSION(7, 3);
    tcp.answer = [](const Request&, fi_info** list) {
        *list = entry();
        (*list)->fabric_attr->api_version = 99;
        (*list)->fabric_attr->prov_version = 99;
        return 0;
    };
    ASSERT_EQ(ask({FI_VERSION(1, 9), nullptr, nullptr, 0, nullptr}), 0);
    EXPECT_EQ(result->fabric_attr->api_version, FI_VERSION(1, 9));
    EXPECT_EQ(result->fabric_attr->prov_version, FI_VERSION(7, 3));
}

TEST_F(Query, ListsAreConcatenatedInProviderOrder)
{
    fakes.core("b").answer = [](const Request&, fi_info** list) {
        *list = chain({entry(), entry()});
        return 0;
    };
    fakes.core("a");
    EXPECT_EQ(ask_names(), (Names{"b", "b", "a"}));
}

TEST_F(Query, FailingThrowingAndEmptyProvidersDoNotFailTheOthers)
{
    fakes.core("fails").answer = [](const Request&, fi_info**) { return -FI_ENOMEM; };
    fakes.core("throws").answer = [](const Request&, fi_info**) -> int { throw 42; };
    fakes.core("empty").answer = [](const Request&, fi_info**) { return 0; };
    fakes.core("stale").answer = [](const Request&, fi_info** list) {
        *list = reinterpret_cast<fi_info*>(0x10);
        return -FI_ENODATA;
    };
    fakes.core("bare").answer = [](const Request&, fi_info** list) {
        *list = entry();
        std::free((*list)->fabric_attr->name);
        std::free((*list)->fabric_attr);
        (*list)->fabric_attr = nullptr;
        return 0;
    };
    fakes.core("works");
    EXPECT_EQ(ask_names(), (Names{"works"}));
}

TEST_F(Query, ListThatLeadsBackIntoItselfIsCut)
{
    for (size_t begin : {0, 1, 2, 3}) {
        Fakes one;
        one.core("circular").answer = [begin](const Request&, fi_info** list) {
            fi_info* entries[] = {entry(), entry(), entry(), entry()};
            *list = chain({entries[0], entries[1], entries[2], entries[3]});
            entries[3]->next = entries[begin];
            return 0;
        };
        fi_info* list = nullptr;
        EXPECT_EQ(walk(one.list(), Filter(), {kApi, nullptr, nullptr, 0, nullptr}, &list), 0);
        const core::info::Owned owned(list);
        EXPECT_EQ(names_of(list).size(), 4u) << begin;
    }
}

TEST_F(Query, ProvidersErrorIsNeverTheResult)
{
    fakes.core("fails").answer = [](const Request&, fi_info**) { return -FI_EINVAL; };
    EXPECT_EQ(ask({kApi, nullptr, nullptr, 0, nullptr}), -FI_ENODATA);
}

TEST_F(Query, C278ProviderForAnOlderApiIsNotAsked)
{
    auto& old = fakes.core("old");
    old.impl.fi_version = FI_VERSION(1, 17);
    EXPECT_EQ(ask({FI_VERSION(1, 18), nullptr, nullptr, 0, nullptr}), -FI_ENODATA);
    EXPECT_EQ(old.asked, 0);
    EXPECT_EQ(ask({FI_VERSION(1, 17), nullptr, nullptr, 0, nullptr}), 0);
}

TEST_F(Query, C37LayeredEntryShowsBothNamesAndTheUtilitysVersion)
{
    auto& tcp = fakes.core("tcp");
    auto& rxm = fakes.utility("ofi_rxm");
    tcp.impl.version = FI_VERSION(1, 1);
    rxm.impl.version = FI_VERSION(2, 2);
    // A utility provider asks for its lower layer from inside its own getinfo, on the same thread.
    rxm.answer = [this](const Request& request, fi_info** list) {
        const auto lower = hints("tcp;^ofi_rxm");
        const auto providers = fakes.list();
        return walk(providers, Filter(),
                    {request.version, nullptr, nullptr, core::layering::kCoreOnly, lower.get()}, list);
    };
    EXPECT_EQ(ask_names(0, hints("tcp;ofi_rxm").get()), (Names{"tcp;ofi_rxm"}));
    EXPECT_EQ(result->fabric_attr->prov_version, FI_VERSION(2, 2));
}

TEST_F(Query, LnxNamesItsLinksItself)
{
    fakes.add("lnx", ProviderType::Lnx).answer = [](const Request&, fi_info** list) {
        *list = chain({entry(), entry()});
        (*list)->fabric_attr->prov_name = copy_of("shm+tcp;lnx");
        return 0;
    };
    EXPECT_EQ(ask_names(), (Names{"shm+tcp;lnx", "lnx"}));
}

TEST_F(Query, InactiveProviderIsAskedOnlyWithTheHiddenBit)
{
    fakes.core("tcp");
    auto& loser = fakes.core("tcp");
    loser.active = false;
    EXPECT_EQ(ask_names(), (Names{"tcp"}));
    EXPECT_EQ(loser.asked, 0);
    EXPECT_EQ(ask_names(core::layering::kHiddenToo), (Names{"tcp", "tcp"}));
    EXPECT_EQ(ask_names(core::layering::kHiddenToo, nullptr, Filter("shm")), (Names{"tcp", "tcp"}));
}

TEST_F(Query, OffloadProviderIsAskedOnlyWithTheOffloadBitAndHooksNever)
{
    auto& offload = fakes.add("off_coll", ProviderType::Offload);
    fakes.add("ofi_hook_noop", ProviderType::Hook);
    EXPECT_TRUE(ask_names().empty());
    EXPECT_EQ(offload.asked, 0);
    EXPECT_EQ(ask_names(core::layering::kOffloadToo), (Names{"off_coll"}));
}

TEST_F(Query, C29B03AttributesOnlyListsEveryProviderOnceAndAsksNone)
{
    fakes.core("tcp").impl.version = FI_VERSION(3, 1);
    fakes.core("broken").answer = [](const Request&, fi_info**) { return -FI_ENODEV; };
    fakes.utility("ofi_rxm");
    fakes.add("ofi_hook_noop", ProviderType::Hook);
    fakes.add("off_coll", ProviderType::Offload);
    const auto ignored = hints("tcp");
    EXPECT_EQ(ask_names(FI_PROV_ATTR_ONLY, ignored.get(), Filter("tcp")),
              (Names{"tcp", "broken", "ofi_rxm", "ofi_hook_noop", "off_coll"}));
    EXPECT_EQ(result->fabric_attr->prov_version, FI_VERSION(3, 1));
    for (const fi_info* info = result.get(); info; info = info->next) {
        EXPECT_EQ(info->caps, 0u);
        EXPECT_EQ(info->mode, 0u);
        EXPECT_EQ(info->fabric_attr->name, nullptr);
        EXPECT_EQ(info->fabric_attr->api_version, 0u);
        EXPECT_EQ(info->domain_attr->name, nullptr);
        EXPECT_EQ(info->ep_attr->type, FI_EP_UNSPEC);
        EXPECT_EQ(info->nic, nullptr);
    }
}

TEST_F(Query, C29AttributesOnlyWithAnotherBitIsAnOrdinaryQuery)
{
    fakes.core("tcp");
    fakes.add("ofi_hook_noop", ProviderType::Hook);
    EXPECT_EQ(ask_names(FI_PROV_ATTR_ONLY | FI_SOURCE), (Names{"tcp"}));
    EXPECT_EQ(result->fabric_attr->api_version, kApi);
}

TEST_F(Query, C275FilterAppliesToProvidersAndToLayeredEntries)
{
    auto& tcp = fakes.core("tcp");
    fakes.core("shm");
    fakes.utility("ofi_rxm").answer = [](const Request&, fi_info** list) {
        *list = chain({entry(), entry()});
        (*list)->fabric_attr->prov_name = copy_of("tcp");
        (*list)->next->fabric_attr->prov_name = copy_of("shm");
        return 0;
    };
    EXPECT_EQ(ask_names(0, nullptr, Filter("shm")), (Names{"shm", "shm;ofi_rxm"}));
    EXPECT_EQ(tcp.asked, 0);
    EXPECT_EQ(ask_names(0, nullptr, Filter("^shm")), (Names{"tcp", "tcp;ofi_rxm"}));
    EXPECT_TRUE(ask_names(0, nullptr, Filter("ofi_rxm")).empty());
    EXPECT_TRUE(ask_names(0, nullptr, Filter("")).empty());
}

TEST_F(Query, InternalQueriesKeepEntriesThatApplicationsDoNotSee)
{
    fakes.core("tcp").answer = [](const Request&, fi_info** list) {
        *list = entry(FI_EP_MSG, "eth0");
        return 0;
    };
    const auto other_domain = hints(nullptr, "eth1");
    for (const uint64_t bit :
         {core::layering::kInternal, core::layering::kCoreOnly, core::layering::kHiddenToo})
        EXPECT_EQ(ask_names(bit, other_domain.get()), (Names{"tcp"})) << bit;
    EXPECT_TRUE(ask_names(core::layering::kOffloadToo, other_domain.get()).empty());
}

TEST_F(Query, DomainAndFabricNamesOfTheHintsAreExactInAnyCase)
{
    fakes.core("tcp").answer = [](const Request&, fi_info** list) {
        *list = chain({entry(FI_EP_MSG, "lo", "127.0.0.0/8"), entry(FI_EP_MSG, "eth0", "10.0.0.0/8"),
                       entry(FI_EP_MSG, nullptr, nullptr)});
        return 0;
    };
    EXPECT_EQ(ask_names(0, hints(nullptr, "ETH0").get()).size(), 1u);
    EXPECT_STREQ(result->domain_attr->name, "eth0");
    EXPECT_EQ(ask_names(0, hints(nullptr, nullptr, "127.0.0.0/8").get()).size(), 1u);
    EXPECT_STREQ(result->domain_attr->name, "lo");
    EXPECT_TRUE(ask_names(0, hints(nullptr, "eth").get()).empty());
    EXPECT_TRUE(ask_names(0, hints(nullptr, "lo", "10.0.0.0/8").get()).empty());
}

TEST_F(Query, C32TcpReliableDatagramsComeJustBeforeTheLayeredOnes)
{
    fakes.core("tcp").answer = [](const Request&, fi_info** list) {
        *list = chain({entry(FI_EP_RDM, "a"), entry(FI_EP_MSG, "b"), entry(FI_EP_RDM, "c")});
        return 0;
    };
    fakes.core("shm");
    EXPECT_EQ(ask_names(), (Names{"tcp", "shm", "tcp", "tcp"}));

    fakes.utility("ofi_rxm").answer = [](const Request&, fi_info** list) {
        *list = chain({entry(), entry()});
        (*list)->fabric_attr->prov_name = copy_of("verbs");
        (*list)->next->fabric_attr->prov_name = copy_of("tcp");
        return 0;
    };
    fakes.core("sockets");
    EXPECT_EQ(ask_names(), (Names{"tcp", "shm", "verbs;ofi_rxm", "tcp", "tcp", "tcp;ofi_rxm", "sockets"}));
    const fi_info* moved = result->next->next->next;
    EXPECT_STREQ(moved->domain_attr->name, "a");
    EXPECT_STREQ(moved->next->domain_attr->name, "c");
}

TEST_F(Query, C8ManyThreadsAskAtOnceWithoutLocks)
{
    fakes.core("tcp").answer = [](const Request& request, fi_info** list) {
        *list = chain({entry(FI_EP_RDM, request.node), entry(FI_EP_MSG, request.node)});
        return 0;
    };
    fakes.core("shm");
    const auto providers = fakes.list();
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
        threads.emplace_back([&, node = std::to_string(i)] {
            for (int round = 0; round < 100; ++round) {
                fi_info* list = nullptr;
                const int rc =
                    walk(providers, Filter("tcp"), {kApi, node.c_str(), nullptr, 0, nullptr}, &list);
                const core::info::Owned owned(list);
                if (rc || names_of(list) != Names{"tcp", "tcp"} || node != list->domain_attr->name)
                    ++wrong;
            }
        });
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(wrong, 0);
}

} // namespace
} // namespace fi::test
