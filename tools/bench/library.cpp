// SPDX-License-Identifier: BSD-2-Clause
// The exported calls are looked up by name without a version: the default version of each is the newest that
// the library has, and all structures are made by the library itself.

#include "library.hpp"

#include <array>
#include <climits>
#include <cstdlib>

#include <dlfcn.h>
#include <link.h>

#include "failure.hpp"

namespace fi::tools::bench {
namespace {

template <class Function>
void find(void* handle, const std::string& path, const char* name, Function& function)
{
    function = reinterpret_cast<Function>(dlsym(handle, name));
    if (!function)
        fail("{} is no libfabric: it has no {}", path, name);
}

std::string file_of(void* handle, const std::string& fallback)
{
    link_map* map = nullptr;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || !map->l_name || !*map->l_name)
        return fallback;
    std::array<char, PATH_MAX> real{};
    return realpath(map->l_name, real.data()) ? real.data() : map->l_name;
}

} // namespace

Library::Library(const std::string& path)
{
    // Global: a plugin that was linked without its libfabric finds the core's calls in this one.
    void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (!handle)
        fail("cannot open the library: {}", dlerror());
    path_ = file_of(handle, path);
    find(handle, path, "fi_version", version);
    find(handle, path, "fi_getinfo", getinfo);
    find(handle, path, "fi_freeinfo", freeinfo);
    find(handle, path, "fi_dupinfo", dupinfo);
    find(handle, path, "fi_fabric", fabric);
    find(handle, path, "fi_strerror", strerror);
}

std::string Library::version_text() const
{
    const std::uint32_t number = version();
    return words("{}.{}", FI_MAJOR(number), FI_MINOR(number));
}

long Library::check(const char* call, long ret) const
{
    if (ret < 0)
        fail("{}: {}", call, strerror(static_cast<int>(-ret)));
    return ret;
}

} // namespace fi::tools::bench
