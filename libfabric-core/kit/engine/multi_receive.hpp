// SPDX-License-Identifier: BSD-2-Clause
//
// Engine, FI_MULTI_RECV: one posted buffer that takes message after message. Included by engine.hpp.
//
// What is hard: messages finish in another order than they began, an offered one long after those behind it,
// and yet the buffer has to be handed back exactly once, with the last entry that carries its context. So
// every message gets a record of its own (a part), and the buffer counts its parts.
//
// Parts come from the same bounded pool as receives. When it is empty, because nobody reads completions,
// matching stops altogether until a record is free: going on with other receives would change the order.
#pragma once

namespace fi::kit {

template <class P>
void Engine<P>::make_multi(ReceiveOp& op, std::uint64_t least) noexcept
{
    op.special = Special::Multi;
    op.used = 0;
    op.children = 0;
    op.least = std::max<std::uint64_t>(least, 1); // a full buffer is of no use, whatever the option says
}

/// Gives a buffer that has just been posted the messages that wait for it.
template <class P>
void Engine<P>::fill_multi(MatchQueue& matching, ReceiveOp& op) noexcept
{
    // Once it is released the record may be another operation's: `open` is asked before each look at it.
    const std::uint32_t generation = op.generation;
    const auto open = [&] { return op.generation == generation && !(op.special & Special::Released); };
    while (open()) {
        Unexpected* message = find_message(matching, op);
        if (!message)
            return;
        Engine& engine = engine_of(*message);
        ReceiveOp* part = engine.carve(matching, op, message->size);
        if (!part)
            return;
        engine.take(*part, *message);
    }
}

/// A receive for one message inside a posted buffer; nullptr: there is no record for it (starved), or the
/// buffer has no room for it and has been released.
///
/// The manual leaves open what happens to a message that is longer than what is left (D73). It goes to the
/// next buffer, so that nothing is cut that would fit into a fresh one.
template <class P>
ReceiveOp* Engine<P>::carve(MatchQueue& matching, ReceiveOp& buffer, std::uint64_t size) noexcept
{
    const std::uint64_t left = buffer.room - buffer.used;
    if (size > left && buffer.used) {
        matching.posted.remove(&buffer);
        release_multi(buffer, 0);
        return nullptr;
    }
    ReceiveOp* part = rx_.receives.get();
    if (!part) {
        rx_.starved = true;
        config_.receive_queue->look_soon();
        return nullptr;
    }
    part->done = buffer.done;
    part->owner = this;
    part->report = buffer.report || (rx_.shared && config_.report_receives);
    part->room = std::min(size, left);
    part->segments = 1;
    part->iov[0] = {static_cast<char*>(buffer.iov[0].iov_base) + buffer.used, part->room};
    part->done.buf = part->iov[0].iov_base;
    part->special = Special::Part;
    part->parent = &buffer;
    buffer.children++;
    buffer.used += part->room;
    if (buffer.room - buffer.used < buffer.least) {
        matching.posted.remove(&buffer);
        buffer.special |= Special::Released;
    }
    return part;
}

/// A buffer that is not posted any more: told now, or with its last message.
template <class P>
void Engine<P>::release_multi(ReceiveOp& buffer, int error) noexcept
{
    buffer.special |= Special::Released;
    buffer.done.err = error;
    if (!buffer.children)
        end_multi(buffer);
}

/// A message in a buffer is about to be reported. Returns the buffer if its own entry has to follow.
template <class P>
ReceiveOp* Engine<P>::end_part(ReceiveOp& part) noexcept
{
    ReceiveOp& buffer = *part.parent;
    if (--buffer.children || !(buffer.special & Special::Released))
        return nullptr;
    if (buffer.done.err)
        return &buffer;
    part.done.flags |= FI_MULTI_RECV;
    part.report = true; // D70: the release is always told
    release(buffer);
    give_back(rx_, buffer);
    return nullptr;
}

/// The entry of the buffer itself: nothing but the release (D70), or why it ended.
template <class P>
void Engine<P>::end_multi(ReceiveOp& buffer) noexcept
{
    release(buffer);
    buffer.owner = this;
    buffer.done.source = buffer.done.err ? 0 : FI_ADDR_NOTAVAIL;
    buffer.done.prov_errno = buffer.done.err;
    buffer.done.flags = buffer.done.err ? buffer.done.flags | FI_MULTI_RECV : FI_MULTI_RECV;
    if (config_.receive_counter && buffer.done.err)
        config_.receive_counter->count(buffer.done.err, 0);
    config_.receive_queue->push(&buffer);
}

/// There may be records again: messages that had to wait are matched in the order in which they came.
template <class P>
void Engine<P>::feed() noexcept
{
    rx_.starved = false;
    for (MatchQueue* matching : {&rx_.tagged, &rx_.untagged}) {
        for (Unexpected* message = matching->unexpected.first(); message && !rx_.starved;) {
            Unexpected* const next = message->next;
            Engine& engine = engine_of(*message);
            if (!message->taker)
                if (ReceiveOp* op =
                        engine.match(*matching, message->frame.tag, message->from->canonical, message->size))
                    engine.take(*op, *message);
            message = next;
        }
    }
    for (Engine* engine : rx_.engines)
        if (!rx_.starved)
            engine->resume_all();
}

} // namespace fi::kit
