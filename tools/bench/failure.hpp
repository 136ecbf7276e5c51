// SPDX-License-Identifier: BSD-2-Clause
// How fi_bench gives up: one exception with the whole reason, printed once by whoever ends the process.
#pragma once

#include <stdexcept>
#include <string>

#include "words.hpp"

namespace fi::tools::bench {

struct Failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The machine does not allow a measurement of its own: the run goes on without it.
struct Refused : Failure {
    using Failure::Failure;
};

template <class... Parts>
[[noreturn]] void fail(fmt::format_string<Parts...> format, Parts&&... parts)
{
    throw Failure(vwords(format, fmt::make_format_args(parts...)));
}

} // namespace fi::tools::bench
