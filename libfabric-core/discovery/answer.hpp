// SPDX-License-Identifier: BSD-2-Clause
//
// What happens to providers' entries on their way to the caller: they are signed with the provider's name and
// version, taken out where the user or the hints name others, and put in order.
#pragma once

#include <vector>

#include "api/info.hpp"
#include "discovery/filter.hpp"
#include "discovery/findings.hpp"
#include "loader/registry.hpp"

namespace fi::core::query {

using Answer = std::vector<info::Owned>;

/// Writes prov_name, prov_version and api_version, whatever the provider put there. A provider that left a
/// lower layer's name in prov_name is appended to it. Needs fabric_attr. Throws std::bad_alloc.
void sign(fi_info& entry, const loader::Provider& provider, uint32_t api_version);

/// For applications: FI_PROVIDER on full names, the hints' domain and fabric names, and the order of tcp's
/// entries. With `findings`, names that lost all their entries are recorded.
void shape(Answer& answer, const Filter& filter, const fi_info* hints, Findings* findings);

/// The entries as the linked list that the API returns; NULL for none. The caller owns it.
[[nodiscard]] fi_info* link(Answer answer) noexcept;

} // namespace fi::core::query
