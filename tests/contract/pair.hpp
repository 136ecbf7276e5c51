// SPDX-License-Identifier: BSD-2-Clause
//
// Two endpoints that know each other, in one process, over whatever provider the environment selects: what
// nearly every contract test begins with. Public API only.
#pragma once

#include <chrono>
#include <cstdlib>
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

namespace contract {

struct CloseFid {
    template <class F>
    void operator()(F* object) const
    {
        EXPECT_EQ(fi_close(&object->fid), 0);
    }
};
template <class F>
using Owned = std::unique_ptr<F, CloseFid>;

struct FreeInfo {
    void operator()(fi_info* info) const { fi_freeinfo(info); }
};
using Info = std::unique_ptr<fi_info, FreeInfo>;

/// What a test wants different from the usual.
struct Wish {
    fi_threading threading = FI_THREAD_SAFE;
    fi_progress progress = FI_PROGRESS_UNSPEC;
    std::uint64_t caps = FI_MSG | FI_TAGGED | FI_SOURCE | FI_DIRECTED_RECV;
    std::size_t queue_size = 0;
    std::uint64_t select_transmit = 0; ///< FI_SELECTIVE_COMPLETION or 0
    std::uint64_t select_receive = 0;
    fi_wait_obj wait = FI_WAIT_NONE;
    std::uint32_t api = FI_VERSION(2, 6);
    std::uint32_t addr_format = FI_FORMAT_UNSPEC;
    const char* service = nullptr; ///< port to listen on, on any interface
    bool anywhere = false;         ///< bound to no address at all
};

inline Info hints_for(const Wish& wish)
{
    Info hints(fi_allocinfo());
    hints->caps = wish.caps;
    hints->addr_format = wish.addr_format;
    hints->ep_attr->type = FI_EP_RDM;
    hints->domain_attr->threading = wish.threading;
    hints->domain_attr->progress = wish.progress;
    hints->fabric_attr->prov_name = strdup("soft");
    return hints;
}

/// Everything one side needs, enabled. Members are closed in reverse order.
struct Node {
    Info info;
    Owned<fid_fabric> fabric;
    Owned<fid_domain> domain;
    Owned<fid_av> av;
    Owned<fid_cq> cq;
    Owned<fid_ep> ep;

    explicit Node(const Wish& wish = {}) : Node(wish, true) {}
    Node(const Wish& wish, bool enabled)
    {
        fi_info* found = nullptr;
        const Info hints = hints_for(wish);
        if (const int ret = fi_getinfo(wish.api, nullptr, wish.service, wish.service ? FI_SOURCE : 0,
                                       hints.get(), &found))
            throw std::runtime_error(std::string("fi_getinfo: ") + fi_strerror(-ret));
        info.reset(found);
        if (wish.anywhere) {
            std::free(info->src_addr);
            info->src_addr = nullptr;
            info->src_addrlen = 0;
        }
        open(fabric, [&](fid_fabric** out) { return fi_fabric(info->fabric_attr, out, nullptr); });
        open(domain, [&](fid_domain** out) { return fi_domain(fabric.get(), info.get(), out, nullptr); });
        fi_av_attr av_attr{};
        open(av, [&](fid_av** out) { return fi_av_open(domain.get(), &av_attr, out, nullptr); });
        fi_cq_attr cq_attr{};
        cq_attr.format = FI_CQ_FORMAT_TAGGED;
        cq_attr.size = wish.queue_size;
        cq_attr.wait_obj = wish.wait;
        open(cq, [&](fid_cq** out) { return fi_cq_open(domain.get(), &cq_attr, out, nullptr); });
        open(ep, [&](fid_ep** out) { return fi_endpoint(domain.get(), info.get(), out, nullptr); });
        if (!enabled)
            return;
        bind(&cq->fid, FI_TRANSMIT | wish.select_transmit);
        bind(&cq->fid, FI_RECV | wish.select_receive);
        bind(&av->fid, 0);
        EXPECT_EQ(fi_enable(ep.get()), 0);
    }

