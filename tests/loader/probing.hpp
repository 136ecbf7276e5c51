// SPDX-License-Identifier: BSD-2-Clause
// Short words for the loader's tests: run the registry probe over a directory and look at one field of its
// answer.
#pragma once

#include <string>

#include "fakes.hpp"

namespace fi::fakes {

/// Fields of the registry probe's lines (registry_probe.cpp).
enum FileField { kFilePath = 1, kFileProvider, kFileVersion, kFileApi, kFileState, kFileReason };
enum ProviderField { kName = 1, kType, kActive, kPath, kWhy, kLayeringDisabled, kLogDisabled };

inline Outcome probe(const Environment& environment, const std::vector<std::string>& command = {"list"})
{
    Environment complete = environment;
    complete.try_emplace("FI_LOG_LEVEL", "warn");
    return run(FI_REGISTRY_PROBE, command, complete);
}

inline Outcome probe_path(const std::string& provider_path)
{
    return probe({{"FI_PROVIDER_PATH", provider_path}});
}

/// The file names (without directory) of the files reported, in order.
inline std::string file_order(const Outcome& outcome)
{
    std::string order;
    for (const auto& line : outcome.all("file"))
        order += (order.empty() ? "" : " ") + line[kFilePath].substr(line[kFilePath].rfind('/') + 1);
    return order;
}

/// Which of several files won a name: the path of its active provider.
inline std::string winner(const Outcome& outcome, const std::string& name)
{
    for (const auto& line : outcome.all("provider"))
        if (line[kName] == name && line[kActive] == "active")
            return line[kPath];
    return "nobody";
}

} // namespace fi::fakes
