// SPDX-License-Identifier: BSD-2-Clause
//
// Engine, the common case at once: a short message that finds room, or its receive, and needs nothing kept.
// Included by engine.hpp.
//
// Both functions answer false, having changed nothing, to whatever is not that case; then the general way
// (send.hpp, receive.hpp) gives the same result with a record for each operation.
#pragma once

namespace fi::kit {

/// A message for one slot of shared memory: it is with the peer on return, so it has completed. (In the
/// buffer of a byte stream it would not be.) Whose sends are counted has no open channels.
template <class P>
inline bool Engine<P>::send_slot(const SendArgs& args) noexcept
{
    if (args.segments != 1 || args.dest >= FI_HOT_MAX_PEERS || args.fence ||
        (args.frame_flags & FI_FRAME_ACKED))
        return false;
    const iovec& iov = *args.iov;
    if (iov.iov_len > FI_HOT_SLOT_PAYLOAD)
        return false;
    if ((args.frame_flags & FI_FRAME_ACKED) | args.fence)
        return false;
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
    if (!fi_hot_put(channel, &frame, iov.iov_base, iov.iov_len))
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

/// A message that is all here, for a receive that it fits.
template <class P>
inline bool Engine<P>::delivered(LinkBase& link, const fi_frame& frame, const unsigned char* payload) noexcept
{
    if (frame.kind != FI_FRAME_EAGER || (frame.flags & ~(FI_FRAME_TAGGED | FI_FRAME_DATA64)))
        return false;
    Peer& peer = *link.peer;
    MatchQueue& matching = queue(frame.flags & FI_FRAME_TAGGED);
    ReceiveOp* op = matching.find_posted(frame.tag, peer.canonical);
    if (!op || op->special || op->segments != 1 || op->room < frame.length || rx_.starved || rx_.shared ||
        !config_.receive_queue->has_room())
        return false;
    const fi_addr_t source = config_.report_source ? source_of(peer) : FI_ADDR_NOTAVAIL;
    if (source == FI_ADDR_NOTAVAIL && config_.report_unknown)
        return false;
    matching.posted.remove(op);
    if (frame.length <= FI_HOT_SLOT_PAYLOAD)
        fi_hot_copy_short(static_cast<unsigned char*>(op->iov[0].iov_base), payload, frame.length);
    else
        std::memcpy(op->iov[0].iov_base, payload, frame.length);
    if (op->from)
        op->from->references--;
    op->active = false;
    if (config_.receive_counter)
        config_.receive_counter->count(0, frame.length);
    if (op->report) {
        const bool has_data = frame.flags & FI_FRAME_DATA64;
        fi_hot_completion& done = config_.receive_queue->next();
        done.op_context = op->done.op_context;
        done.flags = op->done.flags | (has_data ? FI_REMOTE_CQ_DATA : 0);
        done.len = frame.length;
        done.buf = nullptr;
        done.data = has_data ? frame.data : 0;
        done.tag = frame.tag;
        done.source = source;
        done.err = 0;
        done.prov_errno = 0;
        config_.receive_queue->push_next();
    }
    rx_.receives.put(op);
    return true;
}

} // namespace fi::kit
