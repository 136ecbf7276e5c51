// SPDX-License-Identifier: BSD-2-Clause
// The first call into the library may come from many threads at once, from inside a plugin that is being
// loaded, or while another thread forks. One mutex and one published pointer serve all of them; after that a
// call costs one load.
#include "loader/registry.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>

#include <pthread.h>

#include "loader/builder.hpp"
#include "loader/builtin.hpp"
#include "loader/naming.hpp"
#include "log/log.hpp"
#include "param/param.hpp"

namespace fi::core::loader {

namespace {

// Set with release once the registry is complete; get() pairs with acquire.
std::atomic<const Registry*> published{nullptr};

// Neither is ever destroyed: threads may call in while the process exits.
std::mutex& loading_mutex()
{
    static auto* mutex = new std::mutex;
    return *mutex;
}

// True on the thread that is running plugins' entry functions right now.
thread_local bool loading_here = false;

struct LoadingMark {
    LoadingMark() { loading_here = true; }
    ~LoadingMark() { loading_here = false; }
};

// A child forked while another thread loads would inherit a locked mutex and half a registry, for ever.
// fork() therefore waits until loading is over; only the loading thread itself (a plugin that runs a program
// while it starts) goes through.
void before_fork()
{
    if (!loading_here)
        loading_mutex().lock();
}

void after_fork()
{
    if (!loading_here)
        loading_mutex().unlock();
}

void guard_against_fork()
{
    static const int registered = pthread_atfork(before_fork, after_fork, after_fork);
    if (registered != 0)
        FI_CORE_WARN(FI_LOG_CORE, "no fork handler: %d; do not fork while the first fi_getinfo runs\n",
                     registered);
}

} // namespace

const Registry& Registry::get()
{
    if (const Registry* registry = published.load(std::memory_order_acquire))
        return *registry;

    if (loading_here) {
        static const auto* empty = new Registry;
        FI_CORE_WARN(FI_LOG_CORE,
                     "a plugin asked for providers while it was being loaded: it is shown none\n");
        return *empty;
    }
    param::define_core();
    log::init();
    guard_against_fork();
    const std::lock_guard lock(loading_mutex());
    if (const Registry* registry = published.load(std::memory_order_acquire))
        return *registry;
    const LoadingMark mark;
    // In a setuid program lookup() sees no environment, so only the default directory is searched.
    const Registry* registry =
        RegistryBuilder::build(param::lookup("FI_PROVIDER_PATH"), default_directory()).release();
    published.store(registry, std::memory_order_release);
    return *registry;
}

const Provider* Registry::find(std::string_view name) const
{
    const auto found = std::find_if(providers_.begin(), providers_.end(), [&](const Provider& provider) {
        return provider.active && same_name(provider.impl->name, name);
    });
    return found == providers_.end() ? nullptr : &*found;
}

} // namespace fi::core::loader
