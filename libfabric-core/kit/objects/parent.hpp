// SPDX-License-Identifier: BSD-2-Clause
//
// Who was opened from whom. A fabric is not closed before its domains and event queues, nor a domain before
// its queues, counters, vectors and endpoints, nor any of these while an endpoint is bound to it (fi_close:
// -FI_EBUSY). Endpoints also have to know whether what is bound to them comes from their own domain.
#pragma once

#include "kit/objects/fork.hpp"

#include <atomic>
#include <cstddef>
#include <rdma/providers/fi_prov.h>

namespace fi::kit {

/// What an object is to those that are opened from it. Thread safe.
class Parent {
  public:
    /// `provider`, for their log lines, outlives this object.
    explicit Parent(const fi_provider& provider) noexcept : provider_(provider) {}
    Parent(const Parent&) = delete;
    Parent& operator=(const Parent&) = delete;

    [[nodiscard]] const fi_provider& provider() const noexcept { return provider_; }
    /// How many are open.
    [[nodiscard]] std::size_t children() const noexcept { return children_.load(std::memory_order_relaxed); }

  private:
    friend class Child;
    const fi_provider& provider_;
    std::atomic<std::size_t> children_{0};
};

/// The base of what is opened from another object, and may be bound to a third. Thread safe.
class Child {
  public:
    /// `handle` is the object's own. Throws std::bad_alloc.
    Child(Parent& parent, ::fid& handle) : parent_(parent), inheritable_(handle)
    {
        parent_.children_.fetch_add(1, std::memory_order_relaxed);
    }
    ~Child() { parent_.children_.fetch_sub(1, std::memory_order_relaxed); }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    /// The same for all objects of a domain, and for no other.
    [[nodiscard]] const Parent& parent() const noexcept { return parent_; }

    /// What is bound to something else stays open as long as that.
    void use() noexcept { users_.fetch_add(1, std::memory_order_relaxed); }
    void unuse() noexcept { users_.fetch_sub(1, std::memory_order_relaxed); }
    [[nodiscard]] std::size_t users() const noexcept { return users_.load(std::memory_order_relaxed); }

  private:
    Parent& parent_;
    Inheritable inheritable_;
    std::atomic<std::size_t> users_{0};
};

} // namespace fi::kit
