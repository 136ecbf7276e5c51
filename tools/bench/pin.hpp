// SPDX-License-Identifier: BSD-2-Clause
// Which cores the two measuring processes run on. The scheduler's moves cost more than what is measured.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace fi::tools::bench {

struct Core {
    int cpu = 0;
    std::string siblings; // the same text for threads of one core
};

// Two of the cores: the first, and the first that shares no core with it; one when there are no two; none of
// none.
[[nodiscard]] std::vector<int> choose_pair(std::span<const Core> cores);

// The cores that this process may use.
[[nodiscard]] std::vector<Core> usable_cores();

// Keeps this process on cpu. Throws Failure.
void pin(int cpu);

} // namespace fi::tools::bench
