// SPDX-License-Identifier: BSD-2-Clause
// Asks the library and keeps what it answers until it is printed.

#include "sources.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "names.hpp"

namespace fi::tools::info {
namespace {

const char* text_or_null(const std::optional<std::string>& text)
{
    return text ? text->c_str() : nullptr;
}

void throw_on_error(int status, const char* call)
{
    if (status != 0)
        throw LibraryError{call, -status};
}

// True when the variable belongs to a provider of a name as -p takes it: "tcp" or "tcp;ofi_rxm". The library
// begins the help of a provider's variable with that provider's name; the variable's own name would not do,
// because it cannot tell provider x from provider x_y.
bool belongs_to(const fi_param& param, std::string_view providers)
{
    const std::string_view help = param.help_string ? param.help_string : "";
    const std::string_view owner = help.substr(0, help.find(": "));
    if (owner.size() == help.size())
        return false;
    while (!providers.empty()) {
        const std::string_view name = providers.substr(0, providers.find(';'));
        providers.remove_prefix(std::min(providers.size(), name.size() + 1));
        if (equal_any_case(owner, name))
            return true;
    }
    return false;
}

} // namespace

Query run(const Options& options)
{
    Query query{&options, make_hints(options), nullptr};
    fi_info* infos = nullptr;
    query.status = fi_getinfo(FI_VERSION(FI_MAJOR_VERSION, FI_MINOR_VERSION), text_or_null(options.node),
                              text_or_null(options.service), options.flags, query.hints.get(), &infos);
    if (query.status == 0)
        query.infos.reset(infos);
    return query;
}

std::string text_of(const void* value, fi_type type)
{
    // fi_tostr_r keeps len - 2 characters, so a text of that length may have been cut.
    for (std::size_t length = 8192;; length *= 2) {
        std::string text(length, '\0');
        if (!fi_tostr_r(text.data(), text.size(), value, type))
            return {};
        const std::size_t used = std::strlen(text.c_str());
        if (used + 2 < length || length > (1U << 26)) {
            text.resize(used);
            return text;
        }
    }
}

std::string version_text(std::uint32_t version)
{
    return std::to_string(FI_MAJOR(version)) + '.' + std::to_string(FI_MINOR(version));
}

const char* param_type_text(fi_param_type type)
{
    switch (type) {
    case FI_PARAM_STRING:
        return "String";
    case FI_PARAM_INT:
        return "Integer";
    case FI_PARAM_BOOL:
        return "Boolean (0/1, on/off, true/false, yes/no)";
    case FI_PARAM_SIZE_T:
        return "size_t";
    }
    return "Unknown";
}

const char* plugin_state_text(fi_plugin_state state)
{
    switch (state) {
    case FI_PLUGIN_ACTIVE:
        return "active";
    case FI_PLUGIN_HIDDEN:
        return "hidden";
    case FI_PLUGIN_REFUSED:
        return "refused";
    }
    return "unknown";
}

std::vector<const fi_info*> selected_infos(const Query& query)
{
    std::vector<const fi_info*> selected;
    const auto& filter = query.options->info_filter;
    for (const fi_info* info = query.infos.get(); info; info = info->next) {
        if (!filter || contains_any_case(text_of(info, FI_TYPE_INFO), *filter))
            selected.push_back(info);
    }
    return selected;
}

Params::Params()
{
    throw_on_error(fi_getparams(&params_, &count_), "fi_getparams");
}

Params::~Params()
{
    if (params_)
        fi_freeparams(params_);
}

std::vector<const fi_param*> Params::selected(const Options& options) const
{
    std::vector<const fi_param*> selected;
    for (int i = 0; i < count_; ++i) {
        const fi_param& param = params_[i];
        if (options.env_filter && !contains_any_case(param.name, *options.env_filter))
            continue;
        if (options.provider && !belongs_to(param, *options.provider))
            continue;
        selected.push_back(&param);
    }
    return selected;
}

Plugins::Plugins()
{
    throw_on_error(fi_getplugins(&plugins_, &count_), "fi_getplugins");
}

Reasons::Reasons(const Query& query)
{
    throw_on_error(fi_getreasons(FI_VERSION(FI_MAJOR_VERSION, FI_MINOR_VERSION),
                                 text_or_null(query.options->node), text_or_null(query.options->service),
                                 query.options->flags, query.hints.get(), &reasons_, &count_),
                   "fi_getreasons");
}

} // namespace fi::tools::info
