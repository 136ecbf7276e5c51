// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace conform {

enum class Exit : int { Held = 0, Broken = 1, Unusable = 2 }; ///< the last: wrong usage, no such plugin

struct Options {
    std::string plugin;
    std::string filter; ///< GoogleTest's notation; "" for all
    std::string junit;  ///< a file; "" for none
    std::chrono::seconds deadline{60};
    bool list = false;
    bool in_process = false;
};

/// What the command line says. `done`: the answer was printed already (a usage, a version), with this exit
/// status. What begins with --gtest_ is left out of it.
struct Parsed {
    Options options;
    bool done = false;
    Exit exit = Exit::Held;
};
Parsed parse(std::vector<char*> arguments);

} // namespace conform
