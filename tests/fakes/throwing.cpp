// SPDX-License-Identifier: BSD-2-Clause
// A plugin whose entry function throws, with the C++ run-time of the system and not the one hidden in
// libfabric.
#include <stdexcept>

#include <rdma/providers/fi_prov.h>

extern "C" __attribute__((visibility("default"))) fi_provider* fi_prov_ini(void)
{
    throw std::runtime_error("no device today");
}
