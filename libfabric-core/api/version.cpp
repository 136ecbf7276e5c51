// SPDX-License-Identifier: BSD-2-Clause
//
// fi_version is asked by providers and applications alike, before anything is initialised.
#include <rdma/fabric.h>

#include "api/export.hpp"

extern "C" FI_EXPORT uint32_t fi_version(void)
{
    return FI_VERSION(FI_MAJOR_VERSION, FI_MINOR_VERSION);
}
