// SPDX-License-Identifier: BSD-2-Clause
#include "kit/devices/tcp/listen.hpp"

#include "kit/objects/fork.hpp"

#include "kit/objects/clock.hpp"

#include <charconv>
#include <climits>
#include <rdma/providers/fi_log.h>
#include <system_error>
#include <unistd.h>

namespace fi::kit::tcp {
namespace {

/// A listening socket, or -1 and errno.
int try_port(const Address& address) noexcept
{
    const int fd = close_in_child(socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (fd < 0)
        return -1;
    const int on = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    // The system cuts the backlog to net.core.somaxconn: how many may call at once is the administrator's
    // choice. With SO_REUSEADDR two may be bound to a port; only one can listen.
    if (bind(fd, address.data(), address.size()) == 0 && ::listen(fd, INT_MAX) == 0)
        return fd;
    const int error = errno;
    close_here(fd);
    errno = error;
    return -1;
}

[[noreturn]] void refuse(const fi_provider* provider, const Address& address, PortRange ports)
{
    const int error = errno;
    if (address.port() == 0 && ports.low && error == EADDRINUSE)
        FI_WARN(provider, FI_LOG_EP_CTRL,
                "cannot listen on %s: all ports of FI_SOFT_PORT_RANGE=%d-%d are in use\n",
                address.text().c_str(), ports.low, ports.high);
    else
        FI_WARN(provider, FI_LOG_EP_CTRL, "cannot listen on %s: %s\n", address.text().c_str(),
                fi_strerror(error));
    throw std::system_error(error, std::generic_category(), "listen");
}

} // namespace

std::optional<PortRange> PortRange::parse(std::string_view text) noexcept
{
    PortRange range;
    const char* const end = text.data() + text.size();
    auto result = std::from_chars(text.data(), end, range.low);
    if (result.ec != std::errc{})
        return std::nullopt;
    range.high = range.low;
    if (result.ptr != end) {
        if (*result.ptr != '-')
            return std::nullopt;
        result = std::from_chars(result.ptr + 1, end, range.high);
        if (result.ec != std::errc{} || result.ptr != end)
            return std::nullopt;
    }
    return range.low && range.low <= range.high ? std::optional(range) : std::nullopt;
}

int listen(const fi_provider* provider, Address address, PortRange ports)
{
    const bool choose = address.port() == 0 && ports.low;
    int fd = -1;
    if (!choose) {
        fd = try_port(address);
    } else {
        // Processes of one job start at once: they would queue up at the first port.
        const unsigned count = ports.high - ports.low + 1u;
        const auto start = static_cast<unsigned>((fi_hot_clock() ^ static_cast<unsigned>(getpid())) % count);
        Address at = address;
        for (unsigned i = 0; i < count && fd < 0; i++) {
            at.set_port(static_cast<std::uint16_t>(ports.low + (start + i) % count));
            fd = try_port(at);
            if (fd < 0 && errno != EADDRINUSE && errno != EACCES)
                break;
        }
    }
    if (fd < 0)
        refuse(provider, address, ports);
    return fd;
}

} // namespace fi::kit::tcp
