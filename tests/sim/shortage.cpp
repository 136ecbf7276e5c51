// SPDX-License-Identifier: BSD-2-Clause
//
// The allocation functions of this program. malloc() is reached by the linker's --wrap, so that only calls
// from our own objects are counted.
#include "shortage.hpp"

#include <cstdlib>
#include <new>

extern "C" void* __real_malloc(std::size_t size);
extern "C" void* __wrap_malloc(std::size_t size);

namespace fi::kit::sim {

unsigned shortage_in = 0;
unsigned throwing_shortage_in = 0;
unsigned long shortages = 0;

namespace {

bool refused(unsigned& in) noexcept
{
    if (in == 0 || --in)
        return false;
    shortages++;
    return true;
}

} // namespace
} // namespace fi::kit::sim

void* __wrap_malloc(std::size_t size)
{
    return fi::kit::sim::refused(fi::kit::sim::shortage_in) ? nullptr : __real_malloc(size);
}

void* operator new(std::size_t size)
{
    void* memory = fi::kit::sim::refused(fi::kit::sim::throwing_shortage_in) ? nullptr : __real_malloc(size);
    if (!memory)
        throw std::bad_alloc();
    return memory;
}

void* operator new(std::size_t size, const std::nothrow_t&) noexcept
{
    return fi::kit::sim::refused(fi::kit::sim::shortage_in) ? nullptr : __real_malloc(size);
}

void* operator new[](std::size_t size)
{
    return operator new(size);
}

void* operator new[](std::size_t size, const std::nothrow_t& nothing) noexcept
{
    return operator new(size, nothing);
}

void operator delete(void* memory) noexcept
{
    std::free(memory);
}

void operator delete[](void* memory) noexcept
{
    std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept
{
    std::free(memory);
}

void operator delete[](void* memory, std::size_t) noexcept
{
    std::free(memory);
}
