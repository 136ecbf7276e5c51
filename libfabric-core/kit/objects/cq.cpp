// SPDX-License-Identifier: BSD-2-Clause
#include "kit/objects/cq.hpp"

#include <bit>
#include <cstring>

namespace fi::kit {
namespace {

constexpr std::size_t kDefaultSize = 1024;
constexpr std::size_t kMostEntries = std::size_t{1} << 30;

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

ErrorData* data_of(const fi_hot_completion& done) noexcept
{
    return done.err == FI_EADDRNOTAVAIL ? reinterpret_cast<ErrorData*>(done.source) : nullptr;
}

} // namespace

int CompletionQueueBase::check(const fi_provider& provider, const fi_cq_attr& attr) noexcept
{
    const auto no = [&](int error, const char* what, unsigned long long value) {
        return refuse(provider, FI_LOG_CQ, error, "fi_cq_open", "%s %llu is not supported", what, value);
    };
    if (attr.flags & FI_PEER)
        return refuse(provider, FI_LOG_CQ, -FI_EINVAL, "fi_cq_open", "FI_PEER is not supported");
    if (attr.flags & ~FI_AFFINITY)
        return no(-FI_EBADFLAGS, "fi_cq_attr.flags", attr.flags);
    if (attr.format > FI_CQ_FORMAT_TAGGED)
        return no(-FI_EINVAL, "fi_cq_attr.format", attr.format);
    if (attr.size > kMostEntries)
        return no(-FI_EINVAL, "fi_cq_attr.size", attr.size);
    return serves(attr.wait_obj) ? 0 : no(-FI_ENOSYS, "fi_cq_attr.wait_obj", attr.wait_obj);
}

CompletionQueueBase::CompletionQueueBase(Parent& domain, const fi_cq_attr& attr, std::uint32_t api_version,
                                         void* context)
    : fi_hot_cq{}, ProgressDriver(attr.wait_obj, schedule), Child(domain, fid.fid), api_version_(api_version)
{
    const std::size_t capacity = std::bit_ceil(attr.size ? attr.size : kDefaultSize);
    slots_ = std::make_unique<fi_hot_completion[]>(capacity);
    ring.slots = slots_.get();
    ring.mask = capacity - 1;
    entry_size = kit::entry_size(attr.format);
    fid.fid.fclass = FI_CLASS_CQ;
    fid.fid.context = context;
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
        CompletionRecord* const record = *link;
        if (record->owner == owner) {
            delete data_of(record->done);
            *link = record->next_done;
            record->recycle(record);
        } else {
            link = &(*link)->next_done;
        }
    }
    overflow_end_ = link;
}

CompletionQueueBase::~CompletionQueueBase()
{
    for (; !fi_hot_ring_empty(&ring); ring.head++)
        delete data_of(*fi_hot_ring_front(&ring));
}

void CompletionQueueBase::look() noexcept
{
    ProgressDriver::look();
    // A look that was cut short because the ring filled up must be followed by another one.
    if (overflow_)
        look_soon();
}

ssize_t CompletionQueueBase::read_slow(void* buf, std::size_t count, fi_addr_t* sources) noexcept
{
    // Ready entries are handed out first: they cost no system call. But unsent bytes wait for a look and must
    // not starve.
    if (!ready() || count == 0 || fi_hot_look_is_due(&schedule))
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
    last_data_.reset(data_of(*entry));
    if (last_data_)
        buf->olen = 0;
    const std::size_t size = last_data_ ? last_data_->size : 0;
    // A buffer that the caller brought gets what fits (D190); without one the pointer is ours to set (D191).
    if (api_version_ < FI_VERSION(1, 5) || buf->err_data_size == 0) {
        buf->err_data = last_data_ ? last_data_->bytes : nullptr;
        if (api_version_ >= FI_VERSION(1, 5))
            buf->err_data_size = size;
    } else {
        buf->err_data_size = std::min(buf->err_data_size, size);
        if (buf->err_data_size)
            std::memcpy(buf->err_data, last_data_->bytes, buf->err_data_size);
    }
    if (api_version_ >= FI_VERSION(1, 20))
        buf->src_addr = FI_ADDR_NOTAVAIL;
    ring.head++;
    refill();
    return 1;
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
    if (wait_kind() == FI_WAIT_NONE)
        return refuse(parent().provider(), FI_LOG_CQ, -FI_EINVAL, "fi_cq_sread",
                      "the completion queue was opened with FI_WAIT_NONE"); // D201
    for (const Deadline deadline(timeout);;) {
        bool armed = false;
        {
            const std::lock_guard guard(lock_);
            look_at_all();
            const ssize_t ret = read_slow(buf, count, sources);
            if (ret != -FI_EAGAIN)
                return ret;
            if (take_signal())
                return -FI_EAGAIN;
            armed = arm();
        }
        if (deadline.left() == 0)
            return -FI_EAGAIN;
        rest(armed, deadline);
    }
}

template class CompletionQueue<NoLock>;
template class CompletionQueue<Mutex>;

} // namespace fi::kit
