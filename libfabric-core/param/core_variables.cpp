// SPDX-License-Identifier: BSD-2-Clause
//
// The core's own variables, as `fi_info -e` shows them. A variable that exists for upstream's users but has
// nothing to govern here says so in its text rather than being missing: a job script that sets it keeps
// working.
#include "param/definitions.hpp"

#include <mutex>

namespace fi::core::param {
namespace {

struct CoreVariable {
    const char* name;
    fi_param_type type;
    const char* help;
};

constexpr CoreVariable kCoreVariables[] = {
    {"FI_PREFER_SYSCONFIG", FI_PARAM_BOOL,
     "Let the configuration file " FI_SYSCONF_DIR
     "/libfabric.conf win over the environment where both set a variable "
     "(default: false)"},
    {"FI_LOG_INTERVAL", FI_PARAM_INT,
     "Shortest time in milliseconds between two lines of a rate-limited message (default: 2000)"},
    {"FI_LOG_LEVEL", FI_PARAM_STRING,
     "How much to log: warn, trace, info or debug, each including the ones before it. Unset: nothing is "
     "logged. Any "
     "other word means warn"},
    {"FI_LOG_PROV", FI_PARAM_STRING,
     "Log only these providers, separated by commas; with a leading ^ all but these (default: all)"},
    {"FI_LOG_SUBSYS", FI_PARAM_STRING,
     "Log only these parts, separated by commas; with a leading ^ all but these. Parts: core, fabric, "
     "domain, ep_ctrl, "
     "ep_data, av, cq, eq, mr, cntr (default: all)"},
    {"FI_LOG_LOCATION", FI_PARAM_STRING,
     "Where the log goes: stderr, stdout, the path of a file that does not exist yet, or a directory, which "
     "receives "
     "a file ofi_<pid>.log (default: stderr)"},
    {"FI_LOG_LOCATION_MODE", FI_PARAM_INT,
     "Permission bits of a new log file, octal with a leading 0 (default: 0600)"},
    {"FI_PERF_CNTR", FI_PARAM_STRING,
     "Processor counter that performance hooks read: cpu_instr or cpu_cycles (default: cpu_instr)"},
    {"FI_HOOK", FI_PARAM_STRING,
     "Hook providers, separated by ;, to put in front of every fabric that is opened, each in front of the "
     "one before "
     "it; the prefix ofi_hook_ may be left out (default: none)"},
    {"FI_HMEM", FI_PARAM_STRING,
     "Device-memory interfaces that providers may use, separated by ; (default: all that are available)"},
    {"FI_HMEM_DISABLE_P2P", FI_PARAM_BOOL,
     "Forbid direct transfers between a network device and another device's memory (default: no)"},
    {"FI_MR_CACHE_MAX_SIZE", FI_PARAM_SIZE_T,
     "Bytes of memory that a registration cache may keep registered while unused (default: total memory "
     "divided by "
     "twice the number of processors)"},
    {"FI_MR_CACHE_MAX_COUNT", FI_PARAM_SIZE_T,
     "Number of unused regions that a registration cache may keep; 0 turns caching off (default: 1024)"},
    {"FI_MR_CACHE_MONITOR", FI_PARAM_STRING,
     "How a registration cache learns that memory was unmapped: a monitor's name, or disabled for no "
     "caching. Nothing "
     "in this library patches code, so a monitor must be imported by the application"},
    {"FI_MR_CUDA_CACHE_MONITOR_ENABLED", FI_PARAM_BOOL,
     "Allow a registration cache for CUDA memory, where a provider has one"},
    {"FI_MR_ROCR_CACHE_MONITOR_ENABLED", FI_PARAM_BOOL,
     "Allow a registration cache for ROCr memory, where a provider has one"},
    {"FI_MR_ZE_CACHE_MONITOR_ENABLED", FI_PARAM_BOOL,
     "Allow a registration cache for Level Zero memory, where a provider has one"},
    {"FI_PROVIDER", FI_PARAM_STRING,
     "Use only these providers, separated by commas; with a leading ^ all but these. Read at every query "
     "(default: all "
     "available)"},
    {"FI_FORK_UNSAFE", FI_PARAM_BOOL,
     "Skip the preparations that let a child process run after fork while memory is registered (default: "
     "no)"},
    {"FI_UNIVERSE_SIZE", FI_PARAM_SIZE_T,
     "Number of processes that are expected to communicate, a hint for how much to set aside (default: "
     "chosen by the "
     "provider)"},
    {"FI_AV_REMOVE_CLEANUP", FI_PARAM_BOOL,
     "Release what is kept for a peer when its address is removed from an address vector (default: false)"},
    {"FI_OFFLOAD_COLL_PROVIDER", FI_PARAM_STRING,
     "Provider whose device executes collective operations (default: none)"},
    {"FI_PROVIDER_PATH", FI_PARAM_STRING,
     "Directories to search for providers, separated by colons, instead of the default one. A leading @ lets "
     "the first "
     "provider of a name win instead of the highest version; an element +/file loads that file and prefers "
     "it "
     "(default: " FI_PROVIDER_DIR ")"},
};

} // namespace

void define_core()
{
    static std::mutex& mutex = *new std::mutex;
    static bool defined = false;
    std::lock_guard lock(mutex);
    if (defined)
        return;
    for (const CoreVariable& variable : kCoreVariables)
        if (!type_of(variable.name))
            define({nullptr, variable.name, variable.type, variable.help});
    defined = true;
}

} // namespace fi::core::param
