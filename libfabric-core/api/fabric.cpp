// SPDX-License-Identifier: BSD-2-Clause
//
// fi_fabric, fi_fabric2 and FI_HOOK. A hook is a provider without getinfo: asked to open a fabric, it gets
// the fabric it shall wrap and the provider that made it, and returns its own object in front of it.
#include "api/fabric.hpp"

#include <string>

#include <rdma/fi_errno.h>

#include "api/boundary.hpp"
#include "api/export.hpp"
#include "discovery/layering.hpp"
#include "log/log.hpp"
#include "param/param.hpp"

namespace fi::core::fabric {
namespace {

const loader::Provider* find(std::span<const loader::Provider> providers, std::string_view name)
{
    for (const loader::Provider& provider : providers)
        if (provider.active && layering::same_name(provider.impl->name, name))
            return &provider;
    return nullptr;
}

const loader::Provider* find_hook(std::span<const loader::Provider> providers, std::string_view name)
{
    const loader::Provider* hook = find(providers, name);
    if (!hook)
        hook = find(providers, "ofi_hook_" + std::string(name));
    return hook && hook->type == loader::ProviderType::Hook ? hook : nullptr;
}

/// struct fid_fabric ends before api_version in providers written for an API older than 1.5.
void note_version(const fi_provider& provider, fid_fabric& fabric, uint32_t version)
{
    if (provider.fi_version >= FI_VERSION(1, 5))
        fabric.api_version = version;
}

fid_fabric* wrap(std::span<const loader::Provider> providers, const char* hooks, const fi_provider& below,
                 uint32_t version, fid_fabric* fabric)
{
    for (std::string_view name : layering::split(hooks, layering::kDelimiter)) {
        if (name.empty())
            continue;
        const loader::Provider* hook = find_hook(providers, name);
        if (!hook) {
            FI_CORE_WARN(FI_LOG_FABRIC, "FI_HOOK names '%.*s', which is no hook provider here: left out\n",
                         static_cast<int>(name.size()), name.data());
            continue;
        }
        fi_fabric_attr attr{};
        attr.fabric = fabric;
        fid_fabric* wrapped = nullptr;
        const int rc = hook->impl->fabric(&attr, &wrapped, const_cast<fi_provider*>(&below));
        if (rc || !wrapped) {
            FI_CORE_WARN(FI_LOG_FABRIC, "hook %s failed on a fabric of %s (%d): left out\n", hook->impl->name,
                         below.name, rc);
            continue;
        }
        note_version(*hook->impl, *wrapped, version);
        fabric = wrapped;
    }
    return fabric;
}

} // namespace

int open(std::span<const loader::Provider> providers, const char* hooks, fi_fabric_attr* attr,
         fid_fabric** fabric, void* context)
{
    if (!attr || !attr->prov_name || !attr->name || !fabric)
        return -FI_EINVAL;

    const loader::Provider* provider = find(providers, layering::top(attr->prov_name));
    // A hook has no fabric of its own: opened by name it would take `context` for the provider below it.
    if (!provider || !provider->impl->fabric || provider->type == loader::ProviderType::Hook) {
        FI_CORE_WARN(FI_LOG_FABRIC, "no provider '%s' to open fabric '%s' with\n", attr->prov_name,
                     attr->name);
        return -FI_ENODEV;
    }

    fid_fabric* opened = nullptr;
    const int rc = provider->impl->fabric(attr, &opened, context);
    if (rc || !opened) {
        FI_CORE_INFO(FI_LOG_FABRIC, "%s did not open fabric '%s' (%d)\n", provider->impl->name, attr->name,
                     rc);
        return rc ? rc : -FI_EOTHER;
    }
    note_version(*provider->impl, *opened, attr->api_version);
    *fabric = hooks ? wrap(providers, hooks, *provider->impl, attr->api_version, opened) : opened;
    return 0;
}

int open(fi_fabric_attr* attr, fid_fabric** fabric, void* context) noexcept
{
    return boundary([&] {
        const auto& providers = loader::Registry::get().providers();
        const auto hooks = param::lookup("FI_HOOK");
        return open(providers, hooks ? hooks->c_str() : nullptr, attr, fabric, context);
    });
}

} // namespace fi::core::fabric

extern "C" FI_EXPORT int fi_fabric2(fi_info* info, fid_fabric** fabric, uint64_t flags, void* context)
{
    if (!info || flags)
        return -FI_EINVAL;
    return fi::core::fabric::open(info->fabric_attr, fabric, context);
}
