// SPDX-License-Identifier: BSD-2-Clause
//
// What an application gets back for hints that an offer meets.

#include "kit/objects/answer.hpp"
#include "kit/objects/caps.hpp"
#include "kit/objects/offer.hpp"

#include "sample_offer.hpp"

#include <gtest/gtest.h>
#include <string>

namespace {

using fi::kit::InfoPtr;
using fi::kit::Unasked;
using fi::test::easy_hints;
using fi::test::empty_hints;
using fi::test::SampleOffer;

constexpr uint32_t kNow = FI_VERSION(2, 6);
constexpr uint32_t kOld = FI_VERSION(1, 17);
constexpr uint64_t kMemoryRoles = FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE;

/// The answer, if the hints are met; none if they are not.
InfoPtr ask(const SampleOffer& offer, const fi_info* hints, uint32_t api = kNow, const Unasked& unasked = {})
{
    if (!fi::kit::acceptable(offer.provider, api, offer.info, hints))
        return nullptr;
    return InfoPtr(fi::kit::answer(api, offer.info, hints, unasked));
}

InfoPtr ask_caps(const SampleOffer& offer, uint64_t caps, uint32_t api = kNow)
{
    const auto hints = easy_hints(offer.info);
    hints->caps = caps;
    return ask(offer, hints.get(), api);
}

TEST(Answer, C40_C63_WithoutHintsEverythingIsReported)
{
    const SampleOffer offer;
    const auto entry = ask(offer, nullptr);
    EXPECT_EQ(entry->caps, offer.info.caps | FI_SEND | FI_RECV | kMemoryRoles);
    EXPECT_EQ(entry->mode, uint64_t{FI_CONTEXT});
    EXPECT_EQ(entry->domain_attr->mr_mode, FI_MR_VIRT_ADDR | FI_MR_PROV_KEY);
    EXPECT_EQ(entry->tx_attr->size, 256U);
    EXPECT_EQ(entry->rx_attr->size, 512U);
    EXPECT_STREQ(entry->domain_attr->name, "lo");
    EXPECT_STREQ(entry->fabric_attr->name, "127.0.0.0/8");
    EXPECT_EQ(entry->fabric_attr->prov_name, nullptr);
    EXPECT_EQ(entry->next, nullptr);
}

TEST(Answer, C9_TheApiVersionIsTheOneAskedFor)
{
    const SampleOffer offer;
    EXPECT_EQ(ask(offer, nullptr, kOld)->fabric_attr->api_version, kOld);
    EXPECT_EQ(ask(offer, nullptr, kNow)->fabric_attr->api_version, kNow);
}

TEST(Answer, C2_MembersNewerThanTheVersionStayZero)
{
    const SampleOffer offer;
    const auto oldest = ask(offer, nullptr, FI_VERSION(1, 0));
    EXPECT_EQ(oldest->domain_attr->cntr_cnt, 0U);
    EXPECT_EQ(oldest->domain_attr->mr_cnt, 0U);
    EXPECT_EQ(oldest->domain_attr->caps, 0U);
    EXPECT_EQ(oldest->fabric_attr->api_version, 0U);
    const auto old = ask(offer, nullptr, kOld);
    EXPECT_EQ(old->domain_attr->mr_cnt, 105U);
    EXPECT_EQ(old->domain_attr->max_ep_auth_key, 0U);
    EXPECT_EQ(old->domain_attr->max_group_id, 0U);
    EXPECT_EQ(old->domain_attr->max_cntr_value, 0U);
    const auto now = ask(offer, nullptr);
    EXPECT_EQ(now->domain_attr->max_ep_auth_key, 1U);
    EXPECT_EQ(now->domain_attr->max_group_id, 7U);
    EXPECT_EQ(now->domain_attr->max_cntr_value, 1ULL << 40);
}

TEST(Answer, C99_ACounterWithoutALimitSaysSo)
{
    SampleOffer offer;
    offer.domain.max_cntr_value = 0;
    EXPECT_EQ(ask(offer, nullptr)->domain_attr->max_cntr_value, ~0ULL);
}

TEST(Answer, C38_PrimaryCapabilitiesAreOnOnlyWhenAskedFor)
{
    const SampleOffer offer;
    const auto entry = ask_caps(offer, FI_TAGGED);
    EXPECT_EQ(entry->caps, uint64_t{FI_TAGGED | FI_SEND | FI_RECV | FI_LOCAL_COMM | FI_REMOTE_COMM});
    EXPECT_EQ(entry->tx_attr->caps, uint64_t{FI_TAGGED | FI_SEND});
    EXPECT_EQ(entry->rx_attr->caps, uint64_t{FI_TAGGED | FI_RECV});
}

TEST(Answer, C39_RequestedSecondaryCapabilitiesAreDeliveredAndCostlyOnesNotGivenAway)
{
    const SampleOffer offer;
    EXPECT_FALSE(ask_caps(offer, FI_MSG)->caps & (FI_SOURCE | FI_RMA_EVENT));
    EXPECT_TRUE(ask_caps(offer, FI_MSG)->caps & FI_MULTI_RECV);
    const auto entry = ask_caps(offer, FI_MSG | FI_SOURCE);
    EXPECT_TRUE(entry->caps & FI_SOURCE);
    EXPECT_TRUE(entry->rx_attr->caps & FI_SOURCE);
    EXPECT_FALSE(entry->tx_attr->caps & FI_SOURCE);
}

TEST(Answer, C44_C45_AMessageEndpointIsOneWayIfAskedFor)
{
    const SampleOffer offer;
    const auto sender = ask_caps(offer, FI_MSG | FI_SEND);
    EXPECT_EQ(sender->tx_attr->caps, uint64_t{FI_MSG | FI_SEND});
    EXPECT_EQ(sender->rx_attr->caps, 0U);
    EXPECT_FALSE(sender->caps & FI_MULTI_RECV);
    const auto receiver = ask_caps(offer, FI_MSG | FI_RECV);
    EXPECT_EQ(receiver->tx_attr->caps, 0U);
    EXPECT_EQ(receiver->rx_attr->caps, uint64_t{FI_MSG | FI_RECV | FI_MULTI_RECV});
}

TEST(Answer, C46_MemoryAccessAloneMeansAllRolesAndModifiersRestrictThem)
{
    const SampleOffer offer;
    EXPECT_EQ(ask_caps(offer, FI_RMA)->caps & kMemoryRoles, kMemoryRoles);
    const auto initiator = ask_caps(offer, FI_MSG | FI_RMA | FI_WRITE);
    EXPECT_EQ(initiator->caps & kMemoryRoles, uint64_t{FI_WRITE});
    EXPECT_EQ(initiator->tx_attr->caps, uint64_t{FI_MSG | FI_SEND | FI_RMA | FI_WRITE});
    EXPECT_FALSE(initiator->rx_attr->caps & FI_RMA);
}

TEST(Answer, C41_WithoutNamedCapabilitiesOnlyWhatTheModesAllowIsReported)
{
    const SampleOffer offer; // needs VIRT_ADDR for any memory access, PROV_KEY at the target
    const auto hints = easy_hints(offer.info);
    EXPECT_TRUE(ask(offer, hints.get())->caps & FI_REMOTE_WRITE);
    hints->domain_attr->mr_mode = FI_MR_VIRT_ADDR;
    const auto initiator = ask(offer, hints.get());
    EXPECT_EQ(initiator->caps & (FI_RMA | FI_WRITE | FI_REMOTE_WRITE), uint64_t{FI_RMA | FI_WRITE});
    EXPECT_EQ(initiator->domain_attr->mr_mode, FI_MR_VIRT_ADDR);
    hints->domain_attr->mr_mode = 0;
    const auto messages = ask(offer, hints.get());
    EXPECT_EQ(messages->caps & (FI_RMA | FI_ATOMIC | kMemoryRoles), 0U);
    EXPECT_TRUE(messages->caps & FI_TAGGED);
    EXPECT_EQ(messages->domain_attr->mr_mode, 0);
}

TEST(Answer, C57_DomainCapabilitiesOfOldProgramsAreTheOldOnes)
{
    const SampleOffer offer;
    EXPECT_EQ(ask(offer, nullptr, kOld)->domain_attr->caps, uint64_t{FI_LOCAL_COMM | FI_REMOTE_COMM});
    EXPECT_TRUE(ask(offer, nullptr)->domain_attr->caps & FI_DIRECTED_RECV);
}

TEST(Answer, C58_SideCapabilitiesMayBeFewerThanTheWhole)
{
    const SampleOffer offer;
    const auto hints = easy_hints(offer.info);
    hints->caps = FI_MSG | FI_TAGGED;
    hints->tx_attr->caps = FI_TAGGED;
    const auto entry = ask(offer, hints.get());
    EXPECT_EQ(entry->tx_attr->caps, uint64_t{FI_TAGGED | FI_SEND});
    EXPECT_TRUE(entry->rx_attr->caps & FI_MSG);
}

TEST(Answer, C62_OnlyModesThatBindAreLeft)
{
    const SampleOffer offer;
    EXPECT_EQ(ask_caps(offer, FI_MSG)->mode, uint64_t{FI_CONTEXT});
}

TEST(Answer, C79_ModesOfRegistrationThatAreNotNeededAreCleared)
{
    const SampleOffer offer;
    const auto hints = easy_hints(offer.info);
    hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
    hints->caps = FI_RMA;
    EXPECT_EQ(ask(offer, hints.get())->domain_attr->mr_mode, FI_MR_VIRT_ADDR | FI_MR_PROV_KEY);
    hints->caps = FI_MSG;
    EXPECT_EQ(ask(offer, hints.get())->domain_attr->mr_mode, 0);
}

TEST(Answer, C70_C81_TheOldRegistrationModesAreGivenBackAsTheyAre)
{
    SampleOffer offer;
    constexpr int kBasic = 1, kScalable = 2;
    const auto hints = easy_hints(offer.info);
    hints->caps = FI_RMA;
    hints->domain_attr->mr_mode = kBasic;
    EXPECT_EQ(ask(offer, hints.get())->domain_attr->mr_mode, kBasic);
    hints->domain_attr->mr_mode = 0;
    EXPECT_EQ(ask(offer, hints.get(), FI_VERSION(1, 4))->domain_attr->mr_mode, kBasic);
    offer.domain.mr_mode = FI_MR_LOCAL;
    const auto entry = ask(offer, hints.get(), FI_VERSION(1, 4));
    EXPECT_EQ(entry->domain_attr->mr_mode, kScalable);
    EXPECT_EQ(entry->mode, FI_CONTEXT | 1ULL << 55);
    EXPECT_EQ(fi::kit::caps::plain_mr_mode(kBasic), FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY);
    EXPECT_EQ(fi::kit::caps::plain_mr_mode(kScalable), 0);
}

TEST(Answer, C71_C72_ThreadingIsWhatWasPromisedOrSafe)
{
    const SampleOffer offer;
    EXPECT_EQ(ask(offer, nullptr)->domain_attr->threading, FI_THREAD_SAFE);
    const auto hints = easy_hints(offer.info);
    for (const auto& [promised, answered] : {std::pair{FI_THREAD_UNSPEC, FI_THREAD_SAFE},
                                             {FI_THREAD_FID, FI_THREAD_SAFE},
                                             {FI_THREAD_ENDPOINT, FI_THREAD_SAFE},
                                             {FI_THREAD_DOMAIN, FI_THREAD_DOMAIN},
                                             {FI_THREAD_COMPLETION, FI_THREAD_COMPLETION}}) {
        hints->domain_attr->threading = promised;
        EXPECT_EQ(ask(offer, hints.get(), kOld)->domain_attr->threading, answered) << promised;
    }
}

TEST(Answer, ProgressIsTheUsualOneUnlessMoreIsAskedFor)
{
    SampleOffer offer;
    offer.domain.progress = FI_PROGRESS_AUTO;
    const Unasked usual{.tx_size = 0, .rx_size = 0, .progress = FI_PROGRESS_MANUAL};
    const auto hints = easy_hints(offer.info);
    EXPECT_EQ(ask(offer, nullptr, kNow, usual)->domain_attr->progress, FI_PROGRESS_MANUAL);
    EXPECT_EQ(ask(offer, hints.get(), kNow, usual)->domain_attr->progress, FI_PROGRESS_MANUAL);
    hints->domain_attr->progress = FI_PROGRESS_AUTO;
    EXPECT_EQ(ask(offer, hints.get(), kNow, usual)->domain_attr->progress, FI_PROGRESS_AUTO);
    hints->domain_attr->progress = FI_PROGRESS_UNSPEC;
    hints->domain_attr->control_progress = FI_PROGRESS_AUTO;
    const auto old = ask(offer, hints.get(), kOld, usual);
    EXPECT_EQ(old->domain_attr->control_progress, FI_PROGRESS_AUTO);
    EXPECT_EQ(old->domain_attr->data_progress, FI_PROGRESS_MANUAL);
}

TEST(Answer, QueueSizesAreTheOnesAskedForOrTheUsualOnes)
{
    const SampleOffer offer;
    const Unasked usual{.tx_size = 32, .rx_size = 64, .progress = FI_PROGRESS_UNSPEC};
    const auto hints = easy_hints(offer.info);
    EXPECT_EQ(ask(offer, hints.get(), kNow, usual)->tx_attr->size, 32U);
    EXPECT_EQ(ask(offer, hints.get(), kNow, usual)->rx_attr->size, 64U);
    hints->tx_attr->size = 200;
    EXPECT_EQ(ask(offer, hints.get(), kNow, usual)->tx_attr->size, 200U);
}

TEST(Answer, C89_AnAddressVectorTypeThatIsAskedForIsGivenBack)
{
    const SampleOffer offer;
    const auto hints = easy_hints(offer.info);
    hints->domain_attr->av_type = FI_AV_MAP;
    EXPECT_EQ(ask(offer, hints.get())->domain_attr->av_type, FI_AV_MAP);
}

TEST(Answer, C113_DefaultFlagsAreTheOnesAskedFor)
{
    const SampleOffer offer;
    EXPECT_EQ(ask(offer, nullptr)->tx_attr->op_flags, 0U);
    const auto hints = easy_hints(offer.info);
    hints->tx_attr->op_flags = FI_DELIVERY_COMPLETE;
    EXPECT_EQ(ask(offer, hints.get())->tx_attr->op_flags, uint64_t{FI_DELIVERY_COMPLETE});
}

TEST(Answer, C293_OrdersOfCompletionsAreGivenBackToOldProgramsOnly)
{
    const SampleOffer offer;
    const auto hints = easy_hints(offer.info);
    hints->tx_attr->comp_order = 0x1ff;
    hints->rx_attr->total_buffered_recv = 4096;
    const auto old = ask(offer, hints.get(), kOld);
    EXPECT_EQ(old->tx_attr->comp_order, 0x1ffU);
    EXPECT_EQ(old->rx_attr->total_buffered_recv, 4096U);
    const auto now = ask(offer, nullptr);
    EXPECT_EQ(now->tx_attr->comp_order, 0U);
    EXPECT_EQ(now->rx_attr->total_buffered_recv, 0U);
}

TEST(Answer, C293_AnOrderThatIsNotKeptIsAcceptedButNotPromised)
{
    SampleOffer offer;
    offer.tx.comp_order = 0;
    const auto hints = easy_hints(offer.info);
    hints->tx_attr->comp_order = 0x1ff;
    const auto entry = ask(offer, hints.get(), kOld);
    ASSERT_TRUE(entry);
    EXPECT_EQ(entry->tx_attr->comp_order, 0U);
    hints->tx_attr->comp_order = 1 << 16; // order of data was never common
    EXPECT_FALSE(ask(offer, hints.get(), kOld));
}

TEST(Answer, C114_OneContextForEachDirectionInUse)
{
    const SampleOffer offer;
    const auto sender = ask_caps(offer, FI_MSG | FI_SEND);
    EXPECT_EQ(sender->ep_attr->tx_ctx_cnt, 1U);
    EXPECT_EQ(sender->ep_attr->rx_ctx_cnt, 0U);
    const auto hints = easy_hints(offer.info);
    hints->ep_attr->rx_ctx_cnt = 2;
    EXPECT_EQ(ask(offer, hints.get())->ep_attr->rx_ctx_cnt, 2U);
}

TEST(Answer, C118_AllTagBitsFreeIsWrittenAsTheApplicationsVersionWritesIt)
{
    SampleOffer offer;
    offer.ep.mem_tag_format = 0;
    EXPECT_EQ(ask(offer, nullptr)->ep_attr->mem_tag_format, 0u);
    EXPECT_EQ(ask(offer, nullptr, FI_VERSION(1, 17))->ep_attr->mem_tag_format, 0xaaaaaaaaaaaaaaaaULL);
}

TEST(Answer, C116_C118_TheTagFormatIsTheOneAskedForOrTheBitsThatAreFree)
{
    const SampleOffer offer;
    EXPECT_EQ(ask(offer, nullptr)->ep_attr->mem_tag_format, 0x00ffffffffffffffULL);
    const auto hints = easy_hints(offer.info);
    hints->ep_attr->mem_tag_format = FI_TAG_MPI;
    EXPECT_EQ(ask(offer, hints.get())->ep_attr->mem_tag_format, uint64_t{FI_TAG_MPI});
}

TEST(Answer, C119_ATrafficClassIsGivenBackWhereItIsHonoured)
{
    const SampleOffer offer;
    EXPECT_EQ(ask(offer, nullptr)->tx_attr->tclass, 0U);
    const auto hints = easy_hints(offer.info);
    hints->tx_attr->tclass = FI_TC_BULK_DATA;
    hints->domain_attr->tclass = FI_TC_DSCP | 5; // let pass for 1.17, but not honoured
    const auto entry = ask(offer, hints.get(), kOld);
    EXPECT_EQ(entry->tx_attr->tclass, uint32_t{FI_TC_BULK_DATA});
    EXPECT_EQ(entry->domain_attr->tclass, 0U);
}

TEST(Answer, C95_C115_KeysThatFitAreCopied)
{
    SampleOffer offer;
    offer.domain.auth_key_size = offer.ep.auth_key_size = 4;
    const auto hints = easy_hints(offer.info);
    hints->domain_attr->auth_key_size = 4;
    hints->domain_attr->auth_key = reinterpret_cast<uint8_t*>(strdup("abc"));
    const auto entry = ask(offer, hints.get());
    EXPECT_NE(entry->domain_attr->auth_key, hints->domain_attr->auth_key);
    EXPECT_STREQ(reinterpret_cast<char*>(entry->domain_attr->auth_key), "abc");
    EXPECT_EQ(entry->ep_attr->auth_key, nullptr);
}

TEST(Answer, C96_FI_AV_AUTH_KEYIsASizeWithoutBytes)
{
    SampleOffer offer;
    offer.domain.auth_key_size = FI_AV_AUTH_KEY;
    const auto hints = easy_hints(offer.info);
    hints->domain_attr->auth_key_size = FI_AV_AUTH_KEY;
    const auto entry = ask(offer, hints.get());
    EXPECT_EQ(entry->domain_attr->auth_key_size, FI_AV_AUTH_KEY);
    EXPECT_EQ(entry->domain_attr->auth_key, nullptr);
}

TEST(Answer, C33_APassiveEndpointInTheHintsIsHandedOn)
{
    const SampleOffer offer;
    const auto hints = easy_hints(offer.info);
    fid passive{}, other{};
    passive.fclass = FI_CLASS_PEP;
    hints->handle = &passive;
    EXPECT_EQ(ask(offer, hints.get())->handle, &passive);
    hints->handle = &other;
    EXPECT_EQ(ask(offer, hints.get())->handle, nullptr);
}

TEST(Answer, C23_AddressesComeInTheFormatAskedFor)
{
    const SampleOffer offer;
    const auto hints = easy_hints(offer.info);
    for (const uint32_t format : {FI_FORMAT_UNSPEC, FI_SOCKADDR, FI_SOCKADDR_IP, FI_SOCKADDR_IN}) {
        hints->addr_format = format;
        const auto entry = ask(offer, hints.get());
        EXPECT_EQ(entry->addr_format, uint32_t{FI_SOCKADDR_IN}) << format;
        ASSERT_EQ(entry->src_addrlen, sizeof(sockaddr_in));
        EXPECT_EQ(std::memcmp(entry->src_addr, &offer.source, sizeof(sockaddr_in)), 0);
    }
    hints->addr_format = FI_ADDR_STR;
    const auto entry = ask(offer, hints.get());
    EXPECT_EQ(entry->addr_format, uint32_t{FI_ADDR_STR});
    EXPECT_STREQ(static_cast<char*>(entry->src_addr), "fi_sockaddr_in://127.0.0.1:7471");
    EXPECT_EQ(entry->src_addrlen, sizeof("fi_sockaddr_in://127.0.0.1:7471"));
    EXPECT_EQ(entry->dest_addr, nullptr);
}

/// A nic that counts its copies.
struct CountedNic {
    fid_nic nic{};
    int* alive;

