// SPDX-License-Identifier: BSD-2-Clause
//
// When sends end, fences, and how receivers learn who sent.
#include "check.hpp"

namespace conform {
namespace {

/// Sends and receives of one kind, tagged or not, as the provider answers them.
class Kind {
  public:
    explicit Kind(bool tagged) : tagged_(tagged) {}
    [[nodiscard]] bool tagged() const { return tagged_; }
    [[nodiscard]] std::uint64_t flags() const { return tagged_ ? FI_TAGGED : FI_MSG; }

    ssize_t send(const Node& from, fi_addr_t to, const void* bytes, std::size_t size, void* context,
                 std::uint64_t flags) const
    {
        const iovec iov{const_cast<void*>(bytes), size};
        if (tagged_) {
            const fi_msg_tagged msg{&iov, nullptr, 1, to, 0, 0, context, 0};
            return fi_tsendmsg(from.ep.get(), &msg, flags);
        }
        const fi_msg msg{&iov, nullptr, 1, to, context, 0};
        return fi_sendmsg(from.ep.get(), &msg, flags);
    }
    ssize_t receive(const Node& at, void* bytes, std::size_t size, void* context,
                    fi_addr_t from = FI_ADDR_UNSPEC) const
    {
        return tagged_ ? fi_trecv(at.ep.get(), bytes, size, nullptr, from, 0, 0, context)
                       : fi_recv(at.ep.get(), bytes, size, nullptr, from, context);
    }

