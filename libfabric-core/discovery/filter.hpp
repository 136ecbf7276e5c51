// SPDX-License-Identifier: BSD-2-Clause
//
// FI_PROVIDER: the user's list of providers to use, or with a leading '^' not to use. It is read again at
// every query, because a process may hold two libraries that each set it for themselves.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "loader/registry.hpp"

namespace fi::core {

class Filter {
  public:
    /// The filter that holds now: environment, else configuration file.
    [[nodiscard]] static Filter current();

    /// No text: everything passes. An empty text is a list of one empty name, which no provider has.
    explicit Filter(std::optional<std::string> text = std::nullopt);

    /// Whether this provider is not to be asked. A list of allowed names hides core providers only, so that
    /// the utility providers that may stand on an allowed one are still asked.
    [[nodiscard]] bool hides(const loader::Provider& provider) const;

    /// Whether an entry with this (perhaps layered) prov_name is to be taken out of an answer.
    [[nodiscard]] bool drops(std::string_view prov_name) const;

    /// Listed names that no registered provider has; of layered ones, the parts.
    [[nodiscard]] std::vector<std::string_view> unknown(std::span<const loader::Provider> providers) const;

    /// The text as given, empty when unset.
    [[nodiscard]] std::string text() const { return text_.value_or(""); }

    /// Whether FI_PROVIDER is set at all.
    [[nodiscard]] bool given() const { return text_.has_value(); }

  private:
    [[nodiscard]] std::vector<std::string_view> names() const;
    [[nodiscard]] bool negated() const { return text_ && text_->starts_with('^'); }

    std::optional<std::string> text_;
};

} // namespace fi::core
