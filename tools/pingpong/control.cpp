// SPDX-License-Identifier: BSD-2-Clause
// Upstream sets a receive timeout of five seconds and starts over when it expires, so that a stopped peer is
// waited for without end. Here the whole wait has a limit, and a closed connection ends it at once.

#include "control.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string>
#include <utility>

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <rdma/fi_errno.h>

#include "report.hpp"

namespace fi::tools::pingpong {
namespace {

constexpr std::size_t kMaxName = 1024;
constexpr std::array kAsk{'q', '\0'};
constexpr std::array kAnswer{'a', '\0'};
constexpr std::array kCountTaken{'c', 'n', 't', ' ', 'o', 'k', '\0'};
constexpr std::size_t kCountLength = 10; // decimal digits, padded with zero bytes

template <class T>
std::span<const std::byte> bytes_of(const T& value)
{
    return std::as_bytes(std::span(&value, 1));
}

template <class T>
std::span<std::byte> writable_bytes_of(T& value)
{
    return std::as_writable_bytes(std::span(&value, 1));
}

[[noreturn]] void fail_gone(const std::string& doing)
{
    fail_because("the peer closed its control connection while this side " + doing, -FI_ECONNABORTED);
}

// How the system says that the other end is no more.
bool means_gone(int error)
{
    return error == EPIPE || error == ECONNRESET;
}

} // namespace

Socket& Socket::operator=(Socket&& other) noexcept
{
    std::swap(fd_, other.fd_);
    return *this;
}

Socket::~Socket()
{
    if (fd_ >= 0)
        close(fd_);
}

void Control::send(std::span<const std::byte> bytes)
{
    while (!bytes.empty()) {
        // A dead peer is a return value here, not a signal.
        const ssize_t sent = ::send(socket_.fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent < 0 && means_gone(errno))
            fail_gone("was sending to it");
        if (sent < 0 && errno != EINTR)
            fail("ctrl/send", -errno);
        if (sent > 0)
            bytes = bytes.subspan(static_cast<std::size_t>(sent));
    }
}

void Control::receive(std::span<std::byte> bytes, const char* what)
{
    using Clock = std::chrono::steady_clock;
    const auto deadline = Clock::now() + patience_;
    while (!bytes.empty()) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
        if (left.count() <= 0)
            fail_because("no " + std::string(what) + " in " + std::to_string(patience_.count()) +
                             " s, although the peer is still connected",
                         -FI_ETIMEDOUT);
        pollfd readable{socket_.fd(), POLLIN, 0};
        if (poll(&readable, 1, static_cast<int>(left.count())) < 0 && errno != EINTR)
            fail("ctrl/poll", -errno);
        if (readable.revents == 0)
            continue;
        const ssize_t got = ::recv(socket_.fd(), bytes.data(), bytes.size(), 0);
        if (got == 0 || (got < 0 && means_gone(errno)))
            fail_gone("waited for its " + std::string(what));
        if (got < 0 && errno != EINTR)
            fail("ctrl/read", -errno);
        if (got > 0)
            bytes = bytes.subspan(static_cast<std::size_t>(got));
    }
}

void Control::expect(std::span<const char> message, const char* what)
{
    std::array<char, 8> got{};
    const auto part = std::span(got).first(message.size());
    receive(std::as_writable_bytes(part), what);
    if (!std::ranges::equal(part, message))
        fail_because(std::string("the peer sent something else than its ") + what +
                         ": is it fi_pingpong with the same options?",
                     -FI_EPROTO);
}

void Control::send_name(const Name& name)
{
    debug("Sending the endpoint's name");
    const std::uint32_t length = htonl(static_cast<std::uint32_t>(name.bytes.size()));
    send(bytes_of(length));
    send(bytes_of(
        name.format)); // in host order: upstream's choice, and both ends are little-endian in practice
    send(name.bytes);
}

Name Control::receive_name()
{
    debug("Receiving the peer's name");
    std::uint32_t length = 0;
    Name name;
    receive(writable_bytes_of(length), "name's length");
    length = ntohl(length);
    if (length == 0 || length > kMaxName)
        fail_because("the peer announced a name of " + std::to_string(length) + " bytes", -FI_EPROTO);
    receive(writable_bytes_of(name.format), "name's format");
    name.bytes.resize(length);
    receive(name.bytes, "name");
    return name;
}

void Control::sync()
{
    debug("Waiting until both sides are ready");
    if (role_ == Role::Client) {
        send(std::as_bytes(std::span(kAsk)));
        expect(kAnswer, "answer to the barrier");
    } else {
        expect(kAsk, "barrier");
        send(std::as_bytes(std::span(kAnswer)));
    }
}

std::uint64_t Control::exchange_count(std::uint64_t acked)
{
    std::array<char, kCountLength> digits{};
    if (role_ == Role::Client) {
        const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), acked);
        if (error != std::errc())
            fail_because("the count of messages has more than ten digits", -FI_EOVERFLOW);
        send(std::as_bytes(std::span(digits)));
        expect(kCountTaken, "receipt for the count");
        return acked;
    }
    receive(std::as_writable_bytes(std::span(digits)), "count of messages");
    std::uint64_t count = 0;
    const char* used = std::find(digits.data(), digits.data() + digits.size(), '\0');
    const auto [end, error] = std::from_chars(digits.data(), used, count);
    if (error != std::errc() || end != used)
        fail_because("the peer sent something else than its count of messages", -FI_EPROTO);
    send(std::as_bytes(std::span(kCountTaken)));
    return count;
}

bool Control::peer_gone() const
{
    pollfd connection{socket_.fd(), POLLRDHUP, 0};
    return poll(&connection, 1, 0) > 0 && connection.revents != 0;
}

} // namespace fi::tools::pingpong
