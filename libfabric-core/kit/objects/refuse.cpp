// SPDX-License-Identifier: BSD-2-Clause
#include "kit/objects/refuse.hpp"

#include <cerrno>
#include <cstdarg>
#include <cstdio>

namespace fi::kit {

int refuse(const fi_provider& provider, fi_log_subsys subsys, int error, RefusedCall call, const char* why,
           ...) noexcept
{
    const int saved = errno;
    if (fi_log_enabled(&provider, FI_LOG_WARN, subsys)) {
        char text[512];
        va_list arguments;
        va_start(arguments, why);
        std::vsnprintf(text, sizeof text, why, arguments);
        va_end(arguments);
        fi_log(&provider, FI_LOG_WARN, subsys, call.name, call.line, "%s\n", text);
    }
    errno = saved;
    return error;
}

int refuse_close(const fi_provider& provider, fi_log_subsys subsys, const char* object, std::size_t users,
                 const char* by, int line_of_source) noexcept
{
    return refuse(provider, subsys, -FI_EBUSY, {"fi_close", line_of_source}, "the %s is in use by %zu %s",
                  object, users, by);
}

} // namespace fi::kit
