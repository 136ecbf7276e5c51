// SPDX-License-Identifier: BSD-2-Clause
// The bound on spinning. Measurements never sleep, and nothing in the API says that the peer of a
// connection-less endpoint has died: so after some thousand fruitless looks the clock and the control
// connection are looked at.
#pragma once

#include <chrono>
#include <cstdint>

#include "control.hpp"

namespace fi::tools::bench {

class Patience {
  public:
    // control must outlive this. what names the awaited thing in messages.
    explicit Patience(Control& control) : control_(control) {}

    // After a look that found nothing: mostly an increment. Throws Failure when the control connection's
    // patience is over, the other side has ended or has failed.
    void pause(const char* what)
    {
        if (++looks_ % kLooks == 0) [[unlikely]]
            consider(what);
    }
    // After a look that found something.
    void reset() { looks_ = 0; }

  private:
    static constexpr std::uint32_t kLooks = 4096;
    void consider(const char* what);

    Control& control_;
    std::uint32_t looks_ = 0;
    std::chrono::steady_clock::time_point since_{};
};

} // namespace fi::tools::bench
