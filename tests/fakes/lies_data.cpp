// SPDX-License-Identifier: BSD-2-Clause
#include "liar.hpp"

#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace liar {
namespace {

/// A tagged send that was accepted and not made yet.
struct Held {
    fid_ep* ep;
    const void* buf;
    std::size_t len;
    fi_addr_t dest;
    std::uint64_t tag;
    void* context;
    bool inject;
};
Held held{};

/// Makes the held send, if there is one and there is room; 0 when none is left.
ssize_t make_held()
{
    if (!held.ep)
        return 0;
    const fi_ops_tagged& ops = honest(held.ep->tagged);
    const ssize_t ret =
        held.inject ? ops.inject(held.ep, held.buf, held.len, held.dest, held.tag)
                    : ops.send(held.ep, held.buf, held.len, nullptr, held.dest, held.tag, held.context);
    if (ret == 0)
        held.ep = nullptr;
    return ret;
}

/// The lies that hold sends make them when a queue is read.
ssize_t read_and_send(fid_cq* queue, void* buf, std::size_t count)
{
    make_held();
    return honest(queue->ops).read(queue, buf, count);
}
ssize_t readfrom_and_send(fid_cq* queue, void* buf, std::size_t count, fi_addr_t* sources)
{
    make_held();
    return honest(queue->ops).readfrom(queue, buf, count, sources);
}
void send_at_reads(fi_ops_cq& table)
{
    table.read = read_and_send;
    table.readfrom = readfrom_and_send;
}

/// Each second send overtakes the one before it.
ssize_t overtaking_send(fid_ep* ep, const void* buf, std::size_t len, void* desc, fi_addr_t dest,
                        std::uint64_t tag, void* context)
{
    if (!held.ep) {
        held = {ep, buf, len, dest, tag, context, false};
        return 0;
    }
    const ssize_t ret = honest(ep->tagged).send(ep, buf, len, desc, dest, tag, context);
    make_held();
    return ret;
}

/// The buffer is read when the next call is made.
ssize_t late_inject(fid_ep* ep, const void* buf, std::size_t len, fi_addr_t dest, std::uint64_t tag)
{
    if (const ssize_t ret = make_held())
        return ret;
    held = {ep, buf, len, dest, tag, nullptr, true};
    return 0;
}

ssize_t exact_receive(fid_ep* ep, void* buf, std::size_t len, void* desc, fi_addr_t source, std::uint64_t tag,
                      std::uint64_t, void* context)
{
    return honest(ep->tagged).recv(ep, buf, len, desc, source, tag, 0, context);
}

/// Once there was no room, there never is again.
ssize_t offended_send(fid_ep* ep, const void* buf, std::size_t len, void* desc, fi_addr_t dest,
                      std::uint64_t tag, void* context)
{
    static bool offended;
    const ssize_t ret =
        offended ? -FI_EAGAIN : honest(ep->tagged).send(ep, buf, len, desc, dest, tag, context);
    offended |= ret == -FI_EAGAIN;
    return ret;
}

ssize_t careless_sendmsg(fid_ep* ep, const fi_msg* msg, std::uint64_t flags)
{
    return honest(ep->msg).sendmsg(ep, msg, flags & (FI_COMPLETION | FI_INJECT | FI_REMOTE_CQ_DATA));
}

ssize_t cancel_nothing(fid*, void*)
{
    return 0;
}

ssize_t cancel_for_ever(fid*, void*)
{
    for (;;)
        pause();
}

ssize_t cancel_and_die(fid*, void*)
{
    _exit(3); // and not by a signal, which a sanitizer would report at length
}

const Lie kLies[] = {
    {
        .name = "order_violated",
        .queue = send_at_reads,
        .tagged = [](fi_ops_tagged& table) { table.send = overtaking_send; },
    },
    {
        .name = "inject_buffer_read_late",
        .queue = send_at_reads,
        .tagged = [](fi_ops_tagged& table) { table.inject = late_inject; },
    },
    {
        .name = "tag_mask_ignored",
        .tagged = [](fi_ops_tagged& table) { table.recv = exact_receive; },
    },
    {
        .name = "try_again_for_ever",
        .tagged = [](fi_ops_tagged& table) { table.send = offended_send; },
    },
    {
        .name = "unknown_flags_taken",
        .messages = [](fi_ops_msg& table) { table.sendmsg = careless_sendmsg; },
    },
    {
        .name = "cancel_without_completion",
        .endpoint = [](fi_ops_ep& table) { table.cancel = cancel_nothing; },
    },
    {
        .name = "cancel_hangs",
        .endpoint = [](fi_ops_ep& table) { table.cancel = cancel_for_ever; },
    },
    {
        .name = "cancel_ends_the_process",
        .endpoint = [](fi_ops_ep& table) { table.cancel = cancel_and_die; },
    },
};

} // namespace

const Lie* find_data(const char* name)
{
    for (const Lie& each : kLies)
        if (std::strcmp(each.name, name) == 0)
            return &each;
    return nullptr;
}

} // namespace liar
