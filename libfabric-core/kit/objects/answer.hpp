// SPDX-License-Identifier: BSD-2-Clause
//
// Building the entry that an application gets back for an offer that fits its hints.
//
// Everything is allocated with plain malloc, block by block, because the entry is freed by whichever core the
// plugin was loaded into, Debian's 1.17 included.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <rdma/fabric.h>

namespace fi::kit {

/// What an answer says where the application asked for nothing and the most that the offer has would cost it
/// too much. 0 or UNSPEC: the offer's own value.
struct Unasked {
    size_t tx_size = 0; ///< entries of a transmit queue
    size_t rx_size = 0; ///< entries of a receive queue
    fi_progress progress =
        FI_PROGRESS_UNSPEC; ///< e.g. manual, where the offer's automatic progress costs a thread
};

/// One entry for the application, with everything that was negotiated filled in; `next` is NULL. The caller
/// owns it.
///
/// `offer` as in acceptable(), which must have said yes to the same arguments. tx and rx capabilities are
/// derived from the capabilities in force. Addresses of the offer are socket addresses and come out in the
/// format that the hints name (FI_ADDR_STR as text); FI_SOCKADDR and FI_SOCKADDR_IP become the format of the
/// offer. prov_name stays NULL: the core writes the (layered) name. Members newer than `api` stay 0. The
/// offer's nic is duplicated through its own FI_DUP, or left out where it has none.
///
/// Throws std::bad_alloc, leaving nothing behind. Any thread.
[[nodiscard]] fi_info* answer(uint32_t api, const fi_info& offer, const fi_info* hints,
                              const Unasked& unasked = {});

/// An independent copy of one entry (of API version `api`), `next` NULL, handle and object pointers as they
/// are. Throws std::bad_alloc.
[[nodiscard]] fi_info* copy_info(uint32_t api, const fi_info& info);

/// Frees a list of entries; NULL is fine.
void free_info(fi_info* info) noexcept;

struct FreeInfo {
    void operator()(fi_info* info) const noexcept { free_info(info); }
};
using InfoPtr = std::unique_ptr<fi_info, FreeInfo>;

} // namespace fi::kit
