// SPDX-License-Identifier: BSD-2-Clause
//
// What completion queues and counters have in common: what they look at, how often, and how one sleeps on
// them.
//
// Under manual progress nothing advances unless the application reads, so whatever it reads holds the list of
// things to look at (one per endpoint bound to it). A look costs system calls; how often it happens is
// decided here and nowhere else:
//   - at every read while a source is busy (unsent bytes, a socket that was active lately),
//   - when a word that a source watches has changed (a ring in shared memory that delivered lately),
//   - and everything is looked at, idle links included, when 20 microseconds have passed since that was last
//     done. (A clock costs no more than a count of reads would, and a caller that reads as fast as it can
//     pays for no more looks than another.)
// The reads in between touch a few words of the object (kit/hot/schedule.h).
//
// Whoever sleeps is woken by what the sources' descriptors say, and by the bell: another thread may post an
// operation that ends at once, or take the bytes that would have woken the sleeper. The bell costs a system
// call, so it is rung only when somebody may be asleep.
#pragma once

#include "kit/objects/wait.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <rdma/hot/schedule.h>
#include <vector>

namespace fi::kit {

/// What is looked at to make progress. Function pointers, not virtual functions: the list is read on every
/// look.
struct ProgressSource {
    void* self;
    /// Advances what is likely to advance or, when `all`, everything that can. True: worth another look at
    /// the very next read.
    bool (*look)(void* self, bool all) noexcept;
    /// At most `room` words whose change makes a look worth while; returns how many there are.
    std::size_t (*watch)(void* self, fi_hot_watch* out, std::size_t room) noexcept;
    /// Prepares to sleep on wait_fd. False: there is something to do, do not sleep.
    bool (*arm)(void* self) noexcept;
    /// Becomes readable when there is something to look at.
    int wait_fd;
};

/// A list of sources and the wait object over them. Not thread safe, but for signal().
class ProgressDriver {
  public:
    /// `schedule` belongs to the object's hot half and is kept here. Throws std::system_error.
    ProgressDriver(fi_wait_obj kind, fi_hot_schedule& schedule);
    ~ProgressDriver();
    ProgressDriver(const ProgressDriver&) = delete;
    ProgressDriver& operator=(const ProgressDriver&) = delete;

    /// Adds what to look at, or removes it. Adding throws std::bad_alloc, std::system_error.
    void add_source(const ProgressSource& source);
    void remove_source(const void* self) noexcept;
    /// The next read takes a look, whatever the time, and whoever sleeps wakes up to take it.
    void look_soon() noexcept
    {
        schedule_.look_at = 0;
        wake();
    }
    /// Something has happened: wakes whoever sleeps.
    void wake() noexcept
    {
        if (may_sleep_)
            ring_bell();
    }

  protected:
    /// Looks at every source.
    void look() noexcept;
    /// The next look is at everything.
    void look_at_all() noexcept { all_at_ = schedule_.look_at = 0; }

    /// To be called when nothing is ready. True: the caller may sleep on wait_fd(); what happens from now on
    /// wakes it. False: there is something to do, or a signal has been sent (take_signal()).
    bool arm() noexcept;
    /// Sleeps until something happens or the time is over; only yields if arm() said no.
    void rest(bool armed, const Deadline& deadline) const noexcept;
    /// Wakes whoever sleeps; the next arm() says no. -FI_ENOSYS without a wait object. From any thread.
    int signal() noexcept;
    /// True when a signal had been sent; takes it.
    bool take_signal() noexcept { return signalled_.exchange(false); }
    [[nodiscard]] fi_wait_obj wait_kind() const noexcept { return kind_; }
    [[nodiscard]] int wait_fd() const noexcept { return wait_fd_; }

  private:
    void ring_bell() noexcept;
    void silence_bell() noexcept;

    fi_hot_schedule& schedule_;
    std::vector<ProgressSource> sources_;
    std::uint64_t look_period_; ///< ticks
    std::uint64_t all_at_ = 0;  ///< fi_hot_clock() from which on a look is at everything
    fi_wait_obj kind_;
    int wait_fd_ = -1; ///< epoll over every source and the bell; -1: there is no wait object
    int bell_fd_ = -1;
    bool may_sleep_ = false; ///< somebody has been told that it may, since the bell was rung last
    std::atomic<bool> signalled_{false};
};

} // namespace fi::kit
