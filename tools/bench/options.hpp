// SPDX-License-Identifier: BSD-2-Clause
// What the user asked of fi_bench, as values. fi_bench(1)
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "job.hpp"

namespace fi::tools::bench {

enum class Workload { Latency, Rate, Bandwidth };
[[nodiscard]] const char* name_of(Workload workload); // "latency"

enum class Limit { Line, Tcp, Copy, Read };
[[nodiscard]] const char* name_of(Limit limit); // "cache line"

struct Options {
    bool serve = false; // `fi_bench server`
    std::string server; // empty: the partner is forked here
    std::string bind;   // address that a server listens on
    std::uint16_t port = 47593;
    bool once = false; // a server ends after its first client

    std::string library = "libfabric.so.1";
    Config config;
    std::vector<Workload> workloads;
    bool memory = false;              // what endpoint and peers keep, instead of a workload
    bool deny_process_vm = false;     // by a filter on system calls, in all processes of this machine
    std::vector<std::uint64_t> sizes; // bytes; empty: the workload's own
    std::vector<Limit> limits{Limit::Line, Limit::Tcp, Limit::Copy, Limit::Read};
    std::optional<std::vector<int>> cpus; // of this process and the partner; empty vector: not pinned
    unsigned rounds = 7;
    std::chrono::milliseconds time{50}; // of each measurement in each round
    std::chrono::seconds timeout{30};   // without a sign of life
    bool json = false;

    [[nodiscard]] std::vector<std::uint64_t> sizes_of(Workload workload) const;
};

// Reads the command line. nullopt when all is done, after help or a complaint: status is then the exit
// status.
[[nodiscard]] std::optional<Options> parse(int argc, const char* const* argv, int& status);

} // namespace fi::tools::bench
