// SPDX-License-Identifier: BSD-2-Clause
//
// fi_import_log: the application's functions replace ours while other threads are logging. The functions are
// copied, because applications import from a structure on their stack; and a close waits until no thread is
// inside them any more, because what comes next is dlclose or free. Readers announce themselves before they
// look (both sequentially consistent), the closer takes the functions away before it counts: one of the two
// sees the other.
#include "log/import.hpp"

#include <atomic>
#include <mutex>
#include <new>
#include <sched.h>
#include <unistd.h>

#include <rdma/fi_errno.h>

#include "log/gate.hpp"
#include "log/log.hpp"

namespace fi::core::log {
namespace {

struct Import {
    fi_ops_log ops;
    fid* owner;     // the application's object
    pid_t importer; // a forked child cannot wait for threads that it does not have
    Import* next;
};

std::atomic<Import*> imported{nullptr};
std::atomic<Import*> left_standing{nullptr}; // those that could not be freed: a few bytes each
std::atomic<int> inside{0};
thread_local int inside_here = 0; // a log function may itself close its log

std::mutex& importing()
{
    static std::mutex& mutex = *new std::mutex;
    return mutex;
}

// Waits until no other thread runs the functions of an import that was taken away. Called without the lock: a
// thread that is waited for may be about to import or close itself.
void retire(Import* import)
{
    if (!import)
        return;
    if (import->importer == getpid()) {
        while (inside.load(std::memory_order_seq_cst) > inside_here)
            sched_yield();
        if (inside_here == 0) {
            delete import;
            return;
        }
        // This thread was called through it and returns into its caller's use of it.
    }
    import->next = left_standing.load(std::memory_order_relaxed);
    while (!left_standing.compare_exchange_weak(import->next, import, std::memory_order_relaxed)) {
    }
}

// Closing the application's object brings our own functions back, unless a later import has replaced it
// already.
int close_import(fid* owner)
{
    Import* current;
    {
        std::lock_guard lock(importing());
        current = imported.load(std::memory_order_relaxed);
        if (!current || current->owner != owner)
            return 0;
        imported.store(nullptr, std::memory_order_seq_cst);
        gate.set_import(0);
    }
    retire(current);
    return 0;
}

int no_bind(fid*, fid*, uint64_t)
{
    return -FI_ENOSYS;
}
int no_control(fid*, int, void*)
{
    return -FI_ENOSYS;
}
int no_ops_open(fid*, const char*, uint64_t, void**, void*)
{
    return -FI_ENOSYS;
}
int no_tostr(const fid*, char*, size_t)
{
    return -FI_ENOSYS;
}
int no_ops_set(fid*, const char*, uint64_t, void*, void*)
{
    return -FI_ENOSYS;
}

fi_ops import_ops = {sizeof(fi_ops), close_import, no_bind, no_control, no_ops_open, no_tostr, no_ops_set};

int bind_import(fid*, fid* user, uint64_t flags)
{
    if (flags || !user || user->fclass != FI_CLASS_LOG)
        return -FI_EINVAL;
    auto* log = reinterpret_cast<fid_logging*>(user); // its first member
    if (!log->ops || log->ops->size < sizeof(fi_ops_log))
        return -FI_EINVAL;
    auto* fresh = new (std::nothrow) Import{*log->ops, user, getpid(), nullptr};
    if (!fresh)
        return -FI_ENOMEM;
    Import* before;
    {
        std::lock_guard lock(importing());
        before = imported.exchange(fresh, std::memory_order_seq_cst);
        user->ops = &import_ops;
        gate.set_import(Gate::kAllLevels);
    }
    retire(before);
    return 0;
}

int close_log(fid*)
{
    return 0;
}

fi_ops log_ops = {sizeof(fi_ops), close_log, bind_import, no_control, no_ops_open, no_tostr, no_ops_set};
fid log_object = {FI_CLASS_LOG, nullptr, &log_ops};

} // namespace

ImportedLog::ImportedLog()
{
    if (!imported.load(std::memory_order_relaxed))
        return;
    inside.fetch_add(1, std::memory_order_seq_cst);
    ++inside_here;
    Import* import = imported.load(std::memory_order_seq_cst);
    ops = import ? &import->ops : nullptr;
    if (!ops) {
        --inside_here;
        inside.fetch_sub(1, std::memory_order_release);
    }
}

ImportedLog::~ImportedLog()
{
    if (!ops)
        return;
    --inside_here;
    inside.fetch_sub(1, std::memory_order_release);
}

int open_logging(uint32_t version, void*, size_t attr_len, uint64_t flags, fid** out, void*)
{
    if (FI_VERSION_LT(version, FI_VERSION(1, 13)) || attr_len)
        return -FI_EINVAL;
    if (flags)
        return -FI_EBADFLAGS;
    if (imported.load(std::memory_order_relaxed))
        return -FI_EALREADY;
    *out = &log_object;
    return 0;
}

} // namespace fi::core::log
