// SPDX-License-Identifier: BSD-2-Clause
//
// struct fi_info belongs to the application once it has been returned, and it has grown four times. A program
// built against an older header hands in structures that end earlier than ours; the symbol version it is
// bound to tells how much of them exists. Everything is copied at that size into blocks of today's size, and
// from then on only one layout is alive in the library.
#pragma once

#include <cstddef>
#include <memory>

#include <rdma/fabric.h>

namespace fi::core::info {

/// Bytes of each structure that a caller bound to some symbol version has: what may be read, and no more.
struct Layout {
    size_t info, tx_attr, rx_attr, ep_attr, domain_attr, fabric_attr;
};

// fabric_attr of FABRIC_1.0 ends in four bytes of padding, where api_version appeared later: padding is not
// read.
inline constexpr Layout kLayout1_0{112, 72, 64, 80, 120, 28};
inline constexpr Layout kLayout1_1{112, 72, 64, 96, 184, 32};
inline constexpr Layout kLayout1_2{120, 72, 64, 96, 184, 32};
inline constexpr Layout kLayout1_3{120, 80, 64, 96, 192, 32};
inline constexpr Layout kLayout1_7{120, 80, 64, 96, 200, 32};
inline constexpr Layout kLayout1_8{120, 80, 64, 96, 208, 32};
inline constexpr Layout kLayout1_9{sizeof(fi_info),    sizeof(fi_tx_attr),     sizeof(fi_rx_attr),
                                   sizeof(fi_ep_attr), sizeof(fi_domain_attr), sizeof(fi_fabric_attr)};

static_assert(kLayout1_9.info == 120 && kLayout1_9.tx_attr == 80 && kLayout1_9.rx_attr == 64);
static_assert(kLayout1_9.ep_attr == 96 && kLayout1_9.domain_attr == 224 && kLayout1_9.fabric_attr == 32);

/// A zeroed entry of today's layout with its five attribute blocks attached (fi_getinfo(3), fi_allocinfo).
/// NULL when memory is short. The caller frees it with release().
[[nodiscard]] fi_info* allocate() noexcept;

/// A deep copy of one entry (not of the list behind it) whose structures have the sizes of `from`. What the
/// older caller does not have is zero in the copy. Addresses, keys and names are duplicated; handle and the
/// domain and fabric pointers are references and stay shared; nic is duplicated by its owner (FI_DUP), and
/// shared where the owner does not implement that. NULL when memory is short or the owner of nic fails. Freed
/// with release().
[[nodiscard]] fi_info* duplicate(const fi_info& from, const Layout& layout) noexcept;

/// Frees a whole list; NULL is fine.
void release(fi_info* list) noexcept;

/// Frees a copy made by duplicate() that the library made for itself only: a nic that the copy merely shares
/// with the caller's `original` stays open.
void release_temporary(fi_info* copy, const fi_info& original, const Layout& layout) noexcept;

struct Release {
    void operator()(fi_info* list) const noexcept { release(list); }
};
using Owned = std::unique_ptr<fi_info, Release>;

} // namespace fi::core::info
