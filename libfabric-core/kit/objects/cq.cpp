// SPDX-License-Identifier: BSD-2-Clause
#include "kit/objects/cq.hpp"

#include "kit/objects/clock.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace fi::kit {
namespace {

constexpr std::int64_t kReadsPerLook = 64; // at everything
constexpr std::uint64_t kLookMicroseconds = 20;
constexpr std::size_t kDefaultSize = 1024;

std::uint32_t entry_size(fi_cq_format format) noexcept
{
    switch (format) {
    case FI_CQ_FORMAT_MSG:
        return sizeof(fi_cq_msg_entry);
    case FI_CQ_FORMAT_DATA:
        return sizeof(fi_cq_data_entry);
    case FI_CQ_FORMAT_TAGGED:
        return sizeof(fi_cq_tagged_entry);
    default:
        return sizeof(fi_cq_entry);
    }
}

void wake_for(int epoll, int fd)
{
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = fd;
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event))
        throw std::system_error(errno, std::generic_category());
}

} // namespace

int CompletionQueueBase::check(const fi_cq_attr& attr) noexcept
{
    if (attr.format > FI_CQ_FORMAT_TAGGED || attr.size > (std::size_t{1} << 30))
        return -FI_EINVAL;
    return serves(attr.wait_obj) ? 0 : -FI_ENOSYS;
}

CompletionQueueBase::CompletionQueueBase(std::atomic<std::size_t>& siblings, const fi_cq_attr& attr,
                                         std::uint32_t api_version, void* context)
    : fi_hot_cq{}, wait_obj_(attr.wait_obj), look_period_(kLookMicroseconds * ticks_per_microsecond()),
      api_version_(api_version), siblings_(siblings)
{
    const std::size_t capacity = std::bit_ceil(attr.size ? attr.size : kDefaultSize);
    slots_ = std::make_unique<fi_hot_completion[]>(capacity);
    ring.slots = slots_.get();
    ring.mask = capacity - 1;
    entry_size = kit::entry_size(attr.format);
    fid.fid.fclass = FI_CLASS_CQ;
    fid.fid.context = context;
    if (has_descriptor(wait_obj_)) {
        try {
            wait_fd_ = epoll_create1(EPOLL_CLOEXEC);
            signal_fd_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
            if (wait_fd_ < 0 || signal_fd_ < 0)
                throw std::system_error(errno, std::generic_category());
            wake_for(wait_fd_, signal_fd_);
        } catch (...) {
            ::close(wait_fd_);
            ::close(signal_fd_);
            throw;
        }
    }
    siblings_.fetch_add(1, std::memory_order_relaxed);
}

CompletionQueueBase::~CompletionQueueBase()
{
    if (wait_fd_ >= 0)
        ::close(wait_fd_);
    if (signal_fd_ >= 0)
        ::close(signal_fd_);
    siblings_.fetch_sub(1, std::memory_order_relaxed);
}

void CompletionQueueBase::push(CompletionRecord* record) noexcept
{
    if (has_room()) {
        push(record->done);
        record->recycle(record);
        return;
    }
    record->next_done = nullptr;
    *overflow_end_ = record;
    overflow_end_ = &record->next_done;
    look_soon();
}

void CompletionQueueBase::refill() noexcept
{
    while (overflow_ && !fi_hot_ring_full(&ring)) {
        CompletionRecord* record = overflow_;
        overflow_ = record->next_done;
        push(record->done);
        record->recycle(record);
    }
    if (!overflow_)
        overflow_end_ = &overflow_;
}

void CompletionQueueBase::forget(const void* owner) noexcept
{
    CompletionRecord** link = &overflow_;
    while (*link) {
        if ((*link)->owner == owner)
            *link = (*link)->next_done;
        else
            link = &(*link)->next_done;
    }
    overflow_end_ = link;
}

void CompletionQueueBase::add_source(const ProgressSource& source)
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

void CompletionQueueBase::remove_source(const void* self) noexcept
{
    const auto found =
        std::find_if(sources_.begin(), sources_.end(), [&](auto& source) { return source.self == self; });
    if (found == sources_.end())
        return;
    if (wait_fd_ >= 0)
        epoll_ctl(wait_fd_, EPOLL_CTL_DEL, found->wait_fd, nullptr);
    sources_.erase(found);
}

void CompletionQueueBase::look() noexcept
{
    const std::uint64_t now = fi_hot_clock();
    reads_until_all_ -= granted_ - idle_reads + 1;
    const bool all = reads_until_all_ <= 0 || static_cast<std::int64_t>(now - look_at) >= 0;
    if (all) {
        reads_until_all_ = kReadsPerLook;
        look_at = now + look_period_;
    }
    bool busy = false;
    watches = 0;
    for (const ProgressSource& source : sources_) {
        busy |= source.look(source.self, all);
        const std::size_t room = FI_HOT_WATCHES - watches;
        const std::size_t wanted = source.watch(source.self, watch + watches, room);
        busy |= wanted > room;
        watches += static_cast<std::uint32_t>(std::min(wanted, room));
    }
    // A look that was cut short because the ring filled up must be followed by another one.
    idle_reads =
        busy || overflow_ ? 0 : static_cast<std::uint32_t>(std::max<std::int64_t>(reads_until_all_ - 1, 0));
    granted_ = idle_reads;
}

