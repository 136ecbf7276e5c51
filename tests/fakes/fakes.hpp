// SPDX-License-Identifier: BSD-2-Clause
// A test about providers needs directories full of good and bad plugins, and a fresh process for each
// question, because a process finds its providers once. How it is used:
//
//     PluginDirectory plugins; // an empty directory in /tmp, gone with the object
//     plugins.add("libtcp-fi.so", "name=tcp\nversion=3.0\n"); // a fake and its script: fake_provider.c
//     plugins.add_copy("libthrow-fi.so", FI_FAKE_THROWING);   // another built fake: fakes_args in meson
//     plugins.add_file("libbad-fi.so", "not a plugin");       // any bytes
//     Outcome outcome = run(FI_FAKE_PROBE, {"plugins"}, {{"FI_PROVIDER_PATH", plugins.path()}});
//     EXPECT_EQ(outcome.field("plugin", "libtcp-fi.so", 5), "active"); // stdout: probe.cpp says what
//     EXPECT_THAT(outcome.log, HasSubstr("not an ELF file"));          // stderr
//     EXPECT_EQ(plugins.trace("libtcp-fi.so"), "ini\n");               // what the core called
//
// The child gets only the environment given here (plus PATH and sanitizer options), and 60 seconds: then it
// dies of SIGALRM.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fi::fakes {

class PluginDirectory {
  public:
    PluginDirectory();
    ~PluginDirectory();
    PluginDirectory(const PluginDirectory&) = delete;
    PluginDirectory& operator=(const PluginDirectory&) = delete;

    const std::string& path() const { return path_; }

    /// The full path of a name in here, whether it exists or not.
    std::string operator/(std::string_view name) const;

    /// Puts the programmable fake here, with this script beside it. Returns its full path; so do the others.
    std::string add(const std::string& name, std::string_view script) const;
    std::string add_copy(const std::string& name, const std::string& original) const;
    std::string add_file(const std::string& name, std::string_view bytes) const;
    std::string add_directory(const std::string& name) const;

    /// What the fake of that name was asked so far; "" when it was never called.
    std::string trace(const std::string& name) const;

  private:
    std::string path_;
};

/// What a child process said.
struct Outcome {
    int exit_code = -1; ///< -1 when a signal ended it
    int signal = 0;
    std::vector<std::vector<std::string>> lines; ///< of stdout, split at tabs
    std::string log;                             ///< stderr

    /// The lines whose first field is `kind`.
    std::vector<std::vector<std::string>> all(std::string_view kind) const;

    /// One field of the first such line that has a field equal to `key`, or a path ending in "/" + `key` as
    /// its first field after the kind. "<no such line>" if there is none.
    std::string field(std::string_view kind, std::string_view key, size_t index) const;

    /// That field of all such lines, joined by blanks: handy for comparing an order.
    std::string column(std::string_view kind, size_t index) const;
};

using Environment = std::map<std::string, std::string>;

Outcome run(const std::string& program, const std::vector<std::string>& arguments,
            const Environment& environment);

std::string read_file(const std::string& path);

} // namespace fi::fakes
