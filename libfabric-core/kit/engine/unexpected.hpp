// SPDX-License-Identifier: BSD-2-Clause
//
// Engine, messages that came before their receive: keeping them, within bounds, and making their sender wait.
// Included by engine.hpp.
//
// The bound is per peer, so that one sender cannot use up everybody's memory; who is over it is not read any
// more, and TCP makes the sender wait. Nothing is ever refused or lost.
#pragma once

namespace fi::kit {

/// Removes an unexpected message with its payload; a link that was paused for lack of room goes on.
template <class P>
void Engine<P>::drop(Unexpected& message) noexcept
{
    queue(message.frame.flags & FI_FRAME_TAGGED).list_of(message).remove(&message);
    Peer* const peer = message.from;
    if (peer)
        detach(message);
    std::free(message.payload);
    delete &message;
    if (peer && peer->unexpected_bytes < config_.unexpected_limit)
        resume_paused(*peer);
}

/// Ends what ties a message to its sender.
template <class P>
void Engine<P>::detach(Unexpected& message) noexcept
{
    message.from->unexpected_bytes -= message.kept;
    message.from->references--;
    message.from = nullptr;
}

/// The rest of a message will never come. Who claimed it has been promised it and is told when it asks.
template <class P>
void Engine<P>::lose(Unexpected& message, int error) noexcept
{
    if (!message.claimer) {
        drop(message);
        return;
    }
    message.error = error;
    detach(message);
}

/// Whether the peer has to wait before another message of it is kept. One is always kept, so that nothing
/// waits for ever. While receives wait for bytes from it, all that a stream may hold in front of these is
/// kept as well: the receives may be the only ones that will ever take anything.
template <class P>
bool Engine<P>::over_limit(const Peer& peer, std::size_t payload) const noexcept
{
    const std::size_t limit =
        peer.pulls ? kUnexpectedWhilePulling * config_.unexpected_limit : config_.unexpected_limit;
    return peer.unexpected_bytes && peer.unexpected_bytes + sizeof(Unexpected) + payload > limit;
}

/// Puts a message without a receive at the end of its queue. Its bookkeeping counts too: a flood of empty
/// messages takes memory as well.
template <class P>
void Engine<P>::keep(Peer& peer, Unexpected* message, const fi_frame& frame, std::size_t payload) noexcept
{
    message->engine = this;
    message->from = &peer;
    message->frame = frame;
    message->kept = sizeof *message + payload;
    peer.unexpected_bytes += message->kept;
    peer.references++;
    queue(frame.flags & FI_FRAME_TAGGED).unexpected.append(message);
}

template <class P>
void Engine<P>::pause(LinkBase& link) noexcept
{
    link.next_paused = link.peer->paused;
    link.peer->paused = &link;
    paused_++;
}

/// Takes a link off the list of paused ones, if it is there.
template <class P>
void Engine<P>::unpause(LinkBase& link) noexcept
{
    for (LinkBase** at = &link.peer->paused; *at; at = &(*at)->next_paused) {
        if (*at != &link)
            continue;
        *at = link.next_paused;
        link.next_paused = nullptr;
        paused_--;
        return;
    }
}

template <class P>
void Engine<P>::resume_paused(Peer& peer) noexcept
{
    if (!peer.paused)
        return;
    while (LinkBase* link = peer.paused) {
        unpause(*link);
        port_.resume(static_cast<Link&>(*link));
    }
    config_.receive_queue->look_soon();
}

template <class P>
void Engine<P>::resume_all() noexcept
{
    for (auto& [address, peer] : peers_)
        resume_paused(*peer);
    for (auto& stranger : strangers_)
        resume_paused(*stranger);
}

} // namespace fi::kit
