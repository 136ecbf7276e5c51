// SPDX-License-Identifier: BSD-2-Clause
//
// "No data available" is the answer that costs users most time. When a query yields nothing it is made once
// more with the providers' log lines captured, and what they said is put together with what the core itself
// decided.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "discovery/filter.hpp"
#include "discovery/findings.hpp"
#include "discovery/query.hpp"
#include "loader/registry.hpp"

namespace fi::core::reasons {

/// "2.6"
[[nodiscard]] std::string version_text(uint32_t version);

/// Runs the query and returns why each provider gave nothing: those not asked, those that refused, those
/// whose entries were taken out; then names nobody has, and plugin files that were refused. Nothing reaches
/// the log. Throws std::bad_alloc.
[[nodiscard]] Findings explain(std::span<const loader::Provider> providers,
                               std::span<const loader::PluginFile> files, const Filter& filter,
                               const query::Request& request);

/// Logs explain() as one block of warnings; does nothing, and asks nobody, unless warnings are enabled.
void warn(const loader::Registry& registry, const Filter& filter, const query::Request& request);

/// Warns of names in FI_PROVIDER that no provider has, once for each value that the variable takes.
void warn_of_unknown(const Filter& filter, std::span<const loader::Provider> providers);

} // namespace fi::core::reasons
