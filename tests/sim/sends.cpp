// SPDX-License-Identifier: BSD-2-Clause
//
// World: sends of every kind, and when they may and have to end.
#include "contents.hpp"
#include "shortage.hpp"

namespace fi::kit::sim {
namespace {

std::uint8_t level_of(Random& random)
{
    return static_cast<std::uint8_t>(random.chance(75)   ? 0
                                     : random.chance(50) ? FI_FRAME_DELIVERY
                                                         : FI_FRAME_MATCH);
}

} // namespace

void World::send(Node& node, int to)
{
    Send& send = sends_.emplace_back();
    send.id = static_cast<std::uint32_t>(sends_.size() - 1);
    send.owner = node.number;
    send.is_send = true;
    send.to = to;
    buffer(send, some_size(random_));
    for (std::size_t i = 0; i < send.size; i++)
        send.buffer[i] = byte_of(send.id, i);
    send.tagged = random_.chance(60);
    send.tag = send.tagged ? some_tag(random_) : 0;
    send.has_data = random_.chance(20);
    send.data = send.has_data ? random_.next() : 0;
    send.level = level_of(random_);
    send.inject = send.size <= kMaxInject && random_.chance(50);
    send.reported = !send.inject || random_.chance(20);
    const bool hot =
        send.inject && !send.reported && send.tagged && !send.has_data && send.segments == 1 && !send.level;
    const bool is_known = node.known[to] != FI_ADDR_NOTAVAIL;
    const fi_addr_t dest = is_known ? node.known[to] : 1000 + random_.below(1000);
    if (is_known)
        node.waiting[to].push_back(&send);

    calling_ = &node;
    shortage_in =
        !calm_ && random_.chance(style_.shortages) ? 1 + static_cast<unsigned>(random_.below(3)) : 0;
    ssize_t ret = 0;
    send.silent = hot && fi_hot_tinject(&node.hot, send.buffer, send.size, dest, send.tag);
    if (!send.silent)
        ret = node.engine->send(
            {.iov = send.iov,
             .segments = send.segments,
             .dest = dest,
             .tag = send.tag,
             .data = send.data,
             .context = &send,
             .frame_flags = static_cast<std::uint8_t>((send.tagged ? FI_FRAME_TAGGED : 0) |
                                                      (send.has_data ? FI_FRAME_DATA64 : 0) | send.level),
             .inject = send.inject,
             .report = send.reported});
    const bool was_short = style_.shortages && shortage_in == 0;
    shortage_in = 0;
    calling_ = nullptr;
    note("%u: send %u of %zu bytes in %u to name %d, tag %llx%s%s%s: %zd", node.number, send.id, send.size,
         send.segments, to, static_cast<unsigned long long>(send.tag), send.tagged ? "" : " (untagged)",
         send.inject ? ", inject" : "",
         !send.level                    ? ""
         : send.level == FI_FRAME_MATCH ? ", until it is matched"
                                        : ", until it is delivered",
         ret);
    if (ret == 0) {
        if (!is_known)
            fail("%u: send %u to an address that is not there is accepted", node.number, send.id);
        if (send.inject)
            spoil(send);
        return;
    }
    if (ret != -FI_EAGAIN && !(ret == -FI_EINVAL && !is_known) && !was_short)
        fail("%u: send %u is refused: %zd", node.number, send.id, ret);
    if (send.state == Send::State::Carried)
        fail("%u: send %u is refused and its message leaves", node.number, send.id);
    if (is_known && send.state == Send::State::Waiting)
        node.waiting[to].pop_back();
    sends_.pop_back();
}

void World::sent(Node& node, Send& send, int error, std::uint64_t flags)
{
    if (flags != (FI_SEND | (send.tagged ? FI_TAGGED : FI_MSG)))
        fail("%u: send %u has flags %llx", node.number, send.id, static_cast<unsigned long long>(flags));
    if (error == 0 && !send.reported)
        fail("%u: send %u has an entry that nobody wanted", node.number, send.id);
    if (error == 0 && send.must_fail)
        fail("%u: send %u ends well and was lost", node.number, send.id);
    if (error == 0 && send.state == Send::State::Waiting)
        fail("%u: send %u ends before its message has left", node.number, send.id);
    if (error == 0 && !reached(send))
        fail("%u: send %u ends before its message is %s", node.number, send.id,
             send.level == FI_FRAME_MATCH ? "matched" : "delivered");
    if (error && error != FI_ECANCELED && !send.must_fail && !send.may_fail)
        fail("%u: send %u fails for no reason: %d", node.number, send.id, error);
}

/// Whether what such a send waits for has happened at the far end. Where it cannot be told which receive has
/// taken the message, because names are contested or the endpoint is gone, that it has arrived.
bool World::reached(const Send& send)
{
    if (!send.level)
        return true;
    Node* node = send.arrived ? numbered(send.receiver) : nullptr;
    if (!node || node->lenient)
        return send.arrived;
    if (send.level == FI_FRAME_DELIVERY && send.whole)
        return true;
    const Receive* taker = send.taker;
    if (!taker && posting_ && posting_->owner == node->number &&
        node->reference.waiting_for(*posting_) == &send)
        taker = posting_;
    if (!taker || taker->completed)
        return taker;
    for (std::size_t i = 0; i < std::min(send.size, taker->size); i++)
        if (taker->buffer[i] != byte_of(send.id, i))
            return false;
    return true;
}

/// The endpoint says that it has what the sender waits for: so it has to be.
void World::acknowledges(const memory::Link& link, const fi_frame& frame)
{
    for (auto send = sends_.rbegin(); send != sends_.rend(); ++send) {
        const Node* owner = numbered(send->owner);
        if (!owner || owner->identity != link.identity || !send->level ||
            send->state != Send::State::Carried || send->transfer != frame.transfer)
            continue;
        note("   for message %u", send->id);
        const Node& node = *node_of(link.port);
        if (!send->way)
            fail("%u: message %u is acknowledged to a sender that has been lost", node.number, send->id);
        if (!reached(*send))
            fail("%u: message %u is acknowledged before it is %s", node.number, send->id,
                 send->level == FI_FRAME_MATCH ? "matched" : "delivered");
        return;
    }
}

/// At rest: who has been waited for long enough. Where messages that nobody has taken hold a link up, the
/// answer or the end of its link may be behind them.
void World::check_ends()
{
    for (const Send& send : sends_) {
        if (!send.level || !send.reported || send.completed || send.state != Send::State::Carried)
            continue;
        const Node* owner = numbered(send.owner);
        const Node* receiver = send.arrived ? numbered(send.receiver) : nullptr;
        if (!owner || !receiver || owner->engine->census().paused || receiver->engine->census().paused)
            continue;
        if ((send.level == FI_FRAME_DELIVERY && send.whole) ||
            (send.taker && send.taker->completed && !receiver->lenient))
            fail("%u: message %u is where it has to be and send %u does not end", send.owner, send.id,
                 send.id);
    }
}

} // namespace fi::kit::sim
