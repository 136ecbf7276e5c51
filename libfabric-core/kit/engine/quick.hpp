// SPDX-License-Identifier: BSD-2-Clause
//
// Engine, the common case at once: a short message that finds room, or its receive, and needs nothing kept.
// Included by engine.hpp.
//
// All of them answer false, having changed nothing, to whatever is not that case; then the general way
// (send.hpp, receive.hpp) gives the same result with a record for each operation.
#pragma once

namespace fi::kit {

/// A message for one slot of shared memory: it is with the peer on return, so it has completed. (In the
/// buffer of a byte stream it would not be.) Whose sends are counted has no open channels.
template <class P>
[[gnu::always_inline]] inline bool Engine<P>::send_slot(const SendArgs& args) noexcept
{
    if (args.segments != 1 || args.dest >= FI_HOT_MAX_PEERS || args.fence ||
        (args.frame_flags & FI_FRAME_ACKED))
        return false;
    const iovec& iov = *args.iov;
    fi_hot_channel* channel = fi_hot_peer(&hot_, args.dest);
    if (!channel->parked || (args.report && !config_.transmit_queue->has_room()))
        return false;
    fi_frame frame;
    frame.kind = FI_FRAME_EAGER;
    frame.flags = args.frame_flags;
    frame.reserved = 0;
    frame.length = static_cast<std::uint32_t>(iov.iov_len);
    frame.tag = args.tag;
    frame.data = args.data;
    frame.transfer = 0;
    if (!fi_hot_put_slot(channel, &frame, iov.iov_base, iov.iov_len))
        return false;
    if (args.report) {
        fi_hot_completion& done = config_.transmit_queue->next();
        done.op_context = args.context;
        done.flags = FI_SEND | (args.frame_flags & FI_FRAME_TAGGED ? FI_TAGGED : FI_MSG);
        done.len = 0;
        done.buf = nullptr;
        done.data = 0;
        done.tag = 0;
        done.source = FI_ADDR_NOTAVAIL;
        done.err = 0;
        done.prov_errno = 0;
        config_.transmit_queue->push_next();
    }
    return true;
}

/// A receive of one segment from anybody, for which no message is waiting.
template <class P>
[[gnu::always_inline]] inline bool Engine<P>::post_plain(const ReceiveArgs& args) noexcept
{
    MatchQueue& matching = queue(args.tagged);
    if (args.segments != 1 || args.source != FI_ADDR_UNSPEC || args.special || rx_.starved || paused_ ||
        matching.unexpected.first() || !rx_.receives.has_free())
        return false;
    matching.posted.append(prepare(rx_, args));
    return true;
}

/// A message that is all here, for a receive that it fits.
template <class P>
inline bool Engine<P>::delivered(LinkBase& link, const fi_frame& frame, const unsigned char* payload) noexcept
{
    if (frame.kind != FI_FRAME_EAGER || (frame.flags & ~(FI_FRAME_TAGGED | FI_FRAME_DATA64)))
        return false;
    Peer& peer = *link.peer;
    ReceiveContext<Engine>& context = rx_;
    MatchQueue& matching = context.queue(frame.flags & FI_FRAME_TAGGED);
    ReceiveOp* op = matching.find_posted(frame.tag, peer.canonical);
    CompletionQueueBase& completions = *config_.receive_queue;
    if (!op || op->special || op->room < frame.length || (context.starved | context.shared) ||
        !completions.has_room())
        return false;
    fi_addr_t source = FI_ADDR_NOTAVAIL;
    if (config_.report_source | config_.report_unknown) {
        source = config_.report_source ? source_of(peer) : FI_ADDR_NOTAVAIL;
        if (source == FI_ADDR_NOTAVAIL && config_.report_unknown)
            return false;
    }
    matching.posted.remove(op);
    if (frame.length <= FI_HOT_SLOT_PAYLOAD)
        fi_hot_copy_short(static_cast<unsigned char*>(op->iov[0].iov_base), payload, frame.length);
    else
        std::memcpy(op->iov[0].iov_base, payload, frame.length);
    if (op->from)
        std::exchange(op->from, nullptr)->references--;
    op->active = false;
    if (config_.receive_counter)
        config_.receive_counter->count(0, frame.length);
    if (op->report) {
        const bool has_data = frame.flags & FI_FRAME_DATA64;
        fi_hot_completion& done = completions.next();
        done.op_context = op->done.op_context;
        done.flags = op->done.flags | (has_data ? FI_REMOTE_CQ_DATA : 0);
        done.len = frame.length;
        done.buf = nullptr;
        done.data = has_data ? frame.data : 0;
        done.tag = frame.tag;
        done.source = source;
        done.err = 0;
        done.prov_errno = 0;
        completions.push_next();
    }
    context.receives.put(op);
    return true;
}

} // namespace fi::kit
