// SPDX-License-Identifier: BSD-2-Clause
// What the build decided about providers. A file of its own, so that a test can put other answers in its
// place.
#pragma once

#include <span>
#include <string>

#include <rdma/providers/fi_prov.h>

namespace fi::core::loader {

using ProviderEntry = fi_provider* (*)();

/// Entry functions of the providers linked into this library (build option linked_providers), in that
/// option's order.
std::span<const ProviderEntry> builtin_providers();

/// Where plugins are installed.
std::string default_directory();

} // namespace fi::core::loader