  private:
    bool tagged_;
};

void for_both(const std::function<void(const Kind&)>& body)
{
    for (const bool tagged : {false, true})
        body(Kind(tagged));
}

/// Skips the check if no endpoint can be had whose sends end at that level.
void need_level(const Wish& wish, std::uint64_t level)
{
    const Info hints = hints_for(wish);
    hints->tx_attr->op_flags = level;
    if (!query(hints.get()))
        throw NotClaimed{names_of(level, FI_TYPE_OP_FLAGS) + " is not offered"};
}

bool quiet(const Pair& pair, const Node& side)
{
    Completion none;
    return !pair.anything(side, none);
}

/// Posts until it is accepted, driving all these.
void post(const std::function<ssize_t()>& what, std::initializer_list<const Node*> nodes)
{
    ssize_t ret = -FI_EAGAIN;
    wait_until([&] { return (ret = what()) != -FI_EAGAIN; },
               [&] {
                   for (const Node* node : nodes)
                       Pair::progress(*node);
               });
    ASSERT_EQ(ret, 0);
}

CHECK_MODELS(D147_ADeliveredMessageArrivesThoughItsSenderClosesAtOnce)
{
    need_level(wish(), FI_DELIVERY_COMPLETE);
    for_both([this](const Kind& kind) {
        for (const std::size_t size : {std::size_t{16}, std::size_t{4096}, std::size_t{1} << 20}) {
            const Node receiver(wish());
            const auto message = pattern(size, 1);
            std::vector<unsigned char> got(size);
            post([&] { return kind.receive(receiver, got.data(), size, context(1)); }, {&receiver});
            {
                const Node sender(wish());
                const fi_addr_t to = sender.insert(receiver.name());
                post(
                    [&] {
                        return kind.send(sender, to, message.data(), size, nullptr,
                                         FI_DELIVERY_COMPLETE | FI_COMPLETION);
                    },
                    {&sender, &receiver});
                Completion done;
                ASSERT_TRUE(wait_until([&] { return read_one(sender.cq.get(), done); },
                                       [&] { Pair::progress(receiver); }));
                ASSERT_FALSE(done.failed);
                EXPECT_EQ(got, message) << "a receive was ready, so delivered means that the data is in it";
            }
            Completion received;
            ASSERT_TRUE(wait_until([&] { return read_one(receiver.cq.get(), received); }));
            EXPECT_FALSE(received.failed);
        }
    });
}

CHECK_MODELS(D149_AMatchIsReportedAfterTheReceiveAndNotBefore)
{
    need_level(wish(), FI_MATCH_COMPLETE);
    for_both([this](const Kind& kind) {
        const Pair pair(wish());
        // 16 again: over a link that is up, short messages may have a way of their own.
        for (const std::size_t size : {std::size_t{16}, std::size_t{300'000}, std::size_t{16}}) {
            const auto message = pattern(size, 1);
            std::vector<unsigned char> got(size);
            pair.post([&] {
                return kind.send(pair.a, pair.to_b, message.data(), size, context(2),
                                 FI_MATCH_COMPLETE | FI_COMPLETION);
            });
            EXPECT_TRUE(quiet(pair, pair.a));
            pair.post([&] { return kind.receive(pair.b, got.data(), size, context(1)); });
            EXPECT_EQ(pair.next(pair.a).entry.op_context, context(2));
            EXPECT_EQ(pair.next(pair.b).entry.op_context, context(1));
            EXPECT_EQ(got, message);
        }
    });
}

CHECK_MODELS(D36_C113_CallsWithoutFlagsHaveTheDefaultsAndMessageCallsReplaceThem)
{
    need_level(wish(), FI_MATCH_COMPLETE);
    for_both([this](const Kind& kind) {
        const Pair pair(wish());
        std::uint64_t flags = FI_TRANSMIT | FI_COMPLETION | FI_MATCH_COMPLETE;
        ASSERT_EQ(fi_control(&pair.a.ep->fid, FI_SETOPSFLAG, &flags), 0);
        char byte = 'x', got[2] = {};
        pair.post([&] {
            return kind.tagged() ? fi_tsend(pair.a.ep.get(), &byte, 1, nullptr, pair.to_b, 0, context(1))
                                 : fi_send(pair.a.ep.get(), &byte, 1, nullptr, pair.to_b, context(1));
        });
        EXPECT_TRUE(quiet(pair, pair.a)) << "it waits for a match";
        pair.post([&] { return kind.send(pair.a, pair.to_b, &byte, 1, context(2), FI_COMPLETION); });
        EXPECT_EQ(pair.next(pair.a).entry.op_context, context(2));
        for (char& each : got) {
            pair.post([&] { return kind.receive(pair.b, &each, 1, nullptr); });
            EXPECT_FALSE(pair.next(pair.b).failed);
        }
        EXPECT_EQ(pair.next(pair.a).entry.op_context, context(1));
    });
}

CHECK_MODELS(D3_D143_EveryLevelEndsWithOneCompletionOfTheSameKind)
{
    for_both([this](const Kind& kind) {
        const Pair pair(wish());
        for (const std::uint64_t level :
             {FI_INJECT_COMPLETE, FI_TRANSMIT_COMPLETE, FI_DELIVERY_COMPLETE, FI_MATCH_COMPLETE}) {
            const Info hints = hints_for(wish());
            hints->tx_attr->op_flags = level;
            if (!query(hints.get()))
                continue;
            char byte = 'x', got = 0;
            pair.post([&] { return kind.receive(pair.b, &got, 1, nullptr); });
            pair.post(
                [&] { return kind.send(pair.a, pair.to_b, &byte, 1, context(7), level | FI_COMPLETION); });
            EXPECT_FALSE(pair.next(pair.b).failed);
            const Completion done = pair.next(pair.a);
            ASSERT_FALSE(done.failed);
            EXPECT_EQ(done.entry.op_context, context(7));
            EXPECT_EQ(done.entry.flags, FI_SEND | kind.flags());
        }
        EXPECT_TRUE(quiet(pair, pair.a));
    });
}

CHECK_MODELS(D46_D47_AFencedSendEndsAfterAllThoseBeforeIt)
{
    for_both([this](const Kind& kind) {
        const Pair pair(wish(FI_MSG | FI_TAGGED | FI_FENCE));
        const auto large = pattern(300'000, 1);
        std::vector<unsigned char> got(large.size());
        char byte = 'x', last = 0;
        pair.post([&] {
            return kind.send(pair.a, pair.to_b, large.data(), large.size(), context(1), FI_COMPLETION);
        });
        pair.post(
            [&] { return kind.send(pair.a, pair.to_b, &byte, 1, context(2), FI_FENCE | FI_COMPLETION); });
        pair.post([&] { return kind.receive(pair.b, got.data(), got.size(), nullptr); });
        pair.post([&] { return kind.receive(pair.b, &last, 1, nullptr); });
        EXPECT_EQ(pair.next(pair.a).entry.op_context, context(1));
        EXPECT_EQ(pair.next(pair.a).entry.op_context, context(2));
        EXPECT_FALSE(pair.next(pair.b).failed);
        EXPECT_FALSE(pair.next(pair.b).failed);
        EXPECT_EQ(got, large);
        EXPECT_EQ(last, 'x');
    });
}

CHECK_MODELS(D49_ASendMarkedWithMoreArrivesThoughNoneFollows)
{
    for_both([this](const Kind& kind) {
        const Pair pair(wish());
        char byte = 'x', got = 0;
        pair.post(
            [&] { return kind.send(pair.a, pair.to_b, &byte, 1, context(1), FI_MORE | FI_COMPLETION); });
        pair.post([&] { return kind.receive(pair.b, &got, 1, context(2)); });
        EXPECT_EQ(pair.next(pair.b).entry.op_context, context(2));
        EXPECT_EQ(pair.next(pair.a).entry.op_context, context(1));
    });
}

CHECK_MODELS(D66_ADirectedReceiveLeavesMessagesOfOthersToLaterOnes)
{
    for_both([this](const Kind& kind) {
        const Wish directed = wish(FI_MSG | FI_TAGGED | FI_DIRECTED_RECV);
        const Node server(directed), first(directed), second(directed);
        const fi_addr_t from_second = server.insert(second.name());
        const fi_addr_t first_to_server = first.insert(server.name());
        const fi_addr_t second_to_server = second.insert(server.name());
        char one = '1', two = '2', for_second = 0, for_any = 0;
        const auto drive = [&] {
            Pair::progress(first);
            Pair::progress(second);
        };
        const auto next = [&] {
            Completion done;
            EXPECT_TRUE(wait_until([&] { return read_one(server.cq.get(), done); }, drive));
            return done;
        };
        const std::initializer_list<const Node*> all = {&server, &first, &second};
        post([&] { return kind.receive(server, &for_second, 1, context(1), from_second); }, all);
        post([&] { return kind.receive(server, &for_any, 1, context(2)); }, all);
        post([&] { return kind.send(first, first_to_server, &one, 1, nullptr, 0); }, all);
        EXPECT_EQ(next().entry.op_context, context(2));
        post([&] { return kind.send(second, second_to_server, &two, 1, nullptr, 0); }, all);
        EXPECT_EQ(next().entry.op_context, context(1));
        EXPECT_EQ(for_any, '1');
        EXPECT_EQ(for_second, '2');
    });
}

CHECK_MODELS(D195_D190_D191_AnUnknownSenderIsReportedWithAnAddressThatCanBeInserted)
{
    for_both([this](const Kind& kind) {
        const Wish telling = wish(FI_MSG | FI_TAGGED | FI_SOURCE | FI_SOURCE_ERR);
        const Node server(telling), client(telling);
        const fi_addr_t to = client.insert(server.name());
        char byte = 'x', got = 0;
        const auto exchange = [&](void* context) {
            post([&] { return kind.receive(server, &got, 1, context); }, {&server});
            post([&] { return kind.send(client, to, &byte, 1, nullptr, 0); }, {&server, &client});
        };
        fi_cq_tagged_entry entry;
        fi_addr_t source = 0;
        const auto unknown = [&] {
            return wait_until(
                [&] { return fi_cq_readfrom(server.cq.get(), &entry, 1, &source) == -FI_EAVAIL; },
                [&] { Pair::progress(client); });
        };
        exchange(context(1));
        ASSERT_TRUE(unknown());
        fi_cq_err_entry error{};
        ASSERT_EQ(fi_cq_readerr(server.cq.get(), &error, 0), 1);
        EXPECT_EQ(error.err, FI_EADDRNOTAVAIL);
        EXPECT_EQ(error.op_context, context(1));
        EXPECT_EQ(error.len, 1u);
        EXPECT_EQ(error.src_addr, FI_ADDR_NOTAVAIL) << "D196";
        EXPECT_EQ(got, 'x') << "the data is valid";
        ASSERT_GT(error.err_data_size, 4u);
        const std::vector<char> address(static_cast<char*>(error.err_data),
                                        static_cast<char*>(error.err_data) + error.err_data_size);
        // The same once more into a buffer of our own, one that is too short.
        exchange(context(1));
        ASSERT_TRUE(unknown());
        char room[6] = {'-', '-', '-', '-', '-', '-'};
        error = {};
        error.err_data = room;
        error.err_data_size = 4;
        ASSERT_EQ(fi_cq_readerr(server.cq.get(), &error, 0), 1);
        EXPECT_EQ(error.err_data, room);
        EXPECT_TRUE(std::equal(room, room + 4, address.begin()));
        EXPECT_EQ(room[4], '-');
        // With it inserted the sender is known.
        const fi_addr_t back = server.insert(address);
        exchange(context(2));
        Completion done;
        ASSERT_TRUE(
            wait_until([&] { return read_one(server.cq.get(), done); }, [&] { Pair::progress(client); }));
        ASSERT_FALSE(done.failed);
        EXPECT_EQ(done.source, back);
    });
}

} // namespace
} // namespace conform
