// SPDX-License-Identifier: BSD-2-Clause
#include "kit/objects/eq.hpp"

#include "kit/objects/guard.hpp"
#include "kit/objects/refuse.hpp"
#include "kit/objects/wait.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <sched.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace fi::kit {

int EventQueue::check(const fi_provider& provider, const fi_eq_attr& attr) noexcept
{
    if (attr.flags & ~(FI_WRITE | FI_AFFINITY))
        return refuse(provider, FI_LOG_EQ, -FI_EBADFLAGS, "fi_eq_open",
                      "fi_eq_attr.flags %#llx has others than FI_WRITE and FI_AFFINITY",
                      static_cast<unsigned long long>(attr.flags));
    if (!serves(attr.wait_obj))
        return refuse(provider, FI_LOG_EQ, -FI_ENOSYS, "fi_eq_open",
                      "fi_eq_attr.wait_obj %d is not supported", attr.wait_obj);
    return 0;
}

int EventQueue::no(int error, const char* call, const char* why) const noexcept
{
    return refuse(parent().provider(), FI_LOG_EQ, error, call, "%s", why);
}

EventQueue::EventQueue(Parent& fabric, const fi_eq_attr& attr, std::uint32_t api_version, void* context)
    : EventQueueHandle{}, Child(fabric, fid.fid), capacity_(std::max<std::size_t>(attr.size, 1024)),
      writable_(attr.flags & FI_WRITE), wait_obj_(attr.wait_obj), api_version_(api_version)
{
    if (has_descriptor(wait_obj_)) {
        wait_fd_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (wait_fd_ < 0)
            throw std::system_error(errno, std::generic_category());
    }
    fid.fid.fclass = FI_CLASS_EQ;
    fid.fid.context = context;
    fid.fid.ops = table<EventQueue, fi_ops>();
    fid.ops = table<EventQueue, fi_ops_eq>();
}

EventQueue::~EventQueue()
{
    if (wait_fd_ >= 0)
        ::close(wait_fd_);
}

int EventQueue::append(Event event) noexcept
{
    return guarded([&] {
        const std::lock_guard guard(lock_);
        if (overrun_)
            return -FI_EOVERRUN;
        if (events_.size() >= capacity_) {
            // C250: from here on the queue has a hole that no reader can see, so its end is an error for
            // good.
            overrun_ = true;
            event = {};
            event.is_error = true;
            event.error.err = FI_EOVERRUN;
            event.error.prov_errno = FI_EOVERRUN;
        }
        events_.push_back(std::move(event));
        const std::uint64_t one = 1;
        if (wait_fd_ >= 0 && ::write(wait_fd_, &one, sizeof one) < 0 && errno != EAGAIN)
            return -errno;
        return overrun_ ? -FI_EOVERRUN : 0;
    });
}

/// Takes the first event off the queue. The error that says that the queue has overrun is never taken.
void EventQueue::pop() noexcept
{
    if (overrun_ && events_.size() == 1)
        return;
    events_.pop_front();
    std::uint64_t drained = 0;
    // Fails only if nothing is in it, which is as good.
    if (wait_fd_ >= 0 && events_.empty()) [[maybe_unused]]
        const ssize_t ret = ::read(wait_fd_, &drained, sizeof drained);
}

int EventQueue::post(std::uint32_t event, const void* entry, std::size_t len) noexcept
{
    return guarded([&] {
        const auto* bytes = static_cast<const unsigned char*>(entry);
        return append({event, false, {}, {bytes, bytes + len}});
    });
}

int EventQueue::post_error(const fi_eq_err_entry& error) noexcept
{
    return guarded([&] {
        const auto* bytes = static_cast<const unsigned char*>(error.err_data);
        return append({0, true, error, {bytes, bytes + (bytes ? error.err_data_size : 0)}});
    });
}

