// SPDX-License-Identifier: BSD-2-Clause
//
// Engine, what it holds at the moment: for tests that look for what is left behind. Included by engine.hpp.
#pragma once

namespace fi::kit {

template <class P>
EngineCensus Engine<P>::census() const noexcept
{
    EngineCensus count;
    count.sends = sends_.in_use();
    count.receives = rx_.receives.in_use();
    count.acknowledgements = acks_.in_use();
    for (const MatchQueue* matching : {&rx_.tagged, &rx_.untagged}) {
        count.posted += matching->posted.count();
        count.unexpected += matching->unexpected.count();
        count.claimed += matching->claimed.count();
    }
    count.paused = paused_;
    const auto add = [&](const Peer& peer) {
        for (const OutgoingList* list : {&peer.pending, &peer.held})
            for (const Outgoing* outgoing = list->first(); outgoing; outgoing = outgoing->next)
                count.pending++;
        count.references += peer.references;
    };
    for (const auto& [address, peer] : peers_)
        add(*peer);
    for (const auto& stranger : strangers_)
        add(*stranger);
    for (const Peer* peer : by_addr_)
        count.references -= peer != nullptr;
    return count;
}

} // namespace fi::kit
