// SPDX-License-Identifier: BSD-2-Clause
// One fi_info as JSON: every field of the structure, under its name in C.
#pragma once

#include <rdma/fabric.h>

#include "json_writer.hpp"

namespace fi::tools::info {

// Writes one object. A set of flags is an array of names under the field's name, and all of its bits, named
// or not, as a hexadecimal string under <name>_bits; an enumerator is its name, and its number under
// <name>_value. Blocks and strings that are missing are null.
void write_info(JsonWriter& json, const fi_info& info);

} // namespace fi::tools::info
