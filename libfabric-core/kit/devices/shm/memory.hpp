// SPDX-License-Identifier: BSD-2-Clause
//
// Memory to share with another process: nameless, so that nothing is left behind whoever is killed, and
// sealed, so that it cannot be cut short under the feet of who has mapped it.
//
// A file in /dev/shm would need a name, a clean-up and room in a file system that containers keep at 64 MiB.
#pragma once

#include "kit/engine/device.hpp"

#include <cstddef>
#include <sys/types.h>
#include <utility>

namespace fi::kit::shm {

/// A mapping, unmapped with its owner, that a forked child does not inherit.
class Memory {
  public:
    Memory() = default;
    /// New memory of zeroes, all of it allocated, and the descriptor that shares it. Throws
    /// std::system_error: ENOSYS, ENOMEM, ENOSPC, EMFILE ...
    static Memory create(std::size_t size, int& fd);
    /// What another process has created. The descriptor stays the caller's. Throws std::system_error: EPROTO
    /// when it has not this size or could still shrink.
    static Memory adopt(int fd, std::size_t size);

    ~Memory();
    Memory(Memory&& other) noexcept : data_(std::exchange(other.data_, nullptr)), size_(other.size_) {}
    Memory& operator=(Memory&& other) noexcept
    {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }

    [[nodiscard]] void* data() const noexcept { return data_; }

  private:
    Memory(void* data, std::size_t size) : data_(data), size_(size) {}
    static Memory map(int fd, std::size_t size);

    void* data_ = nullptr;
    std::size_t size_ = 0;
};

/// Copies from another process into ours, in as many steps as the kernel takes. 0 or a positive errno; part
/// of it may have been copied then. The two lists have the same length in bytes, or `from` is longer.
int copy_from(pid_t pid, const fi_frame_place* from, std::size_t from_count, const iovec* to,
              std::size_t to_count) noexcept;

/// Whether stores of every process that has called this are ordered by barrier(). Asks the kernel once.
bool has_barrier() noexcept;
/// Every running thread of those processes passes a full memory barrier. Only where has_barrier().
void barrier() noexcept;

} // namespace fi::kit::shm
