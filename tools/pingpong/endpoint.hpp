// SPDX-License-Identifier: BSD-2-Clause
// The endpoint under test and what it hangs on, opened through the public API only, owned, and closed in
// order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>

#include "control.hpp"
#include "options.hpp"

namespace fi::tools::pingpong {

struct CloseFid {
    // Every object begins with its struct fid.
    template <class Object>
    void operator()(Object* object) const
    {
        fi_close(&object->fid);
    }
};
template <class Object>
using Owned = std::unique_ptr<Object, CloseFid>;

struct FreeInfo {
    void operator()(fi_info* info) const { fi_freeinfo(info); }
};
using InfoList = std::unique_ptr<fi_info, FreeInfo>;

// One send and one receive buffer, page-aligned in one allocation; each has room for the provider's prefix in
// front.
class Buffers {
  public:
    Buffers() = default;
    Buffers(std::size_t prefix, std::size_t payload); // bytes; throws std::bad_alloc

    [[nodiscard]] std::span<std::byte> all() const { return {memory_.get(), 2 * each_}; }
    [[nodiscard]] std::span<std::byte> send() const { return {memory_.get(), each_}; }
    [[nodiscard]] std::span<std::byte> receive() const { return {memory_.get() + each_, each_}; }
    [[nodiscard]] std::span<std::byte> sent_payload() const { return send().subspan(prefix_); }
    [[nodiscard]] std::span<std::byte> received_payload() const { return receive().subspan(prefix_); }
    [[nodiscard]] std::size_t prefix() const { return prefix_; }

  private:
    struct Free {
        void operator()(std::byte* memory) const { std::free(memory); }
    };
    std::size_t prefix_ = 0;
    std::size_t each_ = 0;
    std::unique_ptr<std::byte, Free> memory_;
};

// Members are in the order of opening: C++ destroys them backwards, which is the order in which they may be
// closed.
struct Endpoint {
    InfoList info;
    Owned<fid_fabric> fabric;
    Owned<fid_eq> events;
    Owned<fid_pep> listener;
    Owned<fid_domain> domain;
    Buffers buffers;
    Owned<fid_mr> region; // only where the provider wants local registration
    Owned<fid_cq> transmits;
    Owned<fid_cq> receives;
    Owned<fid_av> addresses;
    Owned<fid_ep> ep;
    fi_addr_t peer = FI_ADDR_UNSPEC;
    bool tagged = false;
    std::vector<std::size_t> sizes; // of the messages to run, bytes; the buffers have room for each
    std::size_t inject_size = 0;    // bytes

    fi_context2 transmit_context{};
    fi_context2 receive_context{};
    std::uint64_t transmits_posted = 0; // those that will complete
    std::uint64_t transmits_done = 0;
    std::uint64_t receives_posted = 0;
    std::uint64_t receives_done = 0;
    std::size_t last_length = 0; // bytes of the last completed receive, prefix included

    [[nodiscard]] void* descriptor() const { return region ? fi_mr_desc(region.get()) : nullptr; }
};

// Opens the endpoint, exchanges names with the peer over control, and returns when messages can flow: one
// receive is posted, connection-less endpoints have the peer's address, connected ones are connected. Throws
// Failure.
[[nodiscard]] Endpoint open_endpoint(const Options& options, Control& control);

} // namespace fi::tools::pingpong
