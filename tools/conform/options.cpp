// SPDX-License-Identifier: BSD-2-Clause
#include "options.hpp"

#include <cstdio>
#include <cstdlib>
#include <getopt.h>

namespace conform {
namespace {

enum LongOnly { kVersion = 256, kList, kFilter, kJunit, kDeadline, kInProcess };

const option kLongOptions[] = {
    {"help", no_argument, nullptr, 'h'},
    {"version", no_argument, nullptr, kVersion},
    {"list", no_argument, nullptr, kList},
    {"filter", required_argument, nullptr, kFilter},
    {"junit", required_argument, nullptr, kJunit},
    {"deadline", required_argument, nullptr, kDeadline},
    {"in-process", no_argument, nullptr, kInProcess},
    {nullptr, 0, nullptr, 0},
};

void usage(std::FILE* where)
{
    std::fputs(
        "usage: fi_conform [OPTION]... PLUGIN.so\n"
        "       fi_conform --list\n"
        "Holds a provider against the rules of the API, each check named by its rules.\n"
        "      --filter PATTERNS   only checks that match: 'messages.*:*D77*'; after '-' those left out\n"
        "      --list              list the checks and their rules, and exit\n"
        "      --junit FILE        also write the results to FILE, in JUnit's XML\n"
        "      --deadline SECONDS  the time that one check may take (60)\n"
        "      --in-process        no process for each check and no deadline, for a debugger\n"
        "  -h, --help              show these lines and exit\n"
        "      --version           show the version and exit\n"
        "status: 0 all checks that ran hold, 1 some are broken, 2 nothing could be checked\n",
        where);
}

Parsed misused()
{
    usage(stderr);
    return {{}, true, Exit::Unusable};
}

/// False if it is no number of seconds above 0.
bool take_deadline(const char* text, std::chrono::seconds& deadline)
{
    char* end = nullptr;
    const long seconds = std::strtol(text, &end, 10);
    if (*end || seconds < 1 || seconds > 1'000'000)
        return false;
    deadline = std::chrono::seconds(seconds);
    return true;
}

} // namespace

Parsed parse(std::vector<char*> arguments)
{
    Parsed parsed;
    const int count = static_cast<int>(arguments.size());
    arguments.push_back(nullptr);
    for (int letter; (letter = getopt_long(count, arguments.data(), "h", kLongOptions, nullptr)) != -1;) {
        switch (letter) {
        case 'h':
            usage(stdout);
            return {{}, true, Exit::Held};
        case kVersion:
            std::puts("fi_conform: " FI_PACKAGE_VERSION);
            return {{}, true, Exit::Held};
        case kList:
            parsed.options.list = true;
            break;
        case kFilter:
            parsed.options.filter = optarg;
            break;
        case kJunit:
            parsed.options.junit = optarg;
            break;
        case kDeadline:
            if (!take_deadline(optarg, parsed.options.deadline))
                return misused();
            break;
        case kInProcess:
            parsed.options.in_process = true;
            break;
        default:
            return misused();
        }
    }
    if (count - optind != (parsed.options.list ? 0 : 1))
        return misused();
    if (!parsed.options.list)
        parsed.options.plugin = arguments[static_cast<std::size_t>(optind)];
    return parsed;
}

} // namespace conform
