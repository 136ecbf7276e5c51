// SPDX-License-Identifier: BSD-2-Clause
//
// The contract between the engine and what carries its messages.
//
// A device is a *Port* per endpoint and a *Link* per peer that the port is connected to. A link is one
// ordered channel in each direction. The port moves frames and knows nothing of matching, tags or
// completions; the engine knows nothing of sockets or rings. The one rule that keeps both simple: A PORT
// NEVER QUEUES. When it cannot take a frame now it says NoRoom, and calls writable() later; every list of
// pending work belongs to the engine.
//
// Calls go down (engine to port) and up (port to engine, the *sink*) on one thread or under one lock; calls
// up happen inside poll(), connect() and the send functions only.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <rdma/hot/channel.h>
#include <rdma/hot/cq.h>
#include <sys/uio.h>
#include <vector>

namespace fi::kit {

struct Peer;
struct ReceiveOp;
struct Unexpected;
struct CompletionRecord;
class Address;

constexpr std::size_t kIovLimit = 4;            ///< segments of one operation
constexpr std::size_t kMaxInject = 1024;        ///< bytes; what fi_inject() takes
constexpr std::size_t kEagerLimit = 64 * 1024;  ///< bytes; a longer message is offered first
constexpr std::size_t kPartLimit = 1024 * 1024; ///< bytes of one FI_FRAME_DATA

enum class Posted {
    Sent,   ///< all of it is with the transport: the buffer is free and the operation may complete
    Taken,  ///< the port keeps a reference or a copy; sent(outgoing) follows, and after it writable(link)
    NoRoom, ///< nothing happened; writable(link) follows
};

/// One frame on its way out. Filled by the engine, kept by it until sent() or died().
struct Outgoing {
    enum class Purpose : std::uint8_t { Message, Offer, Part, Pull, Done, Ack };

