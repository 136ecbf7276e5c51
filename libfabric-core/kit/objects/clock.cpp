// SPDX-License-Identifier: BSD-2-Clause
#include "kit/objects/clock.hpp"

#include <algorithm>
#include <ctime>

namespace fi::kit {
namespace {

std::uint64_t nanoseconds() noexcept
{
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec);
}

std::uint64_t measure() noexcept
{
    const std::uint64_t ticks = fi_hot_clock();
    const std::uint64_t start = nanoseconds();
    std::uint64_t elapsed = 0;
    while (elapsed < 100'000)
        elapsed = nanoseconds() - start;
    return std::max<std::uint64_t>(1, (fi_hot_clock() - ticks) * 1000 / elapsed);
}

} // namespace

std::uint64_t ticks_per_microsecond() noexcept
{
    static const std::uint64_t ticks = measure();
    return ticks;
}

} // namespace fi::kit
