// SPDX-License-Identifier: BSD-2-Clause
//
// Provider names. A utility provider puts itself on top of a core provider and both names appear in
// prov_name, lowest first ("tcp;ofi_rxm"). What an application (or a utility provider that looks for
// something to stand on) writes into hints->fabric_attr->prov_name decides who is asked at all.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "loader/registry.hpp"

namespace fi::core::layering {

inline constexpr char kDelimiter = ';';

// Flag bits above the public ones, by which a utility provider marks the queries that it makes for its lower
// layer.
inline constexpr uint64_t kInternal = 1ULL << 58;   ///< the answer is not for an application
inline constexpr uint64_t kCoreOnly = 1ULL << 59;   ///< ask core providers only
inline constexpr uint64_t kHiddenToo = 1ULL << 60;  ///< ask hidden and inactive providers as well
inline constexpr uint64_t kOffloadToo = 1ULL << 61; ///< ask offload providers as well

/// Names are equal when they have the same letters, in upper or lower case.
[[nodiscard]] bool same_name(std::string_view a, std::string_view b);

/// The pieces between delimiters; an empty text is one empty piece.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char delimiter);

/// The topmost provider of a layered name: the part after the last ';'.
[[nodiscard]] std::string_view top(std::string_view prov_name);

/// A prov_name hint, taken apart. Views into the hint's text, which has to outlive this.
class Hint {
  public:
    /// NULL: no hint.
    explicit Hint(const char* prov_name);

    /// Whether `provider` is asked under this hint and these flags. `providers` is the whole list, because a
    /// utility provider stays away from a named provider that wants nothing on top of it.
    [[nodiscard]] bool admits(const loader::Provider& provider, uint64_t flags,
                              std::span<const loader::Provider> providers) const;

    /// The names given, without those excluded by "^name" at the end.
    [[nodiscard]] std::span<const std::string_view> names() const { return names_; }

  private:
    std::vector<std::string_view> names_;
    std::vector<std::string_view> excluded_;
};

} // namespace fi::core::layering
