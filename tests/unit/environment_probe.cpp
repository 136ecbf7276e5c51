// SPDX-License-Identifier: BSD-2-Clause
// Prints what the library sees of the variable FI_PROBE. param_test runs it with and without more rights than
// its caller.
#include <cstdio>

#include "param/param.hpp"

// The leak checker attaches to its own process, which the kernel forbids in a setuid program.
extern "C" const char* __asan_default_options()
{
    return "detect_leaks=0";
}

int main()
{
    const char* value = fi::core::param::environment("FI_PROBE");
    puts(value ? value : "(nothing)");
    return 0;
}
