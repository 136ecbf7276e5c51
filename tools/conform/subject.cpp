// SPDX-License-Identifier: BSD-2-Clause
#include "subject.hpp"

#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <limits.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_report.h>
#include <stdexcept>

namespace conform {
namespace {

std::string& chosen()
{
    static std::string path;
    return path;
}

std::string& used()
{
    static std::string name;
    return name;
}

struct FreePlugins {
    void operator()(fi_plugin* list) const { fi_freeplugins(list); }
};

} // namespace

void choose(const std::string& path)
{
    char full[PATH_MAX];
    if (!realpath(path.c_str(), full))
        throw std::runtime_error(path + ": " + std::strerror(errno));
    chosen() = full;
    // Without any directory in the list the default one would follow. This one always exists and never holds
    // a plugin.
    const std::string search = "+" + chosen() + ":/proc/self/task";
    setenv("FI_PROVIDER_PATH", search.c_str(), 1);
}

void use_provider(const std::string& name)
{
    used() = name;
}

std::string provider_name()
{
    if (!used().empty())
        return used();
    fi_plugin* found = nullptr;
    std::size_t count = 0;
    if (const int ret = fi_getplugins(&found, &count))
        throw std::runtime_error(std::string("fi_getplugins: ") + fi_strerror(-ret));
    const std::unique_ptr<fi_plugin, FreePlugins> list(found);
    for (std::size_t i = 0; i < count; i++) {
        const fi_plugin& plugin = found[i];
        if (chosen() != plugin.path)
            continue;
        if (plugin.state != FI_PLUGIN_ACTIVE)
            throw std::runtime_error(chosen() + ": " + plugin.reason);
        return used() = plugin.provider;
    }
    throw std::runtime_error(chosen() + ": the library did not look at it");
}

Info blank_hints()
{
    Info hints(fi_allocinfo());
    if (!hints)
        throw std::bad_alloc();
    hints->fabric_attr->prov_name = strdup(provider_name().c_str());
    return hints;
}

Info query(const fi_info* hints, std::uint32_t api, std::uint64_t flags, const char* service)
{
    fi_info* found = nullptr;
    const int ret = fi_getinfo(api, nullptr, service, flags, hints, &found);
    if (ret != 0) {
        EXPECT_EQ(ret, -FI_ENODATA) << "C12: fi_getinfo finds something or returns -FI_ENODATA";
        EXPECT_EQ(found, nullptr) << "C12";
        return nullptr;
    }
    return Info(found);
}

Info claims(fi_ep_type type)
{
    const Info hints = blank_hints();
    hints->ep_attr->type = type;
    hints->mode = ~0ull;
    hints->domain_attr->mode = ~0ull;
    hints->domain_attr->mr_mode = ~(FI_MR_BASIC | FI_MR_SCALABLE); // those two stand alone
    return query(hints.get());
}

bool claimed(const fi_info* list, std::uint64_t caps)
{
    for (; list; list = list->next)
        if ((list->caps & caps) == caps)
            return true;
    return false;
}

} // namespace conform
