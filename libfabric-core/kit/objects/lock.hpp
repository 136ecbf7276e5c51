// SPDX-License-Identifier: BSD-2-Clause
//
// Lock policies: an object is compiled once for each, and the threading model that the application promised
// picks one.
//
// All objects of a domain share one lock, which is taken at the API's entry and nowhere below, so there is no
// lock order to keep. Under FI_THREAD_DOMAIN the application has promised to serialise the calls, and the
// policy is empty. FI_THREAD_COMPLETION is served with the lock: two queues of one endpoint may then be read
// by two threads, and both make that endpoint's progress. (Address vectors, event queues and the opening and
// closing of objects are control calls, which are thread safe under every model: they use locks of their
// own.)
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <rdma/fabric.h>

namespace fi::kit {

struct NoLock {
    void lock() noexcept {}
    void unlock() noexcept {}
};

/// A mutex that costs a hot call two instructions that matter: taken and given back inline, with a call only
/// when somebody else has it or waits for it. (std::mutex spends some seventy instructions on the pair.)
class Mutex {
  public:
    /// What API calls do.
    void lock() noexcept
    {
        lock_unnoticed();
        calls_++;
        if (on_call_) [[unlikely]]
            tell();
    }
    void lock_unnoticed() noexcept
    {
        std::uint32_t expected = kFree;
        if (!state_.compare_exchange_strong(expected, kTaken, std::memory_order_acquire,
                                            std::memory_order_relaxed)) [[unlikely]]
            wait();
    }
    void unlock() noexcept
    {
        if (state_.exchange(kFree, std::memory_order_release) == kWaitedFor) [[unlikely]]
            wake();
    }

    // With the lock taken: how often lock() has been called, and what the next call of it does once.
    [[nodiscard]] std::uint64_t calls() const noexcept { return calls_; }
    void tell_next_call(void (*what)(void*), void* argument) noexcept
    {
        on_call_ = what;
        argument_ = argument;
    }

  private:
    static constexpr std::uint32_t kFree = 0, kTaken = 1, kWaitedFor = 2;
    void wait() noexcept;
    void wake() noexcept;

    void tell() noexcept;

    std::atomic<std::uint32_t> state_{kFree};
    std::uint64_t calls_ = 0;
    void (*on_call_)(void*) = nullptr;
    void* argument_ = nullptr;
};

/// Whether the model leaves serialising to us. Models that upstream dropped in 2.0 are served as
/// FI_THREAD_SAFE.
constexpr bool needs_lock(fi_threading threading) noexcept
{
    return threading != FI_THREAD_DOMAIN;
}

} // namespace fi::kit
