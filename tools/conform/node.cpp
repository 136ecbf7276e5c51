// SPDX-License-Identifier: BSD-2-Clause
#include "node.hpp"

#include "isolated.hpp"

#include <stdexcept>

namespace conform {

Info hints_for(const Wish& wish)
{
    Info hints = blank_hints();
    hints->caps = wish.caps;
    hints->addr_format = wish.addr_format;
    hints->ep_attr->type = wish.type;
    hints->domain_attr->threading = wish.threading;
    hints->domain_attr->progress = wish.progress;
    return hints;
}

Info info_for(const Wish& wish)
{
    const Info hints = hints_for(wish);
    if (Info found = query(hints.get(), wish.api, wish.service ? FI_SOURCE : 0, wish.service)) {
        if (wish.anywhere) {
            std::free(found->src_addr); // as fi_freeinfo would
            found->src_addr = nullptr;
            found->src_addrlen = 0;
        }
        return found;
    }
    const Info claim = claims(wish.type);
    if (!claim)
        throw NotClaimed{"no endpoint of this type is claimed"};
    if (!claimed(claim.get(), wish.caps))
        throw NotClaimed{names_of(wish.caps & ~claim->caps, FI_TYPE_CAPS) + " not claimed"};
    if (claim->mode || claim->domain_attr->mr_mode)
        throw NotClaimed{"the provider needs a mode that this check does not offer"};
    throw std::runtime_error("C13: fi_getinfo finds nothing for what is claimed: " +
                             names_of(wish.caps, FI_TYPE_CAPS));
}

Node::Node(const Wish& wish, bool enabled)
    : info(info_for(wish)),
      fabric(open<fid_fabric>("fi_fabric",
                              [&](fid_fabric** out) { return fi_fabric(info->fabric_attr, out, nullptr); })),
      domain(open<fid_domain>(
          "fi_domain", [&](fid_domain** out) { return fi_domain(fabric.get(), info.get(), out, nullptr); })),
      av(open<fid_av>("fi_av_open",
                      [&](fid_av** out) {
                          fi_av_attr attr{};
                          return fi_av_open(domain.get(), &attr, out, nullptr);
                      })),
      cq(open<fid_cq>("fi_cq_open",
                      [&](fid_cq** out) {
                          fi_cq_attr attr{};
                          attr.format = wish.format;
                          attr.size = wish.queue_size;
                          attr.wait_obj = wish.wait;
                          return fi_cq_open(domain.get(), &attr, out, nullptr);
                      })),
      ep(open<fid_ep>("fi_endpoint",
                      [&](fid_ep** out) { return fi_endpoint(domain.get(), info.get(), out, nullptr); }))
{
    if (!enabled)
        return;
    bind(&cq->fid, FI_TRANSMIT | wish.select_transmit);
    bind(&cq->fid, FI_RECV | wish.select_receive);
    bind(&av->fid, 0);
    if (const int ret = fi_enable(ep.get()))
        throw std::runtime_error(std::string("fi_enable: ") + fi_strerror(-ret));
}

std::vector<char> Node::name() const
{
    std::size_t size = 0;
    EXPECT_EQ(fi_getname(&ep->fid, nullptr, &size), -FI_ETOOSMALL);
    std::vector<char> bytes(size);
    EXPECT_EQ(fi_getname(&ep->fid, bytes.data(), &size), 0);
    return bytes;
}

fi_addr_t Node::insert(const std::vector<char>& peer) const
{
    fi_addr_t addr = FI_ADDR_NOTAVAIL;
    EXPECT_EQ(fi_av_insert(av.get(), peer.data(), 1, &addr, 0, nullptr), 1);
    return addr;
}

Empty::Empty(const Wish& wish)
    : info(info_for(wish)),
      fabric(open<fid_fabric>("fi_fabric",
                              [&](fid_fabric** out) { return fi_fabric(info->fabric_attr, out, nullptr); })),
      domain(open<fid_domain>(
          "fi_domain", [&](fid_domain** out) { return fi_domain(fabric.get(), info.get(), out, nullptr); }))
{
}

bool read_one(fid_cq* cq, Completion& out)
{
    const ssize_t ret = fi_cq_readfrom(cq, &out.entry, 1, &out.source);
    if (ret == -FI_EAVAIL) {
        out.failed = true;
        EXPECT_EQ(fi_cq_readerr(cq, &out.error, 0), 1);
        return true;
    }
    if (ret != 1) {
        EXPECT_EQ(ret, -FI_EAGAIN) << "D183: an empty queue says try again";
        return false;
    }
    return true;
}

void Pair::progress(const Node& side)
{
    fi_cq_read(side.cq.get(), nullptr, 0);
}

bool wait_until(const std::function<bool()>& condition, const std::function<void()>& drive)
{
    const auto end = std::chrono::steady_clock::now() + patience();
    while (!condition()) {
        drive();
        if (std::chrono::steady_clock::now() > end) {
            ADD_FAILURE() << "waited in vain for " << patience().count() << " ms";
            return false;
        }
    }
    return true;
}

Completion Pair::next(const Node& side) const
{
    const Node& other = &side == &a ? b : a;
    Completion done;
    if (!wait_until([&] { return read_one(side.cq.get(), done); }, [&] { progress(other); })) {
        ADD_FAILURE() << "no completion";
        done.failed = true;
    }
    return done;
}

bool Pair::anything(const Node& side, Completion& out) const
{
    for (int i = 0; i < 2000; i++) {
        progress(a);
        progress(b);
    }
    return read_one(side.cq.get(), out);
}

void Pair::post(const std::function<ssize_t()>& what) const
{
    ssize_t ret = -FI_EAGAIN;
    const auto tried = [&] { return (ret = what()) != -FI_EAGAIN; };
    const auto drive = [&] {
        progress(a);
        progress(b);
    };
    if (!wait_until(tried, drive))
        throw std::runtime_error("D225: a call says -FI_EAGAIN for ever");
    if (ret != 0)
        throw std::runtime_error(std::string("a call was refused: ") + fi_strerror(static_cast<int>(-ret)));
}

void Pair::tsend(const void* buf, std::size_t size, std::uint64_t tag, void* context) const
{
    post([&] { return fi_tsend(a.ep.get(), buf, size, nullptr, to_b, tag, context); });
}

void Pair::tinject(const void* buf, std::size_t size, std::uint64_t tag) const
{
    post([&] { return fi_tinject(a.ep.get(), buf, size, to_b, tag); });
}

void Pair::trecv(void* buf, std::size_t size, std::uint64_t tag, std::uint64_t ignore, void* context,
                 fi_addr_t source) const
{
    post([&] { return fi_trecv(b.ep.get(), buf, size, nullptr, source, tag, ignore, context); });
}

std::vector<unsigned char> pattern(std::size_t size, unsigned seed)
{
    std::vector<unsigned char> bytes(size);
    for (std::size_t i = 0; i < size; i++)
        bytes[i] = static_cast<unsigned char>((i * 7 + i / 251 + seed) & 0xff);
    return bytes;
}

} // namespace conform
