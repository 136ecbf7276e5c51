// SPDX-License-Identifier: BSD-2-Clause
// The calls that are measured, and as little around them as a careful application can have: contexts from a
// fixed array that tell what completed, arrivals in a small queue, every wait bounded by a Patience.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <rdma/fi_endpoint.h>
#include <rdma/fi_tagged.h>

#include "endpoint.hpp"
#include "failure.hpp"
#include "patience.hpp"

namespace fi::tools::bench {

inline constexpr std::uint64_t kTag = 0xb;

struct Buffer {
    std::byte* data = nullptr;
    void* descriptor = nullptr;
};

struct Arrival {
    std::uint32_t index = 0;  // of the receive, as it was posted
    std::uint64_t length = 0; // bytes
};

// All throw Failure. Used by one thread.
class Channel {
  public:
    // endpoint and control must outlive this. depth: sends, and receives, at a time.
    Channel(Endpoint& endpoint, Control& control, const Config& config, std::size_t depth);

    void talk_to(fi_addr_t peer) { peer_ = peer; }
    [[nodiscard]] Patience& patience() { return patience_; }
    [[nodiscard]] bool injects(std::size_t size) const { return size < inject_limit_; }

    // Posts receive number index; it is that number's only one.
    void post(std::uint32_t index, Buffer buffer, std::size_t length)
    {
        void* const context = &contexts_[depth_ + index];
        const auto call = [&] {
            return tagged_ ? fi_trecv(ep_, buffer.data, length, buffer.descriptor, FI_ADDR_UNSPEC, kTag, 0,
                                      context)
                           : fi_recv(ep_, buffer.data, length, buffer.descriptor, FI_ADDR_UNSPEC, context);
        };
        insist(call, "room for a receive");
    }

    // The buffer is the library's until sends_done(), or free at once when injects(length).
    void send(Buffer buffer, std::size_t length)
    {
        if (injects(length)) {
            insist(
                [&] {
                    return tagged_ ? fi_tinject(ep_, buffer.data, length, peer_, kTag)
                                   : fi_inject(ep_, buffer.data, length, peer_);
                },
                "room for a send");
            return;
        }
        while (free_sends_.empty())
            poll("completion of a send");
        void* const context = &contexts_[free_sends_.back()];
        free_sends_.pop_back(); // before the call: while it is repeated, others come back
        insist(
            [&] {
                return tagged_ ? fi_tsend(ep_, buffer.data, length, buffer.descriptor, peer_, kTag, context)
                               : fi_send(ep_, buffer.data, length, buffer.descriptor, peer_, context);
            },
            "room for a send");
    }

    [[nodiscard]] std::size_t sends_outstanding() const { return depth_ - free_sends_.size(); }
    void finish_sends(std::size_t left = 0)
    {
        while (sends_outstanding() > left)
            poll("completion of a send");
    }

    // The oldest message that has arrived, waited for.
    [[nodiscard]] Arrival receive()
    {
        while (taken_ == arrived_)
            poll("message");
        return arrivals_[taken_++ & mask_];
    }
    [[nodiscard]] bool has_arrival() const { return taken_ != arrived_; }

    // Reads the completion queue once.
    void poll(const char* awaited)
    {
        std::array<fi_cq_tagged_entry, 16> entries;
        const ssize_t got = fi_cq_read(queue_, entries.data(), entries.size());
        if (got == -FI_EAGAIN) {
            patience_.pause(awaited);
            return;
        }
        if (got < 0) [[unlikely]]
            fail_read(got);
        patience_.reset();
        for (ssize_t i = 0; i < got; i++)
            completed(entries[static_cast<std::size_t>(i)]);
    }

  private:
    void completed(const fi_cq_tagged_entry& entry)
    {
        const auto offset = reinterpret_cast<std::uintptr_t>(entry.op_context) -
                            reinterpret_cast<std::uintptr_t>(contexts_.data());
        const std::size_t index = offset / sizeof(fi_context2);
        if (index < depth_)
            free_sends_.push_back(static_cast<std::uint32_t>(index));
        else if (index < contexts_.size())
            arrivals_[arrived_++ & mask_] = {static_cast<std::uint32_t>(index - depth_), entry.len};
        else
            fail("a completion has a context that was never given");
    }

    // Repeats a call for as long as it answers that there is no room just now.
    template <class Call>
    void insist(const Call& call, const char* awaited)
    {
        for (ssize_t ret; (ret = call()) != 0;) {
            if (ret != -FI_EAGAIN) [[unlikely]]
                endpoint_.library().check(awaited, ret);
            poll(awaited);
        }
    }

    [[noreturn]] void fail_read(ssize_t ret) const;

    Endpoint& endpoint_;
    fid_ep* const ep_;
    fid_cq* const queue_;
    fi_addr_t peer_ = FI_ADDR_UNSPEC;
    const bool tagged_;
    const std::size_t inject_limit_; // bytes of the first message that is too long to inject
    const std::size_t depth_;
    Patience patience_;
    std::vector<fi_context2> contexts_; // of sends, then of receives
    std::vector<std::uint32_t> free_sends_;
    std::vector<Arrival> arrivals_; // a ring
    std::size_t mask_ = 0;
    std::size_t arrived_ = 0;
    std::size_t taken_ = 0;
};

} // namespace fi::tools::bench
