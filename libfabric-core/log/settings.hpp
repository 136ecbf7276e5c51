// SPDX-License-Identifier: BSD-2-Clause
//
// What the FI_LOG_* variables say, read once. Internal to the log.
#pragma once

#include <cstdint>
#include <string>

#include "log/filter.hpp"
#include "log/output.hpp"

namespace fi::core::log {

struct Settings {
    uint32_t levels = 0;       // bit n: level n is logged; 0 when FI_LOG_LEVEL is unset
    uint32_t subsystems = ~0u; // bit n: subsystem n is logged
    NameFilter providers;
    uint64_t interval_ms = 2000;
    Output output;
    std::string complaint; // what was wrong with the variables, to be logged once the settings are in force

    // From the environment and the configuration file. Opens the log's file. Throws std::bad_alloc.
    static Settings read();
};

// Puts settings in force for all threads; init() does it once, tests as often as they like. The ones before
// are kept for the process's life, since another thread may be reading them.
void apply(Settings settings);

} // namespace fi::core::log
