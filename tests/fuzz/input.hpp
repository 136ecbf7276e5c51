// SPDX-License-Identifier: BSD-2-Clause
//
// The bytes of one fuzzing input, read as a program: numbers and pieces, zeroes when there are no more.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>

/// One input; always 0.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace fuzz {

class Input {
  public:
    Input(const std::uint8_t* data, std::size_t size) : left_(data, size) {}

    [[nodiscard]] bool empty() const { return left_.empty(); }
    std::uint8_t byte()
    {
        if (left_.empty())
            return 0;
        const std::uint8_t first = left_.front();
        left_ = left_.subspan(1);
        return first;
    }
    template <class T>
    T number()
    {
        T value{};
        const auto bytes = piece(sizeof value);
        if (!bytes.empty())
            std::memcpy(&value, bytes.data(), bytes.size());
        return value;
    }
    /// Sizes of a few bytes, or around what the protocol takes for large.
    std::size_t length()
    {
        const std::uint8_t kind = byte();
        if (kind < 160)
            return kind;
        if (kind < 250)
            return number<std::uint16_t>();
        return 60'000 + number<std::uint16_t>();
    }
    /// At most so many.
    std::span<const std::uint8_t> piece(std::size_t size)
    {
        const auto first = left_.first(std::min(size, left_.size()));
        left_ = left_.subspan(first.size());
        return first;
    }

  private:
    std::span<const std::uint8_t> left_;
};

/// What must hold whatever the input.
inline void require(bool holds, const char* what)
{
    if (holds)
        return;
    std::fprintf(stderr, "broken: %s\n", what);
    std::abort();
}

} // namespace fuzz
