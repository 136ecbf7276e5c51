// SPDX-License-Identifier: BSD-2-Clause
#include "pin.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>

#include <sched.h>

#include "failure.hpp"

namespace fi::tools::bench {
namespace {

constexpr int kMostCpus = CPU_SETSIZE;

} // namespace

std::vector<int> choose_pair(std::span<const Core> cores)
{
    std::vector<int> pair;
    for (const Core& core : cores)
        if (pair.empty() || (pair.size() == 1 && core.siblings != cores.front().siblings))
            pair.push_back(core.cpu);
    // Two threads of one core are better than one of them for both.
    if (pair.size() == 1 && cores.size() > 1)
        pair.push_back(cores[1].cpu);
    return pair;
}

std::vector<Core> usable_cores()
{
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return {};
    std::vector<Core> cores;
    for (int cpu = 0; cpu < kMostCpus; cpu++) {
        if (!CPU_ISSET(cpu, &set))
            continue;
        Core core{cpu, words("{}", cpu)};
        std::ifstream file(words("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", cpu));
        std::string text;
        if (std::getline(file, text))
            core.siblings = text;
        cores.push_back(core);
    }
    return cores;
}

void pin(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    if (cpu < kMostCpus)
        CPU_SET(cpu, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0)
        fail("cannot use core {}: {}", cpu, std::strerror(errno));
}

} // namespace fi::tools::bench
