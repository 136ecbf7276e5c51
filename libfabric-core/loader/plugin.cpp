// SPDX-License-Identifier: BSD-2-Clause
// A plugin is somebody else's code, and one bad one must cost neither the process nor the other plugins. What
// can be caught from within the process is caught here: a symbol that is not the plugin's own, an exception,
// a slow start, an object that is no object. What cannot (an endless loop, a wild store, a call of exit) is
// listed in docs/loader.md.
#include "loader/plugin.hpp"

#include <array>
#include <chrono>
#include <cstdio>
#include <exception>

#include <cxxabi.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <unwind.h>

#include <rdma/fabric.h>

#include "loader/elf_check.hpp"

namespace fi::core::loader {

namespace {

using Entry = fi_provider* (*)();
using Clock = std::chrono::steady_clock;

constexpr auto kSlow = std::chrono::seconds(1);
constexpr uint32_t kOldestApi = FI_VERSION(1, 3); // before that, struct fi_provider was another one
constexpr size_t kNameLimit = 64;                 // FI_NAME_MAX, terminating zero included

std::string slow_remark(Clock::time_point since)
{
    const std::chrono::duration<double> took = Clock::now() - since;
    if (took <= kSlow)
        return {};
    char text[64];
    snprintf(text, sizeof text, "slow: it took %.1f s to start", took.count());
    return text;
}

std::string dl_error()
{
    const char* text = dlerror();
    return text != nullptr ? text : "the dynamic linker gave no reason";
}

// dlsym on a handle also searches the handle's dependencies, and one provider's library linked into another
// plugin would then be registered under that plugin's path.
bool defined_in(void* symbol, void* handle)
{
    link_map* own = nullptr;
    link_map* found = nullptr;
    Dl_info info;
    return dlinfo(handle, RTLD_DI_LINKMAP, &own) == 0 &&
           dladdr1(symbol, &info, reinterpret_cast<void**>(&found), RTLD_DL_LINKMAP) != 0 && own == found;
}

// Whether memory can be read (and written) is asked of the kernel, which answers EFAULT where an access of
// our own would end the process: the bytes go into a pipe and, for writing, come back out of it to the same
// place. Bare system calls, since sanitizers look at the memory that goes through libc's.
class MemoryProbe {
  public:
    MemoryProbe() : usable_(pipe2(ends_.data(), O_CLOEXEC | O_NONBLOCK) == 0) {}
    ~MemoryProbe()
    {
        if (usable_) {
            close(ends_[0]);
            close(ends_[1]);
        }
    }
    MemoryProbe(const MemoryProbe&) = delete;
    MemoryProbe& operator=(const MemoryProbe&) = delete;

    // Without descriptors to spare nothing can be found out, and the object gets the benefit of the doubt.
    bool writable(void* at, size_t bytes)
    {
        if (!usable_)
            return true;
        return syscall(SYS_write, ends_[1], at, bytes) == static_cast<long>(bytes) &&
               syscall(SYS_read, ends_[0], at, bytes) == static_cast<long>(bytes);
    }

    // A string that ends within `limit` bytes, byte by byte because it may end right before unmapped memory.
    bool string_within(const char* at, size_t limit)
    {
        if (!usable_)
            return true;
        for (size_t i = 0; i < limit; ++i) {
            char byte = 0;
            if (syscall(SYS_write, ends_[1], at + i, 1) != 1 || read(ends_[0], &byte, 1) != 1)
                return false;
            if (byte == 0)
                return true;
        }
        return false;
    }

  private:
    std::array<int, 2> ends_{};
    bool usable_;
};

std::string thrown_problem(const char* text)
{
    return std::string("fi_prov_ini threw an exception") +
           (text != nullptr ? std::string(": ") + text : std::string());
}

// This library has its own copy of the unwinder, the plugin that throws may use another. Ours is entered in
// the middle of the other's work, by way of the handler below, and aborts if it was never set up; walking the
// stack does that.
void set_up_unwinder()
{
    _Unwind_Backtrace([](_Unwind_Context*, void*) { return _URC_NORMAL_STOP; }, nullptr);
}

void call_entry(Entry entry, LoadResult& result)
{
    set_up_unwinder();
    try {
        result.provider = entry();
        if (result.provider == nullptr)
            result.problem = "fi_prov_ini returned NULL";
    } catch (const abi::__forced_unwind&) {
        throw; // pthread_exit or cancellation of this thread: not ours to stop
    } catch (const std::exception& thrown) {
        result.problem = thrown_problem(thrown.what());
    } catch (...) {
        result.problem = thrown_problem(nullptr);
    }
}

} // namespace

LoadResult start_provider(Entry entry)
{
    const auto start = Clock::now();
    LoadResult result;
    call_entry(entry, result);
    result.remark = slow_remark(start);
    return result;
}

LoadResult load_plugin(const std::string& path)
{
    LoadResult result;
    if (result.problem = elf_problem(path); !result.problem.empty())
        return result;

    const auto start = Clock::now();
    void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (handle == nullptr) {
        result.problem = "dlopen: " + dl_error();
        return result;
    }
    void* symbol = dlsym(handle, "fi_prov_ini");
    if (symbol == nullptr) {
        result.problem = "no fi_prov_ini in it: " + dl_error();
        return result;
    }
    if (!defined_in(symbol, handle)) {
        result.problem = "fi_prov_ini is not its own but comes from a library it depends on";
        return result;
    }
    call_entry(reinterpret_cast<Entry>(symbol), result);
    result.remark = slow_remark(start);
    return result;
}

Defects examine(fi_provider* provider)
{
    Defects found;
    MemoryProbe memory;
    // The core keeps its scratch area in the object, so a constant one would fault on registration.
    if (!memory.writable(provider, sizeof *provider)) {
        found.problem = "fi_prov_ini returned an object in memory that cannot be written";
        return found;
    }
    found.readable = true;
    if (provider->name == nullptr) {
        found.problem = "the provider has no name";
        return found;
    }
    if (!memory.string_within(provider->name, kNameLimit)) {
        found.problem = "the provider's name cannot be read or is longer than " +
                        std::to_string(kNameLimit - 1) + " bytes";
        return found;
    }
    found.named = true;
    if (provider->name[0] == '\0')
        found.problem = "the provider's name is empty";
    else if (provider->fi_version < kOldestApi)
        found.problem = "too old: it implements API " + std::to_string(FI_MAJOR(provider->fi_version)) + "." +
                        std::to_string(FI_MINOR(provider->fi_version)) + ", the oldest accepted is 1.3";
    else if (provider->fabric == nullptr)
        found.problem = "the provider has no fabric function";
    return found;
}

void clean_up(const fi_provider& provider)
{
    if (provider.cleanup == nullptr)
        return;
    try {
        provider.cleanup();
    } catch (const abi::__forced_unwind&) {
        throw;
    } catch (...) {
        // It is refused already; there is nobody left to tell.
        return;
    }
}

} // namespace fi::core::loader
