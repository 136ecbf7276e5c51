// SPDX-License-Identifier: BSD-2-Clause
//
// One TCP connection: its transmit buffer, the frame that is coming in, and where in its life it is.
#pragma once

#include "kit/devices/hello.hpp"
#include "kit/engine/device.hpp"
#include "kit/objects/fork.hpp"

#include <cstring>
#include <memory>
#include <vector>

namespace fi::kit::tcp {

constexpr std::size_t kTransmitBuffer = 8 * 1024; ///< bytes per link: room for deferred short messages
constexpr std::size_t kLong = 16 * 1024;     ///< bytes; behind a payload of these another such is expected
constexpr std::size_t kCopyLimit = 2 * 1024; ///< bytes; a longer payload is written from where it lies

class Link : public LinkBase {
  public:
    enum class State : std::uint8_t {
        Connecting,  ///< TCP is being established
        AwaitAnswer, ///< we dialled and said hello
        AwaitHello,  ///< we were dialled
        Up,
    };

    explicit Link(State initial) : state(initial), buffer(std::make_unique<unsigned char[]>(kTransmitBuffer))
    {
        hot.tail = hot.limit = unsent = buffer.get();
    }
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;

    // Deferring: while the window is open, short messages are appended instead of sent (hot/channel.h).
    void open_window() noexcept
    {
        window = true;
        hot.limit = buffer.get() + kTransmitBuffer;
    }
    void close_window() noexcept
    {
        window = false;
        hot.limit = hot.tail;
    }
    [[nodiscard]] std::size_t deferred() const noexcept
    {
        return static_cast<std::size_t>(hot.tail - unsent);
    }
    /// `count` bytes of the buffer are with the kernel.
    void consumed(std::size_t count) noexcept
    {
        unsent += count;
        buffer_sent += count;
        if (unsent == hot.tail) {
            hot.tail = unsent = buffer.get();
            if (!window)
                hot.limit = hot.tail;
        }
    }
    /// Appends whatever the window says; false: no room.
    bool append(const void* bytes, std::size_t size) noexcept
    {
        if (static_cast<std::size_t>(buffer.get() + kTransmitBuffer - hot.tail) < size)
            return false;
        if (size) // a message of no bytes may have no buffer, which memcpy() may not be given
            std::memcpy(hot.tail, bytes, size);
        hot.tail += size;
        if (!window)
            hot.limit = hot.tail;
        return true;
    }
    /// Position in the stream of everything that went through the buffer.
    [[nodiscard]] std::uint64_t buffer_end() const noexcept { return buffer_sent + deferred(); }

    int fd = -1;
    State state;
    bool window = false;
    bool active = false;           ///< in the port's list of links that every poll looks at
    bool unwatched = false;        ///< paused and hung up: epoll would not stop telling
    bool watch_output = false;     ///< epoll reports when it can be written again
    int error = 0;                 ///< why it is about to die; 0: alive
    std::uint64_t last_active = 0; ///< fi_hot_clock()
    std::uint64_t deadline = 0;    ///< fi_hot_clock() by which the next step must be done; 0: no hurry
    std::uint64_t owed_since = 0; ///< fi_hot_clock() since which nothing that is owed has come; 0: nothing is

    // Dialling (dial.cpp).
    std::vector<Address> targets; ///< to be tried in this order; empty: we were called
    std::size_t next_target = 0;
    Identity others{};         ///< who must answer at all of them but the first
    std::uint64_t give_up = 0; ///< fi_hot_clock() by which one of them must be connected
    int first_error = 0;       ///< of the first of them
    unsigned dials_left = 8;   ///< after connections that end before anybody has answered

    // Output: the buffer's unsent bytes first, then `current`.
    std::unique_ptr<unsigned char[]> buffer;
    unsigned char* unsent;
    std::uint64_t buffer_sent = 0;
    Outgoing* current = nullptr; ///< too large for the buffer; partly sent
    Outgoing* noted = nullptr;   ///< frames in the buffer of which the engine wants to hear, in order
    Outgoing** noted_end = &noted;

    // Input: a header being collected, or a payload being placed.
    unsigned char header[sizeof(fi_frame)];
    std::size_t header_bytes = 0;
    std::uint64_t payload_left = 0; ///< bytes of the current frame that have not come yet
    bool last_was_long = false;     ///< the last frame's payload: at least kLong
    Destination destination;
    std::uint32_t segment = 0; ///< where in the destination the next byte goes
    std::size_t segment_offset = 0;
    std::vector<unsigned char> stash; ///< bytes received but not taken by the engine, or an incomplete hello
    Hello hello;                      ///< the peer's, once Up
};

} // namespace fi::kit::tcp
