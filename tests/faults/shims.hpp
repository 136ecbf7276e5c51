// SPDX-License-Identifier: BSD-2-Clause
//
// A system that refuses things: what containers, old kernels and strict administrators do, done to one
// process of a test.
#pragma once

#include <initializer_list>
#include <string>

namespace faults {

/// From now on the kernel refuses these system calls of this process with that errno. Throws
/// std::system_error.
void refuse_calls(std::initializer_list<int> calls, int error);
/// No netlink sockets any more: EPERM.
void refuse_netlink();

/// How process_vm_readv() behaves in this process.
struct ReadingOthers {
    long calls_left = -1;   ///< that succeed, then EPERM; -1: all of them
    bool cut_short = false; ///< each copies some of what was asked for, never all of more than a few bytes
    long calls = 0;         ///< made so far
};
extern ReadingOthers reading_others;

/// Leaves for a namespace where /dev/shm has that size ("64k"). False: `why` not.
bool shrink_dev_shm(const std::string& size, std::string& why);
/// At most so many descriptors.
void limit_descriptors(unsigned count);

} // namespace faults
