// SPDX-License-Identifier: BSD-2-Clause
//
// Reading and keeping the configuration file. The difficulty is lifetime: a char* from it may be held by any
// provider, so a configuration, once in force, is never freed, and it is found without a lock because
// fi_param_get may be called from any thread.
#include "param/configuration.hpp"

#include <atomic>
#include <cstdio>
#include <memory>
#include <mutex>
#include <vector>

namespace fi::core::param {
namespace {

constexpr const char* kPath = FI_SYSCONF_DIR "/libfabric.conf";

std::atomic<const Configuration*> in_force{nullptr};

std::mutex& keeping()
{
    static std::mutex& mutex = *new std::mutex;
    return mutex;
}

// Everything that was ever in force, reachable so that leak checkers see that it is meant.
std::vector<std::unique_ptr<const Configuration>>& kept()
{
    static auto& list = *new std::vector<std::unique_ptr<const Configuration>>;
    return list;
}

const Configuration& keep(Configuration configuration)
{
    kept().push_back(std::make_unique<const Configuration>(std::move(configuration)));
    in_force.store(kept().back().get(), std::memory_order_release); // pairs with the acquire in current()
    return *kept().back();
}

} // namespace

Configuration Configuration::read(const char* path)
{
    std::unique_ptr<FILE, int (*)(FILE*)> file(fopen(path, "re"), fclose);
    if (!file)
        return {};
    std::string text;
    char block[4096];
    while (size_t got = fread(block, 1, sizeof block, file.get()))
        text.append(block, got);
    return parse(text);
}

Configuration Configuration::parse(std::string_view text)
{
    Configuration result;
    while (!text.empty()) {
        size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        text.remove_prefix(end == text.npos ? text.size() : end + 1);
        line = line.substr(0, kLongestLine);
        size_t equals = line.find('=');
        if (equals == line.npos)
            continue;
        result.values_.emplace(line.substr(0, equals), line.substr(equals + 1));
    }
    return result;
}

const char* Configuration::value(std::string_view name) const
{
    auto found = values_.find(name);
    return found == values_.end() ? nullptr : found->second.c_str();
}

const Configuration& Configuration::current()
{
    if (const Configuration* present = in_force.load(std::memory_order_acquire))
        return *present;
    std::lock_guard lock(keeping());
    if (const Configuration* present = in_force.load(std::memory_order_relaxed))
        return *present;
    return keep(read(kPath));
}

void Configuration::replace(Configuration other)
{
    std::lock_guard lock(keeping());
    keep(std::move(other));
}

} // namespace fi::core::param
