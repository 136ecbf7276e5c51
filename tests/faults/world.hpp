// SPDX-License-Identifier: BSD-2-Clause
//
// Endpoints on hosts, and the one loop that drives all of them.
#pragma once

#include "../contract/pair.hpp"
#include "network.hpp"

#include <stdexcept>

namespace faults {

using contract::Completion;
using contract::Node;
using contract::Wish;

/// Tests that need hosts; skipped, with the reason, where there can be none.
class Network : public testing::Test {
  protected:
    void SetUp() override
    {
        std::string why;
        if (!can_make_hosts(why))
            GTEST_SKIP() << why;
    }
};

/// An endpoint on a host.
class Machine {
  public:
    explicit Machine(const Host& host, const Wish& wish = {}) : host_(&host)
    {
        node_ = host.on([&] { return std::make_unique<Node>(wish); });
    }
    [[nodiscard]] const Host& host() const { return *host_; }
    [[nodiscard]] Node& node() const { return *node_; }
    [[nodiscard]] fi_addr_t insert(const Machine& peer) const { return insert(peer.node().name()); }
    [[nodiscard]] fi_addr_t insert(const std::vector<char>& name) const
    {
        return host_->on([&] { return node_->insert(name); });
    }
    [[nodiscard]] ssize_t send(const std::vector<unsigned char>& bytes, fi_addr_t to,
                               std::uintptr_t context) const
    {
        return host_->on([&] {
            return fi_tsend(node_->ep.get(), bytes.data(), bytes.size(), nullptr, to, 7,
                            contract::context(context));
        });
    }
    [[nodiscard]] ssize_t receive(std::vector<unsigned char>& bytes, std::uintptr_t context) const
    {
        return host_->on([&] {
            return fi_trecv(node_->ep.get(), bytes.data(), bytes.size(), nullptr, FI_ADDR_UNSPEC, 7, 0,
                            contract::context(context));
        });
    }
    bool read(Completion& out) const
    {
        return host_->on([&] { return contract::read_one(node_->cq.get(), out); });
    }
    void progress() const
    {
        host_->on([&] { fi_cq_read(node_->cq.get(), nullptr, 0); });
    }

  private:
    const Host* host_;
    std::unique_ptr<Node> node_;
};

using Machines = std::vector<const Machine*>;

/// Drives all of them until `done`; throws, and so ends the test, when that takes very long.
inline void drive(const Machines& all, const std::function<bool()>& done)
{
    const auto end = std::chrono::steady_clock::now() + 2 * contract::kPatience;
    while (!done()) {
        for (const Machine* machine : all)
            machine->progress();
        if (std::chrono::steady_clock::now() > end)
            throw std::runtime_error("nothing happens");
    }
}

/// The next completion of the first of them.
inline Completion next(const Machines& all)
{
    Completion completion;
    drive(all, [&] { return all.front()->read(completion); });
    return completion;
}

/// One message with its data checked.
inline void expect_message(const Machine& from, const Machine& to, fi_addr_t address, std::size_t size)
{
    const auto sent = contract::pattern(size, 3);
    std::vector<unsigned char> got(size);
    ASSERT_EQ(to.receive(got, 2), 0);
    ASSERT_EQ(from.send(sent, address, 1), 0);
    const Completion out = next({&from, &to});
    ASSERT_FALSE(out.failed) << fi_strerror(out.error.err);
    const Completion in = next({&to, &from});
    ASSERT_FALSE(in.failed) << fi_strerror(in.error.err);
    EXPECT_EQ(in.entry.len, size);
    EXPECT_TRUE(got == sent);
}

} // namespace faults
