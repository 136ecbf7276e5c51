// SPDX-License-Identifier: BSD-2-Clause
//
// Chance that is the same on every machine: a seed is a schedule.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fi::kit::sim {

/// splitmix64: good enough to choose by, and one multiplication away from any seed.
class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 0x1234567) {}

    std::uint64_t next() noexcept
    {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        return z ^ z >> 31;
    }
    /// 0 to limit - 1.
    std::size_t below(std::size_t limit) noexcept
    {
        return static_cast<std::size_t>((next() >> 32) * limit >> 32);
    }
    bool chance(unsigned percent) noexcept { return below(100) < percent; }
    template <std::size_t N>
    std::size_t any(const std::size_t (&of)[N]) noexcept
    {
        return of[below(N)];
    }

  private:
    std::uint64_t state_;
};

} // namespace fi::kit::sim
