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

#include <mutex>
#include <rdma/fabric.h>

namespace fi::kit {

struct NoLock {
    void lock() noexcept {}
    void unlock() noexcept {}
};

using Mutex = std::mutex;

/// Whether the model leaves serialising to us. Models that upstream dropped in 2.0 are served as
/// FI_THREAD_SAFE.
constexpr bool needs_lock(fi_threading threading) noexcept
{
    return threading != FI_THREAD_DOMAIN;
}

} // namespace fi::kit
