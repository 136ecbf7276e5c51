// SPDX-License-Identifier: BSD-2-Clause
#include "patience.hpp"

#include "failure.hpp"
#include "watchdog.hpp"

namespace fi::tools::bench {

void Patience::consider(const char* what)
{
    const auto now = std::chrono::steady_clock::now();
    if (looks_ == kLooks)
        since_ = now;
    looks_ = 2 * kLooks; // so that it cannot come round to the first look again
    control_.look();
    watchdog::feed();
    if (now - since_ > control_.patience())
        fail("no {} in {} s, although {} still runs", what, control_.patience().count(), control_.who());
}

} // namespace fi::tools::bench
