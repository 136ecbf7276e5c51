// SPDX-License-Identifier: BSD-2-Clause
// The names that fi_info's options accept, by the value each stands for.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace fi::tools::info {

// Each takes one name in any case; nullopt for a name that it does not know.
[[nodiscard]] std::optional<std::uint64_t> capability(std::string_view name);
[[nodiscard]] std::optional<std::uint64_t> mode_bit(std::string_view name);
[[nodiscard]] std::optional<std::uint64_t> endpoint_type(std::string_view name);
[[nodiscard]] std::optional<std::uint64_t> address_format(std::string_view name);

// True when text contains part, ASCII letters compared without case; the empty part is in every text.
[[nodiscard]] bool contains_any_case(std::string_view text, std::string_view part);
[[nodiscard]] bool equal_any_case(std::string_view left, std::string_view right);

} // namespace fi::tools::info
