// SPDX-License-Identifier: BSD-2-Clause
// The connection over which the driver steers another process: JSON objects, each after its length. A socket
// pair to a process on this machine, TCP to a server. Its end is how a death is noticed, so it is watched
// during measurements.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace fi::tools::bench {

using Json = nlohmann::json;

// An owned file descriptor.
class Fd {
  public:
    explicit Fd(int fd = -1) : fd_(fd) {}
    Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Fd& operator=(Fd&& other) noexcept
    {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~Fd();
    [[nodiscard]] int get() const { return fd_; }

  private:
    int fd_;
};

// Used by one thread. All functions throw Failure when the other side has ended, when it sent {"error":
// text}, and when nothing came for the patience.
class Control {
  public:
    // who names the other side in messages: "the partner".
    Control(Fd fd, std::string who, std::chrono::seconds patience);

    void send(const Json& message);

    // The next message. progress is called about every millisecond in the meantime, for a while, and then no
    // more: what the other side waits for may need this side's library to move, but an idle process should
    // sleep.
    [[nodiscard]] Json receive(const char* what, const std::function<void()>& progress = {});

    // Sends a request and returns its answer.
    [[nodiscard]] Json ask(const Json& request, const char* what, const std::function<void()>& progress = {});

    // Takes what has come without waiting, so that an end or an error is thrown here.
    void look();

    [[nodiscard]] int fd() const { return fd_.get(); }
    [[nodiscard]] const std::string& who() const { return who_; }
    [[nodiscard]] std::chrono::seconds patience() const { return patience_; }
    void end() { fd_ = Fd(); } // the other side sees it

  private:
    void read_some();
    void split();

    Fd fd_;
    std::string who_;
    std::chrono::seconds patience_;
    std::vector<char> bytes_; // not yet a whole message
    std::deque<std::string> inbox_;
};

// Waits until fd is ready for events (poll(2)); false when the time is over.
[[nodiscard]] bool wait_ready(int fd, short events, std::chrono::milliseconds time);

} // namespace fi::tools::bench
