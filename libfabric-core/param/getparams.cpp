// SPDX-License-Identifier: BSD-2-Clause
//
// fi_getparams and fi_freeparams, fi_getparams as described in fabric(7): every variable that exists, which
// means that the providers must have been loaded first.
#include <cstdlib>
#include <cstring>
#include <new>

#include <rdma/fi_errno.h>

#include "api/export.hpp"
#include "loader/registry.hpp"
#include "param/param.hpp"

namespace fi::core::param {
namespace {

void release(fi_param* list)
{
    for (fi_param* entry = list; entry->name; ++entry) {
        free(const_cast<char*>(entry->name));
        free(const_cast<char*>(entry->help_string));
        free(const_cast<char*>(entry->value));
    }
    free(list);
}

// malloc'ed, ends with an entry of zeros; NULL when memory is short.
fi_param* copied(const std::vector<Definition>& all)
{
    auto* list = static_cast<fi_param*>(calloc(all.size() + 1, sizeof(fi_param)));
    if (!list)
        return nullptr;
    fi_param* entry = list;
    for (const Definition& definition : all) {
        const char* set = environment(definition.name.c_str());
        entry->name = strdup(definition.name.c_str());
        if (!entry->name)
            return release(list), nullptr;
        entry->type = definition.type;
        entry->help_string = strdup(definition.help.c_str());
        entry->value = set ? strdup(set) : nullptr;
        if (!entry->help_string || (set && !entry->value))
            return release(list), nullptr;
        ++entry;
    }
    return list;
}

} // namespace
} // namespace fi::core::param

extern "C" FI_EXPORT int fi_getparams(struct fi_param** params, int* count)
{
    using namespace fi::core::param;
    if (!params || !count)
        return -FI_EINVAL;
    try {
        fi::core::loader::Registry::get(); // the core's variables are defined on the way
        const std::vector<Definition> all = definitions();
        fi_param* list = nullptr;
        if (!all.empty()) {
            list = copied(all);
            if (!list)
                return -FI_ENOMEM;
        }
        *params = list;
        *count = static_cast<int>(all.size());
        return 0;
    } catch (const std::bad_alloc&) {
        return -FI_ENOMEM;
    }
}

extern "C" FI_EXPORT void fi_freeparams(struct fi_param* params)
{
    if (params)
        fi::core::param::release(params);
}