    Outgoing* next = nullptr; ///< the engine's pending list, or the port's own list while Taken
    fi_frame frame{};
    iovec payload[kIovLimit]{};
    std::uint32_t segments = 0;
    Purpose purpose = Purpose::Message;
    std::uint64_t progress = 0; ///< the port's: how far it has come
    CompletionRecord* record = nullptr;
};

/// Where the payload of a frame that has arrived shall go: the segments together are no longer than the
/// payload. What does not fit into them is thrown away.
struct Destination {
    iovec segments[kIovLimit]{};
    std::uint32_t count = 0;
    bool later =
        false; ///< take nothing more from this link until resume(): the engine is out of memory for it
    bool violation = false;     ///< the frame breaks the protocol: end the link
    bool out_of_memory = false; ///< there is no place for it and none can be hoped for: end the link
};

/// Payload of FI_FRAME_OFFER.
struct Offer {
    std::uint64_t size = 0; ///< bytes of the message
    fi_frame_place places[kIovLimit]{};
};

/// What the engine keeps for a frame whose payload is still arriving.
struct Arrival {
    fi_frame frame{};
    ReceiveOp* receive = nullptr;     ///< matched at arrival, or the target of FI_FRAME_DATA
    Unexpected* unexpected = nullptr; ///< or kept here until a receive is posted
    union {
        Offer offer{};      ///< payload of FI_FRAME_OFFER
        fi_frame_pull pull; ///< payload of FI_FRAME_PULL
    };
};

/// The engine's part of a link; a device's own Link derives from it. `hot` is first: hot pointers point here.
struct LinkBase {
    fi_hot_channel hot{};
    Peer* peer = nullptr; ///< set by the engine
    Arrival arriving{};
    LinkBase* next_of_peer = nullptr; ///< the engine's list of links of one peer
    bool was_up = false;              ///< it has carried, or could have carried, frames
    bool ended = false;               ///< all that was to come on it has been delivered
    bool paused = false;              ///< the port's: between Destination::later and resume()
    /// The port's: why nothing more can be sent on it, though what comes is still delivered; 0: it can.
    int unsendable = 0;
    bool local = false;        ///< over shared memory (per_peer.hpp)
    bool names_places = false; ///< offers say where the message lies: the peer may be able to read it
    std::size_t eager_limit =
        kEagerLimit; ///< bytes of payload of one FI_FRAME_EAGER that it takes; at least kMaxInject
    std::size_t part_limit = kPartLimit; ///< bytes of one FI_FRAME_DATA
    LinkBase* next_paused = nullptr;     ///< the engine's list of links of one peer that it made wait
};

/// What a port calls. Engine is the one implementation; tests have others.
template <class S, class Link>
concept Sink = requires(S sink, Link& link, const fi_frame& frame, const unsigned char* payload,
                        Outgoing* outgoing, int error)
{
    /// A frame and all of its payload are here, for the moment. True: that was all, the payload has been
    /// copied. False: nothing has happened, say arrived(). A port need not ask.
    {
        sink.delivered(link, frame, payload)
    }
    noexcept->std::same_as<bool>;
    /// A frame's header is here; its payload goes where the answer says, then filled() is called.
    {
        sink.arrived(link, frame)
    }
    noexcept->std::same_as<Destination>;
    {
        sink.filled(link)
    }
    noexcept;
    /// A frame that was Taken is with the transport now.
    {
        sink.sent(outgoing)
    }
    noexcept;
    /// The link can take frames (again); also said once when it comes up, before anything that came on it.
    {
        sink.writable(link)
    }
    noexcept;
    /// A peer connected to us. The engine sets link.peer. False: out of memory, drop the link.
    {
        sink.linked(link)
    }
    noexcept->std::same_as<bool>;
    /// A link that was never up is given up for another way to the same peer, which is connecting and takes
    /// no shorter eager messages.
    {
        sink.moved(link, link)
    }
    noexcept;
    /// The peer has ended the link in good order or is gone (it is unsendable, too), and all that had come on
    /// it has been delivered. Said once. The link stays until the engine ends it with fail(), now or when the
    /// peer's other links have been delivered as well.
    {
        sink.ended(link)
    }
    noexcept;
    /// A paused link is unsendable: it will end, but not before it is resumed. Said at least once in a pause.
    {
        sink.stuck(link)
    }
    noexcept;
    /// The link is gone, for the reason `error` (positive errno); it is destroyed after this call.
    {
        sink.died(link, error)
    }
    noexcept;
};

/// A sink of no particular kind, for asking whether a port works with all of them.
struct AnySink {
    bool delivered(LinkBase&, const fi_frame&, const unsigned char*) noexcept;
    Destination arrived(LinkBase&, const fi_frame&) noexcept;
    void filled(LinkBase&) noexcept;
    void sent(Outgoing*) noexcept;
    void writable(LinkBase&) noexcept;
    bool linked(LinkBase&) noexcept;
    void moved(LinkBase&, LinkBase&) noexcept;
    void ended(LinkBase&) noexcept;
    void stuck(LinkBase&) noexcept;
    void died(LinkBase&, int) noexcept;
};

/// What a port does. Only close() may block.
template <class P>
concept Port = requires(P port, typename P::Link& link, const P& constant, const Address& address,
                        Outgoing& outgoing, const fi_frame& frame, const void* bytes, int error, Peer* peer,
                        const fi_frame_place* places, std::size_t count, const iovec* iov,
                        fi_hot_watch* watches, AnySink sink)
{
    requires std::derived_from<typename P::Link, LinkBase>;
    /// Begins to connect and returns at once; nullptr: errno says why not.
    {
        port.connect(address, peer)
    }
    noexcept->std::same_as<typename P::Link*>;
    /// Sends a frame whose payload is copied in any case (inject): Sent and Taken both mean done.
    {
        port.send_short(link, frame, bytes)
    }
    noexcept->std::same_as<Posted>;
    {
        port.send(link, outgoing)
    }
    noexcept->std::same_as<Posted>;
    /// Fills the segments with the bytes that lie at these places in the peer's memory, at once. False: that
    /// cannot be done (any more), in particular when the peer may have ended its end of the link before all
    /// was read: its memory is its application's again then. The message has to be pulled.
    {
        port.fetch(link, places, count, iov, count)
    }
    noexcept->std::same_as<bool>;
    /// Where the peer can be reached, as it says itself, best first. Known once the link is up.
    {
        port.names(link)
    }
    noexcept->std::same_as<const std::vector<Address>&>;
    /// Ends the pause that Destination::later began.
    {
        port.resume(link)
    }
    noexcept;
    /// Whether two links that are up lead to the same endpoint, not just to one that claims the same names.
    {
        port.same_endpoint(link, link)
    }
    noexcept->std::same_as<bool>;
    /// Makes a link unsendable for the reason `error`, and tells the peer, who then ends it too: what it has
    /// sent is still delivered, then ended() is said. A call that has not been answered is not made anew, but
    /// an answer is waited for, and what comes behind it. Nothing, if it is unsendable or failing already.
    {
        port.stop_sending(link, error)
    }
    noexcept;
    /// Ends a link because of something the engine found out: from now on nothing is placed or reported for
    /// it but died(), which follows before the end of the poll that is going on, or at the next one.
    {
        port.fail(link, error)
    }
    noexcept;
    /// Whether the next read of a completion queue should poll again at once, whatever its watches say.
    {
        port.busy()
    }
    noexcept->std::same_as<bool>;
    /// Moves what is likely to move or, when `all`, everything that can move, without blocking.
    {
        port.poll(sink, true)
    }
    noexcept;
    /// Words in memory whose change means that a poll will find something, and what they hold now: at most
    /// `count` of them. Returns how many there are, which may be more.
    {
        port.watch(watches, count)
    }
    noexcept->std::same_as<std::size_t>;
    /// Prepares for sleeping on wait_fd(). False: there is something to do.
    {
        port.arm()
    }
    noexcept->std::same_as<bool>;
    {
        constant.wait_fd()
    }
    noexcept->std::same_as<int>;
    /// The address under which peers reach this port.
    {
        constant.name()
    }
    noexcept->std::same_as<const Address&>;
    /// Sends what is unsent, tells every peer and waits, in bounded time, until it has arrived.
    {
        port.close(sink)
    }
    noexcept;
};

} // namespace fi::kit
