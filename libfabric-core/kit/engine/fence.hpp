// SPDX-License-Identifier: BSD-2-Clause
//
// Engine, FI_FENCE: a send that begins when all earlier ones to its peer have completed, and holds back those
// behind it (D46). Included by engine.hpp.
//
// The order of the link is no substitute: an earlier message may be offered and not matched yet, or wait to
// be acknowledged. While sends are held, the peer's hot entries are closed, so that an inlined inject cannot
// overtake them.
#pragma once

namespace fi::kit {

/// Puts a new send behind the fence, if there is anything to wait for; false: it may go.
template <class P>
bool Engine<P>::hold(Peer& peer, SendOp& op) noexcept
{
    if (peer.held.empty()) {
        peer.before_fence = 0;
        sends_.for_each_active([&](const SendOp& other) { peer.before_fence += other.peer == &peer; });
        if (--peer.before_fence == 0) // itself
            return false;
    }
    op.held = true;
    peer.held.append(&op.out);
    point_all(peer, nullptr);
    return true;
}

/// Lets go what has nothing to wait for any more: up to the next fence.
template <class P>
void Engine<P>::release_held(Peer& peer) noexcept
{
    if (peer.releasing)
        return; // one of those below ended at once
    peer.releasing = true;
    while (!peer.held.empty()) {
        auto& op = static_cast<SendOp&>(*peer.held.first()->record);
        if (op.fence && peer.before_fence)
            break;
        peer.held.take();
        op.held = false;
        peer.before_fence++;
        if (!transmit(peer, op.out))
            finish_send(op, errno, errno);
    }
    peer.releasing = false;
    if (peer.held.empty())
        point_all(peer, peer.link);
    look_soon();
}

} // namespace fi::kit