    static int close(fid* self)
    {
        --*reinterpret_cast<CountedNic*>(self)->alive;
        delete reinterpret_cast<CountedNic*>(self);
        return 0;
    }
    static int control(fid* self, int command, void* arg)
    {
        if (command != FI_DUP)
            return -FI_ENOSYS;
        *static_cast<fid_nic**>(arg) = &(new CountedNic(reinterpret_cast<CountedNic*>(self)->alive))->nic;
        return 0;
    }
    explicit CountedNic(int* count) : alive(count)
    {
        static fi_ops ops = [] {
            fi_ops table{};
            table.size = sizeof(fi_ops);
            table.close = close;
            table.control = control;
            return table;
        }();
        ++*alive;
        nic.fid.fclass = FI_CLASS_NIC;
        nic.fid.ops = &ops;
    }
};

TEST(Answer, C7_ANicIsDuplicatedAndFreedWithItsEntry)
{
    int alive = 0;
    SampleOffer offer;
    CountedNic nic(&alive);
    offer.info.nic = &nic.nic;
    {
        const auto entry = ask(offer, nullptr);
        EXPECT_EQ(alive, 2);
        EXPECT_NE(entry->nic, offer.info.nic);
        EXPECT_EQ(ask(offer, nullptr, FI_VERSION(1, 6))->nic, nullptr);
    }
    EXPECT_EQ(alive, 1);
}

TEST(Answer, AnEntryIsIndependentOfItsOffer)
{
    InfoPtr entry, copy;
    {
        const SampleOffer offer;
        entry = ask(offer, nullptr);
    }
    copy.reset(fi::kit::copy_info(kNow, *entry));
    entry.reset();
    EXPECT_STREQ(copy->domain_attr->name, "lo");
    EXPECT_EQ(copy->src_addrlen, sizeof(sockaddr_in));
}

TEST(Answer, AListIsFreedWhole)
{
    const SampleOffer offer;
    auto first = ask(offer, nullptr);
    first->next = ask(offer, nullptr).release();
    fi::kit::free_info(nullptr);
}

} // namespace
