// SPDX-License-Identifier: BSD-2-Clause
#include "kit/devices/shm/memory.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <system_error>
#include <unistd.h>

namespace fi::kit::shm {
namespace {

constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

[[noreturn]] void throw_error(int error, const char* what)
{
    throw std::system_error(error, std::generic_category(), what);
}

} // namespace

Memory Memory::create(std::size_t size, int& fd)
{
    fd = memfd_create("fabric", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0)
        throw_error(errno, "memfd_create");
    try {
        // Allocated now: a page that is missing later would be a SIGBUS in the middle of a message.
        if (ftruncate(fd, static_cast<off_t>(size)))
            throw_error(errno, "ftruncate");
        if (const int error = posix_fallocate(fd, 0, static_cast<off_t>(size)))
            throw_error(error, "posix_fallocate");
        if (fcntl(fd, F_ADD_SEALS, kSeals))
            throw_error(errno, "F_ADD_SEALS");
        return map(fd, size);
    } catch (...) {
        ::close(fd);
        fd = -1;
        throw;
    }
}

Memory Memory::adopt(int fd, std::size_t size)
{
    struct stat status {};
    if (fstat(fd, &status))
        throw_error(errno, "fstat");
    const int seals = fcntl(fd, F_GET_SEALS);
    if (seals < 0 || (seals & kSeals) != kSeals || status.st_size != static_cast<off_t>(size))
        throw_error(EPROTO, "memory of another size, or not sealed");
    return map(fd, size);
}

Memory Memory::map(int fd, std::size_t size)
{
    void* data = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (data == MAP_FAILED)
        throw_error(errno, "mmap");
    Memory memory(data, size);
    if (madvise(data, size, MADV_DONTFORK))
        throw_error(errno, "madvise");
    return memory;
}

Memory::~Memory()
{
    if (data_)
        munmap(data_, size_);
}

int copy_from(pid_t pid, const fi_frame_place* from, std::size_t from_count, const iovec* to,
              std::size_t to_count) noexcept
{
    std::size_t from_done = 0; // bytes of *from
    std::size_t to_done = 0;   // bytes of *to
    while (to_count) {
        if (to_done == to->iov_len) {
            to++;
            to_count--;
            to_done = 0;
            continue;
        }
        if (from_count == 0)
            return EFAULT;
        if (from_done == from->length) {
            from++;
            from_count--;
            from_done = 0;
            continue;
        }
        const std::size_t step = std::min<std::uint64_t>(from->length - from_done, to->iov_len - to_done);
        const iovec local{static_cast<char*>(to->iov_base) + to_done, step};
        const iovec remote{reinterpret_cast<void*>(from->address + from_done), step};
        const ssize_t copied = process_vm_readv(pid, &local, 1, &remote, 1, 0);
        if (copied <= 0)
            return copied < 0 ? errno : EFAULT;
        from_done += static_cast<std::size_t>(copied);
        to_done += static_cast<std::size_t>(copied);
    }
    return 0;
}

bool has_barrier() noexcept
{
    static const bool registered =
        syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0) == 0;
    return registered;
}

void barrier() noexcept
{
    syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0);
}

} // namespace fi::kit::shm
