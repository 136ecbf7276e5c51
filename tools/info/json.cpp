// SPDX-License-Identifier: BSD-2-Clause
// fi_info --json: the same answers for programs. One object: what was asked of which library, then the answer
// under a key of its own kind, and "error" when the query failed; a reader can tell "none" from "not asked".

#include "output.hpp"

#include <cstdio>

#include <rdma/fi_errno.h>

#include "json_fields.hpp"
#include "json_info.hpp"
#include "json_writer.hpp"

namespace fi::tools::info {
namespace {

using namespace fields;

void write_infos(JsonWriter& json, const Query& query)
{
    json.key("infos");
    json.open_array();
    for (const fi_info* info : selected_infos(query))
        write_info(json, *info);
    json.close_array();
}

void write_providers(JsonWriter& json, const Query& query)
{
    json.key("providers");
    json.open_array();
    for (const fi_info* info = query.infos.get(); info; info = info->next) {
        if (!info->fabric_attr)
            continue;
        json.open_object();
        text(json, "name", info->fabric_attr->prov_name);
        text(json, "version", version_text(info->fabric_attr->prov_version).c_str());
        json.close_object();
    }
    json.close_array();
}

// 0 stands for a version that was never known.
void version(JsonWriter& json, std::string_view name, std::uint32_t value)
{
    text(json, name, value != 0 ? version_text(value).c_str() : nullptr);
}

void write_plugins(JsonWriter& json)
{
    const Plugins plugins;
    json.key("plugins");
    json.open_array();
    for (const fi_plugin& plugin : plugins.all()) {
        json.open_object();
        text(json, "provider", plugin.provider);
        text(json, "path", plugin.path);
        version(json, "version", plugin.version);
        version(json, "api_version", plugin.fi_version);
        text(json, "state", plugin_state_text(plugin.state));
        text(json, "reason", plugin.reason);
        json.close_object();
    }
    json.close_array();
}

void write_params(JsonWriter& json, const Options& options)
{
    const Params params;
    json.key("parameters");
    json.open_array();
    for (const fi_param* param : params.selected(options)) {
        json.open_object();
        text(json, "name", param->name);
        text(json, "type", param_type_text(param->type));
        text(json, "help", param->help_string);
        text(json, "value", param->value);
        json.close_object();
    }
    json.close_array();
}

void write_reasons(JsonWriter& json, const Query& query)
{
    const Reasons reasons(query);
    json.key("reasons");
    json.open_array();
    for (const fi_reason& reason : reasons.all()) {
        json.open_object();
        text(json, "provider", reason.provider);
        text(json, "attribute", reason.attribute);
        text(json, "text", reason.text);
        json.close_object();
    }
    json.close_array();
}

void write_error(JsonWriter& json, int status)
{
    json.key("error");
    json.open_object();
    text(json, "call", "fi_getinfo");
    number(json, "code", static_cast<std::uint64_t>(-status));
    text(json, "text", fi_strerror(-status));
    json.close_object();
}

void write_view(JsonWriter& json, View view, const Query& query)
{
    switch (view) {
    case View::Short:
    case View::Full:
        return write_infos(json, query);
    case View::Providers:
        return write_providers(json, query);
    case View::Plugins:
        return write_plugins(json);
    case View::Params:
        return write_params(json, *query.options);
    case View::Reasons:
        return write_reasons(json, query);
    }
}

} // namespace

void print_json(View view, const Query& query)
{
    JsonWriter json;
    json.open_object();
    text(json, "library_version", text_of("", FI_TYPE_VERSION).c_str());
    text(json, "api_version", version_text(FI_VERSION(FI_MAJOR_VERSION, FI_MINOR_VERSION)).c_str());
    if (query.status != 0)
        write_error(json, query.status);
    write_view(json, view, query);
    json.close_object();
    std::fputs(json.take().c_str(), stdout);
}

} // namespace fi::tools::info
