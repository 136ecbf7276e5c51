// SPDX-License-Identifier: BSD-2-Clause
//
// The soft provider: the kit's engine over the transports that every machine has. Needs no hardware.
//
//   provider.cpp   the entry point, parameters, fi_getinfo
//   offer.cpp      what is offered: capabilities and limits
//   objects.cpp    from fabric to endpoint: which classes of the kit are put together, with which lock
#pragma once

#include "kit/devices/per_peer.hpp"
#include "kit/devices/tcp/interfaces.hpp"
#include "kit/devices/tcp/port.hpp"
#include "kit/engine/endpoint.hpp"
#include "kit/objects/domain.hpp"

namespace fi::soft {

constexpr std::size_t kDefaultQueue = 1024; ///< operations in flight where the application does not say

/// What the user may set (FI_SOFT_*, see fi_soft.7). Read once, when the plugin is loaded.
struct Settings {
    int connect_milliseconds = 10'000;
    int peer_milliseconds = 30'000;
    const kit::tcp::InterfaceFilter* interfaces = nullptr; ///< set before the first query, never destroyed
    kit::tcp::PortRange listen_on{};
    bool shared_memory = true;
};

/// Shared memory on this machine, TCP elsewhere.
using Port = kit::PerPeer<kit::tcp::Port>;

/// The provider as fabric.hpp and domain.hpp want it.
struct Soft {
    static fi_provider& provider() noexcept;
    static const Settings& settings() noexcept;
    /// The addresses of this machine to be known by, best first; AF_UNSPEC: of both families. Throws
    /// std::system_error, std::bad_alloc.
    static std::vector<kit::tcp::LocalAddress> local_addresses(int family);

    static int open_domain(kit::Fabric<Soft>& fabric, const fi_info& info, fid_domain** out, void* context);
    template <class Lock>
    static int open_shared_receives(kit::Domain<Soft, Lock>& domain, const fi_rx_attr* attr, fid_ep** out,
                                    void* context);
    template <class Lock>
    static int open_endpoint(kit::Domain<Soft, Lock>& domain, const fi_info& info, fid_ep** out,
                             void* context);
};

/// Everything that soft can do, on an endpoint of type FI_EP_RDM, with names of one family (AF_INET or
/// AF_INET6). Static data.
const fi_info& offer(int family) noexcept;

/// fi_provider::fabric.
int open_fabric(fi_fabric_attr* attr, fid_fabric** out, void* context) noexcept;

} // namespace fi::soft
