// SPDX-License-Identifier: BSD-2-Clause
// What a run of fi_bench found, and its two forms: a table for people, JSON for programs. fi_bench(1)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "options.hpp"
#include "resident.hpp"

namespace fi::tools::bench {

// Unit of a workload's figures: microseconds, messages per second, megabytes (10^6) per second.
[[nodiscard]] const char* unit_of(Workload workload);

// The middle one, or the mean of the two in the middle; values must not be empty.
[[nodiscard]] double median(std::vector<double> values);

// What the machine does beside a figure. Rounds are parallel to those of the figure.
struct Beside {
    std::string name;                // "cache line"
    Workload as = Workload::Latency; // a time one way, or a throughput
    std::vector<double> rounds;      // in the unit of `as`
    std::vector<double> ratios;      // figure / this; of a rate beside a time: messages in that time
    std::string missing;             // why there is none; else empty
};

struct Figure {
    Workload workload = Workload::Latency;
    std::uint64_t size = 0;  // bytes
    std::uint64_t count = 0; // messages in each round
    bool injected = false;
    std::vector<double> rounds;
    std::vector<Beside> limits;
};

struct Outcome {
    std::string library, version; // path; "1.17"
    std::string provider, fabric, domain;
    std::vector<int> cpus; // empty: not pinned
    std::vector<Figure> figures;
    std::optional<Resident> resident;
};

[[nodiscard]] std::string table(const Outcome& outcome, const Options& options);
[[nodiscard]] std::string json(const Outcome& outcome, const Options& options);

} // namespace fi::tools::bench
