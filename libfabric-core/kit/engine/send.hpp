// SPDX-License-Identifier: BSD-2-Clause
//
// Engine, outgoing side: from a send to its completion. Included by engine.hpp.
#pragma once

namespace fi::kit {

/// Sends or queues; false: there is no link and none can be begun (errno).
template <class P>
bool Engine<P>::transmit(Peer& peer, Outgoing& outgoing) noexcept
{
    if (!peer.link && !connect(peer))
        return false;
    Posted posted = Posted::NoRoom;
    if (peer.pending.empty())
        posted = port_.send(static_cast<Link&>(*peer.link), outgoing);
    if (posted == Posted::Sent)
        sent(&outgoing);
    else if (posted == Posted::NoRoom)
        peer.pending.append(&outgoing);
    if (peer.paused && peer.link && peer.link->unsendable)
        ending(peer, peer.link->unsendable); // one more operation waits for its end
    return true;
}

template <class P>
ssize_t Engine<P>::send(const SendArgs& args) noexcept
{
    const std::uint64_t size = total(args.iov, args.segments);
    if (size > kMaxMessage || (args.inject && size > hot_.inject_size))
        return refuse(*config_.provider, FI_LOG_EP_DATA, -FI_EMSGSIZE, "sending",
                      "%llu bytes are more than %s allows", static_cast<unsigned long long>(size),
                      size > kMaxMessage ? "max_msg_size" : "inject_size");
    Peer* peer = peer_at(args.dest);
    if (!peer)
        return -errno;

    fi_frame frame{};
    frame.flags = args.frame_flags;
    frame.tag = args.tag;
    frame.data = args.data;
    const bool behind_others = !peer->pending.empty() || !peer->held.empty();
    const bool needs_record = args.report || args.fence || (args.frame_flags & FI_FRAME_ACKED);
    if (args.inject && !needs_record && !behind_others && peer->link) {
        const ssize_t ret = send_short(*peer, args, frame);
        if (ret != -FI_EAGAIN)
            return ret;
    }
    if (args.report && !config_.transmit_queue->has_room())
        return -FI_EAGAIN;
    // How it goes out depends on the link. That nobody can be reached is the operation's result, not the
    // call's.
    const int unreachable = peer->link || connect(*peer) ? 0 : errno;
    SendOp* op = sends_.get();
    if (!op)
        return -FI_EAGAIN;
    op->copy = nullptr;
    if (args.inject && size) {
        op->copy = static_cast<unsigned char*>(std::malloc(size));
        if (!op->copy) {
            op->active = false;
            sends_.put(op);
            return -FI_ENOMEM;
        }
        unsigned char* to = op->copy;
        for (std::size_t i = 0; i < args.segments; i++) {
            std::memcpy(to, args.iov[i].iov_base, args.iov[i].iov_len);
            to += args.iov[i].iov_len;
        }
        op->iov[0] = {op->copy, size};
        op->segments = 1;
    } else {
        std::copy_n(args.iov, args.segments, op->iov);
        op->segments = static_cast<std::uint32_t>(args.segments);
    }
    op->done = {};
    op->done.op_context = args.context;
    op->done.flags = FI_SEND | (args.frame_flags & FI_FRAME_TAGGED ? FI_TAGGED : FI_MSG);
    op->done.source = FI_ADDR_NOTAVAIL;
    op->report = args.report;
    op->awaits_ack = args.frame_flags & FI_FRAME_ACKED;
    op->all_sent = false;
    op->fence = args.fence;
    op->held = false;
    op->peer = peer;
    op->size = size;
    op->offset = 0;
    op->offer_sent = false;
    op->fetched = false;
    op->pulled = false;
    op->out.record = op;
    op->out.frame = frame;
    op->out.frame.transfer = Pool<SendOp>::handle(op);
    op->out.progress = 0;
    if (unreachable || size <= peer->link->eager_limit) {
        op->out.purpose = Outgoing::Purpose::Message;
        op->out.frame.kind = FI_FRAME_EAGER;
        op->out.frame.length = static_cast<std::uint32_t>(size);
        op->out.segments = op->segments;
        std::copy_n(op->iov, op->segments, op->out.payload);
    } else {
        op->out.purpose = Outgoing::Purpose::Offer;
        op->out.frame.kind = FI_FRAME_OFFER;
        op->out.frame.length = sizeof op->size;
        op->out.segments = 1;
        op->out.payload[0] = {&op->size, sizeof op->size};
        if (peer->link->names_places) {
            for (std::uint32_t i = 0; i < op->segments; i++)
                op->places[i] = {reinterpret_cast<std::uint64_t>(op->iov[i].iov_base), op->iov[i].iov_len};
            op->out.payload[1] = {op->places, op->segments * sizeof op->places[0]};
            op->out.frame.length += static_cast<std::uint32_t>(op->out.payload[1].iov_len);
            op->out.segments = 2;
        }
    }
    peer->references++;
    if (unreachable) {
        finish_send(*op, unreachable, unreachable);
        return 0;
    }
    if ((args.fence || !peer->held.empty()) && hold(*peer, *op))
        return 0;
    transmit(*peer, op->out);
    look_soon();
    return 0;
}

/// The one-frame send of an inject: no record. -FI_EAGAIN: the port has no room now.
template <class P>
ssize_t Engine<P>::send_short(Peer& peer, const SendArgs& args, const fi_frame& header) noexcept
{
    fi_frame frame = header;
    frame.kind = FI_FRAME_EAGER;
    frame.length = static_cast<std::uint32_t>(total(args.iov, args.segments));
    unsigned char gathered[kMaxInject];
    const void* payload = args.segments ? args.iov[0].iov_base : nullptr;
    if (args.segments > 1) {
        unsigned char* to = gathered;
        for (std::size_t i = 0; i < args.segments; i++) {
            std::memcpy(to, args.iov[i].iov_base, args.iov[i].iov_len);
            to += args.iov[i].iov_len;
        }
        payload = gathered;
    }
    if (port_.send_short(static_cast<Link&>(*peer.link), frame, payload) == Posted::NoRoom)
        return -FI_EAGAIN;
    if (config_.send_counter)
        config_.send_counter->count(0, frame.length);
    look_soon();
    return 0;
}

/// Bytes that wait for a look must not wait for the twentieth microsecond.
template <class P>
void Engine<P>::look_soon() noexcept
{
    if (!port_.busy())
        return;
    config_.transmit_queue->look_soon();
    config_.receive_queue->look_soon();
    for (CounterBase* counter : {config_.send_counter, config_.receive_counter})
        if (counter)
            counter->look_soon();
}

template <class P>
void Engine<P>::sent(Outgoing* outgoing) noexcept
{
    if (outgoing->purpose == Outgoing::Purpose::Ack) {
        end_ack(*static_cast<AckOp*>(outgoing->record));
        return;
    }
    if (outgoing->purpose == Outgoing::Purpose::Done) {
        auto& op = *static_cast<ReceiveOp*>(outgoing->record);
        finish_receive(op, op.peer, op.frame, op.size);
        return;
    }
    if (outgoing->purpose == Outgoing::Purpose::Pull) {
        auto& op = *static_cast<ReceiveOp*>(outgoing->record);
        op.pull_sent = true;
        if (op.received == op.pull.length)
            finish_receive(op, op.peer, op.frame, op.size);
        return;
    }
    auto& op = *static_cast<SendOp*>(outgoing->record);
    switch (outgoing->purpose) {
    case Outgoing::Purpose::Message:
        all_sent(op);
        break;
    case Outgoing::Purpose::Part:
        op.offset += outgoing->frame.length;
        if (op.offset == op.wanted)
            all_sent(op);
        else
            next_part(op);
        break;
    default: // an offer: the receiver's answer comes next, or came before we heard that the offer had left
        op.offer_sent = true;
        if (op.pulled)
            begin_parts(op);
        else if (op.fetched)
            finish_send(op, 0, 0);
        break;
    }
}

/// The offer that this frame answers, or nullptr: the peer of that link has no such offer open.
template <class P>
SendOp* Engine<P>::offered(LinkBase& link, const fi_frame& frame) noexcept
{
    SendOp* op = sends_.at(frame.transfer);
    return op && op->peer->canonical == link.peer->canonical && op->out.purpose == Outgoing::Purpose::Offer &&
                   !op->pulled && !op->fetched
               ? op
               : nullptr;
}

/// The receiver has read what it wants of an offered message.
template <class P>
void Engine<P>::fetched(LinkBase& link, const fi_frame& frame) noexcept
{
    SendOp* op = offered(link, frame);
    if (!op) {
        FI_WARN(config_.provider, FI_LOG_EP_DATA, "a peer says it has read a message that was not offered\n");
        port_.fail(static_cast<Link&>(link), EPROTO);
        return;
    }
    op->fetched = true;
    op->awaits_ack = false; // it has been matched and delivered
    if (op->offer_sent)
        finish_send(*op, 0, 0);
}

/// The receiver has matched an offer and says what it wants.
template <class P>
void Engine<P>::pulled(LinkBase& link, const fi_frame& frame, const fi_frame_pull& pull) noexcept
{
    SendOp* op = offered(link, frame);
    if (!op || pull.length > op->size) {
        FI_WARN(config_.provider, FI_LOG_EP_DATA, "a peer pulled a message that was not offered\n");
        port_.fail(static_cast<Link&>(link), EPROTO);
        return;
    }
    op->wanted = pull.length;
    op->receiver = pull.receiver;
    op->pulled = true;
    if (!op->offer_sent)
        return;
    Peer& to = *op->peer;
    begin_parts(*op);
    if (to.link)
        writable(*to.link);
}

template <class P>
void Engine<P>::begin_parts(SendOp& op) noexcept
{
    if (op.wanted == 0)
        all_sent(op);
    else
        next_part(op);
}

template <class P>
void Engine<P>::next_part(SendOp& op) noexcept
{
    op.out.purpose = Outgoing::Purpose::Part;
    op.out.frame = {};
    op.out.frame.kind = FI_FRAME_DATA;
    op.out.frame.length = static_cast<std::uint32_t>(std::min<std::uint64_t>(
        op.peer->link ? op.peer->link->part_limit : kPartLimit, op.wanted - op.offset));
    op.out.frame.transfer = op.receiver;
    op.out.progress = 0;
    op.out.segments = slice(op.iov, op.segments, op.offset, op.out.frame.length, op.out.payload);
    // Through the pending list even when the port has room: a part that is sent at once would recurse once
    // per part.
    op.peer->pending.append(&op.out);
}

/// The transport has it all, or the receiver wants no more.
template <class P>
void Engine<P>::all_sent(SendOp& op) noexcept
{
    if (op.awaits_ack)
        op.all_sent = true;
    else
        finish_send(op, 0, 0);
}

template <class P>
void Engine<P>::finish_send(SendOp& op, int error, int prov_errno) noexcept
{
    Peer& peer = *op.peer;
    peer.references--;
    op.active = false;
    std::free(op.copy);
    op.copy = nullptr;
    op.done.err = error;
    op.done.prov_errno = prov_errno;
    if (error)
        op.done.source = 0; // olen of an error entry
    if (config_.send_counter)
        config_.send_counter->count(error, op.size);
    const bool was_held = op.held;
    if (op.report || error)
        config_.transmit_queue->push(&op);
    else
        sends_.put(&op);
    if (!peer.held.empty() && !was_held && --peer.before_fence == 0)
        release_held(peer);
}

/// The link can take frames: everything that waits goes on.
template <class P>
void Engine<P>::writable(LinkBase& link) noexcept
{
    if (!link.was_up && !answered(static_cast<Link&>(link))) {
        FI_WARN(config_.provider, FI_LOG_EP_CTRL, "two endpoints have one address\n");
        port_.fail(static_cast<Link&>(link), EADDRINUSE);
        return;
    }
    link.was_up = true;
    Peer& peer = *link.peer;
    if (peer.link != &link)
        return;
    while (!peer.pending.empty()) {
        // Taken off first: from here on the frame's `next` may be the port's.
        Outgoing* outgoing = peer.pending.take();
        const Posted posted = port_.send(static_cast<Link&>(link), *outgoing);
        if (posted == Posted::NoRoom) {
            peer.pending.put_back(outgoing);
            return;
        }
        if (posted == Posted::Sent)
            sent(outgoing);
    }
}

} // namespace fi::kit
