// SPDX-License-Identifier: BSD-2-Clause
//
// The completion queue: where operations end and where progress begins (progress.hpp says when transports are
// looked at). The reads that neither look nor convert an error are fi_hot_cq_read(), inlined.
//
// Completions that find the ring full wait in a list made of their own operation records, so a full ring
// needs no memory and loses nothing; posting is refused while such a list exists.
#pragma once

#include "kit/objects/lock.hpp"
#include "kit/objects/parent.hpp"
#include "kit/objects/progress.hpp"
#include "kit/objects/refuse.hpp"
#include "kit/ops/table.hpp"

#include <memory>
#include <rdma/direct/layout.h>
#include <rdma/hot/cq.h>

namespace fi::kit {

/// An accepted operation that has finished, or will: the base of every operation record.
struct CompletionRecord {
    fi_hot_completion done{};
    CompletionRecord* next_done = nullptr;
    void* owner = nullptr; ///< the endpoint
    /// Gives the record back to its owner. Called once the completion is in the ring.
    void (*recycle)(CompletionRecord*) noexcept = nullptr;
};

/// Error data of an entry (err_data): what a std::uint64_t `source` leads to in an error of FI_EADDRNOTAVAIL,
/// or 0. Allocated with new; the queue owns it once the completion has been pushed.
struct ErrorData {
    std::size_t size = 0; ///< bytes used
    unsigned char bytes[96]{};
};
constexpr std::size_t kMaxErrorData = sizeof ErrorData::bytes;

/// Everything about a completion queue that does not depend on locking. Not thread safe.
class CompletionQueueBase : public fi_hot_cq, public ProgressDriver, public Child {
  public:
    using Handle = fi_hot_cq;

    /// Throws std::bad_alloc, std::system_error. api_version: what the application passed to fi_getinfo.
    CompletionQueueBase(Parent& domain, const fi_cq_attr& attr, std::uint32_t api_version, void* context);
    ~CompletionQueueBase();
    CompletionQueueBase(const CompletionQueueBase&) = delete;
    CompletionQueueBase& operator=(const CompletionQueueBase&) = delete;

    /// 0, or the refusal of attributes that cannot be served: -FI_ENOSYS, -FI_EINVAL, -FI_EBADFLAGS.
    static int check(const fi_provider& provider, const fi_cq_attr& attr) noexcept;

    /// Whether a completion without a record could be pushed now.
    [[nodiscard]] bool has_room() noexcept { return ring.tail < room_until_ || find_room(); }
    /// Requires has_room(): where the next completion is written, and that it has been.
    fi_hot_completion& next() noexcept { return ring.slots[ring.tail & ring.mask]; }
    void push_next() noexcept
    {
        ring.tail++;
        wake();
    }
    /// Requires has_room().
    void push(const fi_hot_completion& done) noexcept
    {
        next() = done;
        push_next();
    }
    /// Queues record->done and recycles the record, now or when there is room.
    void push(CompletionRecord* record) noexcept;
    /// Drops the waiting completions of a closing owner, which gets its records back.
    void forget(const void* owner) noexcept;

    /// For fi_trywait(): 0 when sleeping on the wait object cannot miss anything, else -FI_EAGAIN.
    int try_wait() noexcept { return try_wait_(*this); }

  protected:
    void look() noexcept;
    ssize_t read_slow(void* buf, std::size_t count, fi_addr_t* sources) noexcept;
    ssize_t read_error(fi_cq_err_entry* buf) noexcept;
    [[nodiscard]] bool ready() const noexcept { return !fi_hot_ring_empty(&ring); }

    int (*try_wait_)(CompletionQueueBase&) noexcept = nullptr; ///< with the lock that the policy needs

  private:
    [[nodiscard]] bool find_room() noexcept
    {
        room_until_ = overflow_ ? ring.tail : ring.head + ring.mask + 1;
        return ring.tail < room_until_;
    }
    void refill() noexcept;

