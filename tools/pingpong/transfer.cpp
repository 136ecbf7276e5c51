// SPDX-License-Identifier: BSD-2-Clause
// Filling and checking are inside the measured time, as in upstream's tool: with -c the figures are about
// both.

#include "transfer.hpp"

#include <array>
#include <cstdio>
#include <string>
#include <string_view>

#include <rdma/fi_errno.h>

#include "messages.hpp"

namespace fi::tools::pingpong {
namespace {

constexpr std::string_view kAlphabet = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

// Neighbouring messages begin at different letters, so that one cannot pass for the next.
std::size_t first_letter(std::uint64_t number)
{
    return number * 7 % kAlphabet.size();
}

} // namespace

void fill_pattern(std::span<std::byte> message, std::uint64_t number)
{
    std::size_t letter = first_letter(number);
    for (std::byte& byte : message) {
        byte = static_cast<std::byte>(kAlphabet[letter]);
        letter = letter + 1 == kAlphabet.size() ? 0 : letter + 1;
    }
}

std::size_t first_difference(std::span<const std::byte> message, std::uint64_t number)
{
    std::size_t letter = first_letter(number);
    for (std::size_t i = 0; i < message.size(); ++i) {
        if (message[i] != static_cast<std::byte>(kAlphabet[letter]))
            return i;
        letter = letter + 1 == kAlphabet.size() ? 0 : letter + 1;
    }
    return message.size();
}

Row Transfer::run(std::size_t size)
{
    control_.sync();
    debug("Both sides are ready for messages of " + std::to_string(size) + " bytes");
    const auto start = std::chrono::steady_clock::now();
    for (std::uint64_t i = 0; i < options_.iterations; ++i) {
        if (control_.role() == Role::Client) {
            send(size);
            receive(size, i);
        } else {
            receive(size, i);
            send(size);
        }
    }
    const auto time = std::chrono::steady_clock::now() - start;
    const std::uint64_t acked = control_.exchange_count(options_.iterations);
    return {.size = size, .sent = options_.iterations, .acked = acked, .time = time};
}

void Transfer::send(std::size_t size)
{
    if (options_.check)
        fill_pattern(endpoint_.buffers.sent_payload().first(size), sent_);
    send_message(endpoint_, control_, size);
    ++sent_;
}

void Transfer::receive(std::size_t size, std::uint64_t iteration)
{
    await_message(endpoint_, control_);
    if (options_.check)
        verify(size, iteration);
    post_receive(endpoint_);
    ++received_;
}

void Transfer::verify(std::size_t size, std::uint64_t iteration) const
{
    const std::size_t prefix = endpoint_.buffers.prefix();
    std::size_t wrong = first_difference(endpoint_.buffers.received_payload().first(size), received_);
    // Whether the length of a prefixed message counts the prefix is told differently by providers.
    if (wrong == size && prefix == 0 && endpoint_.last_length != size)
        wrong = std::min(size, endpoint_.last_length);
    else if (wrong == size)
        return;
    std::printf("Error at iteration=%llu size=%zu byte=%zu\n", static_cast<unsigned long long>(iteration),
                size, wrong);
    std::fflush(stdout);
    throw Failure{-FI_EIO};
}

} // namespace fi::tools::pingpong
