// SPDX-License-Identifier: BSD-2-Clause
//
// The address vector's slots, look-ups and life; inserting is in av_insert.cpp.

#include "kit/objects/av.hpp"

#include "kit/objects/eq.hpp"
#include "kit/objects/guard.hpp"
#include "kit/objects/refuse.hpp"

#include <algorithm>
#include <functional>
#include <mutex>

namespace fi::kit {

int AddressVector::check(const fi_provider& provider, const fi_av_attr& attr) noexcept
{
    const auto no = [&](int error, const char* why) {
        return refuse(provider, FI_LOG_AV, error, "fi_av_open", "%s", why);
    };
    // FI_SYMMETRIC promises something about the application's processes that nothing here needs.
    constexpr uint64_t kFlags = FI_EVENT | FI_READ | FI_SYMMETRIC;
    constexpr int kMostContextBits = 32; // an index takes the other half
    if (attr.type != FI_AV_UNSPEC && attr.type != FI_AV_MAP && attr.type != FI_AV_TABLE)
        return no(-FI_EINVAL, "there is no such fi_av_attr.type");
    if (attr.rx_ctx_bits < 0 || attr.rx_ctx_bits > kMostContextBits)
        return no(-FI_EINVAL, "fi_av_attr.rx_ctx_bits is not between 0 and 32");
    if (attr.flags & FI_AV_USER_ID)
        return no(-FI_EBADFLAGS, "FI_AV_USER_ID is a capability that the domain does not have"); // C199
    if (attr.flags & ~kFlags)
        return no(-FI_EBADFLAGS, "fi_av_attr.flags has others than FI_EVENT, FI_READ and FI_SYMMETRIC");
    if (attr.name)
        return no(-FI_ENOSYS, "shared address vectors (fi_av_attr.name) are not supported");
    return attr.flags & FI_READ ? no(-FI_EINVAL, "FI_READ needs a name") : 0; // C194
}

int AddressVector::no(int error, const char* call, const char* why, int line_of_source) const noexcept
{
    return refuse(parent().provider(), FI_LOG_AV, error, {call, line_of_source}, "%s", why);
}

AddressVector::AddressVector(Parent& domain, fi_av_attr& attr, std::uint32_t addr_format, void* context)
    : AddressVectorHandle{}, Child(domain, fid.fid), addr_format_(addr_format),
      rx_ctx_bits_(attr.rx_ctx_bits), type_(attr.type == FI_AV_UNSPEC ? FI_AV_TABLE : attr.type),
      asynchronous_((attr.flags & FI_EVENT) != 0)
{
    attr.type = type_; // C184
    fid.fid.fclass = FI_CLASS_AV;
    fid.fid.context = context;
    fid.fid.ops = table<AddressVector, fi_ops>();
    fid.ops = table<AddressVector, fi_ops_av>();
}

AddressVector::~AddressVector()
{
    if (events_)
        events_->unuse();
}

const Address* AddressVector::at(fi_addr_t fi_addr) const noexcept
{
    const Slot* slot = slots_.find(index_of(fi_addr));
    return slot && slot->live.load(std::memory_order_acquire) ? &slot->address : nullptr;
}

fi_addr_t AddressVector::find(const Address& address) const noexcept
{
    const std::lock_guard guard(index_lock_);
    fi_addr_t lowest = FI_ADDR_NOTAVAIL;
    const auto [begin, end] = index_.equal_range(address);
    for (auto one = begin; one != end; ++one)
        lowest = std::min(lowest, one->second);
    return lowest;
}

fi_addr_t AddressVector::add(const Address& address)
{
    const bool reused = !free_.empty();
    const fi_addr_t addr = reused ? free_.front() : used_end_;
    if (addr >= kMostAddresses)
        throw std::system_error(ENOSPC, std::generic_category());
    Slot& slot = slots_.grow_to(addr);
    if (!reused && free_.capacity() <= used_end_)
        free_.reserve(std::max<size_t>(2 * used_end_, 64)); // so that drop() cannot fail
    {
        const std::lock_guard guard(index_lock_);
        index_.emplace(address, addr);
    }
    if (reused) {
        std::pop_heap(free_.begin(), free_.end(), std::greater<>{});
        free_.pop_back();
    } else {
        ++used_end_;
    }
    slot.address = address;
    slot.live.store(true, std::memory_order_release);
    version_.fetch_add(1, std::memory_order_release);
    for (const AvListener& listener : listeners_)
        if (listener.inserted)
            listener.inserted(listener.who, addr);
    return addr;
}

bool AddressVector::drop(fi_addr_t fi_addr) noexcept
{
    const fi_addr_t addr = index_of(fi_addr);
    Slot* slot = slots_.find(addr);
    if (!slot || !slot->live.load(std::memory_order_relaxed))
        return false;
    {
        const std::lock_guard guard(index_lock_);
        const auto [begin, end] = index_.equal_range(slot->address);
        const auto entry = std::find_if(begin, end, [&](const auto& one) { return one.second == addr; });
        if (entry != end)
            index_.erase(entry);
    }
    slot->live.store(false, std::memory_order_release);
    version_.fetch_add(1, std::memory_order_release);
    for (const AvListener& listener : listeners_)
        listener.removed(listener.who, addr);
    free_.push_back(addr);
    std::push_heap(free_.begin(), free_.end(), std::greater<>{});
    return true;
}

int AddressVector::av_remove(fi_addr_t* fi_addr, std::size_t count, std::uint64_t flags) noexcept
{
    if (flags)
        return no(-FI_EBADFLAGS, "fi_av_remove", "flags are not 0");
    if (!count)
        return 0;
    if (!fi_addr)
        return no(-FI_EINVAL, "fi_av_remove", "there is no array");
    const std::lock_guard guard(control_);
    if (!std::all_of(fi_addr, fi_addr + count, [&](fi_addr_t one) { return at(one) != nullptr; }))
        return no(-FI_EINVAL, "fi_av_remove", "one of these is not in the address vector"); // C179
    bool twice = false;
    for (std::size_t i = 0; i < count; ++i)
        twice = !drop(fi_addr[i]) || twice;
    return twice ? no(-FI_EINVAL, "fi_av_remove", "one of these is in the array twice") : 0;
}

int AddressVector::av_lookup(fi_addr_t fi_addr, void* addr, std::size_t* addrlen) noexcept
{
    if (!addrlen)
        return no(-FI_EINVAL, "fi_av_lookup", "there is no addrlen");
    return guarded([&] {
        const std::lock_guard guard(control_);
        const Address* address = at(fi_addr);
        if (!address)
            return no(-FI_EINVAL, "fi_av_lookup", "it is not in the address vector");
        *addrlen = address->store(addr_format_, addr, *addrlen); // C182: a short buffer is no error
        return 0;
    });
}

const char* AddressVector::av_straddr(const void* addr, char* buf, std::size_t* len) noexcept
{
    if (!len || !addr)
        return nullptr;
    const int status = guarded([&] {
        // The bytes come without a length, so the format and the family in them have to tell.
        const bool text = addr_format_ == FI_ADDR_STR;
        sa_family_t family = AF_UNSPEC;
        if (!text)
            std::copy_n(static_cast<const char*>(addr) + offsetof(sockaddr, sa_family), sizeof(family),
                        reinterpret_cast<char*>(&family));
        constexpr size_t kLongestText = 2048; // of a text the end is its NUL
        const size_t size = text                 ? kLongestText
                            : family == AF_INET6 ? sizeof(sockaddr_in6)
                                                 : sizeof(sockaddr_in);
        const auto address = Address::load(addr_format_, addr, size);
        *len = address.value_or(Address()).store(FI_ADDR_STR, buf, buf ? *len : 0);
        return 0;
    });
    return status ? nullptr : buf;
}

int AddressVector::bind(struct fid* queue, std::uint64_t flags) noexcept
{
    if (!queue || queue->fclass != FI_CLASS_EQ)
        return no(-FI_EINVAL, "fi_av_bind", "only an event queue can be bound");
    if (!asynchronous_)
        return no(-FI_EINVAL, "fi_av_bind", "the address vector was opened without FI_EVENT");
    if (flags)
        return no(-FI_EBADFLAGS, "fi_av_bind", "flags are not 0");
    const std::lock_guard guard(control_);
    if (events_)
        return no(-FI_EINVAL, "fi_av_bind", "the address vector has an event queue");
    events_ = &object<EventQueue>(queue);
    events_->use();
    return 0;
}

void AddressVector::listen(const AvListener& listener)
{
    const std::lock_guard guard(control_);
    listeners_.push_back(listener);
}

void AddressVector::unlisten(const void* who) noexcept
{
    const std::lock_guard guard(control_);
    std::erase_if(listeners_, [who](const AvListener& one) { return one.who == who; });
}

int AddressVector::close() noexcept
{
    {
        const std::lock_guard guard(control_);
        if (const std::size_t in_use = std::max(listeners_.size(), users())) // C183
            return refuse_close(parent().provider(), FI_LOG_AV, "address vector", in_use, "endpoints");
    }
    delete this;
    return 0;
}

} // namespace fi::kit
