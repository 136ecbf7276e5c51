// SPDX-License-Identifier: BSD-2-Clause
//
// Where the value of a variable comes from: the environment unless the program is privileged, then the
// configuration file, or the other way round when the administrator says so.
#include "param/param.hpp"

#include <cstdlib>
#include <strings.h>

#include "param/configuration.hpp"

namespace fi::core::param {

const char* environment(const char* name)
{
    return secure_getenv(name);
}

std::optional<bool> truth(std::string_view word)
{
    constexpr std::string_view kNo[] = {"0", "false", "no", "off"};
    constexpr std::string_view kYes[] = {"1", "true", "yes", "on"};
    auto same = [word](std::string_view other) {
        return word.size() == other.size() && strncasecmp(word.data(), other.data(), word.size()) == 0;
    };
    for (std::string_view no : kNo)
        if (same(no))
            return false;
    for (std::string_view yes : kYes)
        if (same(yes))
            return true;
    return std::nullopt;
}

namespace {

bool file_first(const Configuration& file)
{
    constexpr const char* kName = "FI_PREFER_SYSCONFIG";
    const char* word = environment(kName);
    if (!word)
        word = file.value(kName);
    return word && truth(word).value_or(false);
}

} // namespace

const char* value(const char* name)
{
    const Configuration& file = Configuration::current();
    const char* from_environment = environment(name);
    const char* from_file = file.value(name);
    if (!from_environment || !from_file)
        return from_environment ? from_environment : from_file;
    return file_first(file) ? from_file : from_environment;
}

std::optional<std::string> lookup(const char* name)
{
    const char* found = value(name);
    return found ? std::optional<std::string>(found) : std::nullopt;
}

} // namespace fi::core::param
