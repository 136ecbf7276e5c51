// SPDX-License-Identifier: BSD-2-Clause
// Two machines: the client drives, the server serves one client after the other, each in a process of its
// own, so that what one leaves behind in the library does not meet the next.

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "crew.hpp"
#include "failure.hpp"
#include "partner.hpp"

namespace fi::tools::bench {
namespace {

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

Addresses resolve(const std::string& node, std::uint16_t port)
{
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_PASSIVE;
    addrinfo* list = nullptr;
    const int error =
        getaddrinfo(node.empty() ? nullptr : node.c_str(), std::to_string(port).c_str(), &hints, &list);
    if (error != 0)
        fail("cannot resolve {}: {}", node, gai_strerror(error));
    return {list, freeaddrinfo};
}

Fd listening(const Options& options)
{
    const Addresses addresses = resolve(options.bind, options.port);
    int error = 0;
    for (const addrinfo* entry = addresses.get(); entry; entry = entry->ai_next) {
        Fd fd(socket(entry->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
        const int on = 1;
        setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        if (bind(fd.get(), entry->ai_addr, entry->ai_addrlen) == 0 && listen(fd.get(), 8) == 0)
            return fd;
        error = errno;
    }
    fail("cannot listen on port {}: {}", options.port, std::strerror(error));
}

Control control_over(Fd fd, const char* who, const Options& options)
{
    const int on = 1;
    setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return {std::move(fd), who, options.timeout};
}

} // namespace

Control connect_to_server(const Options& options)
{
    const Addresses addresses = resolve(options.server, options.port);
    int error = 0;
    for (const addrinfo* entry = addresses.get(); entry; entry = entry->ai_next) {
        Fd fd(socket(entry->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
        error = connect(fd.get(), entry->ai_addr, entry->ai_addrlen) == 0 ? 0 : errno;
        if (error == EINPROGRESS) {
            error = ETIMEDOUT;
            socklen_t length = sizeof error;
            if (wait_ready(fd.get(), POLLOUT, options.timeout))
                getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &length);
        }
        if (error == 0)
            return control_over(std::move(fd), "the server", options);
    }
    fail("cannot connect to {} port {}: {}", options.server, options.port, std::strerror(error));
}

int run_server(const Options& options, std::optional<int> cpu)
{
    const Fd listener = listening(options);
    std::fprintf(stderr, "fi_bench: waiting for clients on port %u\n", options.port);
    for (;;) {
        Fd fd(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
        if (fd.get() < 0 && (errno == EINTR || errno == ECONNABORTED))
            continue;
        if (fd.get() < 0)
            fail("accept: {}", std::strerror(errno));
        const pid_t pid = fork();
        if (pid < 0)
            fail("fork: {}", std::strerror(errno));
        if (pid == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            Control control = control_over(std::move(fd), "the client", options);
            _exit(serve(control, {options.library, options.config.address, nullptr, cpu}));
        }
        fd = Fd();
        int status = 0;
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
        }
        if (options.once)
            return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE;
    }
}

} // namespace fi::tools::bench
