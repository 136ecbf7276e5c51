// SPDX-License-Identifier: BSD-2-Clause
// From FI_PROVIDER_PATH to a finished registry: the steps of a first call, in order.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "loader/arrange.hpp"
#include "loader/plugin.hpp"
#include "loader/registry.hpp"
#include "loader/search.hpp"

namespace fi::core::loader {

/// Used by one thread, once. Calls foreign code (load_plugin).
class RegistryBuilder {
  public:
    /// `setting` is FI_PROVIDER_PATH, nullopt when unset.
    static std::unique_ptr<Registry> build(const std::optional<std::string>& setting,
                                           const std::string& default_directory);

  private:
    static void mark_repeated_files(SearchPlan& plan);
    void try_file(const Candidate& candidate);
    void try_builtin_providers();
    void admit(PluginFile file, const LoadResult& loaded, bool preferred);
    void refuse(PluginFile file, const std::string& reason);
    void hide(PluginFile file, const std::string& reason);
    void publish_order(bool first_found_wins);

    std::unique_ptr<Registry> registry_;
    std::vector<Contender> contenders_;
    std::vector<size_t> file_of_; ///< index into registry_->files_ of each contender
};

} // namespace fi::core::loader
