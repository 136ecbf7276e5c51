// SPDX-License-Identifier: BSD-2-Clause
#include "watchdog.hpp"

#include <csignal>

#include <unistd.h>

namespace fi::tools::bench::watchdog {
namespace {

unsigned limit_seconds = 0;

// Only what a signal handler may call.
void expired(int)
{
    constexpr char kWords[] = "fi_bench: a call into the library did not return in time; giving up\n";
    (void)!write(STDERR_FILENO, kWords, sizeof kWords - 1);
    _exit(1);
}

} // namespace

void start(std::chrono::seconds limit)
{
    limit_seconds = static_cast<unsigned>(limit.count());
    struct sigaction action {};
    action.sa_handler = expired;
    sigaction(SIGALRM, &action, nullptr);
    feed();
}

void feed()
{
    alarm(limit_seconds);
}

} // namespace fi::tools::bench::watchdog
