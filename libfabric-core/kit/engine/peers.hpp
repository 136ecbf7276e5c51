// SPDX-License-Identifier: BSD-2-Clause
//
// Engine, peers: finding, connecting and forgetting them. Included by engine.hpp.
#pragma once

namespace fi::kit {

template <class P>
template <class... PortArgs>
Engine<P>::Engine(fi_hot_ep& hot, const EngineConfig& config, PortArgs&&... port_args)
    : hot_(hot), config_(config), port_(std::forward<PortArgs>(port_args)...),
      own_rx_(config.shared_receives
                  ? nullptr
                  : std::make_unique<ReceiveContext<Engine>>(*config.provider, config.receive_size, this)),
      rx_(own_rx_ ? *own_rx_ : *static_cast<ReceiveContext<Engine>*>(config.shared_receives)),
      sends_(config.transmit_size, this, recycle<&Engine::sends_>),
      acks_(kAckLimit, this, recycle<&Engine::acks_>)
{
    closed_segment_ = std::make_unique<fi_hot_channel*[]>(FI_HOT_SEGMENT);
    std::fill_n(closed_segment_.get(), FI_HOT_SEGMENT, &closed_channel_);
    segments_ = std::make_unique<fi_hot_channel**[]>(FI_HOT_SEGMENT);
    std::fill_n(segments_.get(), FI_HOT_SEGMENT, closed_segment_.get());
    own_segments_.resize(FI_HOT_SEGMENT);
    hot_.segments = segments_.get();
    hot_.inject_size = kMaxInject;
    rx_.engines.push_back(this);
    config_.addresses->listen({this, &Engine::removed});
}

/// Operations that have not finished end without a completion (fi_endpoint.3); what was sent still arrives.
template <class P>
Engine<P>::~Engine()
{
    config_.addresses->unlisten(this);
    drop_messages();
    port_.close(*this); // may complete sends
    config_.transmit_queue->forget(this);
    config_.receive_queue->forget(this);
    leave_context();
    sends_.for_each_active([](SendOp& op) { std::free(op.copy); });
}

template <class P>
bool Engine<P>::look(bool all) noexcept
{
    if (has_removed_.load(std::memory_order_acquire))
        forget_removed();
    if (rx_.starved)
        feed();
    port_.poll(*this, all);
    if (sweep_due_)
        sweep();
    return port_.busy();
}

template <class P>
Peer* Engine<P>::peer_for(const Address& address) noexcept
{
    try {
        if (const auto found = peers_.find(address); found != peers_.end())
            return found->second.get();
        auto peer = std::make_unique<Peer>();
        peer->address = address;
        return peers_.emplace(address, std::move(peer)).first->second.get();
    } catch (...) {
        return nullptr;
    }
}

/// The peer behind an fi_addr_t, or nullptr and errno: EINVAL when it is not in the address vector, ENOMEM.
template <class P>
Peer* Engine<P>::peer_at(fi_addr_t addr) noexcept
{
    if (has_removed_.load(std::memory_order_acquire))
        forget_removed();
    if (addr < by_addr_.size() && by_addr_[addr])
        return by_addr_[addr];
    const char* const here = __func__; // inside, FI_WARN() would call it operator()
    const auto no = [&](int error, const char* why) {
        if (fi_log_enabled(config_.provider, FI_LOG_WARN, FI_LOG_EP_DATA))
            fi_log(config_.provider, FI_LOG_WARN, FI_LOG_EP_DATA, here, __LINE__,
                   "no message for fi_addr_t %llu: %s\n", static_cast<unsigned long long>(addr), why);
        errno = error;
        return nullptr;
    };
    const Address* address = addr < FI_HOT_MAX_PEERS ? config_.addresses->at(addr) : nullptr;
    if (!address)
        return no(EINVAL, "it is not in the address vector");
    Peer* peer = peer_for(*address);
    if (!peer)
        return no(ENOMEM, "out of memory");
    try {
        if (addr >= removal_noted_.size()) {
            const std::size_t size = std::max<std::size_t>(addr + 1, by_addr_.size() * 2);
            const std::lock_guard guard(removed_lock_);
            removed_.reserve(size);
            by_addr_.resize(size);
            removal_noted_.resize(size); // last: what it covers has all the rest
        }
        auto& segment = own_segments_[addr >> FI_HOT_SEGMENT_BITS];
        if (!segment) {
            segment = std::make_unique<fi_hot_channel*[]>(FI_HOT_SEGMENT);
            std::fill_n(segment.get(), FI_HOT_SEGMENT, &closed_channel_);
            __atomic_store_n(&segments_[addr >> FI_HOT_SEGMENT_BITS], segment.get(), __ATOMIC_RELEASE);
        }
    } catch (...) {
        return no(ENOMEM, "out of memory");
    }
    // A removal that came before the bookkeeping above has not been noted.
    const Address* now = config_.addresses->at(addr);
    if (!now || !(*now == peer->address))
        return no(EINVAL, "it is being removed from the address vector");
    by_addr_[addr] = peer;
    peer->references++;
    point_all(*peer, peer->link);
    return peer;
}

/// Makes the hot path of an address lead to that link's channel, or nowhere: which is also where it leads
/// when sends are counted or not allowed, because the hot path asks for neither.
template <class P>
void Engine<P>::point(fi_addr_t addr, LinkBase* link) noexcept
{
    __atomic_store_n(&segments_[addr >> FI_HOT_SEGMENT_BITS][addr & (FI_HOT_SEGMENT - 1)],
                     link && config_.sends && !config_.send_counter ? &link->hot : &closed_channel_,
                     __ATOMIC_RELAXED);
}

template <class P>
void Engine<P>::point_all(const Peer& peer, LinkBase* link) noexcept
{
    if (!peer.held.empty())
        link = nullptr; // nothing may overtake what is held
    for (fi_addr_t addr = 0; addr < by_addr_.size(); addr++)
        if (by_addr_[addr] == &peer)
            point(addr, link);
}

template <class P>
bool Engine<P>::connect(Peer& peer) noexcept
{
    Link* link = port_.connect(peer.address, &peer);
    if (!link)
        return false;
    peer.add(*link);
    peer.link = link;
    point_all(peer, link);
    return true;
}

/// Finds out who is at the other end by the names that it says: one endpoint is one peer, whatever it is
/// called. `holder`: who it is known to be already, if so. nullptr: nobody yet, under any free name, or out
/// of memory.
template <class P>
Peer* Engine<P>::identify(Link& link, Peer* holder, bool& out_of_memory) noexcept
{
    for (const Address& name : port_.names(link)) {
        Peer* named = peer_for(name);
        if (!named) {
            out_of_memory = true;
            return holder;
        }
        Peer* peer = named->canonical;
        if (lives_elsewhere(*named, link) || lives_elsewhere(*peer, link))
            continue;
        if (!holder)
            holder = peer;
        join(*named, *holder);
    }
    return holder;
}

/// A peer has connected to us and said its names.
template <class P>
bool Engine<P>::linked(Link& link) noexcept
{
    bool out_of_memory = false;
    Peer* holder = identify(link, nullptr, out_of_memory);
    if (out_of_memory || (!holder && !(holder = add_stranger(link))))
        return false;
    link.was_up = true; // writable() follows
    holder->source_version = 0;
    for (const LinkBase* other = holder->links; other; other = other->next_of_peer)
        if (other->unsendable) // it is about to end, and this one with it
            port_.stop_sending(link, other->unsendable);
    holder->add(link);
    if (!holder->met)
        holder->met = &link;
    // When both sides connect at once there are two links. Each side sends on one and reads both: order is
    // kept, because it is kept per direction. A call of ours that has not been answered has carried nothing
    // and may never be, so what waits for it goes over the link that is there.
    if (!holder->link || (!holder->link->was_up && takes_what_waits(*holder, link))) {
        holder->link = &link;
        point_all(*holder, holder->held.empty() ? &link : nullptr);
    }
    return true;
}

/// Messages that wait for one link may be too long for another one.
template <class P>
bool Engine<P>::takes_what_waits(const Peer& peer, const Link& link) noexcept
{
    for (const OutgoingList* list : {&peer.pending, &peer.held})
        for (const Outgoing* outgoing = list->first(); outgoing; outgoing = outgoing->next)
            if (outgoing->frame.kind == FI_FRAME_EAGER && outgoing->frame.length > link.eager_limit)
                return false;
    return true;
}

/// Somebody whom we called has answered and said its names. False: it is another endpoint than the one that
/// has called us under that name, and which of them our operations mean cannot be told.
template <class P>
bool Engine<P>::answered(Link& link) noexcept
{
    Peer& peer = *link.peer;
    if (lives_elsewhere(peer, link))
        return false;
    if (!peer.met)
        peer.met = &link;
    if (lives_elsewhere(*peer.canonical, link))
        peer.canonical = &peer; // what was the same endpoint has become another one
    bool out_of_memory = false; // then its other names mean nothing yet
    identify(link, peer.canonical, out_of_memory);
    return true;
}

/// Whether a peer has a connection to another endpoint than this link's, though both go by the same name: it
/// has been restarted and its end has not been noticed yet, or one of them is not who it says.
template <class P>
bool Engine<P>::lives_elsewhere(const Peer& peer, const Link& link) noexcept
{
    return peer.met && peer.met != &link && !port_.same_endpoint(static_cast<Link&>(*peer.met), link);
}

/// A peer that no address leads to while another endpoint has its names: it is answered on its own link.
template <class P>
Peer* Engine<P>::add_stranger(const Link& link) noexcept
{
    try {
        auto stranger = std::make_unique<Peer>();
        stranger->address = port_.names(link).front();
        strangers_.push_back(std::move(stranger));
        return strangers_.back().get();
    } catch (...) {
        return nullptr;
    }
}

/// The name has become free: who was kept apart under it takes its place.
template <class P>
void Engine<P>::adopt_stranger(Peer& peer) noexcept
{
    for (const auto& stranger : strangers_) {
        if (!stranger->link || stranger->canonical != stranger.get() || !(stranger->address == peer.address))
            continue;
        join(*stranger, peer);
        return;
    }
}

/// Two peers turn out to be one endpoint, and with them all that were known to be one with either.
template <class P>
void Engine<P>::join(Peer& peer, Peer& holder) noexcept
{
    Peer* const was = peer.canonical;
    if (was == &holder)
        return;
    holder.has_aliases = true;
    holder.source_version = peer.source_version = was->source_version = 0;
    peer.canonical = &holder;
    if (!was->has_aliases)
        return;
    for (auto& [address, other] : peers_)
        if (other->canonical == was) {
            other->canonical = &holder;
            other->source_version = 0;
        }
    for (const auto& stranger : strangers_)
        if (stranger->canonical == was)
            stranger->canonical = &holder;
}

/// What waits for the one goes over the other.
template <class P>
void Engine<P>::moved(LinkBase& from, LinkBase& to) noexcept
{
    Peer& peer = *from.peer;
    peer.remove(from);
    from.peer = nullptr;
    peer.add(to);
    if (peer.link != &from)
        return;
    peer.link = &to;
    point_all(peer, peer.held.empty() ? &to : nullptr);
}

/// Forgets peers that nothing refers to any more, so that a server's memory does not grow with every client
/// it ever had.
template <class P>
void Engine<P>::sweep() noexcept
{
    sweep_due_ = false;
    const auto each = [&](auto&& f) {
        for (auto& [address, peer] : peers_)
            f(*peer);
        for (auto& stranger : strangers_)
            f(*stranger);
    };
    // All names of an endpoint stay as long as one of them is of use: any of them may be asked for yet, and
    // that they are the same is said only once, when a link comes up.
    each([](Peer& peer) { peer.needed = false; });
    each([](Peer& peer) {
        if (!peer.links && !peer.references && peer.pending.empty())
            return;
        Peer* name = &peer;
        do
            name = name->canonical;
        while (!std::exchange(name->needed, true)); // up to the one that is its own
    });
    each([](Peer& peer) { peer.forgotten = !peer.canonical->needed; });
    std::erase_if(strangers_, [](const auto& stranger) { return stranger->forgotten; });
    std::erase_if(peers_, [](const auto& entry) { return entry.second->forgotten; });
}

/// The address vector tells, on whatever thread, that an address is gone: at once nothing more may be sent to
/// it.
template <class P>
void Engine<P>::removed(void* self, fi_addr_t addr) noexcept
{
    auto& engine = *static_cast<Engine*>(self);
    if (addr >= FI_HOT_MAX_PEERS)
        return;
    fi_hot_channel** segment =
        __atomic_load_n(&engine.segments_[addr >> FI_HOT_SEGMENT_BITS], __ATOMIC_ACQUIRE);
    if (segment != engine.closed_segment_.get())
        __atomic_store_n(&segment[addr & (FI_HOT_SEGMENT - 1)], &engine.closed_channel_, __ATOMIC_RELAXED);
    // What peer_at() has never looked up need not be forgotten; for the rest it has made room, so that this
    // cannot fail and leave the slot's next address with the peer of the last.
    const std::lock_guard guard(engine.removed_lock_);
    if (addr >= engine.removal_noted_.size() || engine.removal_noted_[addr])
        return;
    engine.removal_noted_[addr] = true;
    engine.removed_.push_back(addr);
    engine.has_removed_.store(true, std::memory_order_release);
}

template <class P>
void Engine<P>::forget_removed() noexcept
{
    const std::lock_guard guard(removed_lock_);
    has_removed_.store(false, std::memory_order_relaxed);
    for (const fi_addr_t addr : removed_) {
        removal_noted_[addr] = false;
        if (!by_addr_[addr])
            continue;
        by_addr_[addr]->references--;
        by_addr_[addr]->source_version = 0;
        by_addr_[addr] = nullptr;
        point(addr, nullptr);
        sweep_due_ = true;
    }
    removed_.clear();
}

/// What the address vector calls a peer now: kept until the vector changes.
template <class P>
fi_addr_t Engine<P>::source_of(Peer& peer) noexcept
{
    const std::uint64_t version = config_.addresses->version();
    if (peer.source_version != version) {
        peer.source = config_.addresses->find(peer.address);
        for (auto other = peers_.begin(); peer.source == FI_ADDR_NOTAVAIL && other != peers_.end(); ++other)
            if (other->second->canonical == peer.canonical)
                peer.source = config_.addresses->find(other->first);
        peer.source_version = version;
    }
    return peer.source;
}

} // namespace fi::kit
