// SPDX-License-Identifier: BSD-2-Clause
//
// fi_param_define and fi_param_get, fi_provider(3). A value that cannot be read is reported with its text,
// because a mistyped number that silently became something else costs its user an afternoon.
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <new>

#include <rdma/fi_errno.h>

#include "api/export.hpp"
#include "log/log.hpp"
#include "param/definitions.hpp"

namespace fi::core::param {
namespace {

std::string formatted(const char* format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(nullptr, 0, format, again);
    va_end(again);
    std::string text(length > 0 ? static_cast<size_t>(length) : 0, '\0');
    vsnprintf(text.data(), text.size() + 1, format, args);
    return text;
}

// A number in C notation. Text behind the digits is ignored, as callers of every released version rely on
// ("64k" meant 64), but said; text without a digit is refused (rule C279). Out of range clamps to long's
// limits.
std::optional<long> number(const char* name, const char* text)
{
    char* end = nullptr;
    int saved = errno;
    long result = strtol(text, &end, 0);
    errno = saved;
    if (end == text) {
        FI_CORE_WARN(FI_LOG_CORE, "%s='%s' is not a number, the default is used\n", name, text);
        return std::nullopt;
    }
    if (*end)
        FI_CORE_WARN(FI_LOG_CORE, "%s='%s': '%s' is ignored, the value is %ld\n", name, text, end, result);
    return result;
}

int store(fi_param_type type, const char* name, const char* text, void* value)
{
    switch (type) {
    case FI_PARAM_STRING:
        *static_cast<char**>(value) = const_cast<char*>(text);
        return 0;
    case FI_PARAM_INT:
        if (auto parsed = number(name, text)) {
            *static_cast<int*>(value) = static_cast<int>(*parsed);
            return 0;
        }
        return -FI_EINVAL;
    case FI_PARAM_SIZE_T:
        if (auto parsed = number(name, text)) {
            *static_cast<size_t*>(value) = static_cast<size_t>(*parsed);
            return 0;
        }
        return -FI_EINVAL;
    case FI_PARAM_BOOL:
        if (auto parsed = truth(text)) {
            *static_cast<int*>(value) = *parsed;
            return 0;
        }
        FI_CORE_WARN(FI_LOG_CORE, "%s='%s' is neither true nor false, the default is used\n", name, text);
        return -FI_EINVAL;
    }
    return -FI_EINVAL;
}

int get(const fi_provider* provider, const char* parameter, void* where)
{
    const std::string name = full_name(provider, parameter);
    const std::optional<fi_param_type> type = type_of(name);
    if (!type)
        return -FI_ENOENT;
    const char* text = value(name.c_str());
    if (!text) {
        FI_CORE_INFO(FI_LOG_CORE, "variable %s is not set\n", name.c_str());
        return -FI_ENODATA;
    }
    FI_CORE_INFO(FI_LOG_CORE, "variable %s=%s\n", name.c_str(), text);
    return store(*type, name.c_str(), text, where);
}

} // namespace
} // namespace fi::core::param

extern "C" FI_EXPORT int fi_param_define(const struct fi_provider* provider, const char* param_name,
                                         enum fi_param_type type, const char* help_string_fmt, ...)
{
    using namespace fi::core::param;
    if (!param_name || !help_string_fmt || !*help_string_fmt || static_cast<unsigned>(type) > FI_PARAM_SIZE_T)
        return -FI_EINVAL;
    va_list args;
    va_start(args, help_string_fmt);
    int ret = 0;
    try {
        std::string help = formatted(help_string_fmt, args);
        if (provider && provider->name)
            help.insert(0, std::string(provider->name) + ": ");
        define({provider, full_name(provider, param_name), type, std::move(help)});
    } catch (const std::bad_alloc&) {
        ret = -FI_ENOMEM;
    }
    va_end(args);
    return ret;
}

extern "C" FI_EXPORT int fi_param_get(struct fi_provider* provider, const char* param_name, void* value)
{
    if (!param_name || !value)
        return -FI_EINVAL;
    try {
        return fi::core::param::get(provider, param_name, value);
    } catch (const std::bad_alloc&) {
        return -FI_ENOMEM;
    }
}
