// SPDX-License-Identifier: BSD-2-Clause
// A plugin whose entry function throws something without words.
#include <rdma/providers/fi_prov.h>

extern "C" __attribute__((visibility("default"))) fi_provider* fi_prov_ini(void)
{
    throw 42;
}
