// SPDX-License-Identifier: BSD-2-Clause
//
// Capability and registration-mode arithmetic.

#include "kit/objects/caps.hpp"

#include "kit/objects/growth.hpp"

namespace fi::kit::caps {
namespace {

using growth::kMrBasic;
using growth::kMrScalable;

constexpr uint64_t kMessages = FI_MSG | FI_TAGGED;
constexpr uint64_t kMemory = FI_RMA | FI_ATOMIC;
constexpr uint64_t kTarget = FI_REMOTE_READ | FI_REMOTE_WRITE;
constexpr uint64_t kMemoryRoles = FI_READ | FI_WRITE | kTarget;
constexpr uint64_t kNeutral = FI_HMEM | FI_TRIGGER | FI_RMA_PMEM | FI_COLLECTIVE;
constexpr int kBasicBits = FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;

/// Secondary capabilities that nobody pays for. Reporting a source or a remote write costs work per message.
constexpr uint64_t kFree = kSecondary & ~(FI_SOURCE | FI_SOURCE_ERR | FI_RMA_EVENT | FI_RMA_PMEM);

/// The required modes that these capabilities give a meaning to.
int meaningful(int required, uint64_t caps)
{
    int out = required;
    if (!(caps & kMemory))
        out &= ~(FI_MR_VIRT_ADDR | FI_MR_RAW);
    if (!(caps & kTarget)) {
        out &= ~(FI_MR_PROV_KEY | FI_MR_RMA_EVENT);
        if (!(required & FI_MR_LOCAL))
            out &= ~(FI_MR_ALLOCATED | FI_MR_MMU_NOTIFY | FI_MR_ENDPOINT);
    }
    if (!(caps & FI_RMA_EVENT))
        out &= ~FI_MR_RMA_EVENT;
    if (!(caps & FI_HMEM))
        out &= ~FI_MR_HMEM;
    if (!(caps & FI_COLLECTIVE))
        out &= ~FI_MR_COLLECTIVE;
    return out;
}

/// The rules of API versions before 1.5, and of the two old modes for ever: all or nothing, FI_LOCAL_MR
/// beside them.
Registration old_style(int needed, int asked)
{
    const int remote = needed & ~FI_MR_LOCAL;
    const bool local = (needed & FI_MR_LOCAL) != 0;
    const bool basic_ok = (remote & ~kBasicBits) == 0;
    Registration out{};
    out.needed = needed;
    out.info_mode = local ? growth::kLocalMr : 0;
    if (asked == 0)
        out.mr_mode = remote ? kMrBasic : kMrScalable;
    else
        out.mr_mode = asked;
    out.agreed = out.mr_mode == kMrBasic ? basic_ok : out.mr_mode == kMrScalable && remote == 0;
    return out;
}

/// What is left of the capabilities with which an application that named none can live with its registration
/// modes.
uint64_t workable(uint32_t api, const fi_info& offer, uint64_t caps, const fi_info& hints)
{
    const int required = offer.domain_attr->mr_mode;
    constexpr uint64_t kGiveUp[] = {FI_HMEM, FI_COLLECTIVE, FI_RMA_EVENT | kTarget,
                                    kMemory | kMemoryRoles | FI_RMA_PMEM};
    for (const uint64_t part : kGiveUp) {
        if (registration(api, required, caps, &hints).agreed)
            break;
        // Give up only what helps: a bit that the registration does not hang on stays.
        if (meaningful(required, caps & ~part) != meaningful(required, caps))
            caps &= ~part;
    }
    return caps;
}

} // namespace

uint64_t with_directions(uint64_t caps)
{
    if ((caps & kMessages) && !(caps & (FI_SEND | FI_RECV)))
        caps |= FI_SEND | FI_RECV;
    if ((caps & kMemory) && !(caps & kMemoryRoles))
        caps |= kMemoryRoles;
    return caps;
}

uint64_t without_dangling(uint64_t caps)
{
    for (const Dependency& rule : kDependencies)
        if (!(caps & rule.any_of))
            caps &= ~rule.bits;
    return caps;
}

uint64_t offered(uint32_t api, const fi_info& offer)
{
    const uint64_t all = with_directions(offer.caps);
    return api < growth::kSecondEdition ? all & ~growth::kSecondEditionCaps : all;
}

uint64_t asked(uint32_t api, uint64_t hint_caps)
{
    const uint64_t all = with_directions(hint_caps);
    return api < growth::kSecondEdition ? without_dangling(all) : all;
}

uint64_t in_force(uint32_t api, const fi_info& offer, const fi_info* hints)
{
    const uint64_t all = offered(api, offer);
    if (!hints)
        return all;
    if (!hints->caps)
        return workable(api, offer, all, *hints);
    const uint64_t wanted = asked(api, hints->caps);
    uint64_t gifts = all & kFree;
    if (!(wanted & FI_MSG))
        gifts &= ~FI_MULTI_RECV;
    if (!(wanted & FI_TAGGED))
        gifts &= ~FI_TAGGED_MULTI_RECV;
    if (!(wanted & FI_RECV))
        gifts &= ~(FI_MULTI_RECV | FI_TAGGED_MULTI_RECV);
    return wanted | gifts;
}

uint64_t transmit_side(uint64_t info_caps)
{
    uint64_t out = info_caps & (FI_SEND | FI_READ | FI_WRITE | FI_FENCE | FI_NAMED_RX_CTX | kNeutral);
    if (info_caps & FI_SEND)
        out |= info_caps & (kMessages | FI_MULTICAST);
    if (info_caps & (FI_READ | FI_WRITE))
        out |= info_caps & kMemory;
    return out;
}

uint64_t receive_side(uint64_t info_caps)
{
    uint64_t out = info_caps & (FI_RECV | kTarget | FI_RMA_EVENT | kNeutral);
    if (info_caps & FI_RECV)
        out |= info_caps & (kMessages | FI_DIRECTED_RECV | FI_TAGGED_DIRECTED_RECV | FI_EXACT_DIRECTED_RECV |
                            FI_MULTI_RECV | FI_TAGGED_MULTI_RECV | FI_SOURCE | FI_SOURCE_ERR);
    if (info_caps & kTarget)
        out |= info_caps & kMemory;
    return out;
}

Registration registration(uint32_t api, int required, uint64_t caps, const fi_info* hints)
{
    const int needed = meaningful(required, caps);
    const bool single_bits = api >= growth::kDomainLimits;
    if (!hints)
        return single_bits ? Registration{true, needed, needed, 0} : old_style(needed, 0);

    const int asked = hints->domain_attr ? hints->domain_attr->mr_mode : 0;
    if (!single_bits || asked == kMrBasic || asked == kMrScalable)
        return old_style(needed, asked);
    const bool mixed = (asked & (kMrBasic | kMrScalable)) != 0;
    return {!mixed && (needed & ~asked) == 0, needed, needed, 0};
}

int plain_mr_mode(int mr_mode)
{
    if (mr_mode == kMrBasic)
        return kBasicBits;
    return mr_mode == kMrScalable ? 0 : mr_mode;
}

} // namespace fi::kit::caps
