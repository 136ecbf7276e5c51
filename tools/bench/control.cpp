// SPDX-License-Identifier: BSD-2-Clause
// Messages over the control connection are small and rare; what matters is that no wait is without a bound,
// and that a process that ends or fails is told from one that is slow.

#include "control.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "failure.hpp"
#include "watchdog.hpp"

namespace fi::tools::bench {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kLengthBytes = 4;           // little-endian
constexpr std::size_t kLongestMessage = 16 << 20; // bytes; names of many peers are the longest
constexpr std::chrono::milliseconds kProgressFor{200};

} // namespace

Fd::~Fd()
{
    if (fd_ >= 0)
        close(fd_);
}

bool wait_ready(int fd, short events, std::chrono::milliseconds time)
{
    const auto deadline = Clock::now() + time;
    for (;;) {
        pollfd entry{fd, events, 0};
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
        const int ready = poll(&entry, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
        if (ready > 0)
            return true;
        if (ready < 0 && errno != EINTR)
            fail("poll: {}", std::strerror(errno));
        if (left.count() <= 0)
            return false;
    }
}

Control::Control(Fd fd, std::string who, std::chrono::seconds patience)
    : fd_(std::move(fd)), who_(std::move(who)), patience_(patience)
{
}

void Control::send(const Json& message)
{
    const std::string text = message.dump();
    std::string bytes(kLengthBytes, '\0');
    for (std::size_t i = 0; i < kLengthBytes; i++)
        bytes[i] = static_cast<char>(text.size() >> (8 * i));
    bytes += text;
    for (std::size_t sent = 0; sent < bytes.size();) {
        // A dead reader is a return value here, not a signal.
        const ssize_t got =
            ::send(fd_.get(), bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (got >= 0)
            sent += static_cast<std::size_t>(got);
        else if (errno == EAGAIN && !wait_ready(fd_.get(), POLLOUT, patience_))
            fail("{} took nothing for {} s", who_, patience_.count());
        else if (errno == EPIPE || errno == ECONNRESET) {
            look(); // its last words say more, if there are any
            fail("{} has ended", who_);
        } else if (errno != EAGAIN && errno != EINTR)
            fail("sending to {}: {}", who_, std::strerror(errno));
    }
}

void Control::split()
{
    while (bytes_.size() >= kLengthBytes) {
        std::size_t length = 0;
        for (std::size_t i = 0; i < kLengthBytes; i++)
            length |= static_cast<std::size_t>(static_cast<unsigned char>(bytes_[i])) << (8 * i);
        if (length > kLongestMessage)
            fail("{} announced a message of {} bytes: is it fi_bench of this version?", who_, length);
        if (bytes_.size() < kLengthBytes + length)
            return;
        std::string text(bytes_.data() + kLengthBytes, length);
        bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(kLengthBytes + length));
        const Json message = Json::parse(text, nullptr, false);
        if (!message.is_object())
            fail("{} sent something else than a message", who_);
        if (message.contains("error"))
            fail("{}: {}", who_,
                 message["error"].is_string() ? message["error"].get<std::string>() : "error");
        inbox_.push_back(std::move(text));
    }
}

void Control::read_some()
{
    std::array<char, 65536> part{};
    const ssize_t got = recv(fd_.get(), part.data(), part.size(), MSG_DONTWAIT);
    if (got > 0) {
        bytes_.insert(bytes_.end(), part.data(), part.data() + got);
        split();
    } else if (got == 0 || errno == ECONNRESET || errno == EPIPE)
        fail("{} has ended", who_);
    else if (errno != EAGAIN && errno != EINTR)
        fail("hearing from {}: {}", who_, std::strerror(errno));
}

void Control::look()
{
    if (wait_ready(fd_.get(), POLLIN, std::chrono::milliseconds(0)))
        read_some();
}

Json Control::receive(const char* what, const std::function<void()>& progress)
{
    const auto begin = Clock::now();
    while (inbox_.empty()) {
        watchdog::feed();
        const auto waited = Clock::now() - begin;
        if (waited > patience_)
            fail("no {} in {} s, although {} still runs", what, patience_.count(), who_);
        const bool moving = progress && waited < kProgressFor;
        if (moving)
            progress();
        if (wait_ready(fd_.get(), POLLIN, std::chrono::milliseconds(moving ? 1 : 1000)))
            read_some();
    }
    Json message = Json::parse(inbox_.front());
    inbox_.pop_front();
    return message;
}

Json Control::ask(const Json& request, const char* what, const std::function<void()>& progress)
{
    send(request);
    return receive(what, progress);
}

} // namespace fi::tools::bench
