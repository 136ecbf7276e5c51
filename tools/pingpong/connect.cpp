// SPDX-License-Identifier: BSD-2-Clause
// Opening the control connection: the server takes the first client that comes and listens no more, the
// client tries every address that the server's name has.

#include "control.hpp"

#include <cerrno>
#include <memory>
#include <string>

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <rdma/fi_errno.h>

#include "report.hpp"

namespace fi::tools::pingpong {
namespace {

struct FreeAddresses {
    void operator()(addrinfo* list) const { freeaddrinfo(list); }
};

std::unique_ptr<addrinfo, FreeAddresses> resolve(const char* node, std::uint16_t port, const Options& options)
{
    addrinfo hints{};
    hints.ai_family = options.ipv6 ? AF_INET6 : AF_INET;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = node ? 0 : AI_PASSIVE;
    addrinfo* list = nullptr;
    const int error = getaddrinfo(node, std::to_string(port).c_str(), &hints, &list);
    if (error != 0)
        fail_because("cannot resolve " + std::string(node ? node : "the local address") + ": " +
                         gai_strerror(error),
                     error == EAI_SYSTEM ? -errno : -FI_EADDRNOTAVAIL);
    return std::unique_ptr<addrinfo, FreeAddresses>(list);
}

// Names, barriers and counts are short and each is waited for: sending them late would only add to the run.
Control connection(Role role, Socket socket, const Options& options)
{
    const int on = 1;
    setsockopt(socket.fd(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return {role, std::move(socket), options.patience};
}

Socket bound(const addrinfo& address)
{
    Socket socket(::socket(address.ai_family, address.ai_socktype | SOCK_CLOEXEC, address.ai_protocol));
    if (socket.fd() < 0)
        fail("socket", -errno);
    const int on = 1;
    setsockopt(socket.fd(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(socket.fd(), address.ai_addr, address.ai_addrlen) < 0)
        fail("bind", -errno);
    return socket;
}

Control serve(const Options& options)
{
    const auto local = resolve(nullptr, options.source_port, options);
    const Socket listener = bound(*local);
    if (listen(listener.fd(), 1) < 0)
        fail("listen", -errno);
    debug("Waiting for a client on port " + std::to_string(options.source_port));
    int fd = -1;
    do {
        fd = accept4(listener.fd(), nullptr, nullptr, SOCK_CLOEXEC);
    } while (fd < 0 && (errno == EINTR || errno == ECONNABORTED));
    if (fd < 0)
        fail("accept", -errno);
    return connection(Role::Server, Socket(fd), options);
}

Control connect_to_server(const Options& options)
{
    debug("Connecting to " + options.server + " port " + std::to_string(options.server_port));
    const auto remote = resolve(options.server.c_str(), options.server_port, options);
    std::unique_ptr<addrinfo, FreeAddresses> local;
    if (options.source_port != 0)
        local = resolve(nullptr, options.source_port, options);
    int error = 0;
    for (const addrinfo* address = remote.get(); address; address = address->ai_next) {
        Socket socket =
            local ? bound(*local) : Socket(::socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
        if (socket.fd() >= 0 && connect(socket.fd(), address->ai_addr, address->ai_addrlen) == 0)
            return connection(Role::Client, std::move(socket), options);
        error = errno;
    }
    fail_because(std::string("failed to connect: ") + fi_strerror(error), -error);
}

} // namespace

Control Control::open(const Options& options)
{
    return options.role() == Role::Server ? serve(options) : connect_to_server(options);
}

} // namespace fi::tools::pingpong
