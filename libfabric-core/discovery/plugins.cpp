// SPDX-License-Identifier: BSD-2-Clause
//
// fi_getplugins.
#include "discovery/plugins.hpp"

#include <algorithm>
#include <cstdlib>

#include <rdma/fi_errno.h>
#include <rdma/fi_report.h>

#include "api/boundary.hpp"
#include "api/export.hpp"
#include "discovery/layering.hpp"
#include "discovery/packed.hpp"

namespace fi::core {
namespace {

using loader::PluginFile;
using loader::Provider;

fi_plugin_state public_state(PluginFile::State state)
{
    switch (state) {
    case PluginFile::State::Active:
        return FI_PLUGIN_ACTIVE;
    case PluginFile::State::Hidden:
        return FI_PLUGIN_HIDDEN;
    case PluginFile::State::Refused:
        break;
    }
    return FI_PLUGIN_REFUSED;
}

} // namespace

std::vector<PluginFile> plugins(std::span<const PluginFile> files, std::span<const Provider> providers,
                                const Filter& filter)
{
    std::vector<PluginFile> result(files.begin(), files.end());
    for (PluginFile& file : result) {
        if (file.state != PluginFile::State::Active)
            continue;
        const auto provider =
            std::find_if(providers.begin(), providers.end(), [&](const Provider& candidate) {
                return candidate.active && layering::same_name(candidate.impl->name, file.provider);
            });
        if (provider == providers.end() || !filter.hides(*provider))
            continue;
        file.state = PluginFile::State::Hidden;
        file.reason = "left out by FI_PROVIDER=" + filter.text();
    }
    return result;
}

} // namespace fi::core

using namespace fi::core;

extern "C" FI_EXPORT int fi_getplugins(fi_plugin** plugins, size_t* count)
{
    if (!plugins || !count)
        return -FI_EINVAL;
    return boundary([&] {
        const loader::Registry& registry = loader::Registry::get();
        const auto found = fi::core::plugins(registry.files(), registry.providers(), Filter::current());
        *plugins = pack<fi_plugin>(found, [](fi_plugin& out, const loader::PluginFile& file, auto&& text) {
            out.path = text(file.path);
            out.provider = file.provider.empty() ? nullptr : text(file.provider);
            out.version = file.version;
            out.fi_version = file.fi_version;
            out.state = public_state(file.state);
            out.reason = text(file.reason);
        });
        *count = found.size();
        return 0;
    });
}

extern "C" FI_EXPORT void fi_freeplugins(fi_plugin* plugins)
{
    std::free(plugins);
}
