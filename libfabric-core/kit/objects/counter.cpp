// SPDX-License-Identifier: BSD-2-Clause
#include "kit/objects/counter.hpp"

#include "kit/objects/refuse.hpp"

#include <cstring>

namespace fi::kit {

int CounterBase::check(const fi_provider& provider, const fi_cntr_attr& attr) noexcept
{
    const auto no = [&](int error, const char* what, unsigned long long value) {
        return refuse(provider, FI_LOG_CNTR, error, "fi_cntr_open", "%s %llu is not supported", what, value);
    };
    if (attr.flags & FI_PEER)
        return refuse(provider, FI_LOG_CNTR, -FI_EINVAL, "fi_cntr_open", "FI_PEER is not supported");
    if (attr.flags) // D236
        return no(-FI_EBADFLAGS, "fi_cntr_attr.flags", attr.flags);
    // As a number: an application in C may put anything here, and C++ may assume that an enum holds nothing
    // else than its enumerators.
    std::uint32_t events = 0;
    static_assert(sizeof events == sizeof attr.events);
    std::memcpy(&events, &attr.events, sizeof events);
    if (events != FI_CNTR_EVENTS_COMP && events != FI_CNTR_EVENTS_BYTES)
        return no(-FI_EINVAL, "fi_cntr_attr.events", events);
    return serves(attr.wait_obj) ? 0 : no(-FI_ENOSYS, "fi_cntr_attr.wait_obj", attr.wait_obj);
}

CounterBase::CounterBase(Parent& domain, const fi_cntr_attr& attr, void* context)
    : fi_hot_cntr{}, ProgressDriver(attr.wait_obj, schedule), Child(domain, fid.fid),
      counts_bytes_(attr.events == FI_CNTR_EVENTS_BYTES)
{
    fid.fid.fclass = FI_CLASS_CNTR;
    fid.fid.context = context;
}

template <class Lock>
int Counter<Lock>::cntr_wait(std::uint64_t threshold, int timeout) noexcept
{
    if (wait_kind() == FI_WAIT_NONE) // D234
        return refuse(parent().provider(), FI_LOG_CNTR, -FI_EINVAL, "fi_cntr_wait",
                      "the counter was opened with FI_WAIT_NONE");
    for (const Deadline deadline(timeout);;) {
        bool armed = false;
        {
            const std::lock_guard guard(lock_);
            look_at_all();
            look();
            if (value >= threshold) {
                seen = value;
                return 0;
            }
            if (has_new_errors())
                return -FI_EAVAIL;
            armed = arm();
        }
        if (deadline.left() == 0)
            return -FI_ETIMEDOUT;
        rest(armed, deadline);
    }
}

template <class Lock>
int Counter<Lock>::close() noexcept
{
    if (users())
        return refuse_close(parent().provider(), FI_LOG_CNTR, "counter", users(), "endpoints");
    delete this;
    return 0;
}

template class Counter<NoLock>;
template class Counter<Mutex>;

} // namespace fi::kit