ssize_t CompletionQueueBase::read_slow(void* buf, std::size_t count, fi_addr_t* sources) noexcept
{
    // Ready entries are handed out first: they cost no system call. But unsent bytes wait for a look and must
    // not starve.
    if (!ready() || count == 0 || idle_reads == 0 || static_cast<std::int64_t>(fi_hot_clock() - look_at) >= 0)
        look();
    std::size_t taken = 0;
    for (; taken < count && ready(); taken++) {
        const fi_hot_completion* entry = fi_hot_ring_front(&ring);
        if (entry->err)
            break;
        buf = fi_hot_convert(entry, buf, entry_size);
        if (sources)
            sources[taken] = entry->source;
        ring.head++;
    }
    if (taken) {
        refill();
        return static_cast<ssize_t>(taken);
    }
    if (count == 0)
        return 0;
    return ready() ? -FI_EAVAIL : -FI_EAGAIN;
}

// The entry grew with the API: a caller of an older version has less memory behind `buf` than today's
// structure.
ssize_t CompletionQueueBase::read_error(fi_cq_err_entry* buf) noexcept
{
    if (!ready())
        look();
    if (!ready() || !fi_hot_ring_front(&ring)->err)
        return -FI_EAGAIN;
    const fi_hot_completion* entry = fi_hot_ring_front(&ring);
    buf->op_context = entry->op_context;
    buf->flags = entry->flags;
    buf->len = entry->len;
    buf->buf = entry->buf;
    buf->data = entry->data;
    buf->tag = entry->tag;
    buf->olen = entry->source;
    buf->err = entry->err;
    buf->prov_errno = entry->prov_errno;
    // There is never any error data. A buffer that the caller brought stays what it is (D190); without one
    // the pointer is ours to set (D191).
    if (api_version_ < FI_VERSION(1, 5) || buf->err_data_size == 0)
        buf->err_data = nullptr;
    else
        buf->err_data_size = 0;
    if (api_version_ >= FI_VERSION(1, 20))
        buf->src_addr = FI_ADDR_NOTAVAIL;
    ring.head++;
    refill();
    return 1;
}

bool CompletionQueueBase::arm() noexcept
{
    bool may_sleep = !overflow_;
    for (const ProgressSource& source : sources_)
        may_sleep &= source.arm(source.self);
    return may_sleep;
}

bool CompletionQueueBase::take_signal() noexcept
{
    std::uint64_t count = 0;
    return signal_fd_ >= 0 && ::read(signal_fd_, &count, sizeof count) == sizeof count;
}

int CompletionQueueBase::send_signal() noexcept
{
    const std::uint64_t one = 1;
    if (signal_fd_ < 0)
        return -FI_ENOSYS;
    return ::write(signal_fd_, &one, sizeof one) == sizeof one || errno == EAGAIN ? 0 : -errno;
}

int offer_direct_layout(const char* name, std::uint64_t flags, bool fits, const fi_direct_layout& layout,
                        void** ops) noexcept
{
    if (!name || std::strcmp(name, FI_DIRECT_LAYOUT_NAME) != 0)
        return -FI_ENOSYS;
    if (flags)
        return -FI_EBADFLAGS;
    if (!fits)
        return -FI_EOPNOTSUPP;
    *ops = const_cast<fi_direct_layout*>(&layout);
    return 0;
}

template <class Lock>
ssize_t CompletionQueue<Lock>::wait_for(void* buf, std::size_t count, fi_addr_t* sources,
                                        int timeout) noexcept
{
    if (wait_obj_ == FI_WAIT_NONE)
        return -FI_EINVAL;
    for (const Deadline deadline(timeout);;) {
        bool may_sleep = false;
        {
            const std::lock_guard guard(lock_);
            look_at_all();
            const ssize_t ret = read_slow(buf, count, sources);
            if (ret != -FI_EAGAIN)
                return ret;
            may_sleep = wait_obj_ != FI_WAIT_YIELD && arm();
        }
        if (take_signal())
            return -FI_EAGAIN;
        if (deadline.left() == 0)
            return -FI_EAGAIN;
        if (may_sleep)
            sleep_on(wait_fd_, deadline);
        else
            sched_yield();
    }
}

template class CompletionQueue<NoLock>;
template class CompletionQueue<Mutex>;

} // namespace fi::kit
