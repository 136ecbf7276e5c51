// SPDX-License-Identifier: BSD-2-Clause
// A bound on waiting for the fabric. Nothing in the API says that a peer of a connection-less endpoint has
// died, so the control connection is watched while completions are polled for.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "control.hpp"

namespace fi::tools::pingpong {

// Made for one wait. Used by one thread.
class Patience {
  public:
    // what names the awaited thing in messages: "message from the peer". control must outlive this.
    Patience(const Control& control, const char* what) : control_(control), what_(what) {}

    // To be called after each fruitless look, any number of times a second: mostly an increment. Throws
    // Failure when the options' patience is over, or a second after the peer closed its control connection:
    // what it sent before may still be on its way.
    void pause();

  private:
    using Clock = std::chrono::steady_clock;
    void look(Clock::time_point now);

    const Control& control_;
    const char* what_;
    std::uint32_t looks_ = 0;
    Clock::time_point start_{};
    Clock::time_point next_look_{};
    Clock::time_point gone_since_{};
};

} // namespace fi::tools::pingpong
