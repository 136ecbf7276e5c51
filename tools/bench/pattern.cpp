// SPDX-License-Identifier: BSD-2-Clause
#include "pattern.hpp"

#include <algorithm>
#include <cstring>

#include "failure.hpp"

namespace fi::tools::bench {
namespace {

constexpr std::size_t kWord = sizeof(std::uint64_t);

// Bytes at position 8 * index; neighbours in both arguments differ.
std::uint64_t word_of(std::uint64_t number, std::uint64_t index)
{
    return index == 0 ? number : (number + 1) * 0x9e3779b97f4a7c15ULL + index * 0xbf58476d1ce4e5b9ULL;
}

} // namespace

void fill_pattern(std::span<std::byte> message, std::uint64_t number)
{
    const bool numbered = message.size() >= kWord;
    for (std::size_t at = 0; at < message.size(); at += kWord) {
        const std::uint64_t word = numbered ? word_of(number, at / kWord) : word_of(message.size(), 1);
        std::memcpy(message.data() + at, &word, std::min(kWord, message.size() - at));
    }
}

void Checker::take(std::span<const std::byte> message)
{
    std::uint64_t number = 0;
    if (message.size() >= kWord) {
        std::memcpy(&number, message.data(), kWord);
        if (number >= seen_.size())
            fail("check: a message has the number {}, and {} were sent", number, seen_.size());
        if (seen_[number])
            fail("check: message {} came twice", number);
        seen_[number] = true;
    }
    std::vector<std::byte> wanted(message.size());
    fill_pattern(wanted, number);
    const auto [got, want] = std::ranges::mismatch(message, wanted);
    if (got != message.end())
        fail("check: message {} of {} bytes differs from what was sent, first at byte {}", number,
             message.size(), got - message.begin());
}

} // namespace fi::tools::bench
