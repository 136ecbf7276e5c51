// SPDX-License-Identifier: BSD-2-Clause
// The measurement itself: messages of one size, back and forth.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "control.hpp"
#include "endpoint.hpp"
#include "options.hpp"
#include "report.hpp"

namespace fi::tools::pingpong {

// The bytes that message number k of a run carries with -c; both sides count from 0 over all sizes.
void fill_pattern(std::span<std::byte> message, std::uint64_t number);

// Index of the first byte that differs from the pattern, message.size() when none does.
[[nodiscard]] std::size_t first_difference(std::span<const std::byte> message, std::uint64_t number);

// Runs sizes on one endpoint; both must outlive it. Throws Failure with the reason printed.
class Transfer {
  public:
    Transfer(Endpoint& endpoint, Control& control, const Options& options)
        : endpoint_(endpoint), control_(control), options_(options)
    {
    }

    // options.iterations messages each way, the client's first.
    [[nodiscard]] Row run(std::size_t size);

  private:
    void send(std::size_t size);
    void receive(std::size_t size, std::uint64_t iteration);
    void verify(std::size_t size, std::uint64_t iteration) const;

    Endpoint& endpoint_;
    Control& control_;
    const Options& options_;
    std::uint64_t sent_ = 0; // over all sizes: the numbers of the messages
    std::uint64_t received_ = 0;
};

} // namespace fi::tools::pingpong
