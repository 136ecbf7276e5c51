// SPDX-License-Identifier: BSD-2-Clause
//
// The second query, and its result for people (the log) and for programs (fi_getreasons).
#include "discovery/reasons.hpp"

#include <atomic>
#include <cstdlib>
#include <functional>

#include <rdma/fi_errno.h>
#include <rdma/fi_report.h>

#include "api/boundary.hpp"
#include "api/export.hpp"
#include "api/info.hpp"
#include "discovery/layering.hpp"
#include "discovery/packed.hpp"
#include "discovery/suggest.hpp"
#include "log/log.hpp"

namespace fi::core::reasons {
namespace {

using loader::PluginFile;
using loader::Provider;

std::string no_such(std::string_view name, std::span<const Provider> providers)
{
    std::string text = "there is no such provider here";
    if (const auto nearest = nearest_name(name, providers); !nearest.empty())
        text += "; the nearest name is " + std::string(nearest);
    return text;
}

bool registered(std::string_view name, std::span<const Provider> providers)
{
    for (const Provider& provider : providers)
        if (layering::same_name(provider.impl->name, name))
            return true;
    return false;
}

bool warnings_enabled()
{
    return fi_log_enabled(log::core_provider(), FI_LOG_WARN, FI_LOG_CORE);
}

void add_unknown_names(std::span<const Provider> providers, const Filter& filter,
                       const query::Request& request, Findings& findings)
{
    const char* hint =
        request.hints && request.hints->fabric_attr ? request.hints->fabric_attr->prov_name : nullptr;
    const layering::Hint asked(hint);
    for (std::string_view name : asked.names())
        if (!registered(name, providers))
            add_once(findings, {std::string(name), "fabric_attr->prov_name", no_such(name, providers)});
    for (std::string_view name : filter.unknown(providers))
        add_once(findings, {std::string(name), "", "listed in FI_PROVIDER, but " + no_such(name, providers)});
}

} // namespace

std::string version_text(uint32_t version)
{
    return std::to_string(FI_MAJOR(version)) + '.' + std::to_string(FI_MINOR(version));
}

Findings explain(std::span<const Provider> providers, std::span<const PluginFile> files, const Filter& filter,
                 const query::Request& request)
{
    Findings findings;
    const log::Capture quiet;
    fi_info* list = nullptr;
    const int rc = query::walk(providers, filter, request, &list, &findings);
    const info::Owned owned(list);
    if (rc == 0 || rc == -FI_ENODATA)
        add_unknown_names(providers, filter, request, findings);
    if (providers.empty())
        add_once(findings, {"core", "", "no provider is registered"});
    for (const PluginFile& file : files)
        if (file.state == PluginFile::State::Refused)
            add_once(findings, {file.provider.empty() ? file.path : file.provider, "",
                                "plugin " + file.path + " was refused: " + file.reason});
    return findings;
}

void warn(const loader::Registry& registry, const Filter& filter, const query::Request& request)
{
    if (!warnings_enabled())
        return;
    const Findings findings = explain(registry.providers(), registry.files(), filter, request);
    FI_CORE_WARN(FI_LOG_CORE, "nothing matches this query (API %s); %zu reasons:\n",
                 version_text(request.version).c_str(), findings.size());
    for (const Finding& finding : findings)
        FI_CORE_WARN(FI_LOG_CORE, "  %s: %s%s%s\n", finding.provider.c_str(), finding.attribute.c_str(),
                     finding.attribute.empty() ? "" : ": ", finding.text.c_str());
}

void warn_of_unknown(const Filter& filter, std::span<const Provider> providers)
{
    if (!filter.given() || !warnings_enabled())
        return;
    // Two values with one hash would cost the second its warning, which the reasons still give.
    static std::atomic<size_t> reported{0};
    const size_t value = std::hash<std::string>{}(filter.text());
    if (reported.exchange(value, std::memory_order_relaxed) == value)
        return;
    for (std::string_view name : filter.unknown(providers))
        FI_CORE_WARN(FI_LOG_CORE, "FI_PROVIDER names '%.*s': %s\n", static_cast<int>(name.size()),
                     name.data(), no_such(name, providers).c_str());
}

} // namespace fi::core::reasons

using namespace fi::core;

extern "C" FI_EXPORT int fi_getreasons(uint32_t version, const char* node, const char* service,
                                       uint64_t flags, const fi_info* hints, fi_reason** reasons,
                                       size_t* count)
{
    if (!reasons || !count)
        return -FI_EINVAL;
    if (version > fi_version())
        return -FI_ENOSYS;
    return boundary([&] {
        const loader::Registry& registry = loader::Registry::get();
        const Findings findings = reasons::explain(registry.providers(), registry.files(), Filter::current(),
                                                   {version, node, service, flags, hints});
        *reasons = pack<fi_reason>(findings, [](fi_reason& out, const Finding& finding, auto&& text) {
            out.provider = text(finding.provider);
            out.attribute = finding.attribute.empty() ? nullptr : text(finding.attribute);
            out.text = text(finding.text);
        });
        *count = findings.size();
        return 0;
    });
}

extern "C" FI_EXPORT void fi_freereasons(fi_reason* reasons)
{
    std::free(reasons);
}
