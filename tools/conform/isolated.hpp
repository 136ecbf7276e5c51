// SPDX-License-Identifier: BSD-2-Clause
//
// A process for each check. A provider under test may crash, hang or leave its state in ruins; none of that
// may reach the next check or end the tool, and a check that never ends has to end as a failed check with a
// name. So the tool's own process never calls libfabric: it forks, and what the child finds comes back
// through a pipe.
#pragma once

#include <chrono>
#include <functional>
#include <gtest/gtest.h>
#include <string>

namespace conform {

/// How checks are run; set before the first one.
struct Running {
    bool in_process = false; ///< for a debugger: no process of its own, no deadline
    std::chrono::seconds deadline{60};
};
Running& running();

/// How long a check waits for something that has to come, such as a completion: half the deadline, so that a
/// check that waits in vain can say for what.
std::chrono::milliseconds patience();

/// Runs the body of a check, in a child unless in_process, and records its results in the running test. What
/// the body throws is recorded too: NotClaimed as a skip, anything else as a failure.
void isolated(const std::function<void()>& body);

/// Runs a function in a child and returns the text that it returned. Throws std::runtime_error when the child
/// died or did not end before the deadline; what the function throws comes out as std::runtime_error.
std::string text_from_child(const std::function<std::string()>& body);

/// To be called by the one listener that the tool gives GoogleTest, for each result: true when this is the
/// process of a check, and the result went to the parent.
bool sent_to_parent(const testing::TestPartResult& result);

} // namespace conform
