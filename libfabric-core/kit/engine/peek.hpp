// SPDX-License-Identifier: BSD-2-Clause
//
// Engine, FI_PEEK, FI_CLAIM and FI_DISCARD: looking at messages that have no receive, reserving and dropping
// them (fi_tagged.3). Included by engine.hpp.
//
// A claimed message moves to a list of its own, so that no other receive finds it, under the context of the
// claim. Only the value of the pointer is used: the structure behind it stays the application's.
#pragma once

namespace fi::kit {

/// A receive with one of the three flags; the endpoint has checked that they fit together. -FI_EAGAIN: no
/// record. -FI_EINVAL: nothing was claimed under that context.
template <class P>
ssize_t Engine<P>::examine(const ReceiveArgs& args, Peer* from) noexcept
{
    MatchQueue& matching = queue(args.tagged);
    Unexpected* message = nullptr;
    if (!(args.special & FI_PEEK)) {
        message = matching.claimed.find(
            [&](const Unexpected& one) { return one.claimer == args.context && !one.taker; });
        if (!message)
            return refuse(*config_.provider, FI_LOG_EP_DATA, -FI_EINVAL, "receiving",
                          "no message has been claimed under that context");
    }
    ReceiveOp* op = prepare(args, from);
    if (!op)
        return -FI_EAGAIN;
    op->from = nullptr; // it waits for nobody
    if (!message) {
        op->from = from;
        message = matching.find_unexpected(*op);
        op->from = nullptr;
        if (!message) {
            op->done.tag = args.tag;
            fail_receive(*op, FI_ENOMSG);
            return 0;
        }
    } else if (message->error) {
        const int error = message->error;
        drop(*message);
        fail_receive(*op, error);
        return 0;
    }
    if (args.special & FI_DISCARD) {
        discard(*op, *message);
    } else if (args.special & FI_PEEK) {
        tell(*op, *message);
        if (args.special & FI_CLAIM) {
            matching.unexpected.remove(message);
            matching.claimed.append(message);
            message->claimer = args.context;
        }
    } else {
        take(*op, *message);
    }
    return 0;
}

/// The answer to a peek: what a receive would get, but for the bytes (D86). It is why the operation exists,
/// so it is given whatever the queue's selection.
template <class P>
void Engine<P>::tell(ReceiveOp& op, const Unexpected& message) noexcept
{
    release(op);
    op.done.len = message.size;
    op.done.tag = message.frame.tag;
    if (message.frame.flags & FI_FRAME_DATA64) {
        op.done.flags |= FI_REMOTE_CQ_DATA;
        op.done.data = message.frame.data;
    }
    set_source(op, *message.from);
    config_.receive_queue->push(&op);
}

/// A receive without a buffer that finds nothing missing: an offer is answered like any other, and bytes that
/// are still arriving are waited for.
template <class P>
void Engine<P>::discard(ReceiveOp& op, Unexpected& message) noexcept
{
    op.segments = 0;
    op.room = 0;
    op.special = Special::Discard;
    op.report = true;
    take(op, message);
}

} // namespace fi::kit
