// SPDX-License-Identifier: BSD-2-Clause
//
// Engine, FI_DELIVERY_COMPLETE and FI_MATCH_COMPLETE: sends that end when the peer says so (fi_cq.3, D147,
// D149). Included by engine.hpp.
//
// The message's frame asks, and the receiving engine answers with a frame of its own: for delivery when the
// bytes are in the matched receive's buffer or, of an eager message that has no receive yet, kept whole; for
// a match when a receive has taken them or the application has discarded them. What was offered is neither
// before it has matched: only then its bytes are fetched.
//
// An answer goes out at once where there is room. Where there is none it needs a record, and their number is
// bounded: a peer that asks and asks and reads no answers loses its link. It cannot be made to wait instead:
// if both sides waited for each other's answers to be read, neither would read.
#pragma once

namespace fi::kit {

template <class P>
void Engine<P>::acknowledge(Peer& peer, std::uint64_t transfer) noexcept
{
    fi_frame frame{};
    frame.kind = FI_FRAME_ACK;
    frame.transfer = transfer;
    if (peer.link && peer.pending.empty() &&
        port_.send_short(static_cast<Link&>(*peer.link), frame, nullptr) != Posted::NoRoom) {
        look_soon();
        return;
    }
    AckOp* ack = acks_.get();
    if (!ack) {
        FI_WARN(config_.provider, FI_LOG_EP_DATA, "a peer does not read its acknowledgements\n");
        fail_links(peer, ENOBUFS);
        return;
    }
    ack->peer = &peer;
    ack->out.purpose = Outgoing::Purpose::Ack;
    ack->out.record = ack;
    ack->out.frame = frame;
    ack->out.segments = 0;
    ack->out.progress = 0;
    peer.references++;
    if (!transmit(peer, ack->out))
        end_ack(*ack); // the link that the message came by is gone, which ends its send over there
    look_soon();
}

template <class P>
void Engine<P>::end_ack(AckOp& ack) noexcept
{
    ack.peer->references--;
    ack.active = false;
    acks_.put(&ack);
}

/// The peer has answered what a send of ours had asked.
template <class P>
void Engine<P>::acknowledged(LinkBase& link, const fi_frame& frame) noexcept
{
    SendOp* op = sends_.at(frame.transfer);
    if (!op || op->peer->canonical != link.peer->canonical || !op->awaits_ack) {
        FI_WARN(config_.provider, FI_LOG_EP_DATA, "a peer acknowledged what nobody had asked it to\n");
        port_.fail(static_cast<Link&>(link), EPROTO);
        return;
    }
    op->awaits_ack = false;
    if (op->all_sent)
        finish_send(*op, 0, 0);
}

} // namespace fi::kit
