// SPDX-License-Identifier: BSD-2-Clause
// A plugin that needs a function which nobody has.
#include <rdma/providers/fi_prov.h>

extern struct fi_provider* fi_fake_function_that_nobody_has(void);

__attribute__((visibility("default"))) struct fi_provider* fi_prov_ini(void)
{
    return fi_fake_function_that_nobody_has();
}
