// SPDX-License-Identifier: BSD-2-Clause
//
// What tests about soft itself begin with: fi_conform's nodes and pairs, in the test's own process, over the
// soft that the environment leads to.
#pragma once

#include "isolated.hpp"
#include "node.hpp"

namespace conform {

inline const bool kOnSoft = (use_provider("soft"), true);

} // namespace conform
