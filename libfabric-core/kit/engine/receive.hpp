// SPDX-License-Identifier: BSD-2-Clause
//
// Engine, incoming side: from a frame's header, or a posted receive, to the completion. Included by
// engine.hpp.
#pragma once

namespace fi::kit {

template <class P>
ssize_t Engine<P>::receive(const ReceiveArgs& args) noexcept
{
    Peer* from = nullptr;
    if (args.source != FI_ADDR_UNSPEC) {
        from = peer_at(args.source);
        if (!from)
            return -errno;
    }
    if (args.special || rx_.starved)
        return receive_special(args, from);
    ReceiveOp* op = prepare(rx_, args);
    if (!op)
        return -FI_EAGAIN;
    if (from) {
        op->from = from;
        from->references++;
    }
    MatchQueue& matching = queue(args.tagged);
    if (Unexpected* message = matching.find_unexpected(*op))
        take(*op, *message);
    else
        post(matching, *op);
    return 0;
}

/// The receives that are none of the common kind, or in no common moment.
template <class P>
ssize_t Engine<P>::receive_special(const ReceiveArgs& args, Peer* from) noexcept
{
    if (rx_.starved)
        return -FI_EAGAIN;
    MatchQueue& matching = queue(args.tagged);
    Unexpected* message = nullptr;
    if (args.special == FI_CLAIM || args.special == (FI_CLAIM | FI_DISCARD)) {
        message = find_claimed(matching, args.context);
        if (!message)
            return refuse(*config_.provider, FI_LOG_EP_DATA, -FI_EINVAL, "receiving", kNothingClaimed);
    }
    ReceiveOp* op = prepare(rx_, args);
    if (!op)
        return -FI_EAGAIN;
    op->from = from;
    if (args.special & FI_MULTI_RECV) {
        if (from)
            from->references++;
        make_multi(*op, args.least);
        post(matching, *op);
        fill_multi(matching, *op);
        return 0;
    }
    if (!message)
        message = matching.find_unexpected(*op);
    op->from = nullptr; // it waits for nobody
    examine(args, matching, *op, message);
    return 0;
}

template <class P>
void Engine<P>::post(MatchQueue& matching, ReceiveOp& op) noexcept
{
    matching.posted.append(&op);
    // The message may be waiting at the head of a link that was paused.
    if (paused_)
        resume_all();
}

/// A record for a receive; nullptr: there is none left. A completion made at once needs a place, as does
/// every later one: the record is the place.
template <class P>
[[gnu::always_inline]] inline ReceiveOp* Engine<P>::prepare(ReceiveContext<Engine>& context,
                                                            const ReceiveArgs& args) noexcept
{
    ReceiveOp* op = context.receives.get();
    if (!op)
        return nullptr;
    op->done.op_context = args.context;
    op->done.flags = FI_RECV | (args.tagged ? FI_TAGGED : FI_MSG);
    op->tag = args.tag;
    op->ignore = args.ignore;
    op->segments = static_cast<std::uint32_t>(args.segments);
    if (args.segments == 1) {
        op->iov[0] = *args.iov;
        op->room = args.iov->iov_len;
    } else {
        std::copy_n(args.iov, args.segments, op->iov);
        op->room = total(args.iov, args.segments);
        op->special = Special::Pieces;
    }
    op->report = args.report;
    return op;
}

/// Puts a record back as prepare() expects it: what only some receives use is as if it had never been used.
template <class P>
void Engine<P>::give_back(ReceiveContext<Engine>& context, ReceiveOp& op) noexcept
{
    op.done = {};
    op.from = nullptr;
    op.peer = nullptr;
    op.received = 0;
    op.pull_sent = false;
    op.filling = nullptr;
    op.special = 0;
    context.receives.put(&op);
}

/// Takes the receive for a message that has arrived off its list; nullptr: there is none, or (starved) none
/// yet.
template <class P>
ReceiveOp* Engine<P>::match(MatchQueue& matching, std::uint64_t tag, const Peer* from,
                            std::uint64_t size) noexcept
{
    ReceiveOp* op = find_receive(matching, tag, from);
    while (op && (op->special & Special::Multi)) {
        ReceiveOp* const part = carve(matching, *op, size);
        if (part || rx_.starved)
            return part;
        op = find_receive(matching, tag, from); // that buffer has been released: the next one
    }
    if (op) {
        matching.posted.remove(op);
        if (rx_.shared)
            adopt(*op);
    }
    return op;
}

/// Joins a receive with a message that came before it.
template <class P>
void Engine<P>::take(ReceiveOp& op, Unexpected& message) noexcept
{
    if (message.frame.kind == FI_FRAME_OFFER) {
        const fi_frame frame = message.frame;
        const std::uint64_t size = message.size;
        fi_frame_place places[kIovLimit];
        const std::uint32_t place_count = message.place_count;
        LinkBase& link = *message.link;
        std::copy_n(message.places, place_count, places);
        drop(message);
        collect(op, link, frame, size, places, place_count);
        return;
    }
    if (!message.complete) {
        message.taker = &op;
        return;
    }
    iovec to[kIovLimit];
    const std::uint32_t count = slice(op.iov, op.segments, 0, message.size, to);
    const unsigned char* from = message.payload;
    for (std::uint32_t i = 0; i < count; i++) {
        std::memcpy(to[i].iov_base, from, to[i].iov_len);
        from += to[i].iov_len;
    }
    Peer* const peer = message.from;
    const fi_frame frame = message.frame;
    const std::uint64_t size = message.size;
    drop(message);
    finish_receive(op, peer, frame, size);
}

template <class P>
Destination Engine<P>::arrived(LinkBase& link, const fi_frame& frame) noexcept
{
    Peer& peer = *link.peer;
    Arrival& arrival = link.arriving;
    arrival = {};
    arrival.frame = frame;
    Destination to;
    switch (frame.kind) {
    case FI_FRAME_EAGER:
        to = arrived_eager(peer, arrival);
        break;
    case FI_FRAME_OFFER:
        to.violation = frame.length < sizeof arrival.offer.size || frame.length > sizeof arrival.offer ||
                       (frame.length - sizeof arrival.offer.size) % sizeof(fi_frame_place) != 0;
        to.later = !to.violation &&
                   (rx_.starved || (over_limit(peer, 0) && !find_receive(queue(frame.flags & FI_FRAME_TAGGED),
                                                                         frame.tag, peer.canonical)));
        to.segments[0] = {&arrival.offer, frame.length};
        to.count = 1;
        break;
    case FI_FRAME_DONE:
    case FI_FRAME_ACK:
        to.violation = frame.length != 0;
        break;
    case FI_FRAME_PULL:
        to.violation = frame.length != sizeof arrival.pull;
        to.segments[0] = {&arrival.pull, sizeof arrival.pull};
        to.count = 1;
        break;
    case FI_FRAME_DATA:
        to = arrived_data(link);
        break;
    default:
        to.violation = true;
    }
    if (to.later)
        pause(link);
    return to;
}

template <class P>
Destination Engine<P>::arrived_eager(Peer& peer, Arrival& arrival) noexcept
{
    Destination to;
    const fi_frame& frame = arrival.frame;
    if (frame.length > kEagerLimit) {
        to.violation = true;
        return to;
    }
    MatchQueue& matching = queue(frame.flags & FI_FRAME_TAGGED);
    if (ReceiveOp* op = rx_.starved ? nullptr : match(matching, frame.tag, peer.canonical, frame.length)) {
        arrival.receive = op;
        to.count = slice(op->iov, op->segments, 0, frame.length, to.segments);
        return to;
    }
    if (rx_.starved || over_limit(peer, frame.length)) {
        to.later = true;
        return to;
    }
    auto* message = new (std::nothrow) Unexpected;
    if (message && frame.length)
        message->payload = static_cast<unsigned char*>(std::malloc(frame.length));
    if (!message || (frame.length && !message->payload)) {
        delete message;
        // Dropping other messages of this peer will make room; if there are none, nothing ever will.
        if (peer.unexpected_bytes)
            to.later = true;
        else
            to.out_of_memory = true;
        return to;
    }
    message->size = frame.length;
    keep(peer, message, frame, frame.length);
    arrival.unexpected = message;
    if (frame.length) {
        to.segments[0] = {message->payload, frame.length};
        to.count = 1;
    }
    return to;
}

template <class P>
Destination Engine<P>::arrived_data(LinkBase& link) noexcept
{
    Destination to;
    const Peer& peer = *link.peer;
    Arrival& arrival = link.arriving;
    ReceiveOp* op = rx_.receives.at(arrival.frame.transfer);
    if (!op || !op->peer || op->peer->canonical != peer.canonical || op->filling ||
        arrival.frame.length > op->pull.length - op->received) {
        to.violation = true;
        return to;
    }
    arrival.receive = op;
    op->filling = &link;
    to.count = slice(op->iov, op->segments, op->received, arrival.frame.length, to.segments);
    return to;
}

template <class P>
void Engine<P>::filled(LinkBase& link) noexcept
{
    Peer& peer = *link.peer;
    Arrival& arrival = link.arriving;
    switch (arrival.frame.kind) {
    case FI_FRAME_EAGER:
        if (arrival.receive) {
            finish_receive(*arrival.receive, &peer, arrival.frame, arrival.frame.length);
        } else {
            Unexpected& message = *arrival.unexpected;
            message.complete = true;
            if (message.taker) {
                take(*message.taker, message);
            } else if (message.frame.flags & FI_FRAME_DELIVERY) {
                message.frame.flags &= static_cast<std::uint8_t>(~FI_FRAME_DELIVERY);
                acknowledge(peer, message.frame.transfer);
            }
        }
        break;
    case FI_FRAME_OFFER:
        matched_offer(link);
        break;
    case FI_FRAME_PULL:
        pulled(link, arrival.frame, arrival.pull);
        break;
    case FI_FRAME_ACK:
        acknowledged(link, arrival.frame);
        break;
    case FI_FRAME_DONE:
        fetched(link, arrival.frame);
        break;
    default: {
        if (!arrival.receive)
            break;
        ReceiveOp& op = *arrival.receive;
        op.filling = nullptr;
        op.received += arrival.frame.length;
        if (op.received == op.pull.length && op.pull_sent)
            finish_receive(op, op.peer, op.frame, op.size);
        break;
    }
    }
    arrival = {};
}

template <class P>
void Engine<P>::matched_offer(LinkBase& link) noexcept
{
    Peer& peer = *link.peer;
    const Arrival& arrival = link.arriving;
    const std::size_t place_count =
        (arrival.frame.length - sizeof arrival.offer.size) / sizeof arrival.offer.places[0];
    MatchQueue& matching = queue(arrival.frame.flags & FI_FRAME_TAGGED);
    // While no record can be had, the message waits in its place in the order.
    if (ReceiveOp* op =
            rx_.starved ? nullptr : match(matching, arrival.frame.tag, peer.canonical, arrival.offer.size)) {
        collect(*op, link, arrival.frame, arrival.offer.size, arrival.offer.places, place_count);
        return;
    }
    auto* message = new (std::nothrow) Unexpected;
    if (!message) {
        // The offer cannot be kept and the sender would wait for ever: end the link, which tells both sides.
        FI_WARN(config_.provider, FI_LOG_EP_DATA, "out of memory for an incoming message\n");
        port_.fail(static_cast<Link&>(link), ENOMEM);
        return;
    }
    message->size = arrival.offer.size;
    message->link = &link;
    message->place_count = static_cast<std::uint32_t>(place_count);
    std::copy_n(arrival.offer.places, place_count, message->places);
    message->complete = true;
    keep(peer, message, arrival.frame, 0);
}

/// Gets the bytes of an offered message that has matched: read from where they lie if the link can, else by
/// asking for them. `link` is the one that the offer came by: only while that one is open the sender's buffer
/// is known to be held, another one to the same peer says nothing.
template <class P>
void Engine<P>::collect(ReceiveOp& op, LinkBase& link, const fi_frame& frame, std::uint64_t size,
                        const fi_frame_place* places, std::size_t place_count) noexcept
{
    Peer& peer = *link.peer;
    op.peer = &peer;
    peer.pulls++;
    if (peer.paused)
        resume_paused(peer); // what this waits for may be behind what was held back
    op.frame = frame;
    op.size = size;
    op.received = 0;
    op.pull = {Pool<ReceiveOp>::handle(&op), std::min(size, op.room)};
    op.out.record = &op;
    op.out.purpose = Outgoing::Purpose::Pull;
    op.out.frame = {};
    op.out.frame.transfer = frame.transfer;
    op.out.progress = 0;
    iovec wanted[kIovLimit];
    const std::uint32_t segments = slice(op.iov, op.segments, 0, op.pull.length, wanted);
    if (place_count && port_.fetch(static_cast<Link&>(link), places, place_count, wanted, segments)) {
        op.out.purpose = Outgoing::Purpose::Done;
        op.frame.flags &= static_cast<std::uint8_t>(~FI_FRAME_ACKED); // it says all that there is to say
        op.out.frame.kind = FI_FRAME_DONE;
        op.out.segments = 0;
    } else {
        op.out.frame.kind = FI_FRAME_PULL;
        op.out.frame.length = sizeof op.pull;
        op.out.payload[0] = {&op.pull, sizeof op.pull};
        op.out.segments = 1;
    }
    peer.references++;
    if (!transmit(peer, op.out))
        fail_receive(op, errno);
}

/// The operation is over: it no longer holds its peers, and its handle is dead.
template <class P>
void Engine<P>::release(ReceiveOp& op) noexcept
{
    if (op.peer) {
        op.peer->references--;
        op.peer->pulls--;
    }
    if (op.from)
        op.from->references--;
    op.peer = nullptr;
    op.active = false;
}

template <class P>
void Engine<P>::finish_receive(ReceiveOp& op, Peer* from, const fi_frame& frame, std::uint64_t size) noexcept
{
    release(op);
    op.done.len = std::min(size, op.room);
    op.done.tag = frame.tag;
    if (frame.flags & ~FI_FRAME_TAGGED) {
        if (frame.flags & FI_FRAME_DATA64) {
            op.done.flags |= FI_REMOTE_CQ_DATA;
            op.done.data = frame.data;
        }
        if (frame.flags & FI_FRAME_ACKED)
            acknowledge(*from, frame.transfer);
    }
    if (size > op.room && !(op.special & Special::Discard)) {
        op.done.err = FI_ETRUNC;
        op.done.prov_errno = FI_ETRUNC;
        op.done.source = size - op.room;
    } else {
        if (op.special & Special::Discard)
            op.done.len = size;
        set_source(op, *from);
    }
    conclude(op);
}

/// What fi_cq_readfrom() gives. A sender that the address vector does not know is an error entry with its
/// address where that was asked for (D195): the message is there all the same.
template <class P>
void Engine<P>::set_source(ReceiveOp& op, Peer& from) noexcept
{
    op.done.source = config_.report_source ? source_of(from) : FI_ADDR_NOTAVAIL;
    if (op.done.source != FI_ADDR_NOTAVAIL || !config_.report_unknown)
        return;
    op.done.err = FI_EADDRNOTAVAIL;
    op.done.prov_errno = FI_EADDRNOTAVAIL;
    auto* data = new (std::nothrow) ErrorData;
    if (data)
        data->size = std::min(from.address.store(config_.addr_format, data->bytes, sizeof data->bytes),
                              sizeof data->bytes);
    op.done.source = reinterpret_cast<std::uint64_t>(data);
}

/// The end of every receive: its completion, if it makes one.
template <class P>
void Engine<P>::conclude(ReceiveOp& op) noexcept
{
    ReceiveOp* const buffer = op.special & Special::Part ? end_part(op) : nullptr;
    if (config_.receive_counter && op.done.err != FI_ENOMSG) // a look at nothing is no receive
        config_.receive_counter->count(op.done.err, op.done.len);
    if (op.report || op.done.err)
        config_.receive_queue->push(&op);
    else
        give_back(rx_, op);
    if (buffer)
        end_multi(*buffer);
}

template <class P>
void Engine<P>::fail_receive(ReceiveOp& op, int error) noexcept
{
    if (op.special & Special::Multi) {
        release_multi(op, error);
        return;
    }
    if (op.filling) {
        // It failed for another reason than the link that is writing into its buffer: nothing more may be
        // written there.
        op.filling->arriving.receive = nullptr;
        port_.fail(static_cast<Link&>(*op.filling), error);
        op.filling = nullptr;
    }
    release(op);
    op.done.err = error;
    op.done.prov_errno = error;
    op.done.source = 0;
    conclude(op);
}

template <class P>
ssize_t Engine<P>::cancel(const void* context) noexcept
{
    for (MatchQueue* matching : {&rx_.tagged, &rx_.untagged}) {
        if (rx_.shared)
            break; // they are the context's
        ReceiveOp* op = matching->posted.find(
            [&](const ReceiveOp& receive) { return receive.done.op_context == context; });
        if (!op)
            continue;
        matching->posted.remove(op);
        fail_receive(*op, FI_ECANCELED);
        return 0;
    }
    SendOp* found = nullptr;
    sends_.for_each_active([&](SendOp& op) {
        if (!found && op.done.op_context == context && op.report &&
            op.out.purpose != Outgoing::Purpose::Part &&
            (op.held ? op.peer->held : op.peer->pending).remove(&op.out))
            found = &op;
    });
    if (!found)
        return -FI_ENOENT;
    Peer& peer = *found->peer;
    const bool was_held = found->held;
    finish_send(*found, FI_ECANCELED, FI_ECANCELED);
    if (was_held)
        release_held(peer);
    return 0;
}

} // namespace fi::kit
