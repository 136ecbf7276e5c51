// SPDX-License-Identifier: BSD-2-Clause
//
// What tests about soft begin with: the nodes and pairs of fi_conform (tools/conform/node.hpp), in the test's
// own process, over the soft that the environment leads to.
#pragma once

#include "isolated.hpp"
#include "node.hpp"

namespace contract {

using namespace conform;

inline const bool kOnSoft = (use_provider("soft"), true);
inline const std::chrono::milliseconds kPatience = patience();

} // namespace contract
