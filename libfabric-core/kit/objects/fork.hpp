// SPDX-License-Identifier: BSD-2-Clause
//
// What a forked child does with the objects that it has inherited: nothing.
//
// They belong to the parent: its rings are not mapped in the child, and the child's copies of sockets would
// keep peers from noticing that the parent is gone. So in the child every object gets tables that refuse
// (-FI_EOPBADSTATE; fi_close answers 0 and frees nothing), and every socket is closed. New objects can be
// opened there as in any process.
#pragma once

#include <rdma/fabric.h>

namespace fi::kit {

/// Keeps an object known for as long as it lives. Thread safe.
class Inheritable {
  public:
    /// The object's tables are set, or will be before anybody forks in earnest. Throws std::bad_alloc.
    explicit Inheritable(::fid& handle);
    ~Inheritable();
    Inheritable(const Inheritable&) = delete;
    Inheritable& operator=(const Inheritable&) = delete;

  private:
    ::fid& handle_;
};

/// A descriptor that is to be closed in a forked child from now on; -1 is let through. If there is no memory
/// to remember it, the child keeps it.
int close_in_child(int fd) noexcept;
/// Closes a descriptor, close_in_child() or not; -1 is none. Keeps errno.
void close_here(int fd) noexcept;

} // namespace fi::kit
