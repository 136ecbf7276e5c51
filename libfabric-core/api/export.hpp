// SPDX-License-Identifier: BSD-2-Clause
//
// Everything in libfabric.so is hidden unless it says otherwise; this is how it says so. The version script
// decides under which version node a visible name is published, and hides it again when it lists it nowhere.
#pragma once

#define FI_EXPORT __attribute__((visibility("default")))
