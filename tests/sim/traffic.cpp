// SPDX-License-Identifier: BSD-2-Clause
//
// World: the operations of an application, and whether their entries say what has to be said.
#include "contents.hpp"
#include "shortage.hpp"
#include "world.hpp"

namespace fi::kit::sim {

void World::buffer(Operation& operation, std::size_t size)
{
    unsigned char* memory = arena_.get(size + 2 * Operation::kGuard);
    std::memset(memory, kGuarded, Operation::kGuard);
    std::memset(memory + Operation::kGuard + size, kGuarded, Operation::kGuard);
    operation.buffer = memory + Operation::kGuard;
    operation.size = size;
    operation.segments = 1;
    operation.iov[0] = {operation.buffer, size};
    while (operation.segments < 4 && random_.chance(30)) {
        iovec& last = operation.iov[operation.segments - 1];
        const std::size_t cut = random_.below(last.iov_len + 1);
        operation.iov[operation.segments++] = {static_cast<char*>(last.iov_base) + cut, last.iov_len - cut};
        last.iov_len = cut;
    }
}

void World::spoil(const Operation& operation)
{
    std::memset(operation.buffer, kFinished, operation.size);
}

bool World::intact(const Operation& operation) const
{
    return all(operation.buffer, operation.size, kFinished);
}

bool World::receive(Node& node, int from)
{
    Receive& receive = receives_.emplace_back();
    receive.from = from;
    receive.tagged = random_.chance(60);
    if (receive.tagged) {
        receive.tag = some_tag(random_);
        receive.ignore = random_.chance(30) ? random_.below(4) : 0;
    }
    buffer(receive, some_size(random_));
    return post(node, receive);
}

bool World::receive_anything(Node& node, bool tagged)
{
    Receive& receive = receives_.emplace_back();
    receive.tagged = tagged;
    receive.ignore = tagged ? ~std::uint64_t{0} : 0;
    buffer(receive, 5100);
    return post(node, receive);
}

/// False: it has been refused, and is forgotten.
bool World::post(Node& node, Receive& receive)
{
    const int from = receive.from;
    receive.id = static_cast<std::uint32_t>(receives_.size() - 1);
    receive.owner = node.number;
    receive.reported = true;
    std::memset(receive.buffer, kFresh, receive.size);
    const bool is_known = from == kAnybody || node.known[from] != FI_ADDR_NOTAVAIL;
    const fi_addr_t source = from == kAnybody ? FI_ADDR_UNSPEC : is_known ? node.known[from] : 1234;

    calling_ = &node;
    posting_ = is_known ? &receive : nullptr;
    shortage_in = !calm_ && random_.chance(style_.shortages) ? 1 : 0;
    const ssize_t ret = node.engine->receive({.iov = receive.iov,
                                              .segments = receive.segments,
                                              .source = source,
                                              .tag = receive.tag,
                                              .ignore = receive.ignore,
                                              .context = &receive,
                                              .tagged = receive.tagged,
                                              .report = receive.reported});
    shortage_in = 0;
    calling_ = nullptr;
    posting_ = nullptr;
    note("%u: receive %u of %zu bytes from %d, tag %llx/%llx%s: %zd", node.number, receive.id, receive.size,
         from, static_cast<unsigned long long>(receive.tag), static_cast<unsigned long long>(receive.ignore),
         receive.tagged ? "" : " (untagged)", ret);
    if (ret == 0 && is_known) {
        node.reference.post(receive);
        return true;
    }
    if (ret == 0 || (ret != -FI_EAGAIN && !(ret == -FI_EINVAL && !is_known)))
        fail("%u: receive %u is answered %zd", node.number, receive.id, ret);
    receives_.pop_back();
    return false;
}

void World::cancel(Node& node)
{
    Operation* operation = nullptr;
    if (random_.chance(50) && !receives_.empty())
        operation = &receives_[random_.below(receives_.size())];
    else if (!sends_.empty())
        operation = &sends_[random_.below(sends_.size())];
    if (!operation || operation->owner != node.number || operation->completed || operation->cancelled)
        return;
    const ssize_t ret = node.engine->cancel(operation);
    note("%u: cancels %s %u: %zd", node.number, operation->is_send ? "send" : "receive", operation->id, ret);
    if (ret != 0 && ret != -FI_ENOENT)
        fail("%u: cancelling is answered %zd", node.number, ret);
    operation->cancelled = ret == 0;
    if (operation->is_send) {
        auto& send = static_cast<Send&>(*operation);
        auto& waiting = node.waiting[send.to];
        const auto at = std::find(waiting.begin(), waiting.end(), &send);
        if (at != waiting.end()) {
            if (ret && send.reported)
                fail("%u: send %u has not left and cannot be cancelled", node.number, send.id);
            if (ret == 0) {
                waiting.erase(at);
                send.state = Send::State::Lost;
            }
        } else if (ret == 0) {
            fail("%u: send %u is cancelled after its message has left", node.number, send.id);
        }
        return;
    }
    auto& receive = static_cast<Receive&>(*operation);
    if (node.reference.cancel(receive) != (ret == 0) && !node.lenient)
        fail("%u: cancelling receive %u is answered %zd, but %s", node.number, receive.id, ret,
             ret ? "it has no message" : "it has matched");
}

void World::collect(Node& node, std::size_t most)
{
    for (; most && failure_.empty(); most--) {
        fi_cq_tagged_entry entry{};
        fi_addr_t source = FI_ADDR_NOTAVAIL;
        fi_cq_err_entry full{};
        ssize_t ret = node.queue.cq_readfrom(&entry, 1, &source);
        if (ret == 1) {
            full.op_context = entry.op_context;
            full.flags = entry.flags;
            full.len = entry.len;
            full.data = entry.data;
            full.tag = entry.tag;
        } else if (ret == -FI_EAVAIL) {
            ret = node.queue.cq_readerr(&full, 0);
        }
        if (ret != 1)
            return;
        auto& operation = *static_cast<Operation*>(full.op_context);
        note("%u: %s %u ends: %d, %zu bytes", node.number, operation.is_send ? "send" : "receive",
             operation.id, full.err, full.len);
        if (operation.owner != node.number || operation.completed)
            fail("%u: %s %u of %u has a second entry", node.number, operation.is_send ? "send" : "receive",
                 operation.id, operation.owner);
        else if ((full.err == FI_ECANCELED) != operation.cancelled)
            fail("%u: %s %u %s", node.number, operation.is_send ? "send" : "receive", operation.id,
                 operation.cancelled ? "ends though it was cancelled" : "is cancelled by nobody");
        else if (operation.is_send)
            sent(node, static_cast<Send&>(operation), full.err, full.flags);
        else
            received(node, static_cast<Receive&>(operation), full, source);
        operation.completed = true;
        if (failure_.empty())
            spoil(operation);
    }
}

void World::received(Node& node, Receive& receive, const fi_cq_err_entry& entry, fi_addr_t source)
{
    if (!all(receive.buffer - Operation::kGuard, Operation::kGuard, kGuarded) ||
        !all(receive.buffer + receive.size, Operation::kGuard, kGuarded))
        fail("%u: receive %u has bytes outside its buffer", node.number, receive.id);
    if (entry.err == FI_ECANCELED) {
        if (!all(receive.buffer, receive.size, kFresh))
            fail("%u: receive %u was cancelled and is filled", node.number, receive.id);
        return;
    }
    const bool ended_well = entry.err == 0 || entry.err == FI_ETRUNC;
    if (node.lenient) {
        if (!ended_well)
            return;
        const auto found = std::find_if(node.arrived.begin(), node.arrived.end(),
                                        [&](const Send* send) { return !differs(receive, entry, *send); });
        if (found != node.arrived.end()) {
            // Few bytes may be like those of another message, which another receive has yet to report.
            if (entry.len >= sizeof(std::uint64_t))
                node.arrived.erase(found);
        } else if (!receive.matched || differs(receive, entry, *receive.matched)) {
            fail("%u: receive %u has what nobody has sent", node.number, receive.id);
        }
        return;
    }
    if (!ended_well) {
        if (!receive.must_fail && !(receive.matched && std::max(node.died_at[receive.matched_identity % 64],
                                                                node.unreachable_at[receive.matched_name]) >=
                                                           receive.matched_since))
            fail("%u: receive %u fails for no reason: %d", node.number, receive.id, entry.err);
        return;
    }
    if (!receive.matched) {
        fail("%u: receive %u ends well without a message", node.number, receive.id);
        return;
    }
    if (receive.must_fail)
        fail("%u: receive %u ends well and its message %u was lost", node.number, receive.id,
             receive.matched->id);
    if (const char* what = differs(receive, entry, *receive.matched))
        fail("%u: receive %u, which is for message %u, has another %s", node.number, receive.id,
             receive.matched->id, what);
    if (entry.err == 0)
        check_source(node, receive, source);
}

/// Any address under which the sender is known. The entry may be older than what is known now.
void World::check_source(Node& node, const Receive& receive, fi_addr_t source)
{
    if (receive.matched_version != node.addresses.version() || node.joined_at > receive.matched_since)
        return;
    bool has_name = false;
    for (int name = 0; name < static_cast<int>(name_count_); name++)
        if (node.reference.same(name, receive.matched_name) && node.known[name] != FI_ADDR_NOTAVAIL) {
            has_name = true;
            if (node.known[name] == source)
                return;
        }
    if (has_name || source != FI_ADDR_NOTAVAIL)
        fail("%u: receive %u is said to be from %llu", node.number, receive.id,
             static_cast<unsigned long long>(source));
}

/// nullptr: this is what the receive has to be like after it has taken that message.
const char* World::differs(const Receive& receive, const fi_cq_err_entry& entry, const Send& send) const
{
    const std::size_t length = std::min(send.size, receive.size);
    if (entry.len != length)
        return "length";
    if ((entry.err == FI_ETRUNC) != (send.size > receive.size) ||
        (entry.err && entry.olen != send.size - length))
        return "truncation";
    if (send.tagged != receive.tagged || entry.tag != send.tag)
        return "tag";
    if (entry.flags !=
        (FI_RECV | (send.tagged ? FI_TAGGED : FI_MSG) | (send.has_data ? FI_REMOTE_CQ_DATA : 0)))
        return "set of flags";
    if (entry.data != send.data)
        return "data";
    for (std::size_t i = 0; i < length; i++)
        if (receive.buffer[i] != byte_of(send.id, i))
            return "content";
    if (!all(receive.buffer + length, receive.size - length, kFresh))
        return "end";
    return nullptr;
}

} // namespace fi::kit::sim
