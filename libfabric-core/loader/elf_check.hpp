// SPDX-License-Identifier: BSD-2-Clause
// A look at a file before the dynamic linker gets it (docs/loader.md, L21-L25).
#pragma once

#include <string>

namespace fi::core::loader {

/// Why the dynamic linker must not be given this file, in words for a log line; empty when it may try. Never
/// blocks on a FIFO or device, never maps the file. A file replaced between this look and dlopen() is not
/// protected against.
std::string elf_problem(const std::string& path);

} // namespace fi::core::loader
