// SPDX-License-Identifier: BSD-2-Clause
#include "watched.hpp"

#include <cerrno>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>

namespace conform {
namespace {

[[noreturn]] void fail(const char* what)
{
    throw std::system_error(errno, std::generic_category(), what);
}

unsigned char* view(int fd, std::size_t size, int protection)
{
    void* memory = mmap(nullptr, size, protection, MAP_SHARED, fd, 0);
    return memory == MAP_FAILED ? nullptr : static_cast<unsigned char*>(memory);
}

} // namespace

WatchedMemory::WatchedMemory(std::size_t size) : size_(size)
{
    const int fd = memfd_create("watched", MFD_CLOEXEC);
    if (fd < 0)
        fail("memfd_create");
    const bool sized = ftruncate(fd, static_cast<off_t>(size)) == 0;
    buffer_ = sized ? view(fd, size, PROT_READ | PROT_WRITE) : nullptr;
    seen_ = buffer_ ? view(fd, size, PROT_READ) : nullptr;
    close(fd); // the views keep the memory
    if (seen_)
        return;
    if (buffer_)
        munmap(buffer_, size);
    fail("mapping memory twice");
}

WatchedMemory::~WatchedMemory()
{
    munmap(buffer_, size_);
    munmap(const_cast<unsigned char*>(seen_), size_);
}

} // namespace conform
