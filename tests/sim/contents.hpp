// SPDX-License-Identifier: BSD-2-Clause
//
// Sizes, tags and bytes that operations get, and the marks by which a byte that nobody should have written is
// found.
#pragma once

#include "world.hpp"

namespace fi::kit::sim {

constexpr unsigned char kGuarded = 0xC3;  ///< around every buffer
constexpr unsigned char kFresh = 0xA5;    ///< in a receive's buffer before anything has come
constexpr unsigned char kFinished = 0x5A; ///< in every buffer that is the application's again

inline std::size_t some_size(Random& random)
{
    switch (random.below(8)) {
    case 0:
    case 1:
    case 2:
    case 3:
        return random.below(48);
    case 4:
        return random.below(kMaxInject);
    case 5:
    case 6: // around the limits of links
        return random.any({kMaxInject, kMaxInject + 76, kMaxInject + 476}) + random.below(5) - 2;
    default:
        return random.below(5000);
    }
}

inline std::uint64_t some_tag(Random& random)
{
    return random.below(3) | std::uint64_t{random.below(2)} << 40;
}

inline bool all(const unsigned char* at, std::size_t size, unsigned char value)
{
    for (std::size_t i = 0; i < size; i++)
        if (at[i] != value)
            return false;
    return true;
}

} // namespace fi::kit::sim
