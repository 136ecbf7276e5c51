// SPDX-License-Identifier: BSD-2-Clause
// Where plugins are looked for: FI_PROVIDER_PATH turned into an ordered list of files (docs/loader.md,
// L1-L12).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fi::core::loader {

/// A file to try, or (problem not empty) an element of the path that leads nowhere and is only reported.
struct Candidate {
    std::string path;
    bool preferred = false; ///< named by `+`: wins over any version
    std::string problem;
    std::string same_as; ///< not empty: an earlier candidate is the same file under this path
};

struct SearchPlan {
    bool first_found_wins = false; ///< leading `@`
    std::vector<Candidate> candidates;
};

/// The names in a directory, in any order, or the errno value of why it cannot be read.
struct Listing {
    int error = 0;
    std::vector<std::string> names;
};
using Lister = std::function<Listing(const std::string& directory)>;

/// Reads a directory of the file system.
Listing list_directory(const std::string& directory);

/// Whether a file of that name counts as a plugin: it ends in "fi.so" and has something before that.
bool is_plugin_name(std::string_view name);

/// The files to try, in order. `setting` is FI_PROVIDER_PATH, nullopt when unset; every file access goes
/// through `list`.
SearchPlan plan_search(std::optional<std::string_view> setting, const std::string& default_directory,
                       const Lister& list);

} // namespace fi::core::loader