ssize_t EventQueue::eq_read(std::uint32_t* event, void* buf, std::size_t len, std::uint64_t flags) noexcept
{
    const std::lock_guard guard(lock_);
    if (events_.empty())
        return -FI_EAGAIN;
    const Event& front = events_.front();
    if (front.is_error)
        return -FI_EAVAIL;
    // Private data behind a connection event is cut to the reader's buffer (C257); everything else must fit.
    const bool may_be_cut = front.kind == FI_CONNREQ || front.kind == FI_CONNECTED;
    const std::size_t least =
        may_be_cut ? std::min(front.data.size(), sizeof(fi_eq_cm_entry)) : front.data.size();
    if (len < least)
        return -FI_ETOOSMALL;
    const std::size_t taken = std::min(len, front.data.size());
    *event = front.kind;
    if (taken)
        std::memcpy(buf, front.data.data(), taken);
    if (!(flags & FI_PEEK))
        pop();
    return static_cast<ssize_t>(taken);
}

ssize_t EventQueue::eq_readerr(fi_eq_err_entry* buf, std::uint64_t flags) noexcept
{
    const std::lock_guard guard(lock_);
    if (events_.empty() || !events_.front().is_error)
        return -FI_EAGAIN;
    Event& front = events_.front();
    // B10: before 1.5 the caller's structure ends before err_data_size.
    const bool sized = api_version_ >= FI_VERSION(1, 5);
    buf->fid = front.error.fid;
    buf->context = front.error.context;
    buf->data = front.error.data;
    buf->err = front.error.err;
    buf->prov_errno = front.error.prov_errno;
    if (sized && buf->err_data_size) {
        buf->err_data_size = std::min(buf->err_data_size, front.data.size());
        if (buf->err_data_size)
            std::memcpy(buf->err_data, front.data.data(), buf->err_data_size);
    } else {
        // C248: ours, until the next read.
        if (!(flags & FI_PEEK))
            last_error_data_.swap(front.data);
        std::vector<unsigned char>& kept = flags & FI_PEEK ? front.data : last_error_data_;
        buf->err_data = kept.empty() ? nullptr : kept.data();
        if (sized)
            buf->err_data_size = kept.size();
    }
    if (!(flags & FI_PEEK))
        pop();
    return static_cast<ssize_t>(sized ? sizeof(*buf) : offsetof(fi_eq_err_entry, err_data_size));
}

ssize_t EventQueue::eq_write(std::uint32_t event, const void* buf, std::size_t len,
                             std::uint64_t flags) noexcept
{
    if (!writable_)
        return no(-FI_EINVAL, "fi_eq_write", "the event queue was opened without FI_WRITE");
    if (flags)
        return no(-FI_EBADFLAGS, "fi_eq_write", "flags are not 0");
    const int ret = post(event, buf, len);
    return ret ? ret : static_cast<ssize_t>(len);
}

ssize_t EventQueue::eq_sread(std::uint32_t* event, void* buf, std::size_t len, int timeout,
                             std::uint64_t flags) noexcept
{
    if (wait_obj_ == FI_WAIT_NONE)
        return no(-FI_EINVAL, "fi_eq_sread", "the event queue was opened with FI_WAIT_NONE");
    for (const Deadline deadline(timeout);;) {
        const ssize_t ret = eq_read(event, buf, len, flags);
        if (ret != -FI_EAGAIN || deadline.left() == 0)
            return ret;
        if (wait_obj_ == FI_WAIT_YIELD)
            sched_yield();
        else
            sleep_on(wait_fd_, deadline);
    }
}

const char* EventQueue::eq_strerror(int prov_errno, const void*, char* buf, std::size_t len) noexcept
{
    return error_text(prov_errno, buf, len);
}

int EventQueue::close() noexcept
{
    if (users())
        return refuse_close(parent().provider(), FI_LOG_EQ, "event queue", users(), "objects bound to it");
    delete this;
    return 0;
}

int EventQueue::control(int command, void* arg) noexcept
{
    return control_wait(wait_obj_, wait_fd_, command, arg);
}

int EventQueue::try_wait() noexcept
{
    const std::lock_guard guard(lock_);
    return events_.empty() ? 0 : -FI_EAGAIN;
}

} // namespace fi::kit
