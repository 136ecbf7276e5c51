// SPDX-License-Identifier: BSD-2-Clause
// The layouts for people, and for the scripts that read upstream's tool. One difference is on purpose:
// upstream puts a zero byte on each side of a variable's value, which makes grep take the output for binary.

#include "output.hpp"

#include <cstdio>
#include <cstring>

namespace fi::tools::info {
namespace {

const char* shown(const char* text)
{
    return text ? text : "(null)";
}

void print_short(const Query& query)
{
    for (const fi_info* info = query.infos.get(); info; info = info->next) {
        const fi_fabric_attr* fabric = info->fabric_attr;
        const fi_domain_attr* domain = info->domain_attr;
        const fi_ep_attr* ep = info->ep_attr;
        std::printf("provider: %s\n", shown(fabric ? fabric->prov_name : nullptr));
        std::printf("    fabric: %s\n", shown(fabric ? fabric->name : nullptr));
        std::printf("    domain: %s\n", shown(domain ? domain->name : nullptr));
        std::printf("    version: %s\n", version_text(fabric ? fabric->prov_version : 0).c_str());
        std::printf("    type: %s\n", ep ? text_of(&ep->type, FI_TYPE_EP_TYPE).c_str() : "(null)");
        std::printf("    protocol: %s\n", ep ? text_of(&ep->protocol, FI_TYPE_PROTOCOL).c_str() : "(null)");
    }
}

void print_full(const Query& query)
{
    for (const fi_info* info : selected_infos(query))
        std::printf("---\n%s", text_of(info, FI_TYPE_INFO).c_str());
}

void print_providers(const Query& query)
{
    for (const fi_info* info = query.infos.get(); info; info = info->next) {
        if (info->fabric_attr)
            std::printf("%s:\n    version: %s\n", shown(info->fabric_attr->prov_name),
                        version_text(info->fabric_attr->prov_version).c_str());
    }
}

// A file that never told its provider's name goes by its own.
const char* heading(const fi_plugin& plugin)
{
    if (plugin.provider)
        return plugin.provider;
    const char* slash = std::strrchr(plugin.path, '/');
    return slash ? slash + 1 : plugin.path;
}

void print_plugins()
{
    const Plugins plugins;
    for (const fi_plugin& plugin : plugins.all()) {
        std::printf("%s:\n", heading(plugin));
        if (plugin.version != 0)
            std::printf("    version: %s\n", version_text(plugin.version).c_str());
        if (plugin.fi_version != 0)
            std::printf("    api: %s\n", version_text(plugin.fi_version).c_str());
        std::printf("    path: %s\n", plugin.path[0] ? plugin.path : "(linked in)");
        std::printf("    state: %s\n", plugin_state_text(plugin.state));
        if (plugin.reason && plugin.reason[0])
            std::printf("    reason: %s\n", plugin.reason);
    }
}

void print_params(const Options& options)
{
    const Params params;
    for (const fi_param* param : params.selected(options)) {
        std::printf("# %s: %s\n# %s\n", param->name, param_type_text(param->type), shown(param->help_string));
        if (param->value) {
            const char* quote = std::strchr(param->value, ' ') ? "\"" : "";
            std::printf("%s=%s%s%s\n", param->name, quote, param->value, quote);
        }
        std::printf("\n");
    }
}

} // namespace

View view_of(const Options& options)
{
    if (options.why)
        return View::Reasons;
    if (options.env || options.env_filter)
        return View::Params;
    if (options.list && options.verbose && !options.info_filter)
        return View::Plugins;
    if (options.verbose || options.info_filter)
        return View::Full;
    return options.list ? View::Providers : View::Short;
}

void print_text(View view, const Query& query)
{
    switch (view) {
    case View::Short:
        return print_short(query);
    case View::Full:
        return print_full(query);
    case View::Providers:
        return print_providers(query);
    case View::Plugins:
        return print_plugins();
    case View::Params:
        return print_params(*query.options);
    case View::Reasons:
        return print_reasons(query);
    }
}

} // namespace fi::tools::info
