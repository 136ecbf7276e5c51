// SPDX-License-Identifier: BSD-2-Clause
//
// What fi_getinfo() answers: nothing that was not asked for, all that was, and nothing at all rather than
// less.
#include "check.hpp"

#include <limits>

namespace conform {
namespace {

constexpr std::uint64_t kPrimary = FI_MSG | FI_RMA | FI_TAGGED | FI_ATOMIC | FI_MULTICAST | FI_NAMED_RX_CTX |
                                   FI_DIRECTED_RECV | FI_TAGGED_DIRECTED_RECV | FI_HMEM | FI_COLLECTIVE |
                                   FI_AV_USER_ID | FI_PEER; ///< C42
constexpr std::uint64_t kSecondary = FI_MULTI_RECV | FI_TAGGED_MULTI_RECV | FI_SOURCE | FI_RMA_EVENT |
                                     FI_SHARED_AV | FI_TRIGGER | FI_FENCE | FI_LOCAL_COMM | FI_REMOTE_COMM |
                                     FI_SOURCE_ERR | FI_RMA_PMEM; ///< C43
constexpr std::uint64_t kTransmit = FI_MSG | FI_RMA | FI_TAGGED | FI_ATOMIC | FI_READ | FI_WRITE | FI_SEND |
                                    FI_HMEM | FI_TRIGGER | FI_FENCE | FI_MULTICAST | FI_RMA_PMEM |
                                    FI_NAMED_RX_CTX | FI_COLLECTIVE; ///< C59
constexpr std::uint64_t kReceive =
    FI_MSG | FI_RMA | FI_TAGGED | FI_ATOMIC | FI_REMOTE_READ | FI_REMOTE_WRITE | FI_RECV | FI_HMEM |
    FI_TRIGGER | FI_RMA_PMEM | FI_DIRECTED_RECV | FI_TAGGED_DIRECTED_RECV | FI_MULTI_RECV |
    FI_TAGGED_MULTI_RECV | FI_SOURCE | FI_SOURCE_ERR | FI_RMA_EVENT | FI_COLLECTIVE; ///< C60

const fi_ep_type kTypes[] = {FI_EP_RDM, FI_EP_MSG, FI_EP_DGRAM};

/// Calls f(entry) for each entry that the provider lists without being asked for anything.
void for_each_claim(const std::function<void(const fi_info&)>& f)
{
    for (const fi_ep_type type : kTypes) {
        const Info list = claims(type);
        for (const fi_info* entry = list.get(); entry; entry = entry->next)
            f(*entry);
    }
}

/// Calls f(bit) for each bit.
void for_each_bit(std::uint64_t bits, const std::function<void(std::uint64_t)>& f)
{
    for (; bits; bits &= bits - 1)
        f(bits & -bits);
}

/// Hints that only a claim's own type of endpoint meets, all modes offered.
Info hints_like(const fi_info& claim, std::uint64_t caps)
{
    Info hints = blank_hints();
    hints->ep_attr->type = claim.ep_attr->type;
    hints->caps = caps;
    hints->mode = claim.mode;
    hints->domain_attr->mode = claim.domain_attr->mode;
    hints->domain_attr->mr_mode = claim.domain_attr->mr_mode;
    return hints;
}

/// A primary capability that the secondary one or the modifier goes with.
std::uint64_t base_of(std::uint64_t bit, std::uint64_t claimed)
{
    if (bit & (FI_RMA_EVENT | FI_RMA_PMEM))
        return FI_RMA;
    if (bit & FI_TAGGED_MULTI_RECV)
        return FI_TAGGED;
    if (bit & FI_SOURCE_ERR)
        return FI_SOURCE | (claimed & FI_MSG ? FI_MSG : FI_TAGGED);
    return claimed & FI_MSG ? FI_MSG : claimed & FI_TAGGED ? FI_TAGGED : FI_RMA;
}

CHECK(C9_AnEntryCarriesTheApiVersionThatWasAskedFor)
{
    for (const std::uint32_t api : {FI_VERSION(1, 17), FI_VERSION(2, 0), kApi}) {
        const Info hints = blank_hints();
        const Info found = query(hints.get(), api);
        for (const fi_info* entry = found.get(); entry; entry = entry->next)
            EXPECT_EQ(entry->fabric_attr->api_version, api);
    }
}

CHECK(C14_AQueryWithoutHintsListsTheProviderToo)
{
    const Info all = query(nullptr);
    bool listed = false;
    for (const fi_info* entry = all.get(); entry; entry = entry->next)
        listed |= provider_name() == entry->fabric_attr->prov_name;
    EXPECT_TRUE(listed);
}

CHECK(C29_AskedForProvidersAloneItIsListedOnce)
{
    const Info hints = blank_hints();
    const Info found = query(hints.get(), kApi, FI_PROV_ATTR_ONLY);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->fabric_attr->prov_name, provider_name());
    EXPECT_EQ(found->next, nullptr);
}

CHECK(C20_ASourceWithoutNodeAndServiceIsAnError)
{
    const Info hints = blank_hints();
    fi_info* found = nullptr;
    EXPECT_REFUSED(fi_getinfo(kApi, nullptr, nullptr, FI_SOURCE, hints.get(), &found));
}

CHECK(C38_APrimaryCapabilityIsOnOnlyIfAskedFor)
{
    for_each_claim([](const fi_info& claim) {
        for_each_bit(claim.caps & (FI_MSG | FI_TAGGED | FI_RMA | FI_ATOMIC), [&](std::uint64_t bit) {
            const Info hints = hints_like(claim, bit);
            const Info found = query(hints.get());
            ASSERT_TRUE(found) << "C13: " << names_of(bit, FI_TYPE_CAPS) << " is claimed";
            for (const fi_info* entry = found.get(); entry; entry = entry->next)
                EXPECT_EQ(names_of(entry->caps & kPrimary & ~bit, FI_TYPE_CAPS), "none")
                    << "asked for " << names_of(bit, FI_TYPE_CAPS) << " alone";
        });
    });
}

CHECK(C39_ASecondaryCapabilityThatIsAskedForIsDelivered)
{
    for_each_claim([](const fi_info& claim) {
        for_each_bit(claim.caps & kSecondary, [&](std::uint64_t bit) {
            const Info hints = hints_like(claim, bit | base_of(bit, claim.caps));
            const Info found = query(hints.get());
            EXPECT_TRUE(found) << names_of(bit, FI_TYPE_CAPS) << " is claimed";
            for (const fi_info* entry = found.get(); entry; entry = entry->next)
                EXPECT_TRUE(entry->caps & bit) << names_of(bit, FI_TYPE_CAPS);
        });
    });
}

CHECK(C41_C58_C59_C60_TheCapabilitiesOfADirectionLieWithinThoseOfTheEntry)
{
    for_each_claim([](const fi_info& claim) {
        EXPECT_EQ(names_of(claim.tx_attr->caps & ~(claim.caps & kTransmit), FI_TYPE_CAPS), "none")
            << "transmit";
        EXPECT_EQ(names_of(claim.rx_attr->caps & ~(claim.caps & kReceive), FI_TYPE_CAPS), "none")
            << "receive";
    });
}

CHECK(C61_C62_C63_C64_NoModeIsSetThatWasNotOffered)
{
    for (const fi_ep_type type : kTypes) {
        const Info hints = blank_hints();
        hints->ep_attr->type = type;
        const Info found = query(hints.get());
        for (const fi_info* entry = found.get(); entry; entry = entry->next) {
            EXPECT_EQ(names_of(entry->mode, FI_TYPE_MODE), "none");
            EXPECT_EQ(names_of(entry->tx_attr->mode, FI_TYPE_MODE), "none") << "transmit";
            EXPECT_EQ(names_of(entry->rx_attr->mode, FI_TYPE_MODE), "none") << "receive";
            EXPECT_EQ(names_of(entry->domain_attr->mode, FI_TYPE_MODE), "none") << "domain";
        }
    }
}

CHECK(C79_C80_NoModeOfRegistrationIsSetThatWasNotOffered)
{
    for (const fi_ep_type type : kTypes) {
        const Info hints = blank_hints();
        hints->ep_attr->type = type;
        hints->mode = hints->domain_attr->mode = ~0ull;
        const Info found = query(hints.get());
        for (const fi_info* entry = found.get(); entry; entry = entry->next)
            EXPECT_EQ(names_of(static_cast<unsigned>(entry->domain_attr->mr_mode), FI_TYPE_MR_MODE), "none");
    }
}

CHECK(C71_ThreadSafetyIsAlwaysToBeHad)
{
    for_each_claim([](const fi_info& claim) {
        const Info hints = hints_like(claim, 0);
        hints->domain_attr->threading = FI_THREAD_SAFE;
        const Info found = query(hints.get());
        ASSERT_TRUE(found);
        for (const fi_info* entry = found.get(); entry; entry = entry->next)
            EXPECT_EQ(entry->domain_attr->threading, FI_THREAD_SAFE) << "C72: nothing that demands more";
    });
}

CHECK(C72_AModelThatPromisesMoreThanItNeedsIsServed)
{
    for_each_claim([](const fi_info& claim) {
        const Info hints = hints_like(claim, 0);
        hints->domain_attr->threading = FI_THREAD_DOMAIN;
        EXPECT_TRUE(query(hints.get()));
        hints->domain_attr->threading = FI_THREAD_COMPLETION;
        const Info found = query(hints.get());
        ASSERT_TRUE(found);
        for (const fi_info* entry = found.get(); entry; entry = entry->next)
            EXPECT_NE(entry->domain_attr->threading, FI_THREAD_DOMAIN);
    });
}

struct Limit {
    const char* name;
    std::size_t& (*of)(fi_info&);
};
const Limit kLimits[] = {
    {"tx_attr->size", [](fi_info& i) -> std::size_t& { return i.tx_attr->size; }},
    {"tx_attr->inject_size", [](fi_info& i) -> std::size_t& { return i.tx_attr->inject_size; }},
    {"tx_attr->iov_limit", [](fi_info& i) -> std::size_t& { return i.tx_attr->iov_limit; }},
    {"tx_attr->rma_iov_limit", [](fi_info& i) -> std::size_t& { return i.tx_attr->rma_iov_limit; }},
    {"rx_attr->size", [](fi_info& i) -> std::size_t& { return i.rx_attr->size; }},
    {"rx_attr->iov_limit", [](fi_info& i) -> std::size_t& { return i.rx_attr->iov_limit; }},
    {"ep_attr->max_msg_size", [](fi_info& i) -> std::size_t& { return i.ep_attr->max_msg_size; }},
    {"ep_attr->tx_ctx_cnt", [](fi_info& i) -> std::size_t& { return i.ep_attr->tx_ctx_cnt; }},
    {"ep_attr->rx_ctx_cnt", [](fi_info& i) -> std::size_t& { return i.ep_attr->rx_ctx_cnt; }},
    {"domain_attr->cq_data_size", [](fi_info& i) -> std::size_t& { return i.domain_attr->cq_data_size; }},
};

CHECK(C12_C13_C15_ALimitThatIsAskedForIsMetOrNothingIsFound)
{
    for_each_claim([](const fi_info& claim) {
        for (const Limit& limit : kLimits) {
            const std::size_t offered = limit.of(const_cast<fi_info&>(claim));
            // An entry may offer more when it is asked: what cannot be met is what nobody has.
            for (const std::size_t asked : {offered, std::numeric_limits<std::size_t>::max() / 2}) {
                const Info hints = hints_like(claim, 0);
                limit.of(*hints) = asked;
                const Info found = query(hints.get());
                EXPECT_TRUE(found || asked != offered) << limit.name << ": " << offered << " was offered";
                for (fi_info* entry = found.get(); entry; entry = entry->next)
                    EXPECT_GE(limit.of(*entry), asked) << limit.name;
            }
        }
    });
}

CHECK(C13_ACapabilityThatIsNotClaimedIsNotGiven)
{
    for (const fi_ep_type type : kTypes) {
        const Info list = claims(type);
        for_each_bit((kPrimary | kSecondary) & ~(FI_SOURCE_ERR | FI_RMA_PMEM), [&](std::uint64_t bit) {
            if (claimed(list.get(), bit))
                return;
            const Info hints = blank_hints();
            hints->ep_attr->type = type;
            hints->caps = bit | (bit & kSecondary ? base_of(bit, list ? list->caps : FI_MSG) : 0);
            hints->mode = hints->domain_attr->mode = ~0ull;
            hints->domain_attr->mr_mode = ~(FI_MR_BASIC | FI_MR_SCALABLE);
            EXPECT_FALSE(query(hints.get())) << names_of(bit, FI_TYPE_CAPS) << " is not claimed";
        });
    }
}

CHECK(C22_AnAddressHasALengthAndALengthAnAddress)
{
    for_each_claim([](const fi_info& claim) {
        EXPECT_EQ(claim.src_addr != nullptr, claim.src_addrlen != 0);
        EXPECT_EQ(claim.dest_addr != nullptr, claim.dest_addrlen != 0);
    });
}

CHECK(C23_TheFormatOfAddressesThatIsAskedForIsTheFormatGiven)
{
    for_each_claim([](const fi_info& claim) {
        const Info hints = hints_like(claim, 0);
        hints->addr_format = claim.addr_format;
        const Info found = query(hints.get());
        ASSERT_TRUE(found);
        for (const fi_info* entry = found.get(); entry; entry = entry->next)
            EXPECT_EQ(entry->addr_format, claim.addr_format);
    });
}

CHECK(C67_ThereIsNoPrefixWithoutItsMode)
{
    for_each_claim([](const fi_info& claim) {
        if (claim.mode & FI_MSG_PREFIX)
            EXPECT_EQ(claim.ep_attr->msg_prefix_size % 8, 0u);
        else
            EXPECT_EQ(claim.ep_attr->msg_prefix_size, 0u);
    });
}

CHECK(C89_AnEntryForOneTypeOfAddressVectorIsOfThatType)
{
    for_each_claim([](const fi_info& claim) {
        for (const fi_av_type type : {FI_AV_TABLE, FI_AV_MAP}) {
            const Info hints = hints_like(claim, 0);
            hints->domain_attr->av_type = type;
            const Info found = query(hints.get());
            for (const fi_info* entry = found.get(); entry; entry = entry->next)
                EXPECT_TRUE(entry->domain_attr->av_type == type ||
                            entry->domain_attr->av_type == FI_AV_UNSPEC);
        }
    });
}

CHECK(C91_RemoteDataHasNoBytesOrAtLeastFour)
{
    for_each_claim([](const fi_info& claim) {
        EXPECT_TRUE(claim.domain_attr->cq_data_size == 0 || claim.domain_attr->cq_data_size >= 4)
            << claim.domain_attr->cq_data_size;
    });
}

CHECK(C101_OnlyTheTypeOfEndpointThatIsAskedForIsListed)
{
    for (const fi_ep_type type : kTypes) {
        const Info list = claims(type);
        for (const fi_info* entry = list.get(); entry; entry = entry->next)
            EXPECT_EQ(entry->ep_attr->type, type);
    }
}

CHECK(C104_AnOrderThatIsAskedForIsGiven)
{
    for_each_claim([](const fi_info& claim) {
        const Info hints = hints_like(claim, 0);
        hints->tx_attr->msg_order = claim.tx_attr->msg_order;
        hints->rx_attr->msg_order = claim.rx_attr->msg_order;
        const Info found = query(hints.get());
        ASSERT_TRUE(found);
        for (const fi_info* entry = found.get(); entry; entry = entry->next) {
            EXPECT_EQ(claim.tx_attr->msg_order & ~entry->tx_attr->msg_order, 0u);
            EXPECT_EQ(claim.rx_attr->msg_order & ~entry->rx_attr->msg_order, 0u);
        }
    });
}

} // namespace
} // namespace conform
