// SPDX-License-Identifier: BSD-2-Clause
//
// From received bytes to frames: where each byte goes, and no further. Knows no socket, so it can be fed by
// anything.
//
// The header is copied out and checked before it is used; a payload goes straight to the place that the
// engine names. Bytes that the engine cannot take now are kept in the link's stash until it resumes.
#pragma once

#include "kit/devices/tcp/link.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace fi::kit::tcp {

/// Moves past `count` payload bytes that are in place; tells the engine when the frame is complete.
template <class S>
void placed(Link& link, S& sink, std::size_t count) noexcept
{
    link.payload_left -= count;
    while (count && link.segment < link.destination.count) {
        const std::size_t room = link.destination.segments[link.segment].iov_len - link.segment_offset;
        const std::size_t step = std::min(room, count);
        link.segment_offset += step;
        count -= step;
        if (link.segment_offset == link.destination.segments[link.segment].iov_len) {
            link.segment++;
            link.segment_offset = 0;
        }
    }
    if (link.payload_left == 0) {
        link.header_bytes = 0;
        sink.filled(link);
    }
}

/// The part of the destination that is still empty, at most kIovLimit segments; returns their count.
inline std::uint32_t remaining(const Link& link, iovec* out) noexcept
{
    std::uint32_t used = 0;
    for (std::uint32_t i = link.segment; i < link.destination.count; i++) {
        const std::size_t skip = i == link.segment ? link.segment_offset : 0;
        out[used++] = {static_cast<char*>(link.destination.segments[i].iov_base) + skip,
                       link.destination.segments[i].iov_len - skip};
    }
    return used;
}

/// Takes `size` received bytes apart. Sets link.error on a breach of protocol, link.paused (keeping the rest)
/// when the engine asks for a pause.
template <class S>
void consume(Link& link, S& sink, const unsigned char* bytes, std::size_t size) noexcept
{
    while (size && !link.error) {
        if (link.payload_left) {
            const std::size_t take =
                static_cast<std::size_t>(std::min<std::uint64_t>(link.payload_left, size));
            iovec to[kIovLimit];
            const std::uint32_t count = remaining(link, to);
            std::size_t copied = 0;
            for (std::uint32_t i = 0; i < count && copied < take; i++) {
                const std::size_t step = std::min(to[i].iov_len, take - copied);
                std::memcpy(to[i].iov_base, bytes + copied, step);
                copied += step;
            }
            bytes += take;
            size -= take;
            placed(link, sink, take);
            continue;
        }
        fi_frame frame;
        if (link.header_bytes == 0 && size >= sizeof frame) {
            std::memcpy(&frame, bytes, sizeof frame);
            if (size - sizeof frame >= frame.length && sink.delivered(link, frame, bytes + sizeof frame)) {
                link.last_was_long = false;
                bytes += sizeof frame + frame.length;
                size -= sizeof frame + frame.length;
                continue;
            }
        }
        const std::size_t take = std::min(sizeof link.header - link.header_bytes, size);
        std::memcpy(link.header + link.header_bytes, bytes, take);
        link.header_bytes += take;
        if (link.header_bytes < sizeof link.header)
            return;
        std::memcpy(&frame, link.header, sizeof frame);
        const Destination destination = sink.arrived(link, frame);
        if (destination.violation || destination.out_of_memory) {
            link.error = destination.violation ? EPROTO : ENOMEM;
            return;
        }
        if (destination.later) {
            // The header stays collected and is shown again after resume(); only what is behind it goes into
            // the stash.
            link.header_bytes -= take;
            try {
                link.stash.insert(link.stash.begin(), bytes, bytes + size);
                link.paused = true;
            } catch (...) {
                link.error = ENOMEM;
            }
            return;
        }
        bytes += take;
        size -= take;
        link.destination = destination;
        link.segment = 0;
        link.segment_offset = 0;
        link.payload_left = frame.length;
        link.last_was_long = frame.length >= kLong;
        if (frame.length == 0)
            placed(link, sink, 0);
    }
}

/// Takes what was kept during a pause.
template <class S>
void consume_stash(Link& link, S& sink) noexcept
{
    std::vector<unsigned char> bytes;
    bytes.swap(link.stash);
    consume(link, sink, bytes.data(), bytes.size());
}

} // namespace fi::kit::tcp
