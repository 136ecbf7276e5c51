// SPDX-License-Identifier: BSD-2-Clause
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include "failure.hpp"
#include "raw.hpp"

namespace fi::tools::bench {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kReadAtOnce = 65536; // bytes; a stream of short messages is read in longer pieces

struct Address {
    sockaddr_storage storage{};
    socklen_t length = sizeof storage;
    sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
    std::uint16_t& port()
    {
        // The port is at the same place in both families.
        return reinterpret_cast<sockaddr_in*>(&storage)->sin_port;
    }
};

// One end of control's connection with another port; the loopback when it is no network connection.
Address beside(const Control& control, int (*name)(int, sockaddr*, socklen_t*), std::uint16_t port)
{
    Address address;
    if (name(control.fd(), address.get(), &address.length) != 0 || address.storage.ss_family == AF_UNIX) {
        auto* loopback = reinterpret_cast<sockaddr_in*>(&address.storage);
        *loopback = {};
        loopback->sin_family = AF_INET;
        loopback->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.length = sizeof *loopback;
    }
    address.port() = htons(port);
    return address;
}

int name_of_self(int fd, sockaddr* address, socklen_t* length)
{
    return getsockname(fd, address, length);
}
int name_of_peer(int fd, sockaddr* address, socklen_t* length)
{
    return getpeername(fd, address, length);
}

[[noreturn]] void fail_call(const char* call)
{
    fail("{}: {}", call, std::strerror(errno));
}

} // namespace

RawTcp::Listener::Listener(const Control& control)
{
    Address address = beside(control, name_of_self, 0);
    fd_ = Fd(socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (fd_.get() < 0)
        fail_call("socket");
    if (bind(fd_.get(), address.get(), address.length) != 0 || listen(fd_.get(), 1) != 0)
        fail_call("listen");
    if (getsockname(fd_.get(), address.get(), &address.length) != 0)
        fail_call("getsockname");
    port_ = ntohs(address.port());
}

RawTcp RawTcp::Listener::accept(std::chrono::seconds patience) const
{
    if (!wait_ready(fd_.get(), POLLIN, patience))
        fail("nobody connected in {} s", patience.count());
    Fd fd(accept4(fd_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (fd.get() < 0)
        fail_call("accept");
    return RawTcp(std::move(fd));
}

RawTcp RawTcp::connect(const Control& control, std::uint16_t port)
{
    Address address = beside(control, name_of_peer, port);
    Fd fd(socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (fd.get() < 0)
        fail_call("socket");
    if (::connect(fd.get(), address.get(), address.length) != 0) {
        if (errno != EINPROGRESS)
            fail_call("connect");
        if (!wait_ready(fd.get(), POLLOUT, control.patience()))
            fail("connect: no answer in {} s", control.patience().count());
        int error = 0;
        socklen_t length = sizeof error;
        getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &length);
        errno = error;
        if (error != 0)
            fail_call("connect");
    }
    return RawTcp(std::move(fd));
}

RawTcp::RawTcp(Fd fd) : fd_(std::move(fd)), buffer_(kReadAtOnce)
{
    const int on = 1;
    if (setsockopt(fd_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0)
        fail_call("TCP_NODELAY");
}

void RawTcp::make_room(std::size_t size)
{
    if (buffer_.size() < size)
        buffer_ = Memory(size);
}

void RawTcp::send_all(std::size_t size, Patience& patience)
{
    for (std::size_t sent = 0; sent < size;) {
        const ssize_t got = send(fd_.get(), buffer_.data() + sent, size - sent, MSG_NOSIGNAL);
        if (got > 0) {
            sent += static_cast<std::size_t>(got);
            patience.reset();
        } else if (errno == EAGAIN)
            patience.pause("room in the TCP connection");
        else if (errno != EINTR)
            fail_call("send");
    }
}

std::size_t RawTcp::receive_some(std::size_t offset, std::size_t size, Patience& patience)
{
    for (;;) {
        const ssize_t got = recv(fd_.get(), buffer_.data() + offset, size, 0);
        if (got > 0) {
            patience.reset();
            return static_cast<std::size_t>(got);
        }
        if (got == 0)
            fail("the TCP connection was closed");
        if (errno == EAGAIN)
            patience.pause("bytes on the TCP connection");
        else if (errno != EINTR)
            fail_call("recv");
    }
}

void RawTcp::receive_all(std::uint64_t size, Patience& patience)
{
    std::size_t offset = 0;
    while (size > 0) {
        const std::size_t got =
            receive_some(offset, std::min<std::uint64_t>(size, buffer_.size() - offset), patience);
        size -= got;
        offset = (offset + got) % buffer_.size();
    }
}

double RawTcp::drive_latency(const Job& job, Patience& patience)
{
    make_room(job.size);
    auto begin = Clock::now();
    for (std::uint64_t i = 0; i < job.total(); i++) {
        if (i == job.warmup)
            begin = Clock::now();
        send_all(job.size, patience);
        receive_all(job.size, patience);
    }
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

void RawTcp::serve_latency(const Job& job, Patience& patience)
{
    make_room(job.size);
    for (std::uint64_t i = 0; i < job.total(); i++) {
        receive_all(job.size, patience);
        send_all(job.size, patience);
    }
}

double RawTcp::drive_stream(const Job& job, Patience& patience)
{
    make_room(job.size);
    for (std::uint64_t i = 0; i < job.warmup; i++)
        send_all(job.size, patience);
    receive_all(1, patience);
    const auto begin = Clock::now();
    for (std::uint64_t i = 0; i < job.count; i++)
        send_all(job.size, patience);
    receive_all(1, patience);
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

void RawTcp::serve_stream(const Job& job, Patience& patience)
{
    make_room(job.size);
    receive_all(job.warmup * job.size, patience);
    send_all(1, patience);
    receive_all(job.count * job.size, patience);
    send_all(1, patience);
}

} // namespace fi::tools::bench
