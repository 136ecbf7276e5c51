// SPDX-License-Identifier: BSD-2-Clause
//
// The address vector of providers whose names are socket addresses: from fi_addr_t to address without a lock.
//
// Table and map are the same thing here, an index (fi_av.3 encourages that): the lowest free slot for each
// new address. An endpoint looks an address up on its first message and then by index in arrays of its own;
// it is told when one is removed. Inserting, removing and looking up are control calls, thread safe under
// every threading model.
#pragma once

#include "kit/objects/address.hpp"
#include "kit/objects/parent.hpp"
#include "kit/objects/segments.hpp"
#include "kit/ops/table.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <rdma/hot/endpoint.h>
#include <unordered_map>
#include <vector>

namespace fi::kit {

class EventQueue;

struct AddressVectorHandle {
    fid_av fid;
};

/// Somebody who wants to know, usually an endpoint's engine. Called on the thread that changes the vector,
/// with the vector's control lock held: at(), find() and version() may be called from there, nothing that
/// changes the vector.
struct AvListener {
    void* who;
    void (*removed)(void* who, fi_addr_t addr) noexcept;            ///< at() already says no
    void (*inserted)(void* who, fi_addr_t addr) noexcept = nullptr; ///< optional; at() already says yes
};

class AddressVector : public AddressVectorHandle, public Child {
  public:
    using Handle = AddressVectorHandle;
    static constexpr std::size_t kMostAddresses = FI_HOT_MAX_PEERS;

    /// 0, or the refusal of attributes that cannot be served: -FI_EINVAL, -FI_EBADFLAGS, -FI_ENOSYS for a
    /// name (FI_SHARED_AV).
    static int check(const fi_provider& provider, const fi_av_attr& attr) noexcept;

    /// `attr` passed check(); its type is written back where it was left open. `addr_format` is that of the
    /// info which opened the domain. The object frees itself in close().
    AddressVector(Parent& domain, fi_av_attr& attr, std::uint32_t addr_format, void* context);
    ~AddressVector();

    // The API's calls (fi_av.3).
    int av_insert(const void* addr, std::size_t count, fi_addr_t* fi_addr, std::uint64_t flags,
                  void* context) noexcept;
    int av_insertsvc(const char* node, const char* service, fi_addr_t* fi_addr, std::uint64_t flags,
                     void* context) noexcept;
    int av_insertsym(const char* node, std::size_t nodecnt, const char* service, std::size_t svccnt,
                     fi_addr_t* fi_addr, std::uint64_t flags, void* context) noexcept;
    /// All or nothing: -FI_EINVAL if any address is not in the vector.
    int av_remove(fi_addr_t* fi_addr, std::size_t count, std::uint64_t flags) noexcept;
    int av_lookup(fi_addr_t fi_addr, void* addr, std::size_t* addrlen) noexcept;
    const char* av_straddr(const void* addr, char* buf, std::size_t* len) noexcept;
    int bind(struct fid* queue, std::uint64_t flags) noexcept;
    int close() noexcept;

    // What endpoints use.

    /// The address, or nullptr if there is none under this fi_addr_t. The receive context bits of
    /// fi_rx_addr() are ignored. No lock. Valid until it is removed; then the memory stays but may come to
    /// hold another address.
    const Address* at(fi_addr_t fi_addr) const noexcept;

    /// The lowest fi_addr_t of an address, or FI_ADDR_NOTAVAIL. Takes a leaf lock.
    fi_addr_t find(const Address& address) const noexcept;

    /// Changes whenever an address comes or goes, and is never 0: whoever keeps an answer of find() keeps
    /// this beside it.
    std::uint64_t version() const noexcept { return version_.load(std::memory_order_acquire); }

    /// From now on tells about changes, not about what is there already. Throws std::bad_alloc.
    void listen(const AvListener& listener);
    void unlisten(const void* who) noexcept;

    std::uint32_t addr_format() const noexcept { return addr_format_; }
    int rx_ctx_bits() const noexcept { return rx_ctx_bits_; }

  private:
    struct Slot {
        Address address;
        std::atomic<bool> live{false}; ///< set last (release), read first (acquire)
    };

    class Insertion;
    friend class Insertion;

    fi_addr_t add(const Address& address); ///< control lock held; throws std::bad_alloc
    bool drop(fi_addr_t addr) noexcept;    ///< control lock held; false if it is not there
    int no(int error, const char* call, const char* why,
           int line_of_source = __builtin_LINE()) const noexcept;
    fi_addr_t index_of(fi_addr_t addr) const noexcept
    {
        return rx_ctx_bits_ ? addr & (~0ULL >> rx_ctx_bits_) : addr;
    }

    const std::uint32_t addr_format_;
    const int rx_ctx_bits_;
    const fi_av_type type_;
    const bool asynchronous_; ///< FI_EVENT: results go to the event queue
    EventQueue* events_ = nullptr;

    // Lock order: control_ -> locks of listeners -> index_lock_.
    std::mutex control_;
    Segments<Slot> slots_;
    std::size_t used_end_ = 0;    ///< slots that were ever used
    std::vector<fi_addr_t> free_; ///< a heap with the lowest on top; room for all slots is kept reserved
    std::vector<AvListener> listeners_;
    std::atomic<std::uint64_t> version_{1};

    mutable std::mutex index_lock_;
    std::unordered_multimap<Address, fi_addr_t, AddressHash> index_;
};

} // namespace fi::kit
