// SPDX-License-Identifier: BSD-2-Clause
//
// Reading the FI_LOG_* variables. A mistake in them must not be silent, yet the log is not running while they
// are read: what is wrong is collected and logged as the first line.
#include "log/settings.hpp"

#include <cerrno>
#include <cstdlib>
#include <strings.h>

#include <rdma/providers/fi_log.h>

#include "log/words.hpp"
#include "param/param.hpp"

namespace fi::core::log {
namespace {

// Each level includes the ones before it; a word that is none of them means warn, so that a slip of the pen
// still shows something.
uint32_t levels_from(const std::string& word, std::string& complaint)
{
    for (unsigned level = 0; level < kLevelWords.size(); ++level)
        if (strcasecmp(word.c_str(), kLevelWords[level]) == 0)
            return (2u << level) - 1;
    complaint += "FI_LOG_LEVEL: '" + word + "' is not warn, trace, info or debug; using warn\n";
    return 1u << FI_LOG_WARN;
}

uint32_t subsystems_from(const NameFilter& filter, std::string& complaint)
{
    uint32_t mask = 0;
    for (unsigned subsys = 0; subsys < kSubsysWords.size(); ++subsys)
        if (filter.passes(kSubsysWords[subsys]))
            mask |= 1u << subsys;
    filter.each([&](std::string_view name) {
        for (std::string_view known : kSubsysWords)
            if (name == known)
                return;
        complaint += "FI_LOG_SUBSYS: there is no subsystem '" + std::string(name) + "'\n";
    });
    return mask;
}

long number_from(const char* name, long otherwise, std::string& complaint)
{
    const auto text = param::lookup(name);
    if (!text)
        return otherwise;
    char* end = nullptr;
    long value = strtol(text->c_str(), &end, 0);
    if (end != text->c_str() && value >= 0)
        return value;
    complaint += std::string(name) + ": '" + *text + "' is not a number from 0 on; using the default\n";
    return otherwise;
}

} // namespace

Settings Settings::read()
{
    Settings settings;
    std::string& complaint = settings.complaint;
    if (auto word = param::lookup("FI_LOG_LEVEL"))
        settings.levels = levels_from(*word, complaint);
    if (auto list = param::lookup("FI_LOG_PROV"))
        settings.providers = NameFilter(*list);
    if (auto list = param::lookup("FI_LOG_SUBSYS"))
        settings.subsystems = subsystems_from(NameFilter(*list), complaint);
    settings.interval_ms = static_cast<uint64_t>(number_from("FI_LOG_INTERVAL", 2000, complaint));
    if (auto location = param::lookup("FI_LOG_LOCATION")) {
        const long mode = number_from("FI_LOG_LOCATION_MODE", 0600, complaint);
        settings.output = Output::open(*location, static_cast<unsigned>(mode) & 0777, complaint);
    }
    return settings;
}

} // namespace fi::core::log
