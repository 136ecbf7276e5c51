// SPDX-License-Identifier: BSD-2-Clause
// Text from parts, by fmt. Its formatting is compiled once, in words.cpp: only its light header is included
// elsewhere.
#pragma once

#include <string>
#include <utility>

#include <fmt/core.h>

namespace fi::tools::bench {

[[nodiscard]] std::string vwords(fmt::string_view format, fmt::format_args parts);

template <class... Parts>
[[nodiscard]] std::string words(fmt::format_string<Parts...> format, Parts&&... parts)
{
    return vwords(format, fmt::make_format_args(parts...));
}

} // namespace fi::tools::bench
