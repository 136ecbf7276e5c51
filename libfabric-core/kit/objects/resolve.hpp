// SPDX-License-Identifier: BSD-2-Clause
//
// Which addresses a query is about: node, service, FI_SOURCE and the addresses in the hints, put together.
#pragma once

#include "kit/objects/address.hpp"

#include <cstdint>
#include <optional>
#include <rdma/fabric.h>
#include <rdma/providers/fi_prov.h>
#include <string>
#include <vector>

namespace fi::kit {

/// The addresses that a query names, best first, without duplicates.
struct Resolved {
    std::vector<Address>
        sources; ///< local addresses; empty: none asked for. A wildcard leaves the interface open
    std::vector<Address> peers; ///< addresses of the peer; empty: none named
};

/// For a provider whose names are socket addresses. The parameters are those of fi_getinfo().
///
/// | FI_SOURCE | node or service | sources         | peers            |
/// |-----------|-----------------|-----------------|------------------|
/// | no        | neither         | hints->src_addr | hints->dest_addr |
/// | no        | given           | hints->src_addr | node, service    |
/// | yes       | given           | node, service   | hints->dest_addr |
/// | yes       | neither         | -FI_EINVAL      |                  |
///
/// No node means the wildcard with FI_SOURCE and the loopback address without. `node` may be an address
/// string; `service` must then be NULL. FI_NUMERICHOST asks no name service. hints->addr_format restricts the
/// family.
///
/// Returns 0; -FI_EINVAL for a query that contradicts itself; -FI_ENODATA for a name or hint that is no
/// address of ours. Why is logged as a refusal of `addr_format`, `node`, `src_addr` or `dest_addr`. May block
/// in the name service; any thread. Throws std::bad_alloc. (fi_getinfo.3)
[[nodiscard]] int resolve(const fi_provider& prov, const char* node, const char* service, uint64_t flags,
                          const fi_info* hints, Resolved& out);

/// What lookup() is asked.
struct Lookup {
    const char* node = nullptr;    ///< host name, number or address string; NULL as in getaddrinfo(3)
    const char* service = nullptr; ///< service name or port number, or NULL
    uint64_t flags = 0;            ///< FI_SOURCE: for binding; FI_NUMERICHOST: numbers only
    uint32_t addr_format = FI_FORMAT_UNSPEC;
};

/// Node and service alone. Returns 0 with at least one address in `out`, -FI_EINVAL (service beside an
/// address string, neither given) or -FI_ENODATA; then `why` is a text for people.
[[nodiscard]] int lookup(const Lookup& query, std::vector<Address>& out, std::string& why);

/// The local address from which the system would talk to `peer` (port 0), as its routing tables are now.
std::optional<Address> local_address_towards(const Address& peer);

} // namespace fi::kit
