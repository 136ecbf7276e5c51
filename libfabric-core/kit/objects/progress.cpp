// SPDX-License-Identifier: BSD-2-Clause
#include "kit/objects/progress.hpp"

#include "kit/objects/clock.hpp"

#include <algorithm>
#include <cerrno>
#include <rdma/fi_errno.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <system_error>
#include <unistd.h>

namespace fi::kit {
namespace {

constexpr std::uint64_t kLookMicroseconds = 20;

void wake_for(int epoll, int fd)
{
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = fd;
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event))
        throw std::system_error(errno, std::generic_category());
}

} // namespace

ProgressDriver::ProgressDriver(fi_wait_obj kind, fi_hot_schedule& schedule)
    : schedule_(schedule), look_period_(kLookMicroseconds * ticks_per_microsecond()), kind_(kind)
{
    fi_hot_watch_words(&schedule_, 0);
    if (!has_descriptor(kind))
        return;
    try {
        wait_fd_ = epoll_create1(EPOLL_CLOEXEC);
        bell_fd_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (wait_fd_ < 0 || bell_fd_ < 0)
            throw std::system_error(errno, std::generic_category());
        wake_for(wait_fd_, bell_fd_);
    } catch (...) {
        ::close(wait_fd_);
        ::close(bell_fd_);
        throw;
    }
}

ProgressDriver::~ProgressDriver()
{
    if (wait_fd_ >= 0)
        ::close(wait_fd_);
    if (bell_fd_ >= 0)
        ::close(bell_fd_);
}

void ProgressDriver::add_source(const ProgressSource& source)
{
    sources_.push_back(source);
    if (wait_fd_ >= 0) {
        try {
            wake_for(wait_fd_, source.wait_fd);
        } catch (...) {
            sources_.pop_back();
            throw;
        }
    }
    look_soon();
}

void ProgressDriver::remove_source(const void* self) noexcept
{
    const auto found =
        std::find_if(sources_.begin(), sources_.end(), [&](auto& source) { return source.self == self; });
    if (found == sources_.end())
        return;
    if (wait_fd_ >= 0)
        epoll_ctl(wait_fd_, EPOLL_CTL_DEL, found->wait_fd, nullptr);
    sources_.erase(found);
}

void ProgressDriver::look() noexcept
{
    const std::uint64_t now = fi_hot_clock();
    const bool all = static_cast<std::int64_t>(now - all_at_) >= 0;
    if (all)
        all_at_ = now + look_period_;
    bool busy = false;
    std::size_t watches = 0;
    for (const ProgressSource& source : sources_) {
        busy |= source.look(source.self, all);
        const std::size_t room = FI_HOT_WATCHES - watches;
        const std::size_t wanted = source.watch(source.self, schedule_.watch + watches, room);
        busy |= wanted > room;
        watches += std::min(wanted, room);
    }
    fi_hot_watch_words(&schedule_, watches);
    schedule_.look_at = busy ? 0 : all_at_;
}

// The bell is silenced only here, where nothing is ready: so of several sleepers none can take the wake-up of
// another one that still has something to read.
bool ProgressDriver::arm() noexcept
{
    if (wait_fd_ < 0)
        return false;
    silence_bell();
    if (signalled_.load())
        return false;
    bool may_sleep = true;
    for (const ProgressSource& source : sources_)
        may_sleep &= source.arm(source.self);
    may_sleep_ |= may_sleep;
    return may_sleep;
}

void ProgressDriver::rest(bool armed, const Deadline& deadline) const noexcept
{
    if (armed)
        sleep_on(wait_fd_, deadline);
    else
        sched_yield();
}

int ProgressDriver::signal() noexcept
{
    if (kind_ == FI_WAIT_NONE)
        return -FI_ENOSYS;
    signalled_.store(true);
    if (bell_fd_ < 0) // whoever yields will see it
        return 0;
    const std::uint64_t one = 1;
    return ::write(bell_fd_, &one, sizeof one) == sizeof one || errno == EAGAIN ? 0 : -errno;
}

void ProgressDriver::ring_bell() noexcept
{
    may_sleep_ = false;
    const std::uint64_t one = 1;
    // It can fail only because the bell has been rung very often, which is as good.
    [[maybe_unused]] const ssize_t ret = ::write(bell_fd_, &one, sizeof one);
}

void ProgressDriver::silence_bell() noexcept
{
    std::uint64_t count = 0;
    // It fails when the bell has not been rung.
    [[maybe_unused]] const ssize_t ret = ::read(bell_fd_, &count, sizeof count);
}

} // namespace fi::kit
