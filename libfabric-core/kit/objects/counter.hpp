// SPDX-License-Identifier: BSD-2-Clause
//
// The counter: two numbers, successes and errors, that operations of every endpoint bound to it move when
// they end. It says nothing of which operation, so it needs no room and can never be full.
//
// It drives progress like a completion queue. What the manual page leaves open about fi_cntr_wait() and
// errors (fi_cntr.3; users hang or loop on it) is decided here: a wait ends with -FI_EAVAIL while the error
// value is another than fi_cntr_readerr() last told, so an error just before the call counts as well and
// reading it is what ends the state. A threshold that has been reached comes first.
#pragma once

#include "kit/objects/lock.hpp"
#include "kit/objects/parent.hpp"
#include "kit/objects/progress.hpp"
#include "kit/ops/table.hpp"

#include <cstdint>
#include <mutex>
#include <rdma/hot/counter.h>

namespace fi::kit {

/// Everything about a counter that does not depend on locking. Not thread safe.
class CounterBase : public fi_hot_cntr, public ProgressDriver, public Child {
  public:
    using Handle = fi_hot_cntr;

    /// `attr` passed check(). Throws std::bad_alloc, std::system_error.
    CounterBase(Parent& domain, const fi_cntr_attr& attr, void* context);

    /// 0, or the refusal of attributes that cannot be served: -FI_EINVAL, -FI_EBADFLAGS, -FI_ENOSYS.
    static int check(const fi_provider& provider, const fi_cntr_attr& attr) noexcept;

    /// An operation has ended: error 0 or a positive fi_errno, `bytes` of user data moved.
    void count(int error, std::uint64_t bytes) noexcept
    {
        if (error)
            errors++;
        else
            value += counts_bytes_ ? bytes : 1;
        wake();
    }
    /// For fi_trywait(): 0 when sleeping on the wait object cannot miss a change since the last reads, else
    /// -FI_EAGAIN.
    int try_wait() noexcept { return try_wait_(*this); }

  protected:
    [[nodiscard]] std::uint64_t take_value() noexcept { return seen = value; }
    [[nodiscard]] std::uint64_t take_errors() noexcept { return errors_seen_ = errors; }
    [[nodiscard]] bool has_new_errors() const noexcept { return errors != errors_seen_; }
    [[nodiscard]] bool changed() const noexcept { return value != seen || has_new_errors(); }

    int (*try_wait_)(CounterBase&) noexcept = nullptr; ///< with the lock that the policy needs

  private:
    const bool counts_bytes_;
    std::uint64_t errors_seen_ = 0;
};

template <class Lock>
class Counter : public CounterBase {
  public:
    Counter(Lock& lock, Parent& domain, const fi_cntr_attr& attr, void* context)
        : CounterBase(domain, attr, context), lock_(lock)
    {
        fid.fid.ops = table<Counter, fi_ops>();
        fid.ops = table<Counter, fi_ops_cntr>();
        try_wait_ = [](CounterBase& base) noexcept {
            auto& counter = static_cast<Counter&>(base);
            const std::lock_guard guard(counter.lock_);
            counter.look_at_all();
            counter.look();
            return !counter.changed() && counter.arm() ? 0 : -FI_EAGAIN;
        };
    }

    std::uint64_t cntr_read() noexcept
    {
        const std::lock_guard guard(lock_);
        std::uint64_t now = 0;
        if (fi_hot_cntr_read(this, &now))
            return now;
        look();
        return take_value();
    }
    std::uint64_t cntr_readerr() noexcept
    {
        const std::lock_guard guard(lock_);
        if (fi_hot_look_is_due(&schedule))
            look();
        return take_errors();
    }
    int cntr_add(std::uint64_t more) noexcept
    {
        return change([&] { value += more; });
    }
    int cntr_adderr(std::uint64_t more) noexcept
    {
        return change([&] { errors += more; });
    }
    int cntr_set(std::uint64_t now) noexcept
    {
        return change([&] { value = now; });
    }
    int cntr_seterr(std::uint64_t now) noexcept
    {
        return change([&] { errors = now; });
    }
    int cntr_wait(std::uint64_t threshold, int timeout) noexcept;

    int close() noexcept;
    int control(int command, void* arg) noexcept
    {
        return control_wait(wait_kind(), wait_fd(), command, arg);
    }

  private:
    template <class Change>
    int change(Change&& how) noexcept
    {
        const std::lock_guard guard(lock_);
        how();
        wake();
        return 0;
    }

    Lock& lock_;
};

extern template class Counter<NoLock>;
extern template class Counter<Mutex>;

} // namespace fi::kit
