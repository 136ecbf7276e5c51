// SPDX-License-Identifier: BSD-2-Clause
//
// The one word that fi_log_enabled looks at first: which levels anybody could want. Three parties open it:
// the FI_LOG_* variables, an application's log, and captures (for their own thread, but the gate is for all).
// Zero is the answer for everybody; behind a set bit the exact answer is worked out. One word and no lock,
// because captures come and go with queries and a child process must never find a lock held by a thread it
// does not have. Internal to the log.
#pragma once

#include <atomic>
#include <cstdint>

namespace fi::core::log {

class Gate {
  public:
    static constexpr uint32_t kAllLevels = 0xf;
    static constexpr uint32_t kCapturedLevels = 0x7; // all but debug

    // False: nobody wants this level. Levels that do not exist may get true here and are refused later.
    bool possibly_enabled(unsigned level) const
    {
        return word_.load(std::memory_order_relaxed) &
               ((1u | 1u << kImport | 1u << kCaptured) << (level & 3));
    }

    void set_variables(uint32_t levels) { replace(kAllLevels, levels); }
    void set_import(uint32_t levels) { replace(kAllLevels << kImport, levels << kImport); }
    void add_capture() { count(1); }
    void remove_capture() { count(-1); }

  private:
    // Bits 0-3 belong to the variables, 4-7 to an imported log, 8-11 to captures, whose number is above.
    static constexpr int kImport = 4, kCaptured = 8, kCount = 12;

    void replace(uint32_t mask, uint32_t bits)
    {
        uint32_t old = word_.load(std::memory_order_relaxed);
        while (!word_.compare_exchange_weak(old, (old & ~mask) | bits, std::memory_order_relaxed)) {
        }
    }

    void count(int change)
    {
        uint32_t old = word_.load(std::memory_order_relaxed);
        uint32_t fresh;
        do {
            const uint32_t captures = (old >> kCount) + static_cast<uint32_t>(change);
            fresh = (old & 0xffu) | captures << kCount | (captures ? kCapturedLevels << kCaptured : 0);
        } while (!word_.compare_exchange_weak(old, fresh, std::memory_order_relaxed));
    }

    std::atomic<uint32_t> word_{0};
};

inline constinit Gate gate;

} // namespace fi::core::log