    std::uint64_t room_until_ =
        0; ///< a value of ring.tail up to which there was room when it was looked for last
    std::unique_ptr<fi_hot_completion[]> slots_;
    CompletionRecord* overflow_ = nullptr;
    CompletionRecord** overflow_end_ = &overflow_;
    std::unique_ptr<ErrorData> last_data_; ///< what the last error entry read points to
    std::uint32_t api_version_;
};

/// Answers fi_open_ops(fid, "direct_layout", 0, ...): 0 when code that is inlined into the application may
/// touch the object.
int offer_direct_layout(const char* name, std::uint64_t flags, bool fits, const fi_direct_layout& layout,
                        void** ops) noexcept;

template <class Lock>
class CompletionQueue : public CompletionQueueBase {
  public:
    CompletionQueue(Lock& lock, Parent& domain, const fi_cq_attr& attr, std::uint32_t api_version,
                    void* context)
        : CompletionQueueBase(domain, attr, api_version, context), lock_(lock)
    {
        fid.fid.ops = table<CompletionQueue, fi_ops>();
        fid.ops = table<CompletionQueue, fi_ops_cq>();
        try_wait_ = [](CompletionQueueBase& base) noexcept {
            auto& queue = static_cast<CompletionQueue&>(base);
            const std::lock_guard guard(queue.lock_);
            queue.look_at_all();
            queue.look();
            if (queue.ready())
                return -FI_EAGAIN;
            // A signal wakes who sleeps on the wait object once; left there, it would keep it readable for
            // ever.
            if (queue.take_signal())
                return -FI_EAGAIN;
            return queue.arm() ? 0 : -FI_EAGAIN;
        };
    }

    ssize_t cq_read(void* buf, std::size_t count) noexcept
    {
        const std::lock_guard guard(lock_);
        ssize_t ret = 0;
        return fi_hot_cq_read(this, buf, count, &ret) ? ret : read_slow(buf, count, nullptr);
    }
    ssize_t cq_readfrom(void* buf, std::size_t count, fi_addr_t* sources) noexcept
    {
        const std::lock_guard guard(lock_);
        return read_slow(buf, count, sources);
    }
    ssize_t cq_readerr(fi_cq_err_entry* buf, std::uint64_t) noexcept
    {
        const std::lock_guard guard(lock_);
        return read_error(buf);
    }
    ssize_t cq_sread(void* buf, std::size_t count, const void*, int timeout) noexcept
    {
        return wait_for(buf, count, nullptr, timeout);
    }
    ssize_t cq_sreadfrom(void* buf, std::size_t count, fi_addr_t* sources, const void*, int timeout) noexcept
    {
        return wait_for(buf, count, sources, timeout);
    }
    int cq_signal() noexcept { return signal(); }
    const char* cq_strerror(int prov_errno, const void*, char* buf, std::size_t len) noexcept
    {
        return error_text(prov_errno, buf, len);
    }

    int close() noexcept
    {
        if (users())
            return refuse_close(parent().provider(), FI_LOG_CQ, "completion queue", users(), "endpoints");
        delete this;
        return 0;
    }
    int control(int command, void* arg) noexcept
    {
        return control_wait(wait_kind(), wait_fd(), command, arg);
    }
    /// "direct_layout": what inlined code has to know before it touches this object
    /// (include/rdma/direct/layout.h).
    int ops_open(const char* name, std::uint64_t flags, void** ops, void*) noexcept
    {
        static constexpr fi_direct_layout layout{sizeof layout, FI_HOT_LAYOUT,
                                                 &table_of<CompletionQueue, fi_ops_cq>};
        return offer_direct_layout(name, flags, std::is_same_v<Lock, NoLock>, layout, ops);
    }

  private:
    ssize_t wait_for(void* buf, std::size_t count, fi_addr_t* sources, int timeout) noexcept;

    Lock& lock_;
};

extern template class CompletionQueue<NoLock>;
extern template class CompletionQueue<Mutex>;

} // namespace fi::kit
