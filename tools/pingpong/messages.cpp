// SPDX-License-Identifier: BSD-2-Clause
// Both queues are read in every wait: with manual progress, a queue that nobody reads may be what the other
// one waits for. The tag is upstream's, because both sides must agree on it.

#include "messages.hpp"

#include <array>
#include <cstdio>
#include <cstring>
#include <string>

#include <rdma/fi_errno.h>
#include <rdma/fi_tagged.h>

#include "patience.hpp"
#include "report.hpp"

namespace fi::tools::pingpong {
namespace {

constexpr std::uint64_t kTag = 1234;
constexpr std::array kFin{'f', 'i', 'n', '\0'};

[[noreturn]] void fail_completion(fid_cq* queue, const char* what)
{
    fi_cq_err_entry error{};
    check("fi_cq_readerr", fi_cq_readerr(queue, &error, 0));
    char text[256] = "";
    const char* detail = fi_cq_strerror(queue, error.prov_errno, error.err_data, text, sizeof text);
    fail_because(std::string("a ") + what + " failed: " + fi_strerror(error.err) + " (" +
                     (detail ? detail : "no detail") + ")",
                 -error.err);
}

// Completions taken from one queue; the length of the last one goes to *length.
std::uint64_t reap(fid_cq* queue, const char* what, std::size_t* length)
{
    std::array<fi_cq_msg_entry, 4> entries{};
    const ssize_t ret = fi_cq_read(queue, entries.data(), entries.size());
    if (ret == -FI_EAGAIN)
        return 0;
    if (ret == -FI_EAVAIL)
        fail_completion(queue, what);
    const auto count = static_cast<std::size_t>(check("fi_cq_read", ret));
    if (count > 0 && length)
        *length = entries.at(count - 1).len;
    return count;
}

void progress(Endpoint& endpoint)
{
    endpoint.transmits_done += reap(endpoint.transmits.get(), "send", nullptr);
    endpoint.receives_done += reap(endpoint.receives.get(), "receive", &endpoint.last_length);
}

// Calls post until it is not told to try again.
template <class Post>
void retry(Endpoint& endpoint, const Control& control, const char* call, Post post)
{
    Patience patience(control, "place in the send queue");
    ssize_t ret = 0;
    while ((ret = post()) == -FI_EAGAIN) {
        progress(endpoint);
        patience.pause();
    }
    check(call, ret);
}

void await_transmits(Endpoint& endpoint, const Control& control)
{
    Patience patience(control, "completion of a send");
    while (endpoint.transmits_done < endpoint.transmits_posted) {
        progress(endpoint);
        if (endpoint.transmits_done < endpoint.transmits_posted)
            patience.pause();
    }
}

void inject(Endpoint& endpoint, const Control& control, std::size_t length)
{
    const void* data = endpoint.buffers.send().data();
    if (endpoint.tagged)
        retry(endpoint, control, "fi_tinject",
              [&] { return fi_tinject(endpoint.ep.get(), data, length, endpoint.peer, kTag); });
    else
        retry(endpoint, control, "fi_inject",
              [&] { return fi_inject(endpoint.ep.get(), data, length, endpoint.peer); });
}

void post_send(Endpoint& endpoint, const Control& control, std::size_t length)
{
    const void* data = endpoint.buffers.send().data();
    void* context = &endpoint.transmit_context;
    if (endpoint.tagged)
        retry(endpoint, control, "fi_tsend", [&] {
            return fi_tsend(endpoint.ep.get(), data, length, endpoint.descriptor(), endpoint.peer, kTag,
                            context);
        });
    else
        retry(endpoint, control, "fi_send", [&] {
            return fi_send(endpoint.ep.get(), data, length, endpoint.descriptor(), endpoint.peer, context);
        });
    ++endpoint.transmits_posted;
}

// The last message asks for a completion that means it has left this host's hands: the process ends after it.
void send_fin(Endpoint& endpoint, const Control& control)
{
    const Buffers& buffers = endpoint.buffers;
    std::memcpy(buffers.sent_payload().data(), kFin.data(), kFin.size());
    iovec part{buffers.send().data(), buffers.prefix() + kFin.size()};
    void* descriptor = endpoint.descriptor();
    if (endpoint.tagged) {
        fi_msg_tagged message{&part, &descriptor, 1, endpoint.peer, kTag, 0, &endpoint.transmit_context, 0};
        retry(endpoint, control, "fi_tsendmsg",
              [&] { return fi_tsendmsg(endpoint.ep.get(), &message, FI_TRANSMIT_COMPLETE); });
    } else {
        fi_msg message{&part, &descriptor, 1, endpoint.peer, &endpoint.transmit_context, 0};
        retry(endpoint, control, "fi_sendmsg",
              [&] { return fi_sendmsg(endpoint.ep.get(), &message, FI_TRANSMIT_COMPLETE); });
    }
    ++endpoint.transmits_posted;
    await_transmits(endpoint, control);
}

} // namespace

void post_receive(Endpoint& endpoint)
{
    const auto buffer = endpoint.buffers.receive();
    void* context = &endpoint.receive_context;
    if (endpoint.tagged)
        check("fi_trecv", fi_trecv(endpoint.ep.get(), buffer.data(), buffer.size(), endpoint.descriptor(),
                                   FI_ADDR_UNSPEC, kTag, 0, context));
    else
        check("fi_recv", fi_recv(endpoint.ep.get(), buffer.data(), buffer.size(), endpoint.descriptor(),
                                 FI_ADDR_UNSPEC, context));
    ++endpoint.receives_posted;
}

void send_message(Endpoint& endpoint, const Control& control, std::size_t size)
{
    const std::size_t length = endpoint.buffers.prefix() + size;
    if (length < endpoint.inject_size)
        return inject(endpoint, control, length);
    post_send(endpoint, control, length);
    await_transmits(endpoint, control);
}

void await_message(Endpoint& endpoint, const Control& control)
{
    Patience patience(control, "message from the peer");
    while (endpoint.receives_done < endpoint.receives_posted) {
        progress(endpoint);
        if (endpoint.receives_done < endpoint.receives_posted)
            patience.pause();
    }
}

void finish(Endpoint& endpoint, const Control& control)
{
    send_fin(endpoint, control);
    try {
        await_message(endpoint, control);
    } catch (const Failure&) {
        // Datagrams may get lost, the last one too.
        if (endpoint.info->ep_attr->type != FI_EP_DGRAM)
            throw;
        std::fputs("only the peer's farewell is missing: the figures are complete\n", stderr);
    }
    if (endpoint.info->ep_attr->type == FI_EP_MSG)
        fi_shutdown(endpoint.ep.get(), 0);
}

} // namespace fi::tools::pingpong
