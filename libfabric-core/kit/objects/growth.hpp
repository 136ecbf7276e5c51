// SPDX-License-Identifier: BSD-2-Clause
//
// Which members and bits an application of an older API version can know.
//
// The attribute structs only ever grew at their ends, and the version that a query names says how much of
// them exists: the hints of a 1.17 program end before max_ep_auth_key, so reading that member is reading
// somebody else's memory. What is newer than the version asked for is neither read from hints nor written
// into answers.
#pragma once

#include <cstdint>
#include <rdma/fabric.h>

namespace fi::kit::growth {

inline constexpr uint32_t kDomainLimits =
    FI_VERSION(1, 5);                              ///< domain_attr.cntr_cnt to mr_cnt, ep_attr.auth_key*
inline constexpr uint32_t kNic = FI_VERSION(1, 7); ///< fi_info.nic
inline constexpr uint32_t kTrafficClass = FI_VERSION(1, 9); ///< tx_attr.tclass, domain_attr.tclass
inline constexpr uint32_t kAvAuthKey = FI_VERSION(1, 20);   ///< domain_attr.max_ep_auth_key, FI_AV_AUTH_KEY
inline constexpr uint32_t kGroups = FI_VERSION(2, 0);       ///< domain_attr.max_group_id
inline constexpr uint32_t kCounterLimits =
    FI_VERSION(2, 5); ///< domain_attr.max_cntr_value, max_err_cntr_value

/// From here on comp_order and total_buffered_recv mean nothing, there is one progress model instead of two,
/// and the capability bits below exist.
inline constexpr uint32_t kSecondEdition = FI_VERSION(2, 0);

/// ep_attr.mem_tag_format of 64 free bits before the second edition: a format is fields of alternating value,
/// and 0 would say that no bit is free (C118). Since then it is 0, FI_TAG_BITS.
inline constexpr uint64_t kEveryTagBit = 0xAAAA'AAAA'AAAA'AAAA;

/// Bit 48 was another capability (FI_VARIABLE_MSG) before 2.0, and the other two had no meaning.
inline constexpr uint64_t kSecondEditionCaps =
    FI_TAGGED_DIRECTED_RECV | FI_TAGGED_MULTI_RECV | FI_EXACT_DIRECTED_RECV;

/// The capability bits that a domain's attributes could hold before 2.0.
inline constexpr uint64_t kFirstEditionDomainCaps = FI_LOCAL_COMM | FI_REMOTE_COMM | FI_SHARED_AV;

/// The deprecated registration modes and orders by value: their macros warn wherever they are used.
inline constexpr int kMrBasic = 1 << 0;
inline constexpr int kMrScalable = 1 << 1;
inline constexpr uint64_t kLocalMr = 1ULL << 55;
inline constexpr uint64_t kOrderStrict = 0x1ff;

} // namespace fi::kit::growth
