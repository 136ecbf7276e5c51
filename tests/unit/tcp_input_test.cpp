// SPDX-License-Identifier: BSD-2-Clause
//
// From a byte stream to frames, however the stream is cut. The sink records what an engine would be told.
#include "kit/devices/tcp/input.hpp"

#include <gtest/gtest.h>
#include <string>

namespace fi::kit::tcp {
namespace {

/// Gives each frame's payload the memory that a test has prepared.
struct Recorder {
    struct Arrived {
        fi_frame frame;
        std::string payload; ///< what lies in the destination when the frame is complete
    };

    Destination arrived(LinkBase&, const fi_frame& frame) noexcept
    {
        shown++;
        Destination to;
        if (frame.kind == violating) {
            to.violation = true;
            return to;
        }
        if (refusals > 0 && frame.kind == refused) {
            refusals--;
            to.later = true;
            return to;
        }
        current = frame;
        memory.assign(std::min<std::size_t>(frame.length, room) + 1, '~'); // one more, to see that it stays
        std::size_t at = 0;
        const std::size_t size = memory.size() - 1;
        for (std::uint32_t i = 0; i < segments && at < size; i++) {
            const std::size_t length =
                i + 1 == segments ? size - at : std::min<std::size_t>(i + 1, size - at);
            to.segments[to.count++] = {memory.data() + at, length};
            at += length;
        }
        return to;
    }
    static bool delivered(LinkBase&, const fi_frame&, const unsigned char*) noexcept { return false; }
    void filled(LinkBase&) noexcept
    {
        EXPECT_EQ('~', memory.back()) << "written behind the destination";
        frames.push_back({current, memory.substr(0, memory.size() - 1)});
    }

