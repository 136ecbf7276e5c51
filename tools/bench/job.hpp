// SPDX-License-Identifier: BSD-2-Clause
// What the driver tells the other processes: how to open their endpoint, and one measurement at a time. It
// travels as JSON; a server takes it from the network, so that valid() bounds what a client can make it do.
#pragma once

#include <cstdint>
#include <string>

namespace fi::tools::bench {

inline constexpr std::uint64_t kLargestMessage = 1ULL << 30; // bytes
inline constexpr std::uint64_t kLargestWindow = 1ULL << 16;  // messages
inline constexpr std::uint64_t kMostPeers = 4096;

// The endpoint; empty names mean "any". The library is not part of it: each machine chooses its own.
struct Config {
    std::string provider, fabric, domain;
    std::string address;              // local name or address of the endpoint
    std::string threading = "domain"; // safe, completion, domain
    std::string progress = "manual";  // manual, auto
    bool tagged = true;
    bool inject = true;        // small messages by inject calls
    bool check = false;        // messages carry a pattern that the receiver compares
    std::uint64_t window = 64; // messages in flight, at most
    std::uint64_t largest = 0; // bytes
    std::uint64_t peers = 0;   // connected processes beside the two that measure
};

// One run of one workload.
struct Job {
    std::uint64_t size = 0;   // bytes of a message
    std::uint64_t warmup = 0; // messages before the clock starts
    std::uint64_t count = 0;  // messages that are measured

    [[nodiscard]] std::uint64_t total() const { return warmup + count; }
};

// Throw Failure for what is out of bounds.
void check_bounds(const Config& config);
void check_bounds(const Job& job, const Config& config);

} // namespace fi::tools::bench
