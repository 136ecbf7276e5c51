// SPDX-License-Identifier: BSD-2-Clause
// What messages carry with --check: their number and bytes that follow from it, so that a message that is
// lost, comes twice or has another's bytes is noticed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fi::tools::bench {

// Messages under 8 bytes have no room for the number: all of one size look alike.
void fill_pattern(std::span<std::byte> message, std::uint64_t number);

// Collects the messages of one run, in any order.
class Checker {
  public:
    explicit Checker(std::uint64_t total) : seen_(total) {}
    // Throws Failure when the message is none that is due, or differs from what was sent.
    void take(std::span<const std::byte> message);

  private:
    std::vector<bool> seen_;
};

} // namespace fi::tools::bench
