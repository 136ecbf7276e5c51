// SPDX-License-Identifier: BSD-2-Clause
//
// Engine, FI_PEEK, FI_CLAIM and FI_DISCARD: looking at messages that have no receive, reserving and dropping
// them (fi_tagged.3). Included by engine.hpp.
//
// A claimed message moves to a list of its own, so that no other receive finds it, under the context of the
// claim. Only the value of the pointer is used: the structure behind it stays the application's.
#pragma once

namespace fi::kit {

template <class P>
Unexpected* Engine<P>::find_claimed(MatchQueue& matching, const void* context) noexcept
{
    return matching.claimed.find([&](const Unexpected& one) { return one.claimer == context && !one.taker; });
}

/// A receive with one of the three flags, which the endpoint has checked to fit together. message: what it is
/// about, one of this engine's; nullptr: a peek has found nothing.
template <class P>
void Engine<P>::examine(const ReceiveArgs& args, MatchQueue& matching, ReceiveOp& op,
                        Unexpected* message) noexcept
{
    if (!message) {
        op.done.tag = args.tag;
        fail_receive(op, FI_ENOMSG);
    } else if (message->error) {
        const int error = message->error;
        drop(*message);
        fail_receive(op, error);
    } else if (args.special & FI_DISCARD) {
        discard(op, *message);
    } else if (args.special & FI_PEEK) {
        tell(op, *message);
        if (args.special & FI_CLAIM) {
            matching.unexpected.remove(message);
            matching.claimed.append(message);
            message->claimer = args.context;
        }
    } else {
        take(op, *message);
    }
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
