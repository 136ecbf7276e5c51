// SPDX-License-Identifier: BSD-2-Clause
//
// Saying why a call was refused: an error number alone leaves its reader guessing which of a dozen attributes
// and flags it means. One line per refusal, at the place where it is decided; on the way to success nothing
// is paid for. (Why an *offer* was refused is refusal.hpp.)
#pragma once

#include <cstddef>
#include <rdma/providers/fi_log.h>

namespace fi::kit {

/// The API's name of the call that is refused, and where in the source that is decided.
struct RefusedCall {
    RefusedCall(const char* name_of_call, int line_of_source = __builtin_LINE()) noexcept
        : name(name_of_call), line(line_of_source)
    {
    }
    const char* name;
    int line;
};

/// Logs why (printf, without newline) at warn level and returns `error`. Keeps errno.
[[gnu::format(printf, 5, 6)]] int refuse(const fi_provider& provider, fi_log_subsys subsys, int error,
                                         RefusedCall call, const char* why, ...) noexcept;

/// The refusal of fi_close() for an object that others still need.
int refuse_close(const fi_provider& provider, fi_log_subsys subsys, const char* object, std::size_t users,
                 const char* by, int line_of_source = __builtin_LINE()) noexcept;

} // namespace fi::kit
