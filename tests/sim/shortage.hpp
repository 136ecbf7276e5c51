// SPDX-License-Identifier: BSD-2-Clause
//
// Memory that runs out on purpose: the n-th request of the engine from now on, and only while it is wanted.
#pragma once

namespace fi::kit::sim {

/// 0: none. n: the n-th call of malloc() or of operator new that may answer nullptr fails.
extern unsigned shortage_in;
/// The same for operator new that throws.
extern unsigned throwing_shortage_in;
/// How many requests have been refused.
extern unsigned long shortages;

} // namespace fi::kit::sim
