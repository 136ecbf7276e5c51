// SPDX-License-Identifier: BSD-2-Clause
// The order in which providers answer is the order in which an application meets them, and most take the
// first. It comes from a table of names and not from load order, because a directory listing says nothing
// about speed.
#include "loader/naming.hpp"

#include <algorithm>

namespace fi::core::loader {

namespace {

// Upstream 2.6's places, with two of our own: mlx drives the hardware that verbs drives, more directly; soft
// does what shm and tcp do apart, in one endpoint.
constexpr std::string_view kOrder[] = {
    "efa",
    "psm2",
    "opx",
    "usnic",
    "mlx",
    "verbs",
    "cxi",
    "psm3",
    "ucx",
    "ofi_rxm",
    "ofi_rxd",
    "soft",
    "shm",
    "udp",
    "tcp",
    "sockets",
    "net",
    "ofi_hook_perf",
    "ofi_hook_trace",
    "ofi_hook_profile",
    "ofi_hook_monitor",
    "ofi_hook_debug",
    "ofi_hook_noop",
    "ofi_hook_hmem",
    "ofi_hook_dmabuf_peer_mem",
    "off_coll",
};

// These do reliable datagrams and matching themselves, so a utility layer on top would only offer the same
// thing slower.
constexpr std::string_view kComplete[] = {"sockets", "shm", "efa", "psm3", "ucx", "cxi", "soft", "mlx"};

// Not std::tolower: the C locale of the application must not change what a provider is called.
constexpr char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool starts_like(std::string_view name, std::string_view prefix)
{
    return same_name(name.substr(0, prefix.size()), prefix);
}

} // namespace

bool same_name(std::string_view a, std::string_view b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return lower(x) == lower(y); });
}

std::span<const std::string_view> order_table()
{
    return kOrder;
}

size_t place_of(std::string_view name)
{
    const auto* found = std::find_if(std::begin(kOrder), std::end(kOrder),
                                     [&](auto known) { return same_name(known, name); });
    return static_cast<size_t>(found - std::begin(kOrder));
}

ProviderType type_of(const fi_provider& provider)
{
    if (provider.getinfo == nullptr)
        return ProviderType::Hook;
    if (starts_like(provider.name, "ofi_"))
        return ProviderType::Utility;
    if (starts_like(provider.name, "off_"))
        return ProviderType::Offload;
    if (starts_like(provider.name, "lnx"))
        return ProviderType::Lnx;
    return ProviderType::Core;
}

bool layering_disabled_for(std::string_view name, ProviderType type)
{
    return type == ProviderType::Utility || std::any_of(std::begin(kComplete), std::end(kComplete),
                                                        [&](auto known) { return same_name(known, name); });
}

} // namespace fi::core::loader