    std::size_t room = SIZE_MAX;
    std::uint32_t segments = 1; ///< destinations are of 1, 2, ... bytes, the last takes the rest
    int violating = -1;
    int refused = -1;
    int refusals = 0;
    int shown = 0;
    fi_frame current{};
    std::string memory;
    std::vector<Arrived> frames;
};

std::string payload_of(std::size_t size, char first)
{
    std::string bytes(size, '\0');
    for (std::size_t i = 0; i < size; i++)
        bytes[i] = static_cast<char>(first + static_cast<char>(i % 50));
    return bytes;
}

std::string frame_bytes(int kind, const std::string& payload, std::uint64_t tag = 0)
{
    fi_frame frame{};
    frame.kind = static_cast<std::uint8_t>(kind);
    frame.length = static_cast<std::uint32_t>(payload.size());
    frame.tag = tag;
    return std::string(reinterpret_cast<const char*>(&frame), sizeof frame) + payload;
}

void feed(Link& link, Recorder& sink, const std::string& bytes)
{
    // A copy of exactly that size, so that reading past the end is seen.
    const std::vector<unsigned char> exact(bytes.begin(), bytes.end());
    consume(link, sink, exact.data(), exact.size());
}

const std::string kFirst = payload_of(37, 'A');
const std::string kLast = payload_of(5, 'a');

/// A message with payload, an empty one, and another one.
std::string stream()
{
    return frame_bytes(1, kFirst, 11) + frame_bytes(2, "", 22) + frame_bytes(1, kLast, 33);
}

void expect_all(const Recorder& sink, std::size_t room = SIZE_MAX)
{
    ASSERT_EQ(3u, sink.frames.size());
    EXPECT_EQ(11u, sink.frames[0].frame.tag);
    EXPECT_EQ(kFirst.substr(0, room), sink.frames[0].payload);
    EXPECT_EQ(22u, sink.frames[1].frame.tag);
    EXPECT_EQ("", sink.frames[1].payload);
    EXPECT_EQ(33u, sink.frames[2].frame.tag);
    EXPECT_EQ(kLast.substr(0, room), sink.frames[2].payload);
}

TEST(TcpInput, AStreamCutInTwoAtAnyPlaceGivesTheSameFrames)
{
    const std::string bytes = stream();
    for (std::uint32_t segments = 1; segments <= kIovLimit; segments++) {
        for (std::size_t cut = 0; cut <= bytes.size(); cut++) {
            SCOPED_TRACE(cut);
            Link link(Link::State::Up);
            Recorder sink;
            sink.segments = segments;
            feed(link, sink, bytes.substr(0, cut));
            feed(link, sink, bytes.substr(cut));
            expect_all(sink);
            EXPECT_EQ(3, sink.shown) << "each header once";
            EXPECT_EQ(0, link.error);
            if (HasFailure())
                return;
        }
    }
}

TEST(TcpInput, AStreamInPiecesOfAnySizeGivesTheSameFrames)
{
    const std::string bytes = stream();
    for (std::size_t piece = 1; piece <= bytes.size(); piece++) {
        SCOPED_TRACE(piece);
        Link link(Link::State::Up);
        Recorder sink;
        sink.segments = 3;
        for (std::size_t at = 0; at < bytes.size(); at += piece)
            feed(link, sink, bytes.substr(at, piece));
        expect_all(sink);
        if (HasFailure())
            return;
    }
}

TEST(TcpInput, WhatDoesNotFitIntoTheDestinationIsThrownAway)
{
    const std::string bytes = stream();
    for (const std::size_t room : {std::size_t{0}, std::size_t{1}, std::size_t{4}, std::size_t{36}}) {
        for (std::size_t cut = 0; cut <= bytes.size(); cut++) {
            Link link(Link::State::Up);
            Recorder sink;
            sink.room = room;
            sink.segments = 2;
            feed(link, sink, bytes.substr(0, cut));
            feed(link, sink, bytes.substr(cut));
            expect_all(sink, room);
            if (HasFailure())
                return;
        }
    }
}

TEST(TcpInput, AFrameThatMustWaitIsShownAgainAfterThePauseAndNothingIsLost)
{
    // The middle or the last frame is refused, once or twice; the stream is cut anywhere.
    const std::string bytes = stream();
    for (const int times : {1, 2}) {
        for (const int kind : {1, 2}) {
            for (std::size_t cut = 0; cut <= bytes.size(); cut++) {
                SCOPED_TRACE(cut);
                Link link(Link::State::Up);
                Recorder sink;
                sink.refused = kind;
                sink.refusals = times;
                std::string rest = bytes.substr(cut);
                feed(link, sink, bytes.substr(0, cut));
                // A paused link is not read; what comes meanwhile stays in the socket.
                int pauses = 0;
                for (;;) {
                    if (link.paused) {
                        pauses++;
                        link.paused = false;
                        consume_stash(link, sink);
                        continue;
                    }
                    if (rest.empty())
                        break;
                    std::string now;
                    now.swap(rest);
                    feed(link, sink, now);
                }
                EXPECT_EQ(times, pauses);
                EXPECT_TRUE(link.stash.empty());
                expect_all(sink);
                if (HasFailure())
                    return;
            }
        }
    }
}

TEST(TcpInput, DuringAPauseNothingIsTaken)
{
    Link link(Link::State::Up);
    Recorder sink;
    sink.refused = 2;
    sink.refusals = 1;
    feed(link, sink, stream());
    EXPECT_TRUE(link.paused);
    EXPECT_EQ(1u, sink.frames.size());
    EXPECT_EQ(2, sink.shown);
}

TEST(TcpInput, AFrameThatBreaksTheProtocolEndsTheLinkAtItsHeader)
{
    for (std::size_t cut = 0; cut <= stream().size(); cut++) {
        Link link(Link::State::Up);
        Recorder sink;
        sink.violating = 2;
        feed(link, sink, stream().substr(0, cut));
        feed(link, sink, stream().substr(cut));
        EXPECT_EQ(EPROTO, link.error);
        EXPECT_EQ(1u, sink.frames.size()) << "nothing behind it is looked at";
        if (HasFailure())
            return;
    }
}

TEST(TcpInput, ALinkThatFailsWhileAFrameIsReportedTakesNoMore)
{
    struct Failing : Recorder {
        void filled(LinkBase& link) noexcept
        {
            Recorder::filled(link);
            static_cast<Link&>(link).error = ENOMEM;
        }
    } sink;
    Link link(Link::State::Up);
    const std::string bytes = stream();
    const std::vector<unsigned char> exact(bytes.begin(), bytes.end());
    consume(link, sink, exact.data(), exact.size());
    EXPECT_EQ(1u, sink.frames.size());
}

TEST(TcpInput, RemainingNamesThePartOfTheDestinationThatIsStillEmpty)
{
    Link link(Link::State::Up);
    Recorder sink;
    sink.segments = 3; // 1, 2 and 34 bytes
    for (std::size_t arrived = 0; arrived < kFirst.size(); arrived++) {
        Link fresh(Link::State::Up);
        feed(fresh, sink, frame_bytes(1, kFirst).substr(0, sizeof(fi_frame) + arrived));
        iovec to[kIovLimit];
        const std::uint32_t count = remaining(fresh, to);
        std::size_t left = 0;
        for (std::uint32_t i = 0; i < count; i++)
            left += to[i].iov_len;
        EXPECT_EQ(kFirst.size() - arrived, left);
        EXPECT_EQ(sink.memory.data() + arrived, to[0].iov_base);
    }
}

// The transmit buffer, from the other side.

TEST(TcpLink, TheWindowOpensAndClosesTheRoomOfTheHotPath)
{
    Link link(Link::State::Up);
    fi_frame frame{};
    frame.length = 8;
    EXPECT_EQ(0, fi_hot_put(&link.hot, &frame, "12345678", 8)) << "closed at first";
    link.open_window();
    EXPECT_EQ(1, fi_hot_put(&link.hot, &frame, "12345678", 8));
    EXPECT_EQ(sizeof frame + 8, link.deferred());
    link.close_window();
    EXPECT_EQ(0, fi_hot_put(&link.hot, &frame, "12345678", 8));
    EXPECT_EQ(sizeof frame + 8, link.deferred());
}

TEST(TcpLink, TheHotPathFillsTheBufferAndNoMore)
{
    Link link(Link::State::Up);
    link.open_window();
    fi_frame frame{};
    frame.length = 1000;
    const std::string bytes(1000, 'x');
    std::size_t count = 0;
    while (fi_hot_put(&link.hot, &frame, bytes.data(), bytes.size()))
        ASSERT_LE(++count, kTransmitBuffer / 1000);
    EXPECT_EQ(kTransmitBuffer / (sizeof frame + 1000), count);
}

TEST(TcpLink, SentBytesMakeRoomOnceAllAreGoneAndPositionsKeepCounting)
{
    Link link(Link::State::Up);
    link.open_window();
    ASSERT_TRUE(link.append("0123456789", 10));
    link.consumed(4);
    EXPECT_EQ(6u, link.deferred());
    EXPECT_EQ(10u, link.buffer_end());
    EXPECT_EQ(0, std::memcmp(link.unsent, "456789", 6));
    link.consumed(6);
    EXPECT_EQ(0u, link.deferred());
    EXPECT_EQ(10u, link.buffer_end());
    EXPECT_FALSE(link.append(std::string(kTransmitBuffer + 1, 'x').data(), kTransmitBuffer + 1));
    EXPECT_TRUE(link.append(std::string(kTransmitBuffer, 'x').data(), kTransmitBuffer));
    EXPECT_EQ(10 + kTransmitBuffer, link.buffer_end());
}

} // namespace
} // namespace fi::kit::tcp
