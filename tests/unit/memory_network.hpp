// SPDX-License-Identifier: BSD-2-Clause
//
// What lies between the ports of memory_port.hpp: who listens where, what a link is, and how it behaves.
//
// A device may answer at once or late, take little or much, lose a link at any step. Every such freedom of
// engine/device.hpp is one question that a port puts to its Network. Here the answers are plain settings,
// which is what a test about one behaviour wants; tests/sim derives from Network and answers by chance.
#pragma once

#include "kit/engine/device.hpp"
#include "kit/objects/address.hpp"

#include <cerrno>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace fi::kit::memory {

class Port;

/// The address 10.0.0.<host> with this port.
inline Address address_of(int host, std::uint16_t port = 1)
{
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_port = htons(port);
    name.sin_addr.s_addr = htonl(0x0a000000u + static_cast<std::uint32_t>(host));
    return *Address::from(&name, sizeof name);
}

struct Frame {
    fi_frame header;
    std::vector<unsigned char> payload;
    std::uint64_t mark; ///< what Network::carried() said of it
};

/// One half of a connection.
struct Link : LinkBase {
    static constexpr std::size_t kHotRoom = 256; ///< bytes

    std::vector<Address> remote_names;
    Address dialled;            ///< of a link that we called
    std::uint64_t identity = 0; ///< of the far endpoint, once connected
    Link* other = nullptr;      ///< the far half; nullptr: not accepted yet, or dead
    Port* port = nullptr;
    Port* called = nullptr; ///< who has not accepted yet
    bool up = false;        ///< writable() has been said
    bool blocked = false;   ///< NoRoom has been said, and not yet writable()
    bool owing = false;     ///< something has been sent(): writable() follows
    bool gone = false;      ///< the far end sends nothing more: what has arrived is still delivered
    bool told = false;      ///< stuck() has been said in this pause
    int error = 0;
    struct Promised {
        Outgoing* outgoing;
        std::uint64_t mark;
    };
    std::deque<Frame> incoming; ///< sent by the other half
    std::deque<Promised> taken; ///< the engine's frames that we promised to carry
    bool started = false;       ///< the first incoming frame has its destination
    Destination destination;
    std::size_t placed = 0;                 ///< payload bytes of it that have been placed or thrown away
    unsigned char short_messages[kHotRoom]; ///< what `hot` puts: on its way with the next call or poll
};

/// How much of what a port was asked to fetch it can.
enum class Fetch { Nothing, Half, All };

struct Network {
    virtual ~Network() = default;

    std::unordered_map<Address, Port*, AddressHash>
        listeners;               ///< every name of every port; who came last has it
    bool take = false;           ///< frames are Taken, and carried at the sender's next poll
    std::size_t room = 1000;     ///< frames that a link holds until the receiver has taken them
    std::size_t step = SIZE_MAX; ///< bytes that arrive per link and poll
    bool fetches = false;        ///< offered messages are read where they lie
    std::uint64_t happened = 0;  ///< goes up with everything that changes anything
    std::uint64_t endpoints = 0; ///< that there have been

    // What may happen. All of them are asked once per occasion.
    /// Not 0: connect() fails with it at once.
    virtual int refuses(const Address&) { return 0; }
    /// Both halves of a link get their limits when they are made.
    virtual void made(Link& link) { link.names_places = fetches; }
    virtual Posted answer(const Link& link)
    {
        if (link.other->incoming.size() + link.taken.size() >= room)
            return Posted::NoRoom;
        return take ? Posted::Taken : Posted::Sent;
    }
    /// Bytes for fi_hot_put() after everything else has gone out.
    virtual std::size_t hot_room(const Link&) { return 0; }
    /// Whether this poll looks at this link at all, at who is calling, and comes to know that a call of ours
    /// has been answered.
    virtual bool looks_at(const Link&) { return true; }
    virtual bool accepts() { return true; }
    virtual bool comes_up(const Link&) { return true; }
    /// Whether a call that has not been answered is given up and made anew.
    virtual bool gives_up(const Link&) { return false; }
    virtual bool carries(const Link&) { return true; } ///< the next frame that was Taken
    virtual std::size_t arriving(const Link&) { return step; }
    virtual bool says_writable(const Link&) { return true; }
    virtual Fetch fetching(const Link&) { return fetches ? Fetch::All : Fetch::Nothing; }
    /// Whether what has arrived as a whole is handed over as a whole. Who takes frames also gives pieces
    /// here.
    virtual bool hands_over(const Link&) { return !take; }

    // What has happened.
    /// The port has accepted a frame. The answer goes with it.
    virtual std::uint64_t carried(const Link&, const fi_frame&) { return 0; }
    /// The engine has the header of a frame, and of an offer all of it: it is in the order of messages.
    virtual void arrived(const Link&, const Frame&) {}
    /// All of a frame is where the engine wants it. Said before the engine hears of it.
    virtual void placed(const Link&, const Frame&) {}
    /// A link is up, to an endpoint whose names are known. Said before the engine hears of it.
    virtual void connected(const Link&) {}
    /// connect() has made a link.
    virtual void dialling(const Link&) {}
    /// connect() has failed with errno.
    virtual void unreachable(const Address&) {}
    /// A link is about to be reported dead.
    virtual void dying(const Link&) {}
    /// Around the engine's own work for a new link.
    virtual void linking(bool) {}
};

} // namespace fi::kit::memory
