// SPDX-License-Identifier: BSD-2-Clause
//
// Why a query came out as it did, while it is being found out. Providers explain themselves in their log
// only; the provider kit writes a refusal in one form that can be taken apart, a stranger's line is kept as
// it is.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "log/log.hpp"

namespace fi::core {

struct Finding {
    std::string provider;  ///< perhaps layered; never empty
    std::string attribute; ///< the refusing member of fi_info; empty when not known
    std::string text;

    friend bool operator==(const Finding&, const Finding&) = default;
};
using Findings = std::vector<Finding>;

/// What one log line of a provider says: "refused <attribute>: <text>" taken apart, anything else as text.
[[nodiscard]] Finding read_line(std::string_view provider, std::string_view line);

/// What the lines logged while `provider` was asked say. Lines of a provider that it asked in turn are
/// reported under the layered name; the core's own are left out, and so is a line that was seen already.
void collect(std::string_view provider, std::span<const log::Line> lines, Findings& findings);

/// Adds `finding` unless it is there already: a provider looks at many devices and says the same about each.
void add_once(Findings& findings, Finding finding);

} // namespace fi::core
