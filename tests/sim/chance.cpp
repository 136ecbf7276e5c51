// SPDX-License-Identifier: BSD-2-Clause
//
// World as the Network: what may happen, by chance, and what is made of what has happened.
#include "shortage.hpp"
#include "world.hpp"

namespace fi::kit::sim {

int World::refuses(const Address&)
{
    return !calm_ && random_.chance(style_.refuses) ? ENETUNREACH : 0;
}

void World::made(memory::Link& link)
{
    // Eager messages up to kMaxInject are taken by every device: injected ones are never offered.
    link.eager_limit = random_.any({kMaxInject, kMaxInject + 76, kMaxInject + 476});
    link.part_limit = random_.any({100, 700, 5000});
    link.names_places = random_.chance(style_.fetch);
}

Posted World::answer(const memory::Link&)
{
    if (calm_)
        return Posted::Sent;
    if (random_.chance(style_.no_room))
        return Posted::NoRoom;
    return random_.chance(style_.take) ? Posted::Taken : Posted::Sent;
}

std::size_t World::hot_room(const memory::Link&)
{
    return random_.chance(style_.hot) ? memory::Link::kHotRoom : 0;
}

bool World::looks_at(const memory::Link&)
{
    return calm_ || !random_.chance(style_.absent);
}

bool World::accepts()
{
    return calm_ || !random_.chance(style_.slow_accept);
}

bool World::comes_up(const memory::Link&)
{
    return calm_ || !random_.chance(style_.slow_accept);
}

bool World::gives_up(const memory::Link&)
{
    return !calm_ && random_.chance(style_.gives_up);
}

bool World::carries(const memory::Link&)
{
    return calm_ || random_.chance(70);
}

std::size_t World::arriving(const memory::Link&)
{
    return calm_ ? SIZE_MAX : random_.below(4) ? 1 + random_.below(style_.step) : 0;
}

bool World::says_writable(const memory::Link& link)
{
    const bool due = link.blocked || link.owing;
    return calm_ ? due : random_.chance(due ? 60 : style_.spurious);
}

memory::Fetch World::fetching(const memory::Link&)
{
    if (random_.chance(style_.fetch_half))
        return random_.chance(50) ? memory::Fetch::Half : memory::Fetch::Nothing;
    return memory::Fetch::All;
}

bool World::hands_over(const memory::Link&)
{
    return random_.chance(style_.whole);
}

void World::linking(bool begins)
{
    throwing_shortage_in = begins && !calm_ && random_.chance(style_.shortages)
                               ? 1 + static_cast<unsigned>(random_.below(6))
                               : 0;
}

/// A message leaves its endpoint: it has to be the next one for that name.
std::uint64_t World::carried(const memory::Link& link, const fi_frame& frame)
{
    if (frame.kind == FI_FRAME_ACK || frame.kind == FI_FRAME_DONE) {
        note("%u: says that %s", node_of(link.port)->number,
             frame.kind == FI_FRAME_ACK ? "a message is there" : "it has read a message");
        acknowledges(link, frame);
    }
    if (frame.kind != FI_FRAME_EAGER && frame.kind != FI_FRAME_OFFER)
        return 0;
    Node* node = node_of(link.port);
    const int to = name_of(link.peer->address);
    if (!node || node->waiting[to].empty()) {
        fail("%u: a message that nobody has sent leaves for name %d", node ? node->number : 0, to);
        return 0;
    }
    Send& send = *node->waiting[to].front();
    node->waiting[to].pop_front();
    send.state = Send::State::Carried;
    send.transfer = frame.transfer;
    note("%u: message %u leaves for name %d%s", node->number, send.id, to,
         frame.kind == FI_FRAME_OFFER ? ", offered" : "");
    if (frame.tag != send.tag || !!(frame.flags & FI_FRAME_TAGGED) != send.tagged ||
        !!(frame.flags & FI_FRAME_DATA64) != send.has_data || (frame.flags & FI_FRAME_ACKED) != send.level ||
        (frame.kind == FI_FRAME_EAGER && frame.length != send.size))
        fail("%u: another message than %u, which is next for name %d, leaves", node->number, send.id, to);
    return send.id + 1;
}

void World::arrived(const memory::Link& link, const memory::Frame& frame)
{
    if (!frame.mark)
        return;
    Node* node = node_of(link.port);
    Send& send = sends_[frame.mark - 1];
    send.arrived = true;
    send.receiver = node->number;
    note("%u: message %u arrives", node->number, send.id);
    send.way = &link;
    time_++;
    node->reference.arrived({&send, link.identity, name_of(link.peer->address), link.peer,
                             frame.header.kind == FI_FRAME_OFFER, time_, node->addresses.version()});
    if (node->lenient)
        node->arrived.push_back(&send);
    if (options_.trace)
        for (const Receive& receive : receives_)
            if (receive.matched == &send)
                note("   for receive %u", receive.id);
}

void World::placed(const memory::Link&, const memory::Frame& frame)
{
    if (frame.mark && frame.header.kind == FI_FRAME_EAGER)
        sends_[frame.mark - 1].whole = true;
}

void World::connected(const memory::Link& link)
{
    Node* node = node_of(link.port);
    fresh_.insert(&link);
    note("%u: link %p is up, to endpoint of %s", node->number, static_cast<const void*>(&link),
         link.remote_names.front().text().c_str());
    // Who comes under a name that somebody else has is answered, but is not whom that name means.
    const Peer*& main = node->main[name_of(link.peer->address)];
    bool is_taken = false;
    for (const memory::Link* other : node->port->links()) {
        is_taken = is_taken ||
                   (other != &link && main && other->peer == main && main->address == link.peer->address);
        if (other == &link || other->identity == 0 || other->identity == link.identity)
            continue;
        for (const Address& name : link.remote_names)
            if (std::find(other->remote_names.begin(), other->remote_names.end(), name) !=
                    other->remote_names.end() &&
                !node->lenient) {
                note("%u: two endpoints have name %s", node->number, name.text().c_str());
                node->lenient = true;
                for (const bool tagged : {false, true})
                    for (const Message& message : node->reference.unexpected(tagged))
                        node->arrived.push_back(message.send);
            }
    }
    if (!is_taken)
        main = link.peer;
    const int first = name_of(link.remote_names.front());
    for (const Address& name : link.remote_names) {
        if (node->reference.same(name_of(name), first))
            continue;
        node->reference.join(name_of(name), first);
        node->joined_at = ++time_;
    }
}

void World::dialling(const memory::Link& link)
{
    node_of(link.port)->main[name_of(link.peer->address)] = link.peer;
}

/// The engine cannot reach somebody: what waits for them fails.
void World::unreachable(const Address& address)
{
    const int to = name_of(address);
    if (!calling_)
        return;
    note("%u: name %d cannot be reached", calling_->number, to);
    calling_->unreachable_at[to] = time_;
    for (Send* send : calling_->waiting[to]) {
        send->state = Send::State::Lost;
        send->must_fail = true;
    }
    calling_->waiting[to].clear();
}

void World::dying(const memory::Link& link)
{
    Node* node = node_of(link.port);
    const int name = name_of(link.peer->address);
    note("%u: link %p to name %d dies: %d", node->number, static_cast<const void*>(&link), name, link.error);
    time_++;
    // For want of memory for an acknowledgement all links of a peer are given up as they are; and a send may
    // have sealed the end of those with a paused one before this look found another.
    const bool is_first = link.up && dying_.insert(link.peer).second && link.error != ENOBUFS;
    for (const memory::Link* other : node->port->links())
        if (is_first && link.ended && other->peer == link.peer && !other->ended && !other->paused &&
            !fresh_.count(other))
            fail("%u: link %p dies before all has been read from link %p", node->number,
                 static_cast<const void*>(&link), static_cast<const void*>(other));
    for (Send& send : sends_)
        if (send.way == &link)
            send.way = nullptr;
    if (link.up)
        node->died_at[link.identity % 64] = time_;
    if (link.peer->link == &link && !link.up)
        node->unreachable_at[name] = time_; // an answer may have waited for it
    if (link.peer->link == &link && node->main[name] == link.peer) {
        for (Send* send : node->waiting[name]) {
            send->state = Send::State::Lost;
            send->must_fail = true;
        }
        node->waiting[name].clear();
        for (Send& send : sends_)
            if (send.owner == node->number && send.to == name && send.state == Send::State::Carried &&
                !send.completed)
                send.may_fail = true;
    }
    const bool arriving = link.started && link.incoming.front().header.kind == FI_FRAME_EAGER;
    const Send* lost = arriving ? &sends_[link.incoming.front().mark - 1] : nullptr;
    for (Receive& receive : receives_)
        if (lost && receive.matched == lost)
            receive.must_fail = true;
    if (lost)
        note("   message %u is lost", lost->id);
    if (options_.trace && link.up)
        for (const bool tagged : {false, true})
            for (const Message& message : node->reference.unexpected(tagged))
                if (message.offer && message.peer == link.peer)
                    note("   offer %u is lost", message.send->id);
    node->reference.died(lost, link.peer, name, link.up);
}

} // namespace fi::kit::sim
