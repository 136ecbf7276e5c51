// SPDX-License-Identifier: BSD-2-Clause
#include "kit/objects/auto_progress.hpp"

#include <csignal>
#include <ctime>
#include <pthread.h>

namespace fi::kit {
namespace {

constexpr long kNapNanoseconds = 100'000;

} // namespace

AutoProgress::AutoProgress(Mutex& lock) : ProgressDriver(FI_WAIT_FD, schedule_), lock_(lock)
{
    // Signals are for the application's own threads.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
        thread_ = std::thread([this] { run(); });
    } catch (...) {
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
        throw;
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

AutoProgress::~AutoProgress()
{
    lock_.lock();
    stopping_ = true;
    signal();
    lock_.unlock();
    thread_.join();
}

void AutoProgress::run() noexcept
{
    std::uint64_t seen = ~std::uint64_t{0};
    for (;;) {
        bool armed = false, idle = false;
        lock_.lock_unnoticed();
        if (stopping_) {
            lock_.unlock();
            return;
        }
        look_at_all();
        look();
        idle = lock_.calls() == seen;
        seen = lock_.calls();
        if (idle && (armed = arm()))
            lock_.tell_next_call([](void* self) { static_cast<AutoProgress*>(self)->wake(); }, this);
        lock_.unlock();
        if (armed || idle) {
            rest(armed, Deadline(-1));
            continue;
        }
        const timespec nap{0, kNapNanoseconds};
        nanosleep(&nap, nullptr);
    }
}

} // namespace fi::kit
