// SPDX-License-Identifier: BSD-2-Clause
//
// FI_PROGRESS_AUTO: a thread of the domain that makes progress while the application does not (C75).
//
// What is hard is to leave alone an application that polls, and to miss nothing when it stops: a port that
// the application has looked at is not armed any more, so nobody would be woken. So the domain's lock tells
// of calls: a sleeping thread is woken by the first one, naps while there are more, and arms and sleeps again
// once there was none between two naps.
#pragma once

#include "kit/objects/lock.hpp"
#include "kit/objects/progress.hpp"

#include <thread>

namespace fi::kit {

/// A driver that nobody reads: its thread does. Sources are added and removed with the lock taken.
class AutoProgress : public ProgressDriver {
  public:
    /// `lock` serialises the domain and outlives this. Throws std::system_error.
    explicit AutoProgress(Mutex& lock);
    /// Ends the thread. Not to be called with the lock taken.
    ~AutoProgress();

  private:
    void run() noexcept;

    Mutex& lock_;
    fi_hot_schedule schedule_{};
    bool stopping_ = false; ///< guarded by the lock
    std::thread thread_;
};

} // namespace fi::kit
