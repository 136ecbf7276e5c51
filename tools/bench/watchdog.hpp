// SPDX-License-Identifier: BSD-2-Clause
// The bound on what no loop of ours can bound: a call into the library under test that does not return. The
// process ends with a line that says so.
#pragma once

#include <chrono>

namespace fi::tools::bench::watchdog {

// Arms it for this process: between two feeds at most this long. Uses SIGALRM.
void start(std::chrono::seconds limit);
// A sign of life; a system call, so not for inner loops.
void feed();

} // namespace fi::tools::bench::watchdog
