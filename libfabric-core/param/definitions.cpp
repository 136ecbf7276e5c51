// SPDX-License-Identifier: BSD-2-Clause
//
// The list of defined variables. Providers define theirs while they are loaded, or later, from any thread;
// the list outlives static destructors because a provider's thread may still ask during exit.
#include "param/definitions.hpp"

#include <algorithm>
#include <mutex>

namespace fi::core::param {
namespace {

struct Store {
    std::mutex mutex;
    std::vector<Definition> list;
};

Store& store()
{
    static Store& only = *new Store;
    return only;
}

char upper(char c)
{
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

} // namespace

std::string full_name(const fi_provider* provider, std::string_view parameter)
{
    std::string name = "FI_";
    if (provider && provider->name)
        name.append(provider->name).append("_");
    name.append(parameter);
    std::transform(name.begin(), name.end(), name.begin(), upper);
    return name;
}

void define(Definition definition)
{
    std::lock_guard lock(store().mutex);
    store().list.push_back(std::move(definition));
}

std::optional<fi_param_type> type_of(std::string_view name)
{
    std::lock_guard lock(store().mutex);
    for (const Definition& definition : store().list)
        if (definition.name == name)
            return definition.type;
    return std::nullopt;
}

void forget(const fi_provider* provider)
{
    std::lock_guard lock(store().mutex);
    std::erase_if(store().list,
                  [provider](const Definition& d) { return d.provider && d.provider == provider; });
}

std::vector<Definition> definitions()
{
    std::lock_guard lock(store().mutex);
    return store().list;
}

} // namespace fi::core::param
