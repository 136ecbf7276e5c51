// SPDX-License-Identifier: BSD-2-Clause
//
// What a check works with: an endpoint with all that it needs, and two of them that know each other, in one
// process. Every wait is bounded by patience() (isolated.hpp).
#pragma once

#include "subject.hpp"

#include <chrono>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_tagged.h>
#include <string>
#include <vector>

namespace conform {

struct CloseFid {
    template <class F>
    void operator()(F* object) const
    {
        EXPECT_EQ(fi_close(&object->fid), 0);
    }
};
template <class F>
using Owned = std::unique_ptr<F, CloseFid>;

/// Thrown by what opens objects when the provider does not claim what they need; skips the check.
struct NotClaimed {
    std::string what;
};

/// What a check wants different from the usual.
struct Wish {
    fi_threading threading = FI_THREAD_SAFE;
    fi_progress progress = FI_PROGRESS_UNSPEC;
    std::uint64_t caps = FI_MSG | FI_TAGGED | FI_SOURCE | FI_DIRECTED_RECV; ///< checks begin with less
    fi_ep_type type = FI_EP_RDM;
    std::size_t queue_size = 0;
    std::uint64_t select_transmit = 0; ///< FI_SELECTIVE_COMPLETION or 0
    std::uint64_t select_receive = 0;
    fi_cq_format format = FI_CQ_FORMAT_TAGGED;
    fi_wait_obj wait = FI_WAIT_NONE;
    std::uint32_t api = kApi;
    std::uint32_t addr_format = FI_FORMAT_UNSPEC;
    const char* service = nullptr; ///< port to listen on, on any interface
    bool anywhere = false;         ///< bound to no address at all
};

Info hints_for(const Wish& wish);

/// The first entry for the wish. Throws NotClaimed if that is because of a capability, a wait object or a
/// mode; a provider that finds nothing although it claims all of it breaks a rule.
Info info_for(const Wish& wish);

/// Calls an opening function and owns what it opened. Throws std::runtime_error if it failed.
template <class F, class Open>
Owned<F> open(const char* what, Open&& how)
{
    F* raw = nullptr;
    if (const int ret = how(&raw))
        throw std::runtime_error(std::string(what) + ": " + fi_strerror(-ret));
    return Owned<F>(raw);
}

/// Everything one side needs, enabled unless it is said otherwise. Members are closed in reverse order.
struct Node {
    Info info;
    Owned<fid_fabric> fabric;
    Owned<fid_domain> domain;
    Owned<fid_av> av;
    Owned<fid_cq> cq;
    Owned<fid_ep> ep;

    explicit Node(const Wish& wish = {}) : Node(wish, true) {}
    Node(const Wish& wish, bool enabled);

    [[nodiscard]] std::vector<char> name() const;
    [[nodiscard]] fi_addr_t insert(const std::vector<char>& peer) const;
    void bind(fid* object, std::uint64_t flags) const { EXPECT_EQ(fi_ep_bind(ep.get(), object, flags), 0); }
};

/// A domain of the wish's kind and nothing in it.
struct Empty {
    Info info;
    Owned<fid_fabric> fabric;
    Owned<fid_domain> domain;

    explicit Empty(const Wish& wish);
};

/// One entry of a completion queue, success or error.
struct Completion {
    fi_cq_tagged_entry entry{};
    fi_addr_t source = FI_ADDR_NOTAVAIL;
    fi_cq_err_entry error{};
    bool failed = false;
};

/// Reads one entry if there is one; true then.
bool read_one(fid_cq* cq, Completion& out);

/// Until a condition holds, calls `drive`; false, and a failure of the check, when patience ends first.
bool wait_until(
    const std::function<bool()>& condition, const std::function<void()>& drive = [] {});

/// Two nodes. `a` knows `b` as to_b and the other way round.
struct Pair {
    Node a, b;
    fi_addr_t to_b, to_a;

    explicit Pair(const Wish& wish = {})
        : a(wish), b(wish), to_b(a.insert(b.name())), to_a(b.insert(a.name()))
    {
    }

    /// The next completion of that side, driving both; a failed one, and a failure of the check, when none
    /// comes.
    Completion next(const Node& side) const;

    /// Drives both sides so often that what can happen has happened, and takes what `side` then has; false if
    /// it has nothing. For what must not come.
    bool anything(const Node& side, Completion& out) const;

    /// Drives a side without taking anything from its queue.
    static void progress(const Node& side);

    /// Posts until it is accepted, driving both sides.
    void post(const std::function<ssize_t()>& what) const;

    // The calls that most checks make, until they are accepted.
    void tsend(const void* buf, std::size_t size, std::uint64_t tag, void* context = nullptr) const;
    void tinject(const void* buf, std::size_t size, std::uint64_t tag) const;
    void trecv(void* buf, std::size_t size, std::uint64_t tag, std::uint64_t ignore = 0,
               void* context = nullptr, fi_addr_t source = FI_ADDR_UNSPEC) const;
};

/// Bytes that differ with the seed and the position.
std::vector<unsigned char> pattern(std::size_t size, unsigned seed);

inline void* context(std::uintptr_t number)
{
    return reinterpret_cast<void*>(number);
}

} // namespace conform
