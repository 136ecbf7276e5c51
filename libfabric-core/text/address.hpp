// SPDX-License-Identifier: BSD-2-Clause
//
// Endpoint addresses as text, in the notation that FI_ADDR_STR also uses.
#pragma once

#include <cstdint>

#include "text/writer.hpp"

namespace fi::core::text {

// Writes an address of the given format (FI_SOCKADDR_IN, ...). Writes "(null)" for NULL, and nothing for a
// format that has no notation or an address that is shorter than its format says: bytes behind it are not
// ours to read.
void write_address(Writer& writer, uint32_t format, const void* address, size_t length);

} // namespace fi::core::text
