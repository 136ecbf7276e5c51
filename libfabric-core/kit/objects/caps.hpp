// SPDX-License-Identifier: BSD-2-Clause
//
// The arithmetic of capability bits and memory registration modes (fi_getinfo.3, fi_mr.3).
//
// Both are negotiated: an application names what it needs (capabilities) and what it is ready to do for the
// provider (registration modes), and gets back what is in force. The refusing side (offer.cpp) and the
// answering side (answer.cpp) must agree on every bit, so they share these functions. All are pure.
#pragma once

#include <cstdint>
#include <rdma/fabric.h>

namespace fi::kit::caps {

inline constexpr uint64_t kModifiers =
    FI_SEND | FI_RECV | FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE;
inline constexpr uint64_t kSecondary = FI_MULTI_RECV | FI_TAGGED_MULTI_RECV | FI_SOURCE | FI_RMA_EVENT |
                                       FI_SHARED_AV | FI_TRIGGER | FI_FENCE | FI_LOCAL_COMM | FI_REMOTE_COMM |
                                       FI_SOURCE_ERR | FI_RMA_PMEM;

/// A bit (or any of several) that means something only beside one of `any_of`.
struct Dependency {
    uint64_t bits;
    uint64_t any_of;
};
inline constexpr Dependency kDependencies[] = {
    {FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE, FI_RMA | FI_ATOMIC},
    {FI_MULTICAST, FI_MSG},
    {FI_RMA_PMEM, FI_RMA},
    {FI_SOURCE_ERR, FI_SOURCE},
    {FI_RMA_EVENT, FI_REMOTE_READ | FI_REMOTE_WRITE},
};

/// Adds the directions that are implied when a class of operations is named without any.
uint64_t with_directions(uint64_t caps);

/// Removes bits whose dependency is missing.
uint64_t without_dangling(uint64_t caps);

/// What the offer can do, as an application of this API version may know it.
uint64_t offered(uint32_t api, const fi_info& offer);

/// What the hints ask for, directions included. Before 2.0 a direction without its class was let pass, so it
/// is dropped.
uint64_t asked(uint32_t api, uint64_t hint_caps);

/// The bits of fi_info caps in force (C38 to C41, C53). `hints` may be NULL.
uint64_t in_force(uint32_t api, const fi_info& offer, const fi_info* hints);

/// The part of `info_caps` that belongs to a transmit or receive context (C59, C60); a class stays only if
/// one of its directions on that side does.
uint64_t transmit_side(uint64_t info_caps);
uint64_t receive_side(uint64_t info_caps);

/// The outcome of negotiating registration modes.
struct Registration {
    bool agreed;        ///< false: the application does not offer what the provider needs
    int mr_mode;        ///< in force if agreed
    int needed;         ///< what the provider needs, for the reason of a refusal
    uint64_t info_mode; ///< FI_LOCAL_MR where FI_MR_LOCAL is asked of the application in that way, or 0: the
                        ///< mode bits must then cover it as well
};

/// `required` are the FI_MR_* bits that the provider cannot do without; BASIC and SCALABLE are not among
/// them. `caps` are the capabilities in force: a mode that no capability in use makes sense of is not
/// required. `hints` may be NULL.
Registration registration(uint32_t api, int required, uint64_t caps, const fi_info* hints);

/// FI_MR_BASIC and FI_MR_SCALABLE in terms of the single bits; what a domain works with.
int plain_mr_mode(int mr_mode);

} // namespace fi::kit::caps