    [[nodiscard]] std::vector<char> name() const
    {
        std::size_t size = 0;
        EXPECT_EQ(fi_getname(&ep->fid, nullptr, &size), -FI_ETOOSMALL);
        std::vector<char> bytes(size);
        EXPECT_EQ(fi_getname(&ep->fid, bytes.data(), &size), 0);
        return bytes;
    }
    fi_addr_t insert(const std::vector<char>& peer) const
    {
        fi_addr_t addr = FI_ADDR_NOTAVAIL;
        EXPECT_EQ(fi_av_insert(av.get(), peer.data(), 1, &addr, 0, nullptr), 1);
        return addr;
    }
    void bind(fid* object, std::uint64_t flags) const { EXPECT_EQ(fi_ep_bind(ep.get(), object, flags), 0); }

  private:
    template <class F, class Open>
    static void open(Owned<F>& to, Open&& how)
    {
        F* raw = nullptr;
        if (const int ret = how(&raw))
            throw std::runtime_error(std::string("cannot open: ") + fi_strerror(-ret));
        to.reset(raw);
    }
};

/// One entry of a completion queue, success or error.
struct Completion {
    fi_cq_tagged_entry entry{};
    fi_addr_t source = FI_ADDR_NOTAVAIL;
    fi_cq_err_entry error{};
    bool failed = false;
};

/// Reads one entry if there is one; true then.
inline bool read_one(fid_cq* cq, Completion& out)
{
    const ssize_t ret = fi_cq_readfrom(cq, &out.entry, 1, &out.source);
    if (ret == -FI_EAVAIL) {
        out.failed = true;
        EXPECT_EQ(fi_cq_readerr(cq, &out.error, 0), 1);
        return true;
    }
    if (ret != 1) {
        EXPECT_EQ(ret, -FI_EAGAIN);
        return false;
    }
    return true;
}

constexpr auto kPatience = std::chrono::seconds(30);

/// Two nodes. `a` knows `b` as to_b and the other way round.
struct Pair {
    Node a, b;
    fi_addr_t to_b, to_a;

    explicit Pair(const Wish& wish = {})
        : a(wish), b(wish), to_b(a.insert(b.name())), to_a(b.insert(a.name()))
    {
    }

    /// The next completion of that side, driving both; fails the test when none comes for a long time.
    Completion next(Node& side)
    {
        Node& other = &side == &a ? b : a;
        Completion done;
        const auto end = std::chrono::steady_clock::now() + kPatience;
        while (!read_one(side.cq.get(), done)) {
            progress(other);
            if (std::chrono::steady_clock::now() > end) {
                ADD_FAILURE() << "no completion";
                break;
            }
        }
        return done;
    }
    /// Drives a side without taking anything from its queue.
    static void progress(Node& side) { fi_cq_read(side.cq.get(), nullptr, 0); }

    /// Posts until it is accepted, driving both sides.
    void post(const std::function<ssize_t()>& what)
    {
        const auto end = std::chrono::steady_clock::now() + kPatience;
        for (;;) {
            const ssize_t ret = what();
            if (ret == 0)
                return;
            ASSERT_EQ(ret, -FI_EAGAIN);
            ASSERT_LT(std::chrono::steady_clock::now(), end);
            progress(a);
            progress(b);
        }
    }
};

/// Bytes that differ with the seed and the position.
inline std::vector<unsigned char> pattern(std::size_t size, unsigned seed)
{
    std::vector<unsigned char> bytes(size);
    for (std::size_t i = 0; i < size; i++)
        bytes[i] = static_cast<unsigned char>((i * 7 + i / 251 + seed) & 0xff);
    return bytes;
}

inline void* context(std::uintptr_t number)
{
    return reinterpret_cast<void*>(number);
}

} // namespace contract
