// SPDX-License-Identifier: BSD-2-Clause
// Prints what the library sees of the variable FI_PROBE. param_test runs it with and without more rights than
// its caller.
#include <cstdio>

#include "param/param.hpp"

int main()
{
    const char* value = fi::core::param::environment("FI_PROBE");
    puts(value ? value : "(nothing)");
    return 0;
}
