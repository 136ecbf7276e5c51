// SPDX-License-Identifier: BSD-2-Clause
// What each of the two measuring processes has open: library, endpoint, buffers, channel.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "channel.hpp"
#include "control.hpp"
#include "endpoint.hpp"
#include "memory.hpp"
#include "pattern.hpp"

namespace fi::tools::bench {

class Session {
  public:
    // All three must outlive this. Throws Failure.
    Session(const Library& library, Control& control, const Config& config);

    // Exchanges one message each way, so that what connecting needs has happened. The initiator sends first.
    void greet(const std::string& name, bool initiator);

    // Buffer number k. All are one and the same, as in other benchmarks, so that what is measured is moving
    // the bytes and not missing the cache; with checking each message of the window has its own.
    [[nodiscard]] Buffer outgoing(std::uint64_t k) const { return at(sends_, send_descriptor_, k); }
    [[nodiscard]] Buffer incoming(std::uint64_t k) const { return at(receives_, receive_descriptor_, k); }
    // Eight bytes each, beside the messages.
    [[nodiscard]] Buffer note(std::uint64_t k) const { return {notes_.data() + 8 * k, note_descriptor_}; }

    // Fills buffer number k with message number `number` when messages are checked.
    Buffer prepare(std::uint64_t k, std::uint64_t number, std::size_t size)
    {
        const Buffer buffer = outgoing(k);
        if (config_.check)
            fill_pattern({buffer.data, size}, number);
        return buffer;
    }
    // Throws Failure unless the arrived message is one that was due.
    void verify(Checker& checker, Arrival arrival, std::size_t size) const
    {
        if (arrival.length != size) [[unlikely]]
            fail("a message of {} bytes came, of {} were sent", arrival.length, size);
        if (config_.check)
            checker.take({incoming(arrival.index).data, size});
    }

    [[nodiscard]] const Config& config() const { return config_; }
    [[nodiscard]] Endpoint& endpoint() { return endpoint_; }
    [[nodiscard]] Channel& channel() { return channel_; }

  private:
    [[nodiscard]] Buffer at(const Memory& memory, void* descriptor, std::uint64_t k) const
    {
        return {memory.data() + k * stride_, descriptor};
    }

    Config config_;
    std::uint64_t stride_; // bytes from one buffer to the next
    Memory sends_, receives_, notes_;
    Endpoint endpoint_;
    void *send_descriptor_, *receive_descriptor_, *note_descriptor_;
    Channel channel_;
};

// The workloads; each has one side that sends first and keeps the time, in seconds for job.count messages (of
// the ping-pong: there and back), and one that answers. Both sides have agreed on the job before.
[[nodiscard]] double drive_latency(Session& session, const Job& job);
void serve_latency(Session& session, const Job& job);
[[nodiscard]] double drive_stream(Session& session, const Job& job);
void serve_stream(Session& session, const Job& job);

} // namespace fi::tools::bench
