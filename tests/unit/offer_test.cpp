// SPDX-License-Identifier: BSD-2-Clause
//
// What hints an offer meets, and what is said about those that it does not.

#include "kit/objects/offer.hpp"

#include "log/log.hpp"
#include "refusals.hpp"
#include "sample_offer.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace {

using fi::test::easy_hints;
using fi::test::empty_hints;
using fi::test::SampleOffer;

constexpr uint32_t kNow = FI_VERSION(2, 6);
constexpr uint32_t kOld = FI_VERSION(1, 17);

/// The reasons of one decision, without the leading "refused ".
struct Decision {
    bool accepted;
    std::vector<std::string> reasons;

    bool names(const std::string& attribute) const
    {
        return std::any_of(reasons.begin(), reasons.end(),
                           [&](const std::string& one) { return one.rfind(attribute + ": ", 0) == 0; });
    }
};

Decision decide(const SampleOffer& offer, const fi_info* hints, uint32_t api = kNow)
{
    const fi::core::log::Capture capture;
    Decision out{fi::kit::acceptable(offer.provider, api, offer.info, hints), {}};
    for (const auto& line : capture.lines()) {
        EXPECT_EQ(line.provider, "sample");
        EXPECT_EQ(line.text.rfind("refused ", 0), 0U) << line.text;
        out.reasons.push_back(line.text.substr(sizeof("refused ") - 1));
    }
    EXPECT_EQ(out.accepted, out.reasons.empty());
    return out;
}

class EveryAttribute : public testing::TestWithParam<fi::test::Refusal> {};

TEST_P(EveryAttribute, IsRefusedWithItsReason)
{
    const SampleOffer offer;
    const fi::test::Refusal& row = GetParam();
    const auto hints = easy_hints(offer.info);
    ASSERT_TRUE(decide(offer, hints.get(), row.api).accepted);
    ASSERT_TRUE(row.ask(*hints, offer.info)) << "the sample has no limit here";

    const Decision decision = decide(offer, hints.get(), row.api);
    EXPECT_FALSE(decision.accepted);
    ASSERT_TRUE(decision.names(row.attribute)) << testing::PrintToString(decision.reasons);
    if (row.reason) {
        EXPECT_NE(std::find(decision.reasons.begin(), decision.reasons.end(),
                            std::string(row.attribute) + ": " + row.reason),
                  decision.reasons.end())
            << testing::PrintToString(decision.reasons);
    }
    // Without any mode at all the modes of the parts are missing too.
    if (std::string_view(row.attribute) != "mode") {
        EXPECT_EQ(decision.reasons.size(), 1U) << testing::PrintToString(decision.reasons);
    }
}

std::string attribute_name(const testing::TestParamInfo<fi::test::Refusal>& info)
{
    std::string name = info.param.attribute;
    std::replace(name.begin(), name.end(), '-', '_');
    std::replace(name.begin(), name.end(), '>', '_');
    return name;
}
INSTANTIATE_TEST_SUITE_P(Offer, EveryAttribute, testing::ValuesIn(fi::test::kRefusals), attribute_name);

TEST(Offer, NoHintsAreMetByEverything)
{
    EXPECT_TRUE(decide(SampleOffer(), nullptr).accepted);
}

TEST(Offer, HintsWithoutAttributeBlocksAskForNothing)
{
    const SampleOffer offer;
    fi_info hints{};
    hints.mode = ~0ULL;
    hints.caps = FI_MSG;
    EXPECT_TRUE(decide(offer, &hints).accepted);
}

TEST(Offer, EveryRefusingAttributeIsNamed)
{
    const SampleOffer offer;
    const auto hints = easy_hints(offer.info);
    hints->tx_attr->size = 1 << 20;
    hints->domain_attr->threading = FI_THREAD_SAFE;
    hints->domain_attr->progress = FI_PROGRESS_AUTO;
    hints->ep_attr->type = FI_EP_DGRAM;
    const Decision decision = decide(offer, hints.get());
    EXPECT_EQ(
        decision.reasons,
        (std::vector<std::string>{"domain_attr->progress: asked FI_PROGRESS_AUTO, offered FI_PROGRESS_MANUAL",
                                  "ep_attr->type: asked FI_EP_DGRAM, offered FI_EP_RDM",
                                  "tx_attr->size: asked 1048576, offered 256"}));
}

