// SPDX-License-Identifier: BSD-2-Clause
//
// The names of the API's constants, one table for each kind of value, in the order in which they are printed.
// The same bit has other names in other tables: that is how the API assigns its bits.
#pragma once

#include <cstdint>
#include <span>

#include "text/writer.hpp"

namespace fi::core::text {

struct Name {
    uint64_t value;
    const char* name;
};

using Names = std::span<const Name>;

// Flags: one bit each.
extern const Names kCaps, kMode, kOpFlags, kMsgOrder, kMrMode, kCqEventFlags, kAvFlags, kCqFlags, kMrAccess;

// Values of enumerations.
extern const Names kEpType, kAddrFormat, kThreading, kProgress, kProtocol, kAvType, kAtomicType, kAtomicOp,
    kEqEvent, kOpType, kCollectiveOp, kHmemIface, kCqFormat, kCqWaitCond, kWaitObj, kResourceMgmt,
    kCntrEvents, kBusType, kLinkState, kLogLevel, kLogSubsys;

// The name of a value, "Unknown" if it has none.
const char* name_of(Names names, uint64_t value);

// The names of the set bits, joined by ", "; bits without a name are left out.
void write_flags(Writer& writer, Names names, uint64_t flags);

} // namespace fi::core::text
