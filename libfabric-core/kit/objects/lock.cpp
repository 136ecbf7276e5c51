// SPDX-License-Identifier: BSD-2-Clause
#include "kit/objects/lock.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace fi::kit {
namespace {

constexpr int kSpins = 100; // a hot call holds the lock for less than that

void relax() noexcept
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("yield");
#endif
}

} // namespace

void Mutex::wait() noexcept
{
    for (int i = 0; i < kSpins; i++) {
        relax();
        std::uint32_t expected = kFree;
        if (state_.load(std::memory_order_relaxed) == kFree &&
            state_.compare_exchange_weak(expected, kTaken, std::memory_order_acquire,
                                         std::memory_order_relaxed))
            return;
    }
    // Whoever has slept takes it as waited for: there may be more of us, and one wake-up too many does no
    // harm.
    while (state_.exchange(kWaitedFor, std::memory_order_acquire) != kFree)
        syscall(SYS_futex, &state_, FUTEX_WAIT_PRIVATE, kWaitedFor, nullptr, nullptr, 0);
}

void Mutex::tell() noexcept
{
    std::exchange(on_call_, nullptr)(argument_);
}

void Mutex::wake() noexcept
{
    syscall(SYS_futex, &state_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

} // namespace fi::kit
