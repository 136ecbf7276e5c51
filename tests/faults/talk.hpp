// SPDX-License-Identifier: BSD-2-Clause
//
// One endpoint in a process of its own, for tests that say step by step what happens; and a server that
// answers whoever comes. How long anything may take is bounded by the process's alarm.
#pragma once

#include "../contract/pair.hpp"
#include "processes.hpp"

#include <chrono>
#include <thread>

namespace faults {

using contract::Completion;
using Bytes = std::vector<unsigned char>;

class Talker {
  public:
    explicit Talker(const contract::Wish& wish = {}) : node_(wish) {}

    [[nodiscard]] const contract::Node& node() const { return node_; }
    [[nodiscard]] std::vector<char> name() const { return node_.name(); }
    [[nodiscard]] fi_addr_t insert(const std::vector<char>& name) const { return node_.insert(name); }
    void remove(fi_addr_t address) const { EXPECT_EQ(fi_av_remove(node_.av.get(), &address, 1, 0), 0); }

    [[nodiscard]] ssize_t try_send(const Bytes& bytes, fi_addr_t to, std::uintptr_t context,
                                   std::uint64_t tag = 7) const
    {
        return fi_tsend(node_.ep.get(), bytes.data(), bytes.size(), nullptr, to, tag,
                        contract::context(context));
    }
    void send(Bytes&&, fi_addr_t, std::uintptr_t, std::uint64_t = 7) const = delete; // gone before it is sent
    void send(const Bytes& bytes, fi_addr_t to, std::uintptr_t context, std::uint64_t tag = 7) const
    {
        EXPECT_EQ(try_send(bytes, to, context, tag), 0);
    }
    void receive(Bytes& bytes, std::uintptr_t context, fi_addr_t from = FI_ADDR_UNSPEC,
                 std::uint64_t tag = 7) const
    {
        EXPECT_EQ(fi_trecv(node_.ep.get(), bytes.data(), bytes.size(), nullptr, from, tag, 0,
                           contract::context(context)),
                  0);
    }
    bool read(Completion& done) const { return contract::read_one(node_.cq.get(), done); }
    /// Lets this endpoint work for a moment, and then others on the machine, of which there may be many.
    void progress() const
    {
        fi_cq_read(node_.cq.get(), nullptr, 0);
        std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
    /// The next completion, however long it takes.
    [[nodiscard]] Completion next() const
    {
        Completion done;
        while (!read(done))
            progress();
        return done;
    }
    /// The next completion, which is to be a success of that context.
    Completion expect(std::uintptr_t context) const
    {
        const Completion done = next();
        EXPECT_FALSE(done.failed) << fi_strerror(done.error.err) << ", waiting for " << context;
        EXPECT_TRUE(done.failed || done.entry.op_context == contract::context(context));
        return done;
    }
    /// The next completion, which is to be an error of that context; its error number.
    [[nodiscard]] int expect_error(std::uintptr_t context) const
    {
        const Completion done = next();
        EXPECT_TRUE(done.failed) << "waiting for the failure of " << context;
        if (!done.failed)
            return 0;
        EXPECT_EQ(done.error.op_context, contract::context(context));
        return done.error.err;
    }

  private:
    contract::Node node_;
};

constexpr std::size_t kNameRoom = 64; ///< bytes for a client's name at the head of what it sends to a server

/// Answers each message with itself, to the name that it begins with, which it knows for that long only. When
/// `after` is set, it is called with the number of messages answered so far. Ends with its channel.
void serve(const Talker& talker, const Channel& channel, std::size_t longest,
           const std::function<void(std::size_t)>& after = {});

/// Sends a message to a server and checks the answer. False: the server is not there (any more).
bool ask(const Talker& talker, fi_addr_t server, std::size_t size, unsigned number);

} // namespace faults
