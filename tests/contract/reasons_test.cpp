// SPDX-License-Identifier: BSD-2-Clause
//
// A call that is refused says why in the log: one warning that names the call, for each of the ways to be
// refused; and what succeeds warns of nothing.
#include "pair.hpp"

#include <rdma/fi_ext.h>
#include <rdma/providers/fi_prov.h>

namespace contract {
namespace {

struct Line {
    std::string call, text;
};
std::vector<Line> warnings;

/// Takes the library's log while it lives.
class Listener {
  public:
    Listener()
    {
        warnings.clear();
        log_.ops = &ops_;
        log_.fid.ops = nullptr;
        EXPECT_EQ(fi_import_log(FI_VERSION(2, 6), 0, &log_), 0);
    }
    ~Listener() { EXPECT_EQ(fi_close(&log_.fid), 0); }
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

  private:
    static int enabled(const fi_provider*, fi_log_level level, fi_log_subsys, std::uint64_t)
    {
        return level == FI_LOG_WARN;
    }
    static void log(const fi_provider* provider, fi_log_level level, fi_log_subsys, const char* call, int,
                    const char* text)
    {
        if (level == FI_LOG_WARN && std::string(provider->name) == "soft")
            warnings.push_back({call, text});
    }
    fi_ops_log ops_{sizeof(fi_ops_log), enabled, nullptr, log};
    fid_logging log_{};
};

/// The call's result is `error` and there is one line about it, by that name.
void expect_refusal(const char* call, ssize_t error, const std::function<ssize_t()>& refused)
{
    warnings.clear();
    EXPECT_EQ(refused(), error) << call;
    ASSERT_EQ(warnings.size(), 1u) << call << " " << error;
    EXPECT_EQ(warnings[0].call, call);
    EXPECT_GT(warnings[0].text.size(), 10u);
    EXPECT_EQ(warnings[0].text.find('\n'), warnings[0].text.size() - 1) << "one line: " << warnings[0].text;
}

TEST(Reasons, OfObjectsThatAreNotOpened)
{
    Node node({}, false);
    const Listener listener;
    fid_domain* domain = node.domain.get();
    expect_refusal("fi_fabric", -FI_ENODATA, [&] {
        fi_fabric_attr attr = *node.info->fabric_attr;
        char other[] = "another";
        attr.name = other;
        fid_fabric* out = nullptr;
        return fi_fabric(&attr, &out, nullptr);
    });
    expect_refusal("fi_domain", -FI_EINVAL, [&] {
        fi_info info = *node.info;
        info.domain_attr = nullptr;
        fid_domain* out = nullptr;
        return node.fabric->ops->domain(node.fabric.get(), &info, &out, nullptr);
    });
    expect_refusal("fi_endpoint", -FI_EINVAL, [&] {
        fi_info info = *node.info;
        fi_ep_attr attr = *info.ep_attr;
        attr.type = FI_EP_DGRAM;
        info.ep_attr = &attr;
        fid_ep* out = nullptr;
        return fi_endpoint(domain, &info, &out, nullptr);
    });
    fid_eq* eq = nullptr;
    fid_cq* cq = nullptr;
    fid_av* av = nullptr;
    fid_cntr* cntr = nullptr;
    fi_eq_attr eq_attr{};
    fi_cq_attr cq_attr{};
    fi_av_attr av_attr{};
    fi_cntr_attr cntr_attr{};
    const auto open_eq = [&] { return fi_eq_open(node.fabric.get(), &eq_attr, &eq, nullptr); };
    const auto open_cq = [&] { return fi_cq_open(domain, &cq_attr, &cq, nullptr); };
    const auto open_av = [&] { return fi_av_open(domain, &av_attr, &av, nullptr); };
    const auto open_cntr = [&] { return fi_cntr_open(domain, &cntr_attr, &cntr, nullptr); };
    eq_attr.wait_obj = cq_attr.wait_obj = cntr_attr.wait_obj = FI_WAIT_MUTEX_COND;
    expect_refusal("fi_eq_open", -FI_ENOSYS, open_eq);
    expect_refusal("fi_cq_open", -FI_ENOSYS, open_cq);
    expect_refusal("fi_cntr_open", -FI_ENOSYS, open_cntr);
    eq_attr.flags = cq_attr.flags = av_attr.flags = cntr_attr.flags = FI_REMOTE_READ;
    expect_refusal("fi_eq_open", -FI_EBADFLAGS, open_eq);
    expect_refusal("fi_cq_open", -FI_EBADFLAGS, open_cq);
    expect_refusal("fi_av_open", -FI_EBADFLAGS, open_av);
    expect_refusal("fi_cntr_open", -FI_EBADFLAGS, open_cntr);
    cq_attr.flags = cntr_attr.flags = FI_PEER;
    expect_refusal("fi_cq_open", -FI_EINVAL, open_cq);
    expect_refusal("fi_cntr_open", -FI_EINVAL, open_cntr);
    av_attr.flags = FI_AV_USER_ID;
    expect_refusal("fi_av_open", -FI_EBADFLAGS, open_av);
    av_attr.flags = 0;
    av_attr.name = "shared";
    expect_refusal("fi_av_open", -FI_ENOSYS, open_av);
}

TEST(Reasons, OfClosingBindingAndEnabling)
{
    Node bound, node({}, false);
    const Listener listener;
    for (fid* object : {&bound.cq->fid, &bound.av->fid, &bound.domain->fid, &bound.fabric->fid})
        expect_refusal("fi_close", -FI_EBUSY, [&] { return fi_close(object); });
    const auto bind = [&](fid* object, std::uint64_t flags) {
        return [&node, object, flags] { return fi_ep_bind(node.ep.get(), object, flags); };
    };
    expect_refusal("fi_ep_bind", -FI_EBADFLAGS, bind(&node.cq->fid, 0));
    expect_refusal("fi_ep_bind", -FI_EDOMAIN, bind(&bound.cq->fid, FI_RECV));
    expect_refusal("fi_ep_bind", -FI_EBADFLAGS, bind(&node.av->fid, 1));
    expect_refusal("fi_ep_bind", -FI_ENOSYS, bind(&node.domain->fid, 0));
    expect_refusal("fi_enable", -FI_ENOCQ, [&] { return fi_enable(node.ep.get()); });
    expect_refusal("fi_enable", -FI_EOPBADSTATE, [&] { return fi_enable(bound.ep.get()); });
    expect_refusal("fi_domain_bind", -FI_EINVAL,
                   [&] { return fi_domain_bind(node.domain.get(), &node.cq->fid, 0); });
    expect_refusal("fi_av_bind", -FI_EINVAL, [&] { return fi_av_bind(node.av.get(), &node.cq->fid, 0); });
}

TEST(Reasons, OfAddressesFlagsAndSizes)
{
    Pair pair;
    Node& node = pair.a;
    const std::vector<char> name = pair.b.name();
    const Listener listener;
    fi_addr_t addr = FI_ADDR_NOTAVAIL;
    expect_refusal("fi_av_insert", -FI_EBADFLAGS, [&] {
        return fi_av_insert(node.av.get(), name.data(), 1, &addr, FI_AV_USER_ID, nullptr);
    });
    expect_refusal("fi_av_insertsvc", -FI_EINVAL,
                   [&] { return fi_av_insertsvc(node.av.get(), nullptr, nullptr, &addr, 0, nullptr); });
    expect_refusal("fi_av_insertsym", -FI_EINVAL,
                   [&] { return fi_av_insertsym(node.av.get(), nullptr, 2, nullptr, 2, &addr, 0, nullptr); });
    expect_refusal("fi_av_remove", -FI_EINVAL, [&] { return fi_av_remove(node.av.get(), &addr, 1, 0); });
    std::size_t size = 0;
    expect_refusal("fi_av_lookup", -FI_EINVAL,
                   [&] { return fi_av_lookup(node.av.get(), 12345, nullptr, &size); });
    int value = 0;
    const iovec iov[8] = {{&value, sizeof value}};
    const fi_msg msg{iov, nullptr, 1, pair.to_b, nullptr, 0};
    const fi_msg_tagged tagged{iov, nullptr, 1, pair.to_b, 0, 0, nullptr, 0};
    fid_ep* ep = node.ep.get();
    expect_refusal("fi_sendmsg", -FI_EBADFLAGS, [&] { return fi_sendmsg(ep, &msg, FI_MULTICAST); });
    expect_refusal("fi_recvmsg", -FI_EBADFLAGS, [&] { return fi_recvmsg(ep, &msg, FI_MULTICAST); });
    expect_refusal("fi_tsendmsg", -FI_EBADFLAGS, [&] { return fi_tsendmsg(ep, &tagged, FI_MULTICAST); });
    expect_refusal("fi_trecvmsg", -FI_EBADFLAGS, [&] { return fi_trecvmsg(ep, &tagged, FI_MULTICAST); });
    expect_refusal("receiving", -FI_EBADFLAGS,
                   [&] { return fi_trecvmsg(ep, &tagged, FI_MULTI_RECV | FI_PEEK); });
    expect_refusal("receiving", -FI_EINVAL, [&] { return fi_trecvmsg(ep, &tagged, FI_CLAIM); });
    expect_refusal("sending", -FI_EINVAL,
                   [&] { return fi_sendv(ep, iov, nullptr, std::size(iov), pair.to_b, nullptr); });
    const std::vector<char> long_one(node.info->tx_attr->inject_size + 1);
    expect_refusal("sending", -FI_EMSGSIZE,
                   [&] { return fi_inject(ep, long_one.data(), long_one.size(), pair.to_b); });
    warnings.clear();
    EXPECT_EQ(fi_send(ep, &value, sizeof value, nullptr, 12345, nullptr), -FI_EINVAL);
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NE(warnings[0].text.find("12345"), std::string::npos);
    fi_cq_tagged_entry entry;
    expect_refusal("fi_cq_sread", -FI_EINVAL,
                   [&] { return fi_cq_sread(node.cq.get(), &entry, 1, nullptr, 0); });
    expect_refusal("fi_setopt", -FI_ENOPROTOOPT,
                   [&] { return fi_setopt(&ep->fid, FI_OPT_ENDPOINT, -7, &value, sizeof value); });
    expect_refusal("fi_control", -FI_ENOSYS, [&] { return fi_control(&ep->fid, FI_BACKLOG, &value); });
}

TEST(Reasons, WhatSucceedsWarnsOfNothing)
{
    const Listener listener;
    {
        Pair pair;
        int value = 1, got = 0;
        pair.post(
            [&] { return fi_recv(pair.b.ep.get(), &got, sizeof got, nullptr, FI_ADDR_UNSPEC, nullptr); });
        pair.post(
            [&] { return fi_send(pair.a.ep.get(), &value, sizeof value, nullptr, pair.to_b, nullptr); });
        EXPECT_FALSE(pair.next(pair.b).failed);
    }
    for (const Line& line : warnings)
        ADD_FAILURE() << line.call << ": " << line.text;
}

} // namespace
} // namespace contract
