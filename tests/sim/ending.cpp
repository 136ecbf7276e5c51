// SPDX-License-Identifier: BSD-2-Clause
//
// World: how a schedule comes to rest, and what has to be left of it then.
#include "world.hpp"

namespace fi::kit::sim {
namespace {

constexpr int kRounds = 3000; ///< of looking at everybody; what has not settled then never will

} // namespace

void World::settle()
{
    int rounds = 0;
    for (int quiet = 0; quiet < 3 && failure_.empty(); quiet++) {
        const std::uint64_t before = happened;
        for (auto& node : hosts_) {
            if (!node)
                continue;
            look(*node);
            collect(*node, SIZE_MAX);
        }
        if (happened != before)
            quiet = -1;
        if (++rounds > kRounds)
            fail("it never comes to rest");
    }
}

/// Everything that was begun ends. What is then still open can only be receives that nobody has sent to.
void World::finish()
{
    note("-- rest");
    calm_ = true;
    for (bool more = true; more && failure_.empty();) {
        settle();
        check_ends();
        more = false;
        for (auto& node : hosts_) {
            if (!node || !failure_.empty())
                continue;
            const auto left = node->engine->census();
            const auto& reference = node->reference;
            if (!node->lenient &&
                left.unexpected != reference.unexpected(false).size() + reference.unexpected(true).size())
                fail("%u: %zu messages without a receive instead of %zu", node->number, left.unexpected,
                     reference.unexpected(false).size() + reference.unexpected(true).size());
            more = more || left.unexpected;
            if (left.unexpected && !(receive_anything(*node, true) && receive_anything(*node, false)))
                cancel_posted(*node); // they have taken all the records
        }
    }
    if (!failure_.empty())
        return;
    for (auto& node : hosts_)
        if (node)
            cancel_posted(*node);
    list_links();
    settle();
    for (const Send& send : sends_)
        if (!gone_[send.owner] && (send.reported || (send.must_fail && !send.silent)) && !send.completed)
            fail("%u: send %u has not ended", send.owner, send.id);
    for (const Receive& receive : receives_) {
        if (!gone_[receive.owner] && !receive.completed)
            fail("%u: receive %u has not ended", receive.owner, receive.id);
        if (!intact(receive))
            fail("%u: receive %u was written to after its end", receive.owner, receive.id);
    }
    for (auto& node : hosts_)
        if (node)
            check_left(*node);
    for (std::size_t host = 0; host < hosts_.size(); host++)
        if (hosts_[host])
            close(static_cast<int>(host));
}

void World::list_links()
{
    if (!options_.trace)
        return;
    for (auto& node : hosts_)
        for (const memory::Link* link : node ? node->port->links() : std::vector<memory::Link*>())
            note("%u: link %p to name %d, endpoint %llu:%s%s%s%s%s%s%s %zu taken, %zu incoming", node->number,
                 static_cast<const void*>(link), link->peer ? name_of(link->peer->address) : -1,
                 static_cast<unsigned long long>(link->identity), link->up ? " up" : "",
                 link->other ? " connected" : "", link->paused ? " paused" : "",
                 link->blocked ? " blocked" : "", link->gone ? " gone" : "", link->ended ? " ended" : "",
                 link->peer && link->peer->link == link ? " used for sends" : "", link->taken.size(),
                 link->incoming.size());
}

/// At rest: every receive that has not ended can be cancelled.
void World::cancel_posted(Node& node)
{
    for (Receive& receive : receives_) {
        if (receive.owner != node.number || receive.completed || receive.cancelled)
            continue;
        if (node.engine->cancel(&receive))
            fail("%u: receive %u has neither ended nor can it be cancelled", node.number, receive.id);
        receive.cancelled = true;
        if (!node.reference.cancel(receive) && !node.lenient)
            fail("%u: receive %u can be cancelled, but message %u is for it", node.number, receive.id,
                 receive.matched ? receive.matched->id : 0);
    }
}

void World::check_left(Node& node)
{
    const auto left = node.engine->census();
    if (left.sends || left.receives || left.unexpected || left.references || left.paused || left.pending)
        fail("%u: left behind: %zu sends, %zu receives, %zu messages, %zu references, %zu pauses, %zu frames",
             node.number, left.sends, left.receives, left.unexpected, left.references, left.paused,
             left.pending);
    for (std::size_t name = 0; name < name_count_; name++)
        if (!node.waiting[name].empty())
            fail("%u: message %u for name %zu has never left", node.number, node.waiting[name].front()->id,
                 name);
}

} // namespace fi::kit::sim
