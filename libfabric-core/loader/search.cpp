// SPDX-License-Identifier: BSD-2-Clause
// FI_PROVIDER_PATH has grown several forms (a list of directories, `@`, `+file`, nothing at all). All of them
// are decided here, from text and directory listings only, so that every form can be tested without a file
// system.
#include "loader/search.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include <dirent.h>

namespace fi::core::loader {

namespace {

constexpr std::string_view kSuffix = "fi.so";

std::string error_text(int error)
{
    char buffer[128];
    return strerror_r(error, buffer, sizeof buffer);
}

void add_directory(SearchPlan& plan, const std::string& directory, const Lister& list, bool must_exist)
{
    Listing listing = list(directory);
    if (listing.error != 0) {
        // The default directory need not exist (no plugin package installed); one that the user named must.
        if (must_exist || listing.error != ENOENT)
            plan.candidates.push_back(
                {directory, false, "cannot read this directory: " + error_text(listing.error)});
        return;
    }
    // Reverse byte order, independent of the locale: what upstream's users see with plain names.
    std::sort(listing.names.rbegin(), listing.names.rend());
    const char* slash = directory.ends_with('/') ? "" : "/";
    for (const std::string& name : listing.names) {
        if (!is_plugin_name(name))
            continue;
        std::string path = directory;
        path.append(slash).append(name);
        plan.candidates.push_back({std::move(path), false, {}});
    }
}

void add_preferred(SearchPlan& plan, std::string_view file)
{
    std::string problem;
    if (!file.starts_with('/'))
        problem = "a file after '+' in FI_PROVIDER_PATH needs an absolute path";
    plan.candidates.push_back({std::string(file), true, problem});
}

} // namespace

bool is_plugin_name(std::string_view name)
{
    return name.size() > kSuffix.size() && name.ends_with(kSuffix);
}

Listing list_directory(const std::string& directory)
{
    std::unique_ptr<DIR, int (*)(DIR*)> stream(opendir(directory.c_str()), closedir);
    if (!stream)
        return {errno, {}};
    Listing listing;
    for (;;) {
        errno = 0;
        const dirent* entry = readdir(stream.get());
        if (entry == nullptr) {
            listing.error = errno;
            return listing;
        }
        listing.names.emplace_back(entry->d_name);
    }
}

SearchPlan plan_search(std::optional<std::string_view> setting, const std::string& default_directory,
                       const Lister& list)
{
    SearchPlan plan;
    std::string_view rest = setting.value_or("");
    if (rest.starts_with('@')) {
        plan.first_found_wins = true;
        rest.remove_prefix(1);
    }
    bool named_a_directory = false;
    while (!rest.empty()) {
        const std::string_view element = rest.substr(0, rest.find(':'));
        rest.remove_prefix(std::min(rest.size(), element.size() + 1));
        if (element.starts_with('+')) {
            add_preferred(plan, element.substr(1));
        } else if (!element.empty()) { // an empty element is a stray colon, never the current directory
            add_directory(plan, std::string(element), list, true);
            named_a_directory = true;
        }
    }
    if (!named_a_directory)
        add_directory(plan, default_directory, list, false);
    return plan;
}

} // namespace fi::core::loader
