// SPDX-License-Identifier: BSD-2-Clause
// What the machine itself does, without any library: the figures beside which those of a library mean
// something. As the workloads, each has a side that keeps the time and, where two processes take part, one
// that answers.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <sys/types.h>

#include "control.hpp"
#include "job.hpp"
#include "memory.hpp"
#include "patience.hpp"

namespace fi::tools::bench {

// A cache line in memory that the two processes share. 128: neighbours come in pairs on some processors.
struct alignas(128) Line {
    std::atomic<std::uint64_t> turn{0}; // starts at 0 before each run
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "the line is shared between processes");

// The line goes back and forth between the two cores; seconds for job.count times there and back.
[[nodiscard]] double drive_line(Line& line, const Job& job, Patience& patience);
void serve_line(Line& line, const Job& job, Patience& patience);

// Copies job.size bytes from one place of this process to another, count times.
[[nodiscard]] double copy_memory(const std::byte* from, std::byte* to, const Job& job);

// Reads job.size bytes at address in process pid, count times. Throws Refused.
[[nodiscard]] double read_process(pid_t pid, std::uint64_t address, std::byte* to, const Job& job);

// A TCP connection without delay, both ends spinning. Throws Failure.
class RawTcp {
  public:
    // The listening end: on the address that control's connection has, or the loopback; any port.
    class Listener {
      public:
        explicit Listener(const Control& control);
        [[nodiscard]] std::uint16_t port() const { return port_; }
        [[nodiscard]] RawTcp accept(std::chrono::seconds patience) const;

      private:
        Fd fd_;
        std::uint16_t port_ = 0;
    };
    // To a listener at the other end of control's connection.
    static RawTcp connect(const Control& control, std::uint16_t port);

    [[nodiscard]] double drive_latency(const Job& job, Patience& patience);
    void serve_latency(const Job& job, Patience& patience);
    // One send of job.size bytes after the other, and a byte back at the end.
    [[nodiscard]] double drive_stream(const Job& job, Patience& patience);
    void serve_stream(const Job& job, Patience& patience);

  private:
    explicit RawTcp(Fd fd);
    void make_room(std::size_t size);
    void send_all(std::size_t size, Patience& patience);
    // At least one byte and at most size, to that place in the buffer.
    std::size_t receive_some(std::size_t offset, std::size_t size, Patience& patience);
    // So many bytes; the buffer is filled over and over.
    void receive_all(std::uint64_t size, Patience& patience);

    Fd fd_;
    Memory buffer_;
};

} // namespace fi::tools::bench