TEST(Offer, NothingIsLoggedWhileNobodyListens)
{
    const SampleOffer offer;
    const auto hints = easy_hints(offer.info);
    hints->tx_attr->size = 1 << 20;
    testing::internal::CaptureStderr();
    EXPECT_FALSE(fi::kit::acceptable(offer.provider, kNow, offer.info, hints.get()));
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Offer, C2_MembersNewerThanTheVersionAreNotRead)
{
    // The domain attributes of a 1.17 program end before max_ep_auth_key; here that is the end of the
    // readable memory.
    constexpr size_t kOldSize = offsetof(fi_domain_attr, max_ep_auth_key);
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    auto* memory = static_cast<char*>(
        mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(memory, MAP_FAILED);
    ASSERT_EQ(mprotect(memory + page, page, PROT_NONE), 0);

    const SampleOffer offer;
    fi_info hints{};
    hints.mode = ~0ULL;
    hints.caps = FI_MSG;
    hints.domain_attr = reinterpret_cast<fi_domain_attr*>(memory + page - kOldSize);
    EXPECT_TRUE(decide(offer, &hints, kOld).accepted);
    const auto entry = fi::kit::InfoPtr(fi::kit::answer(kOld, offer.info, &hints));
    EXPECT_EQ(entry->domain_attr->max_ep_auth_key, 0U);
    EXPECT_EQ(munmap(memory, 2 * page), 0);
}

TEST(Offer, C3_EachGrowthPointIsReadFromItsVersionOn)
{
    const SampleOffer offer;
    const struct {
        uint32_t since;
        void (*ask)(fi_info&);
    } kPoints[] = {
        {FI_VERSION(1, 5), [](fi_info& h) { h.domain_attr->cntr_cnt = 1 << 20; }},
        {FI_VERSION(1, 5), [](fi_info& h) { h.domain_attr->mr_cnt = 1 << 20; }},
        {FI_VERSION(1, 5), [](fi_info& h) { h.ep_attr->auth_key_size = 4; }},
        {FI_VERSION(1, 5), [](fi_info& h) { h.fabric_attr->api_version = FI_VERSION(9, 9); }},
        {FI_VERSION(1, 20), [](fi_info& h) { h.domain_attr->max_ep_auth_key = 9; }},
        {FI_VERSION(2, 0), [](fi_info& h) { h.domain_attr->max_group_id = 9; }},
        {FI_VERSION(2, 5), [](fi_info& h) { h.domain_attr->max_cntr_value = ~0ULL; }},
        {FI_VERSION(2, 5), [](fi_info& h) { h.domain_attr->max_err_cntr_value = ~0ULL; }},
    };
    for (const auto& point : kPoints) {
        const auto hints = easy_hints(offer.info);
        hints->domain_attr->mr_mode = 0;
        hints->caps = FI_MSG;
        point.ask(*hints);
        EXPECT_TRUE(decide(offer, hints.get(), point.since - 1).accepted) << FI_MINOR(point.since);
        EXPECT_FALSE(decide(offer, hints.get(), point.since).accepted) << FI_MINOR(point.since);
    }
}

TEST(Offer, C15_SizesAreMinima)
{
    const SampleOffer offer;
    const auto hints = easy_hints(offer.info);
    hints->tx_attr->size = offer.tx.size;
    hints->ep_attr->max_msg_size = offer.ep.max_msg_size;
    hints->domain_attr->mr_cnt = 1;
    EXPECT_TRUE(decide(offer, hints.get()).accepted);
}

TEST(Offer, C36_ProviderNameMayBeLayeredInEitherOrderAndExcludeOthers)
{
    const SampleOffer offer;
    for (const char* name :
         {"sample", "SAMPLE", "sample;ofi_rxm", "ofi_rxm;sample", "sample;^ofi_rxm", "^ofi_rxm"}) {
        const auto hints = easy_hints(offer.info);
        hints->fabric_attr->prov_name = strdup(name);
        EXPECT_TRUE(decide(offer, hints.get()).accepted) << name;
    }
    for (const char* name : {"samp", "sampler", "ofi_rxm", "tcp;ofi_rxm", "tcp;^sample"}) {
        const auto hints = easy_hints(offer.info);
        hints->fabric_attr->prov_name = strdup(name);
        EXPECT_EQ(decide(offer, hints.get()).reasons,
                  std::vector<std::string>{std::string("fabric_attr->prov_name: asked ") + name +
                                           ", offered sample"});
    }
}

TEST(Offer, C34_AnOpenObjectLimitsResultsToItself)
{
    SampleOffer offer;
    fid_domain open{}, other{};
    offer.domain.domain = &open;
    const auto hints = easy_hints(offer.info);
    hints->domain_attr->domain = &open;
    EXPECT_TRUE(decide(offer, hints.get()).accepted);
    hints->domain_attr->domain = &other;
    EXPECT_TRUE(decide(offer, hints.get()).names("domain_attr->domain"));
}

TEST(Offer, C47_CapabilitiesThatNeedOthersAreRefusedAlone)
{
    const SampleOffer offer;
    const struct {
        uint64_t caps;
        const char* reason;
    } kAlone[] = {
        {FI_MSG | FI_READ, "caps: asked [ FI_READ ], offered it only beside one of [ FI_RMA, FI_ATOMIC ]"},
        {FI_RMA | FI_WRITE | FI_RMA_EVENT,
         "caps: asked [ FI_RMA_EVENT ], offered it only beside one of [ FI_REMOTE_READ, FI_REMOTE_WRITE ]"},
    };
    for (const auto& row : kAlone) {
        const auto hints = easy_hints(offer.info);
        hints->caps = row.caps;
        EXPECT_EQ(decide(offer, hints.get()).reasons, std::vector<std::string>{row.reason});
        EXPECT_TRUE(decide(offer, hints.get(), kOld).accepted) << "1.17 let it pass";
    }
    const auto hints = easy_hints(offer.info);
    hints->caps = FI_RMA | FI_RMA_EVENT; // all directions are implied
    EXPECT_TRUE(decide(offer, hints.get()).accepted);
}

TEST(Offer, C58_SideCapabilitiesLieWithinThoseOfTheWhole)
{
    const SampleOffer offer;
    const auto hints = easy_hints(offer.info);
    hints->caps = FI_MSG;
    hints->tx_attr->caps = FI_MSG | FI_TAGGED;
    const Decision decision = decide(offer, hints.get());
    ASSERT_EQ(decision.reasons.size(), 1U);
    EXPECT_EQ(decision.reasons[0].rfind("tx_attr->caps: asked [ FI_TAGGED ], offered ", 0), 0U);
    EXPECT_TRUE(decide(offer, hints.get(), kOld).accepted) << "1.17 did not compare them";
}

TEST(Offer, C61_C63_ModesNotOfferedByTheApplicationAreNoWildcard)
{
    const SampleOffer offer;
    const auto hints = easy_hints(offer.info);
    hints->mode = FI_CONTEXT2;
    EXPECT_TRUE(decide(offer, hints.get()).names("mode"));
    hints->mode = FI_CONTEXT2 | FI_CONTEXT;
    EXPECT_TRUE(decide(offer, hints.get()).accepted);
}

TEST(Offer, C64_SideModesFallBackToTheWhole)
{
    const SampleOffer offer;
    const auto hints = easy_hints(offer.info);
    hints->mode = FI_CONTEXT;
    EXPECT_TRUE(decide(offer, hints.get()).accepted);
    hints->rx_attr->mode = FI_RX_CQ_DATA;
    EXPECT_TRUE(decide(offer, hints.get()).names("rx_attr->mode"));
}

TEST(Offer, C23_C25_SocketFormatsAreCompatibleByFamily)
{
    using fi::kit::format_compatible;
    for (const uint32_t family : {FI_SOCKADDR_IN, FI_SOCKADDR_IN6})
        for (const uint32_t general : {FI_FORMAT_UNSPEC, FI_SOCKADDR, FI_SOCKADDR_IP, FI_ADDR_STR})
            EXPECT_TRUE(format_compatible(general, family)) << general;
    EXPECT_FALSE(format_compatible(FI_SOCKADDR_IN6, FI_SOCKADDR_IN));
    EXPECT_FALSE(format_compatible(FI_SOCKADDR_IP, FI_SOCKADDR_IB));
    EXPECT_TRUE(format_compatible(FI_SOCKADDR, FI_SOCKADDR_IB));
    EXPECT_FALSE(format_compatible(FI_ADDR_STR, FI_SOCKADDR_IB));
    EXPECT_FALSE(format_compatible(FI_SOCKADDR, FI_ADDR_EFA));
    EXPECT_TRUE(format_compatible(FI_ADDR_EFA, FI_ADDR_EFA));
}

TEST(Offer, C71_C294_EveryThreadingModelIsServedByAThreadSafeOffer)
{
    const SampleOffer offer;
    for (const uint32_t api : {kOld, kNow})
        for (int model = FI_THREAD_UNSPEC; model <= FI_THREAD_ENDPOINT; ++model) {
            const auto hints = easy_hints(offer.info);
            hints->domain_attr->threading = static_cast<fi_threading>(model);
            EXPECT_TRUE(decide(offer, hints.get(), api).accepted) << model;
        }
}

TEST(Offer, C72_AModelThatAsksTheApplicationForMoreIsNotOffered)
{
    SampleOffer offer;
    offer.domain.threading = FI_THREAD_DOMAIN;
    const auto hints = easy_hints(offer.info);
    hints->domain_attr->threading = FI_THREAD_COMPLETION;
    EXPECT_TRUE(decide(offer, hints.get()).names("domain_attr->threading"));
    hints->domain_attr->threading = FI_THREAD_DOMAIN;
    EXPECT_TRUE(decide(offer, hints.get()).accepted);
}

TEST(Offer, C293_WhatProgramsBefore2Asked_IsStillAccepted)
{
    const SampleOffer offer;
    const auto hints = easy_hints(offer.info);
    constexpr uint64_t kStrict = 0x1ff;
    hints->tx_attr->comp_order = kStrict;
    hints->rx_attr->comp_order = kStrict;
    hints->rx_attr->total_buffered_recv = 4096;
    hints->tx_attr->tclass = FI_TC_DSCP | 5;
    EXPECT_TRUE(decide(offer, hints.get(), kOld).accepted);
    EXPECT_EQ(decide(offer, hints.get()).reasons.size(), 4U);
}

TEST(Offer, C292_UnifiedProgressIsKnownFrom2On)
{
    const SampleOffer offer;
    const auto hints = easy_hints(offer.info);
    hints->domain_attr->progress = FI_PROGRESS_CONTROL_UNIFIED;
    EXPECT_TRUE(decide(offer, hints.get()).accepted);
    EXPECT_TRUE(decide(offer, hints.get(), kOld).names("domain_attr->data_progress"));
}

TEST(Offer, C290_ABitThatChangedItsMeaningIsNotTakenForTheNewOne)
{
    SampleOffer offer;
    offer.info.caps |= FI_EXACT_DIRECTED_RECV;
    const auto hints = easy_hints(offer.info);
    hints->caps = FI_MSG | FI_EXACT_DIRECTED_RECV;
    EXPECT_TRUE(decide(offer, hints.get()).accepted);
    EXPECT_TRUE(decide(offer, hints.get(), kOld).names("caps"));
}

TEST(Offer, C79_C80_ARegistrationModeThatIsNeededHasToBeOffered)
{
    const SampleOffer offer;
    const auto hints = easy_hints(offer.info);
    hints->domain_attr->mr_mode = FI_MR_PROV_KEY;
    hints->caps = FI_RMA;
    EXPECT_EQ(
        decide(offer, hints.get()).reasons,
        std::vector<std::string>{"domain_attr->mr_mode: asked [ FI_MR_PROV_KEY ], offered [ FI_MR_VIRT_ADDR, "
                                 "FI_MR_PROV_KEY ]"});
    hints->caps = FI_MSG; // what nobody uses need not be offered
    EXPECT_TRUE(decide(offer, hints.get()).accepted);
    hints->caps = FI_RMA | FI_READ; // an initiator exposes no memory, but has to address by virtual address
    hints->domain_attr->mr_mode = FI_MR_VIRT_ADDR;
    EXPECT_TRUE(decide(offer, hints.get()).accepted);
}

TEST(Offer, C70_C81_TheOldRegistrationModesStandAlone)
{
    SampleOffer offer;
    constexpr int kBasic = 1, kScalable = 2;
    const auto hints = easy_hints(offer.info);
    hints->caps = FI_RMA;
    hints->domain_attr->mr_mode = kBasic;
    for (const uint32_t api : {FI_VERSION(1, 4), kOld, kNow})
        EXPECT_TRUE(decide(offer, hints.get(), api).accepted);
    hints->domain_attr->mr_mode = kScalable;
    EXPECT_TRUE(decide(offer, hints.get()).names("domain_attr->mr_mode"));
    hints->domain_attr->mr_mode = kBasic | FI_MR_LOCAL;
    EXPECT_TRUE(decide(offer, hints.get()).names("domain_attr->mr_mode"));

    offer.domain.mr_mode |= FI_MR_LOCAL;
    hints->domain_attr->mr_mode = kBasic;
    hints->mode = FI_CONTEXT;
    EXPECT_EQ(decide(offer, hints.get()).reasons,
              std::vector<std::string>{"mode: asked [ FI_CONTEXT ], offered [ FI_LOCAL_MR, FI_CONTEXT ]"});
    hints->mode = FI_CONTEXT | 1ULL << 55;
    EXPECT_TRUE(decide(offer, hints.get()).accepted);
}

TEST(Offer, C96_AKeyBesideFI_AV_AUTH_KEYIsRefused)
{
    SampleOffer offer;
    offer.domain.auth_key_size = FI_AV_AUTH_KEY;
    const auto hints = easy_hints(offer.info);
    hints->domain_attr->auth_key_size = FI_AV_AUTH_KEY;
    EXPECT_TRUE(decide(offer, hints.get()).accepted);
    hints->domain_attr->auth_key = static_cast<uint8_t*>(calloc(1, 4));
    EXPECT_TRUE(decide(offer, hints.get()).names("domain_attr->auth_key_size"));
}

TEST(Offer, C114_SharedContextsAreRefusedWhereThereAreNone)
{
    SampleOffer offer;
    const auto hints = easy_hints(offer.info);
    hints->ep_attr->tx_ctx_cnt = FI_SHARED_CONTEXT;
    EXPECT_TRUE(decide(offer, hints.get()).names("ep_attr->tx_ctx_cnt"));
    offer.domain.max_ep_stx_ctx = 8;
    EXPECT_TRUE(decide(offer, hints.get()).accepted);
}

TEST(Offer, C116_C117_C118_TagFormatsFitIntoTheTagOrAreRefused)
{
    const SampleOffer offer; // 56 bits
    const struct {
        uint64_t format;
        uint32_t api;
        bool fits;
    } kFormats[] = {
        {0, kNow, true},
        {FI_TAG_MPI, kNow, true},
        {FI_TAG_CCL, kNow, true},
        {3, kNow, false},
        {0xffff, kNow, false},
        {0x10000, kNow, true},
        {1ULL << 55, kNow, true},
        {1ULL << 56, kNow, false},
        {3, kOld, true},
        {1ULL << 56, kOld, false},
        {0x00f0f0f0f0f0f0f0, kOld, true},
    };
    for (const auto& row : kFormats) {
        const auto hints = easy_hints(offer.info);
        hints->ep_attr->mem_tag_format = row.format;
        EXPECT_EQ(decide(offer, hints.get(), row.api).accepted, row.fits) << std::hex << row.format;
    }
}

TEST(Offer, C119_TrafficClassesAreOfTheKindThatIsHonoured)
{
    SampleOffer offer;
    const auto hints = easy_hints(offer.info);
    hints->tx_attr->tclass = FI_TC_LOW_LATENCY;
    EXPECT_TRUE(decide(offer, hints.get()).accepted);
    hints->tx_attr->tclass = FI_TC_DSCP | 46;
    EXPECT_TRUE(decide(offer, hints.get()).names("tx_attr->tclass"));
    offer.tx.tclass |= FI_TC_DSCP;
    EXPECT_TRUE(decide(offer, hints.get()).accepted);
}

} // namespace
