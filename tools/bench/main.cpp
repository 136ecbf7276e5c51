// SPDX-License-Identifier: BSD-2-Clause
// fi_bench: latency, message rate and bandwidth of a libfabric provider between two processes, beside what
// the machine itself does at the same moment. fi_bench(1)

#include <cstdio>
#include <cstdlib>
#include <exception>

#include <unistd.h>

#include "crew.hpp"
#include "deny.hpp"
#include "driver.hpp"
#include "options.hpp"
#include "outcome.hpp"
#include "pin.hpp"
#include "watchdog.hpp"

namespace {

using namespace fi::tools::bench;

void tell(const std::string& text)
{
    static const bool terminal = isatty(STDERR_FILENO);
    if (terminal)
        std::fprintf(stderr, "\r\033[K%s", text.c_str());
}

std::vector<int> cpus_of(const Options& options)
{
    std::vector<int> cpus = options.cpus ? *options.cpus : choose_pair(usable_cores());
    if (!options.serve && options.server.empty() && !options.cpus && cpus.size() == 1)
        std::fputs("fi_bench: one core for two spinning processes: the figures are those of the scheduler\n",
                   stderr);
    return cpus;
}

int drive(const Options& options, const std::vector<int>& cpus)
{
    // On one core the partner shares it with this process.
    Crew crew(options,
              cpus.empty() || (options.cpus && cpus.size() == 1) ? std::nullopt : std::optional(cpus.back()));
    std::string failed;
    try {
        watchdog::start(2 * options.timeout); // before the library is opened
        if (!cpus.empty())
            pin(cpus.front());
        Outcome outcome = Driver(options, crew, tell).run();
        outcome.cpus = cpus;
        if (!options.server.empty() && cpus.size() > 1)
            outcome.cpus.resize(1); // the partner's is the server's matter
        tell("");
        std::fputs((options.json ? json(outcome, options) : table(outcome, options)).c_str(), stdout);
        return std::fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
    } catch (const std::exception& error) {
        failed = error.what();
    }
    tell("");
    std::fprintf(stderr, "fi_bench: %s%s\n", failed.c_str(), crew.obituary().c_str());
    return EXIT_FAILURE;
}

} // namespace

int main(int argc, char** argv)
{
    int status = EXIT_SUCCESS;
    const auto options = parse(argc, argv, status);
    if (!options)
        return status;
    try {
        if (options->deny_process_vm)
            deny_process_vm();
        const std::vector<int> cpus = cpus_of(*options);
        if (!options->serve)
            return drive(*options, cpus);
        // By default the second core: a client on this machine takes the first.
        return run_server(*options, cpus.empty() ? std::nullopt
                                                 : std::optional(options->cpus ? cpus.front() : cpus.back()));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "fi_bench: %s\n", error.what());
        return EXIT_FAILURE;
    }
}
