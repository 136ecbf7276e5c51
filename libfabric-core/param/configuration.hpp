// SPDX-License-Identifier: BSD-2-Clause
//
// The configuration file, <sysconfdir>/libfabric.conf: lines NAME=VALUE where NAME is the name of the
// environment variable, compared with case, nothing trimmed. Lines without `=` are comments. A line holds at
// most 2047 bytes; what is longer is cut there.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace fi::core::param {

class Configuration {
  public:
    static constexpr std::size_t kLongestLine = 2047;

    // A missing or unreadable file is an empty configuration: having none is the normal case.
    static Configuration read(const char* path);
    static Configuration parse(std::string_view text);

    // NULL when the file does not set the variable; a name that appears twice has its first value. The string
    // lives as long as this object.
    const char* value(std::string_view name) const;

    // The configuration in force: the installed file, read at the first call and kept for the process's life,
    // because fi_param_get hands out pointers into it. Thread safe.
    static const Configuration& current();

    // Puts another configuration in force; for tests, which must not depend on the machine's file. The one
    // before is kept, since strings of it may be in use.
    static void replace(Configuration other);

  private:
    std::map<std::string, std::string, std::less<>> values_;
};

} // namespace fi::core::param
