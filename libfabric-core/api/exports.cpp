// SPDX-License-Identifier: BSD-2-Clause
//
// The functions that changed with the size of struct fi_info exist once per symbol version. An older caller's
// structures are copied at the size which its version had; what it gets back has today's layout, whose
// beginning is what it knows. Only the binding of names is in here, so that everything else can be linked
// into tests and stand-alone libraries without a version script.
//
// The binding is written as assembler: the compilers' own attribute for it is not there in every one that we
// build with.
#include "api/export.hpp"
#include "api/fabric.hpp"
#include "api/info.hpp"
#include "discovery/query.hpp"

#include <rdma/fi_errno.h>

namespace info = fi::core::info;
namespace query = fi::core::query;

namespace {

fi_info* duplicate(const fi_info* from, const info::Layout& layout)
{
    return from ? info::duplicate(*from, layout) : info::allocate();
}

int getinfo_older(const info::Layout& layout, uint32_t version, const char* node, const char* service,
                  uint64_t flags, const fi_info* hints, fi_info** out)
{
    if (!hints)
        return query::getinfo({version, node, service, flags, nullptr}, out);
    fi_info* copy = info::duplicate(*hints, layout);
    if (!copy)
        return -FI_ENOMEM;
    const int rc = query::getinfo({version, node, service, flags, copy}, out);
    info::release_temporary(copy, *hints, layout);
    return rc;
}

} // namespace

// NAME_TAG is the function behind name@version ("@@": what a program linked today binds to).
#define BIND(name, tag, at, version) __asm__(".symver " #name "_" #tag "," #name at version)

#define OLDER_INFO_FUNCTIONS(tag, version)                                                                   \
    extern "C" FI_EXPORT int fi_getinfo_##tag(uint32_t api, const char* node, const char* service,           \
                                              uint64_t flags, const fi_info* hints, fi_info** out)           \
    {                                                                                                        \
        return getinfo_older(info::kLayout##tag, api, node, service, flags, hints, out);                     \
    }                                                                                                        \
    extern "C" FI_EXPORT fi_info* fi_dupinfo_##tag(const fi_info* from)                                      \
    {                                                                                                        \
        return duplicate(from, info::kLayout##tag);                                                          \
    }                                                                                                        \
    extern "C" FI_EXPORT void fi_freeinfo_##tag(fi_info* list)                                               \
    {                                                                                                        \
        info::release(list);                                                                                 \
    }                                                                                                        \
    BIND(fi_getinfo, tag, "@", version);                                                                     \
    BIND(fi_dupinfo, tag, "@", version);                                                                     \
    BIND(fi_freeinfo, tag, "@", version)

OLDER_INFO_FUNCTIONS(1_0, "FABRIC_1.0");
OLDER_INFO_FUNCTIONS(1_1, "FABRIC_1.1");
OLDER_INFO_FUNCTIONS(1_2, "FABRIC_1.2");
OLDER_INFO_FUNCTIONS(1_3, "FABRIC_1.3");
OLDER_INFO_FUNCTIONS(1_7, "FABRIC_1.7");
OLDER_INFO_FUNCTIONS(1_8, "FABRIC_1.8");

extern "C" FI_EXPORT int fi_getinfo_1_9(uint32_t version, const char* node, const char* service,
                                        uint64_t flags, const fi_info* hints, fi_info** out)
{
    return query::getinfo({version, node, service, flags, hints}, out);
}
extern "C" FI_EXPORT fi_info* fi_dupinfo_1_9(const fi_info* from)
{
    return duplicate(from, info::kLayout1_9);
}
extern "C" FI_EXPORT void fi_freeinfo_1_9(fi_info* list)
{
    info::release(list);
}
BIND(fi_getinfo, 1_9, "@@", "FABRIC_1.9");
BIND(fi_dupinfo, 1_9, "@@", "FABRIC_1.9");
BIND(fi_freeinfo, 1_9, "@@", "FABRIC_1.9");

// In FABRIC_1.0 the attribute ended before api_version, which tells what the fabric's objects may assume.
extern "C" FI_EXPORT int fi_fabric_1_0(fi_fabric_attr* attr, fid_fabric** fabric, void* context)
{
    if (!attr)
        return -FI_EINVAL;
    fi_fabric_attr grown = *attr;
    grown.api_version = FI_VERSION(1, 0);
    return fi::core::fabric::open(&grown, fabric, context);
}
extern "C" FI_EXPORT int fi_fabric_1_1(fi_fabric_attr* attr, fid_fabric** fabric, void* context)
{
    return fi::core::fabric::open(attr, fabric, context);
}
BIND(fi_fabric, 1_0, "@", "FABRIC_1.0");
BIND(fi_fabric, 1_1, "@@", "FABRIC_1.1");
