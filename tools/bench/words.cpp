// SPDX-License-Identifier: BSD-2-Clause
// All of fmt in this one place, so that the program needs no library of that name where it runs.

#define FMT_HEADER_ONLY
#include <fmt/format.h>

#include "words.hpp"

namespace fi::tools::bench {

std::string vwords(fmt::string_view format, fmt::format_args parts)
{
    return fmt::vformat(format, parts);
}

} // namespace fi::tools::bench
