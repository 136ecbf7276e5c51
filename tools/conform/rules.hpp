// SPDX-License-Identifier: BSD-2-Clause
//
// The rules by number, as docs/rules.md lists them; compiled in, because whoever runs the tool has no source
// tree.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace conform {

/// The numbers with which a check's name begins: "D95_B35_TruncationIs..." names D95 and B35.
std::vector<std::string> rules_in(std::string_view name);

/// What the rule says, with the manual pages that say it in brackets; "" if there is no such rule.
std::string_view rule_text(std::string_view number);

} // namespace conform
