// SPDX-License-Identifier: BSD-2-Clause
// Each candidate file ends in exactly one of three ways, and every way leaves a record: refused (with a
// warning), hidden, or active. Nothing that one file does keeps the next from its turn.
#include "loader/builder.hpp"

#include <algorithm>
#include <map>

#include <sys/stat.h>

#include "loader/builtin.hpp"
#include "loader/naming.hpp"
#include "log/log.hpp"
#include "param/param.hpp"

namespace fi::core::loader {

namespace {

constexpr const char* kLinkedIn = "(linked in)";

const char* shown(const PluginFile& file)
{
    return file.path.empty() ? kLinkedIn : file.path.c_str();
}

void write_scratch(const Provider& provider)
{
    const ProviderScratch scratch{
        .type = static_cast<int>(provider.type),
        .log_disabled = log::provider_filtered(provider.impl->name),
        .layering_disabled = provider.layering_disabled,
    };
    *reinterpret_cast<ProviderScratch*>(&provider.impl->context) = scratch;
}

} // namespace

std::unique_ptr<Registry> RegistryBuilder::build(const std::optional<std::string>& setting,
                                                 const std::string& default_directory)
{
    RegistryBuilder builder;
    builder.registry_.reset(new Registry);
    SearchPlan plan = plan_search(setting, default_directory, list_directory);
    builder.mark_repeated_files(plan);
    for (const Candidate& candidate : plan.candidates)
        builder.try_file(candidate);
    builder.try_builtin_providers();
    builder.publish_order(plan.first_found_wins);
    return std::move(builder.registry_);
}

// A directory named twice, or a link beside its target, would run fi_prov_ini twice on the same object. The
// first place counts, and a `+` at any of them holds for the file.
void RegistryBuilder::mark_repeated_files(SearchPlan& plan)
{
    std::map<std::pair<dev_t, ino_t>, Candidate*> first_at;
    for (Candidate& candidate : plan.candidates) {
        struct stat status;
        if (!candidate.problem.empty() || stat(candidate.path.c_str(), &status) != 0)
            continue;
        const auto [seen, is_new] = first_at.try_emplace({status.st_dev, status.st_ino}, &candidate);
        if (is_new)
            continue;
        Candidate& original = *seen->second;
        original.preferred = original.preferred || candidate.preferred;
        candidate.same_as = original.path;
    }
}

void RegistryBuilder::try_file(const Candidate& candidate)
{
    PluginFile file{.path = candidate.path};
    if (!candidate.problem.empty())
        refuse(std::move(file), candidate.problem);
    else if (candidate.same_as.empty())
        admit(std::move(file), load_plugin(candidate.path), candidate.preferred);
    else if (candidate.same_as != candidate.path)
        hide(std::move(file), "the same file as " + candidate.same_as);
}

// After the plugins, so that of two equal versions the one that an administrator put into a directory is
// used.
void RegistryBuilder::try_builtin_providers()
{
    for (const ProviderEntry entry : builtin_providers())
        admit({}, start_provider(entry), false);
}

void RegistryBuilder::admit(PluginFile file, const LoadResult& loaded, bool preferred)
{
    if (!loaded.remark.empty())
        FI_CORE_WARN(FI_LOG_CORE, "plugin %s: %s\n", shown(file), loaded.remark.c_str());
    if (!loaded.problem.empty())
        return refuse(std::move(file), loaded.problem);

    const auto twin = std::find_if(contenders_.begin(), contenders_.end(),
                                   [&](const Contender& known) { return known.impl == loaded.provider; });
    if (twin != contenders_.end()) // no cleanup(): the object is in use
        return refuse(std::move(file), "it returned the provider object of " + twin->path);

    const Defects defects = examine(loaded.provider);
    if (defects.readable) {
        file.version = loaded.provider->version;
        file.fi_version = loaded.provider->fi_version;
    }
    if (defects.named)
        file.provider = loaded.provider->name;
    if (!defects.problem.empty()) {
        refuse(std::move(file), defects.problem);
        if (defects.readable)
            clean_up(*loaded.provider);
        param::forget(loaded.provider);
        return;
    }
    file.reason = loaded.remark;
    contenders_.push_back({loaded.provider, preferred, file.path});
    file_of_.push_back(registry_->files_.size());
    registry_->files_.push_back(std::move(file));
}

void RegistryBuilder::refuse(PluginFile file, const std::string& reason)
{
    FI_CORE_WARN(FI_LOG_CORE, "plugin %s refused: %s\n", shown(file), reason.c_str());
    file.state = PluginFile::State::Refused;
    file.reason = reason;
    registry_->files_.push_back(std::move(file));
}

void RegistryBuilder::hide(PluginFile file, const std::string& reason)
{
    FI_CORE_INFO(FI_LOG_CORE, "plugin %s hidden: %s\n", shown(file), reason.c_str());
    file.state = PluginFile::State::Hidden;
    file.reason = reason;
    registry_->files_.push_back(std::move(file));
}

void RegistryBuilder::publish_order(bool first_found_wins)
{
    registry_->providers_ = arrange(contenders_, first_found_wins);
    for (const Provider& provider : registry_->providers_) {
        write_scratch(provider);
        const auto contender =
            std::find_if(contenders_.begin(), contenders_.end(),
                         [&](const Contender& known) { return known.impl == provider.impl; });
        PluginFile& file = registry_->files_[file_of_[static_cast<size_t>(contender - contenders_.begin())]];
        if (provider.active) {
            file.state = PluginFile::State::Active;
            FI_CORE_INFO(FI_LOG_CORE, "provider %s from %s\n", provider.impl->name, shown(file));
        } else {
            file.state = PluginFile::State::Hidden;
            file.reason = provider.why_inactive;
            FI_CORE_INFO(FI_LOG_CORE, "provider %s from %s: %s\n", provider.impl->name, shown(file),
                         file.reason.c_str());
        }
    }
}

} // namespace fi::core::loader
