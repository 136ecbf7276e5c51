// SPDX-License-Identifier: BSD-2-Clause
//
// What every queue with a wait object shares: which kinds there are, how long to sleep, and what fi_control()
// answers.
#pragma once

#include <cstdint>
#include <rdma/fi_eq.h>

namespace fi::kit {

/// Kinds of wait object that a queue may be opened with: none, unspecified, a descriptor, or yielding.
bool serves(fi_wait_obj kind) noexcept;

/// Whether a queue of that kind has a descriptor to sleep on.
constexpr bool has_descriptor(fi_wait_obj kind) noexcept
{
    return kind == FI_WAIT_FD || kind == FI_WAIT_UNSPEC;
}

/// fi_control() of a queue: FI_GETWAIT and FI_GETWAITOBJ; -FI_ENODATA without a descriptor, -FI_ENOSYS for
/// other commands.
int control_wait(fi_wait_obj kind, int fd, int command, void* arg) noexcept;

/// fi_cq_strerror() and fi_eq_strerror() where prov_errno is an errno: the text, copied to `buf` if there is
/// one.
const char* error_text(int prov_errno, char* buf, std::size_t len) noexcept;

/// The end of a timeout that began at construction; a negative one never ends.
class Deadline {
  public:
    explicit Deadline(int milliseconds) noexcept;
    [[nodiscard]] int left() const noexcept; ///< milliseconds, rounded up; -1: for ever

  private:
    std::int64_t end_ns_;
};

/// Sleeps until fd is readable or the deadline has passed, through signals. False: it has passed.
bool sleep_on(int fd, const Deadline& deadline) noexcept;

} // namespace fi::kit
