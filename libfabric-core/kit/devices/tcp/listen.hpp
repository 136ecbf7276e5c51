// SPDX-License-Identifier: BSD-2-Clause
//
// The listening socket of an endpoint: one port, out of a range where a firewall lets only that range
// through.
#pragma once

#include "kit/objects/address.hpp"

#include <optional>
#include <rdma/providers/fi_prov.h>
#include <string_view>

namespace fi::kit::tcp {

/// Ports, both ends included. low 0: the system chooses.
struct PortRange {
    std::uint16_t low = 0;
    std::uint16_t high = 0;

    /// "7000-7100" or "7000". Nothing for anything else, port 0 and an upside-down range included.
    static std::optional<PortRange> parse(std::string_view text) noexcept;
};

/// A non-blocking socket that listens on `address`; its port, if that is 0, is one of `ports`. Throws
/// std::system_error (EADDRINUSE, EADDRNOTAVAIL, EACCES, EMFILE ...) after a warning that names the address.
int listen(const fi_provider* provider, Address address, PortRange ports);

} // namespace fi::kit::tcp
