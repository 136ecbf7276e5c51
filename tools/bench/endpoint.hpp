// SPDX-License-Identifier: BSD-2-Clause
// One reliable datagram endpoint with the objects it needs, opened through a Library: address vector and one
// completion queue for both directions, polled.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>

#include "job.hpp"
#include "library.hpp"
#include "memory.hpp"

namespace fi::tools::bench {

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

// Used by one thread, as FI_THREAD_DOMAIN asks. All throw Failure with the call's name and the library's
// words.
class Endpoint {
  public:
    // library must outlive this. The first fitting entry of fi_getinfo is taken.
    Endpoint(const Library& library, const Config& config);

    [[nodiscard]] const fi_info& info() const { return *info_; }
    [[nodiscard]] std::string name() const; // its address, in hexadecimal
    [[nodiscard]] fi_addr_t insert(const std::string& name) const;

    // Registers memory where the provider wants that; the descriptor for its buffers. Memory must outlive
    // this.
    [[nodiscard]] void* descriptor_of(const Memory& memory);

    // Lets the library work between measurements, when nothing is awaited: a completion is a failure.
    void progress() const;
    // What is behind -FI_EAVAIL.
    [[noreturn]] void fail_completion() const;

    [[nodiscard]] fid_ep* ep() const { return ep_.get(); }
    [[nodiscard]] fid_cq* queue() const { return queue_.get(); }
    [[nodiscard]] const Library& library() const { return library_; }

  private:
    void open(const Config& config);

    const Library& library_;
    // In the order of opening: destroyed backwards, which is the order in which they may be closed.
    std::unique_ptr<fi_info, void (*)(fi_info*)> info_;
    Owned<fid_fabric> fabric_;
    Owned<fid_domain> domain_;
    std::vector<Owned<fid_mr>> regions_;
    Owned<fid_av> addresses_;
    Owned<fid_cq> queue_;
    Owned<fid_ep> ep_;
};

} // namespace fi::tools::bench
