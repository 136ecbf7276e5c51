// SPDX-License-Identifier: BSD-2-Clause
//
// Engine, what is different when the receive context is shared: who may take what, who reports it, and what
// an endpoint leaves behind. Included by engine.hpp.
#pragma once

namespace fi::kit {

inline constexpr char kNobodyToTell[] = "no endpoint of the shared receive context is enabled";

/// Makes a receive that has been posted to a shared context this engine's.
template <class P>
void Engine<P>::adopt(ReceiveOp& op) noexcept
{
    op.owner = this;
    op.report |= config_.report_receives;
}

/// The first posted receive for a message, or nullptr. Where they are shared they name their source by
/// fi_addr_t.
template <class P>
ReceiveOp* Engine<P>::find_receive(MatchQueue& matching, std::uint64_t tag, const Peer* from) noexcept
{
    if (!rx_.shared)
        return matching.find_posted(tag, from);
    return matching.posted.find(
        [&](const ReceiveOp& receive) { return matches(receive, tag, from) && is_from(receive, from); });
}

template <class P>
bool Engine<P>::is_from(const ReceiveOp& receive, const Peer* from) noexcept
{
    if (receive.source == FI_ADDR_UNSPEC)
        return true;
    const Peer* named = peer_at(receive.source);
    return named && named->canonical == from;
}

/// The first message that a receive of a shared context may take, of whatever engine.
template <class P>
Unexpected* Engine<P>::find_message(MatchQueue& matching, const ReceiveOp& receive) noexcept
{
    return matching.unexpected.find([&](const Unexpected& message) {
        return !message.taker && matches(receive, message.frame.tag, message.from->canonical) &&
               engine_of(message).is_from(receive, message.from->canonical);
    });
}

/// A receive of any kind that is posted to a shared context. -FI_EOPBADSTATE: it asks for a completion now,
/// and no endpoint is there whose queue could take it.
template <class P>
ssize_t Engine<P>::receive_shared(ReceiveContext<Engine>& context, const ReceiveArgs& args) noexcept
{
    if (context.starved)
        return -FI_EAGAIN;
    MatchQueue& matching = context.queue(args.tagged);
    ReceiveOp* op = prepare(context, args);
    if (!op)
        return -FI_EAGAIN;
    op->owner = nullptr;
    op->source = args.source;
    if (args.special & (FI_PEEK | FI_CLAIM | FI_DISCARD)) {
        Unexpected* message =
            args.special & FI_PEEK ? find_message(matching, *op) : find_claimed(matching, args.context);
        Engine* const engine = message                   ? &engine_of(*message)
                               : context.engines.empty() ? nullptr
                                                         : context.engines.front();
        const bool impossible = !engine || (!message && !(args.special & FI_PEEK));
        if (impossible) {
            op->active = false;
            give_back(context, *op);
            return refuse(context.provider, FI_LOG_EP_DATA, engine ? -FI_EINVAL : -FI_EOPBADSTATE,
                          "receiving", engine ? kNothingClaimed : kNobodyToTell);
        }
        engine->adopt(*op);
        engine->examine(args, matching, *op, message);
        return 0;
    }
    if (args.special) {
        make_multi(*op, args.least);
        matching.posted.append(op);
        fill_multi(matching, *op);
    } else if (Unexpected* message = find_message(matching, *op)) {
        engine_of(*message).adopt(*op);
        engine_of(*message).take(*op, *message);
        return 0;
    } else {
        matching.posted.append(op);
    }
    for (Engine* engine : context.engines)
        if (engine->paused_)
            engine->resume_all();
    return 0;
}

/// Cancels a receive of a shared context; reported by one of the endpoints. -FI_ENOENT: there is none.
/// -FI_EOPBADSTATE: there is no endpoint.
template <class P>
ssize_t Engine<P>::cancel_shared(ReceiveContext<Engine>& context, const void* what) noexcept
{
    for (MatchQueue* matching : {&context.tagged, &context.untagged}) {
        ReceiveOp* op =
            matching->posted.find([&](const ReceiveOp& receive) { return receive.done.op_context == what; });
        if (!op)
            continue;
        if (context.engines.empty())
            return refuse(context.provider, FI_LOG_EP_DATA, -FI_EOPBADSTATE, "fi_cancel", kNobodyToTell);
        Engine& engine = *context.engines.front();
        matching->posted.remove(op);
        engine.adopt(*op);
        engine.fail_receive(*op, FI_ECANCELED);
        return 0;
    }
    return -FI_ENOENT;
}

/// Throws away the messages that came to this engine and have no receive.
template <class P>
void Engine<P>::drop_messages() noexcept
{
    for (MatchQueue* matching : {&rx_.tagged, &rx_.untagged}) {
        for (Fifo<Unexpected>* list : {&matching->unexpected, &matching->claimed}) {
            while (Unexpected* message =
                       list->find([&](const Unexpected& one) { return one.engine == this; })) {
                list->remove(message);
                std::free(message->payload);
                delete message;
            }
        }
    }
}

/// The endpoint closes: receives that its peers were filling end without a completion (D102), and the context
/// gets their records back. A buffer for many messages stays the others'.
template <class P>
void Engine<P>::leave_context() noexcept
{
    std::erase(rx_.engines, this);
    if (rx_.engines.empty()) {
        rx_.addresses = nullptr;
        rx_.starved = false; // nobody waits to be matched
    }
    rx_.receives.for_each_active([&](ReceiveOp& op) {
        if (op.owner != this)
            return;
        op.active = false;
        ReceiveOp* const buffer = op.special & Special::Part ? op.parent : nullptr;
        give_back(rx_, op);
        if (!buffer || --buffer->children || !(buffer->special & Special::Released))
            return;
        if (!rx_.engines.empty()) {
            rx_.engines.front()->end_multi(*buffer);
        } else {
            buffer->active = false;
            give_back(rx_, *buffer);
        }
    });
}

} // namespace fi::kit
