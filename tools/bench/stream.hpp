// SPDX-License-Identifier: BSD-2-Clause
// After which messages of a stream the receiver acknowledges: known to both sides, because the sender has to
// post a receive for each acknowledgement and for no more.
#pragma once

#include <algorithm>
#include <cstdint>

#include "job.hpp"

namespace fi::tools::bench {

class AckPlan {
  public:
    AckPlan(const Job& job, std::uint64_t window)
        : warmup_(job.warmup), total_(job.total()), step_(std::max<std::uint64_t>((window + 1) / 2, 1))
    {
    }

    // The next acknowledgement after `count` messages; meaningless after the last one.
    [[nodiscard]] std::uint64_t after(std::uint64_t count) const
    {
        std::uint64_t next = std::min((count / step_ + 1) * step_, total_);
        if (count < warmup_)
            next = std::min(next, warmup_);
        return next;
    }

    // How many there are in the run.
    [[nodiscard]] std::uint64_t count() const
    {
        const bool extra = warmup_ % step_ != 0 && warmup_ < total_;
        return total_ / step_ + (total_ % step_ != 0) + extra;
    }

  private:
    std::uint64_t warmup_;
    std::uint64_t total_;
    std::uint64_t step_;
};

} // namespace fi::tools::bench
