// SPDX-License-Identifier: BSD-2-Clause
//
// Engine, the end of a peer: when it is dead, and what ends with it. Included by engine.hpp.
//
// What is hard is that a peer may have two links to us, because both sides called at once: one carries what
// it sends, the other our answers, over one device or over two. It ends them together, but we read their ends
// one after the other, and what it had said on any of them, also behind an answer to a call of ours, comes
// before its death. So whoever reads the end of one link sends nothing more on the others, which makes the
// peer end them too if it has not, and reads them to their ends; when that has been done, all die at once.
#pragma once

namespace fi::kit {

template <class P>
void Engine<P>::ended(LinkBase& link) noexcept
{
    link.ended = true;
    ending(*link.peer, link.unsendable);
}

template <class P>
void Engine<P>::stuck(LinkBase& link) noexcept
{
    ending(*link.peer, link.unsendable);
}

/// A peer ends, for the reason `error`; it is dead when nothing more is to be had from any of its links. A
/// pause may end when receives take what is kept, but not if operations wait for this very peer: what is
/// behind it is given up then.
template <class P>
void Engine<P>::ending(Peer& peer, int error) noexcept
{
    const bool awaited = peer.paused && is_awaited(peer);
    bool is_over = true;
    for (LinkBase* link = peer.links; link; link = link->next_of_peer) {
        port_.stop_sending(static_cast<Link&>(*link), error);
        is_over = is_over && (link->ended || (link->paused && awaited));
    }
    if (is_over)
        fail_links(peer, error);
}

template <class P>
bool Engine<P>::is_awaited(const Peer& peer) noexcept
{
    bool is_awaited = false;
    sends_.for_each_active([&](const SendOp& op) { is_awaited |= op.peer == &peer; });
    rx_.receives.for_each_active([&](const ReceiveOp& op) { is_awaited |= op.peer == &peer; });
    return is_awaited;
}

template <class P>
void Engine<P>::fail_links(const Peer& peer, int error) noexcept
{
    for (LinkBase* link = peer.links; link; link = link->next_of_peer)
        port_.fail(static_cast<Link&>(*link), error);
}

template <class P>
void Engine<P>::died(LinkBase& link, int error) noexcept
{
    Peer& peer = *link.peer;
    Arrival& arrival = link.arriving;
    unpause(link);
    if (ReceiveOp* op = arrival.receive; op && op->active) {
        op->filling = nullptr;
        fail_receive(*op, error);
    }
    if (Unexpected* message = arrival.unexpected) {
        if (message->taker) {
            fail_receive(*message->taker, error);
            drop(*message);
        } else {
            lose(*message, error);
        }
    }
    arrival = {};
    peer.remove(link);
    sweep_due_ = true;
    if (link.was_up)
        // Of two links after both sides called at once, one carried what the peer sends and the other our
        // answers to it. Neither is of use alone, and the peer must not be left waiting on the other.
        fail_links(peer, error);
    else if (peer.links && peer.links->unsendable)
        ending(peer, peer.links->unsendable); // the others may have waited for an answer to this call
    if (peer.met == &link)
        peer.met = nullptr;
    const bool was_ours = peer.link == &link;
    if (was_ours) {
        OutgoingList answers;
        while (!link.was_up && peer.met && !peer.pending.empty())
            if (Outgoing* waits = peer.pending.take(); is_answer(*waits))
                answers.append(waits);
        peer.link = link.was_up ? nullptr : peer.met;
        point_all(peer, peer.link);
        fail_sends(peer, error);
        if (peer.link) {
            // Nobody has answered our call, but the peer has called us: what it waits for goes that way.
            while (!answers.empty())
                peer.pending.append(answers.take());
            writable(*peer.link);
        } else {
            end_acks(peer);
            adopt_stranger(peer);
        }
    }
    // A call of ours that nobody answered says nothing of a link on which the peer has called us.
    if (link.was_up || !peer.links)
        fail_receives(peer, error, link.was_up);
}

/// Whether it is of a message that the peer has sent, not of one of ours.
template <class P>
bool Engine<P>::is_answer(const Outgoing& outgoing) noexcept
{
    return outgoing.purpose == Outgoing::Purpose::Pull || outgoing.purpose == Outgoing::Purpose::Done ||
           outgoing.purpose == Outgoing::Purpose::Ack;
}

template <class P>
void Engine<P>::fail_sends(Peer& peer, int error) noexcept
{
    peer.pending.clear();
    peer.held.clear();
    sends_.for_each_active([&](SendOp& op) {
        if (op.peer == &peer)
            finish_send(op, error, error);
    });
}

template <class P>
void Engine<P>::end_acks(Peer& peer) noexcept
{
    acks_.for_each_active([&](AckOp& ack) {
        if (ack.peer == &peer)
            end_ack(ack);
    });
}

/// Receives that only this peer could have finished: those it had begun to fill and, if it has been there at
/// all, those posted for it alone. (When nobody answered a connection, the peer may yet come and connect to
/// us.)
template <class P>
void Engine<P>::fail_receives(Peer& peer, int error, bool was_up) noexcept
{
    for (MatchQueue* matching : {&rx_.tagged, &rx_.untagged}) {
        const auto is_lost = [&](const Unexpected& message) {
            return message.from == &peer && message.frame.kind == FI_FRAME_OFFER;
        };
        for (Fifo<Unexpected>* list : {&matching->unexpected, &matching->claimed}) {
            while (Unexpected* offer = list->find(is_lost))
                lose(*offer, error);
            // What is kept whole stays, but its sender has been told that it failed and must hear no more of
            // it: who answers to its name next would take that for a breach of the protocol.
            for (Unexpected* message = list->first(); message; message = message->next)
                if (message->from == &peer)
                    message->frame.flags &= static_cast<std::uint8_t>(~FI_FRAME_ACKED);
        }
        const auto lost = [&] {
            return matching->posted.find([&](const ReceiveOp& receive) {
                return receive.from && receive.from->canonical == peer.canonical;
            });
        };
        for (ReceiveOp* op = was_up ? lost() : nullptr; op; op = lost()) {
            matching->posted.remove(op);
            fail_receive(*op, error);
        }
    }
    rx_.receives.for_each_active([&](ReceiveOp& op) {
        if (op.peer != &peer)
            return;
        if (op.out.purpose == Outgoing::Purpose::Done)
            finish_receive(op, op.peer, op.frame, op.size); // all of it is here: only saying so has failed
        else
            fail_receive(op, error);
    });
}

} // namespace fi::kit
