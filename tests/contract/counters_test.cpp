// SPDX-License-Identifier: BSD-2-Clause
//
// Counters bound to endpoints: what is counted, when, and that reading and waiting make progress.
#include "pair.hpp"

#include <atomic>
#include <thread>

namespace contract {
namespace {

Owned<fid_cntr> open_counter(const Node& node, fi_wait_obj wait = FI_WAIT_UNSPEC,
                             fi_cntr_events events = FI_CNTR_EVENTS_COMP)
{
    fi_cntr_attr attr{};
    attr.wait_obj = wait;
    attr.events = events;
    fid_cntr* counter = nullptr;
    EXPECT_EQ(fi_cntr_open(node.domain.get(), &attr, &counter, nullptr), 0);
    return Owned<fid_cntr>(counter);
}

/// Two nodes whose sends and receives are counted.
struct Counted {
    Node a, b;
    Owned<fid_cntr> sent_a, received_b;
    fi_addr_t to_b = FI_ADDR_NOTAVAIL, to_a = FI_ADDR_NOTAVAIL;

    explicit Counted(const Wish& wish = {}, fi_cntr_events events = FI_CNTR_EVENTS_COMP)
        : a(wish, false), b(wish, false), sent_a(open_counter(a, FI_WAIT_UNSPEC, events)),
          received_b(open_counter(b, FI_WAIT_UNSPEC, events))
    {
        a.bind(&sent_a->fid, FI_SEND);
        b.bind(&received_b->fid, FI_RECV);
        for (Node* node : {&a, &b}) {
            node->bind(&node->cq->fid, FI_TRANSMIT | wish.select_transmit);
            node->bind(&node->cq->fid, FI_RECV | wish.select_receive);
            node->bind(&node->av->fid, 0);
            EXPECT_EQ(fi_enable(node->ep.get()), 0);
        }
        to_b = a.insert(b.name());
        to_a = b.insert(a.name());
    }
    // Counters are bound to the endpoints: those go first.
    ~Counted()
    {
        a.ep.reset();
        b.ep.reset();
    }

    /// Reads both counters until the condition holds: nothing else makes progress.
    template <class Condition>
    void until(Condition&& holds)
    {
        const auto end = std::chrono::steady_clock::now() + kPatience;
        while (!holds()) {
            fi_cntr_read(sent_a.get());
            fi_cntr_read(received_b.get());
            ASSERT_LT(std::chrono::steady_clock::now(), end)
                << fi_cntr_read(sent_a.get()) << " sent, " << fi_cntr_read(received_b.get()) << " received";
        }
    }
};

TEST(Counters, D228_C76_EverySendAndReceiveIsCountedAndReadingMakesTheProgress)
{
    for (const fi_threading threading : {FI_THREAD_SAFE, FI_THREAD_DOMAIN}) {
        Counted pair({.threading = threading});
        const std::size_t sizes[] = {0, 8, 5'000, 300'000};
        std::vector<std::vector<unsigned char>> got;
        std::vector<std::vector<unsigned char>> sent;
        for (const std::size_t size : sizes) {
            got.emplace_back(size);
            sent.push_back(pattern(size, 1));
        }
        std::uint64_t expected = 0;
        for (std::size_t i = 0; i < std::size(sizes); i++) {
            ASSERT_EQ(fi_recv(pair.b.ep.get(), got[i].data(), sizes[i], nullptr, FI_ADDR_UNSPEC, nullptr), 0);
            ASSERT_EQ(fi_send(pair.a.ep.get(), sent[i].data(), sizes[i], nullptr, pair.to_b, nullptr), 0);
            expected++;
            pair.until([&] {
                return fi_cntr_read(pair.sent_a.get()) == expected &&
                       fi_cntr_read(pair.received_b.get()) == expected;
            });
            EXPECT_EQ(got[i], sent[i]) << "D231: what is counted is there";
        }
        std::uint64_t value = 3, answer = 0;
        ASSERT_EQ(fi_trecv(pair.b.ep.get(), &answer, sizeof answer, nullptr, FI_ADDR_UNSPEC, 1, 0, nullptr),
                  0);
        ASSERT_EQ(fi_tsend(pair.a.ep.get(), &value, sizeof value, nullptr, pair.to_b, 1, nullptr), 0);
        expected++;
        pair.until([&] { return fi_cntr_read(pair.received_b.get()) == expected; });
        EXPECT_EQ(fi_cntr_readerr(pair.sent_a.get()), 0u);
        EXPECT_EQ(fi_cntr_readerr(pair.received_b.get()), 0u);
    }
}

TEST(Counters, D27_InjectsAreCountedThoughTheyWriteNoEntry)
{
    for (const fi_threading threading : {FI_THREAD_SAFE, FI_THREAD_DOMAIN}) {
        Counted pair({.threading = threading});
        constexpr std::uint64_t kMessages = 300;
        std::uint64_t got = 0;
        std::uint64_t accepted = 0;
        for (std::uint64_t i = 0; i < kMessages; i++) {
            ASSERT_EQ(fi_trecv(pair.b.ep.get(), &got, sizeof got, nullptr, FI_ADDR_UNSPEC, 1, 0, nullptr), 0);
            while (i % 2 ? fi_tinject(pair.a.ep.get(), &i, sizeof i, pair.to_b, 1)
                         : fi_tinjectdata(pair.a.ep.get(), &i, sizeof i, 5, pair.to_b, 1))
                fi_cntr_read(pair.sent_a.get());
            accepted++;
        }
        pair.until([&] {
            return fi_cntr_read(pair.sent_a.get()) == accepted &&
                   fi_cntr_read(pair.received_b.get()) == kMessages;
        });
        fi_cq_tagged_entry entry;
        EXPECT_EQ(fi_cq_read(pair.a.cq.get(), &entry, 1), -FI_EAGAIN);
    }
}

TEST(Counters, D227_OperationsThatAreSelectedOutOfTheQueueAreCounted)
{
    Counted pair({.select_transmit = FI_SELECTIVE_COMPLETION, .select_receive = FI_SELECTIVE_COMPLETION});
    std::uint64_t value = 3, got = 0;
    const iovec to{&got, sizeof got}, from{&value, sizeof value};
    const fi_msg receive{&to, nullptr, 1, FI_ADDR_UNSPEC, nullptr, 0};
    const fi_msg send{&from, nullptr, 1, pair.to_b, nullptr, 0};
    ASSERT_EQ(fi_recvmsg(pair.b.ep.get(), &receive, 0), 0);
    ASSERT_EQ(fi_sendmsg(pair.a.ep.get(), &send, 0), 0);
    pair.until(
        [&] { return fi_cntr_read(pair.sent_a.get()) == 1 && fi_cntr_read(pair.received_b.get()) == 1; });
    fi_cq_tagged_entry entry;
    EXPECT_EQ(fi_cq_read(pair.a.cq.get(), &entry, 1), -FI_EAGAIN);
    EXPECT_EQ(fi_cq_read(pair.b.cq.get(), &entry, 1), -FI_EAGAIN);
}

TEST(Counters, D227_B31_ACancelledReceiveIsAnErrorOfTheCounterAndOfTheQueue)
{
    Counted pair;
    std::uint64_t got = 0;
    ASSERT_EQ(fi_recv(pair.b.ep.get(), &got, sizeof got, nullptr, FI_ADDR_UNSPEC, context(7)), 0);
    ASSERT_EQ(fi_cancel(&pair.b.ep->fid, context(7)), 0);
    EXPECT_EQ(fi_cntr_wait(pair.received_b.get(), 1, -1), -FI_EAVAIL);
    EXPECT_EQ(fi_cntr_readerr(pair.received_b.get()), 1u);
    EXPECT_EQ(fi_cntr_read(pair.received_b.get()), 0u);
    Completion done;
    ASSERT_TRUE(read_one(pair.b.cq.get(), done));
    EXPECT_EQ(done.error.err, FI_ECANCELED);
    EXPECT_EQ(fi_cntr_wait(pair.received_b.get(), 1, 0), -FI_ETIMEDOUT);
}

TEST(Counters, D95_D227_ATruncatedReceiveCountsAsAnErrorItsSendAsASuccess)
{
    Counted pair;
    std::uint64_t values[2] = {1, 2}, got = 0;
    ASSERT_EQ(fi_recv(pair.b.ep.get(), &got, sizeof got, nullptr, FI_ADDR_UNSPEC, nullptr), 0);
    ASSERT_EQ(fi_send(pair.a.ep.get(), values, sizeof values, nullptr, pair.to_b, nullptr), 0);
    pair.until([&] { return fi_cntr_readerr(pair.received_b.get()) == 1; });
    pair.until([&] { return fi_cntr_read(pair.sent_a.get()) == 1; });
    EXPECT_EQ(fi_cntr_read(pair.received_b.get()), 0u);
}

TEST(Counters, D84_LookingAtMessagesCountsAsNothingDroppingOneAsAReceive)
{
    Counted pair;
    const fi_msg_tagged look{nullptr, nullptr, 0, FI_ADDR_UNSPEC, 1, 0, nullptr, 0};
    const auto result_of = [&](std::uint64_t flags) {
        EXPECT_EQ(fi_trecvmsg(pair.b.ep.get(), &look, flags), 0);
        Completion done;
        pair.until([&] { return read_one(pair.b.cq.get(), done); });
        return done.failed ? done.error.err : 0;
    };
    EXPECT_EQ(result_of(FI_PEEK), FI_ENOMSG);
    std::uint64_t value = 3;
    ASSERT_EQ(fi_tsend(pair.a.ep.get(), &value, sizeof value, nullptr, pair.to_b, 1, nullptr), 0);
    int found = FI_ENOMSG;
    pair.until([&] { return (found = result_of(FI_PEEK)) == 0; });
    EXPECT_EQ(found, 0);
    EXPECT_EQ(fi_cntr_read(pair.received_b.get()), 0u);
    EXPECT_EQ(fi_cntr_readerr(pair.received_b.get()), 0u);
    EXPECT_EQ(result_of(FI_PEEK | FI_DISCARD), 0);
    EXPECT_EQ(fi_cntr_read(pair.received_b.get()), 1u);
    EXPECT_EQ(result_of(FI_PEEK), FI_ENOMSG);
    EXPECT_EQ(fi_cntr_readerr(pair.received_b.get()), 0u);
}

TEST(Counters, D237_BytesAreCountedIfAskedFor)
{
    Counted pair({}, FI_CNTR_EVENTS_BYTES);
    std::uint64_t total = 0;
    for (const std::size_t size : {std::size_t{10}, std::size_t{200'000}, std::size_t{0}}) {
        const auto sent = pattern(size, 2);
        std::vector<unsigned char> got(size + 8); // what arrives is counted, not the room for it
        ASSERT_EQ(fi_recv(pair.b.ep.get(), got.data(), got.size(), nullptr, FI_ADDR_UNSPEC, nullptr), 0);
        ASSERT_EQ(fi_senddata(pair.a.ep.get(), sent.data(), size, nullptr, 77, pair.to_b, nullptr), 0);
        total += size;
        Completion done;
        pair.until([&] {
            return fi_cntr_read(pair.sent_a.get()) == total && fi_cntr_read(pair.received_b.get()) == total &&
                   read_one(pair.b.cq.get(), done);
        });
    }
    std::uint32_t value = 5, got = 0;
    ASSERT_EQ(fi_recv(pair.b.ep.get(), &got, sizeof got, nullptr, FI_ADDR_UNSPEC, nullptr), 0);
    ASSERT_EQ(fi_inject(pair.a.ep.get(), &value, sizeof value, pair.to_b), 0);
    pair.until([&] { return fi_cntr_read(pair.received_b.get()) == total + sizeof value; });
    EXPECT_EQ(fi_cntr_read(pair.sent_a.get()), total + sizeof value);
}

TEST(Counters, D232_AWaiterIsWokenByAMessageForEachKindOfWaitObject)
{
    for (const fi_wait_obj wait : {FI_WAIT_UNSPEC, FI_WAIT_FD, FI_WAIT_YIELD}) {
        Node a, b({}, false);
        const Owned<fid_cntr> received = open_counter(b, wait);
        b.bind(&received->fid, FI_RECV);
        b.bind(&b.cq->fid, FI_TRANSMIT | FI_RECV);
        b.bind(&b.av->fid, 0);
        ASSERT_EQ(fi_enable(b.ep.get()), 0);
        const fi_addr_t to_b = a.insert(b.name());
        for (std::uint64_t round = 1; round <= 100; round++) {
            std::uint64_t got = 0;
            ASSERT_EQ(fi_trecv(b.ep.get(), &got, sizeof got, nullptr, FI_ADDR_UNSPEC, 1, 0, nullptr), 0);
            std::thread sender([&] {
                while (fi_tsend(a.ep.get(), &round, sizeof round, nullptr, to_b, 1, nullptr))
                    Pair::progress(a);
                Completion done;
                while (!read_one(a.cq.get(), done))
                    ;
            });
            EXPECT_EQ(fi_cntr_wait(received.get(), round, 30'000), 0);
            sender.join();
            EXPECT_EQ(got, round);
            Completion done;
            EXPECT_TRUE(read_one(b.cq.get(), done));
        }
        b.ep.reset();
    }
}

TEST(Counters, B26_D239_AWaiterIsWokenThoughAnotherThreadMakesTheProgress)
{
    Node a, b({}, false);
    const Owned<fid_cntr> received = open_counter(b);
    b.bind(&received->fid, FI_RECV);
    b.bind(&b.cq->fid, FI_TRANSMIT | FI_RECV);
    b.bind(&b.av->fid, 0);
    ASSERT_EQ(fi_enable(b.ep.get()), 0);
    const fi_addr_t to_b = a.insert(b.name());
    constexpr std::uint64_t kRounds = 1000;
    std::atomic<bool> stop{false};
    std::thread reader([&] {
        fi_cq_tagged_entry entries[16];
        while (!stop) {
            fi_cq_read(b.cq.get(), entries, std::size(entries));
            fi_cq_read(a.cq.get(), entries, std::size(entries)); // the connection needs both sides
        }
    });
    for (std::uint64_t round = 1; round <= kRounds; round++) {
        std::uint64_t got = 0;
        EXPECT_EQ(fi_trecv(b.ep.get(), &got, sizeof got, nullptr, FI_ADDR_UNSPEC, 1, 0, nullptr), 0);
        std::thread sender;
        const auto send = [&] {
            while (fi_tinject(a.ep.get(), &round, sizeof round, to_b, 1))
                Pair::progress(a);
            Pair::progress(a);
        };
        if (round % 50)
            send();
        else
            sender = std::thread(send); // while this thread is asleep
        EXPECT_EQ(fi_cntr_wait(received.get(), round, 30'000), 0);
        if (sender.joinable())
            sender.join();
        EXPECT_EQ(got, round);
    }
    stop = true;
    reader.join();
    b.ep.reset();
}

TEST(Counters, D230_OneCounterTakesManyEventsAndEndpoints)
{
    Node node({}, false);
    const Owned<fid_cntr> all = open_counter(node);
    fid_ep* raw = nullptr;
    ASSERT_EQ(fi_endpoint(node.domain.get(), node.info.get(), &raw, nullptr), 0);
    Owned<fid_ep> other(raw);
    for (fid_ep* ep : {node.ep.get(), other.get()}) {
        ASSERT_EQ(fi_ep_bind(ep, &all->fid, FI_SEND | FI_RECV | FI_READ | FI_WRITE), 0);
        ASSERT_EQ(fi_ep_bind(ep, &node.cq->fid, FI_TRANSMIT | FI_RECV), 0);
        ASSERT_EQ(fi_ep_bind(ep, &node.av->fid, 0), 0);
        ASSERT_EQ(fi_enable(ep), 0);
    }
    const fi_addr_t self = node.insert(node.name());
    std::uint64_t value = 4, got = 0;
    ASSERT_EQ(fi_recv(node.ep.get(), &got, sizeof got, nullptr, FI_ADDR_UNSPEC, nullptr), 0);
    ASSERT_EQ(fi_send(other.get(), &value, sizeof value, nullptr, self, nullptr), 0);
    EXPECT_EQ(fi_cntr_wait(all.get(), 2, 30'000), 0) << "a send of the one and a receive of the other";
    other.reset();
    node.ep.reset();
}

TEST(Counters, C137_C138_C139_D229_WrongBindingsAreRefused)
{
    Node node({}, false), stranger({}, false);
    const Owned<fid_cntr> counter = open_counter(node), other = open_counter(node),
                          foreign = open_counter(stranger);
    fid_ep* ep = node.ep.get();
    EXPECT_EQ(fi_ep_bind(ep, &counter->fid, 0), -FI_EBADFLAGS);
    EXPECT_EQ(fi_ep_bind(ep, &counter->fid, FI_SEND | FI_SELECTIVE_COMPLETION), -FI_EBADFLAGS);
    EXPECT_EQ(fi_ep_bind(ep, &counter->fid, FI_REMOTE_WRITE), -FI_EOPNOTSUPP) << "no FI_RMA_EVENT";
    EXPECT_EQ(fi_ep_bind(ep, &foreign->fid, FI_SEND), -FI_EDOMAIN);
    EXPECT_EQ(fi_ep_bind(ep, &counter->fid, FI_SEND), 0);
    EXPECT_EQ(fi_ep_bind(ep, &other->fid, FI_SEND | FI_RECV), -FI_EINVAL);
    EXPECT_EQ(fi_ep_bind(ep, &other->fid, FI_RECV), 0) << "a refusal binds nothing";
    EXPECT_EQ(fi_close(&counter->fid), -FI_EBUSY) << "D236";
    EXPECT_EQ(fi_enable(ep), -FI_ENOCQ) << "C133: a counter does not stand in for a queue";
    node.bind(&node.cq->fid, FI_TRANSMIT | FI_RECV);
    node.bind(&node.av->fid, 0);
    EXPECT_EQ(fi_enable(ep), 0);
    EXPECT_EQ(fi_ep_bind(ep, &counter->fid, FI_READ), -FI_EOPBADSTATE) << "C135";
    node.ep.reset();
}

TEST(Counters, C92_C99_TheirNumberAndRangeAreAdvertised)
{
    const Node node({}, false);
    EXPECT_GT(node.info->domain_attr->cntr_cnt, 0u);
    EXPECT_EQ(node.info->domain_attr->max_cntr_value, UINT64_MAX);
    EXPECT_EQ(node.info->domain_attr->max_err_cntr_value, UINT64_MAX);
}

TEST(OneWay, D60_C133_AnEndpointOfOneDirectionNeedsOneQueueAndRefusesTheOther)
{
    Node sender({.caps = FI_MSG | FI_TAGGED | FI_SEND}, false);
    Node receiver({.caps = FI_MSG | FI_TAGGED | FI_RECV}, false);
    EXPECT_EQ(fi_enable(sender.ep.get()), -FI_ENOCQ);
    sender.bind(&sender.cq->fid, FI_TRANSMIT);
    sender.bind(&sender.av->fid, 0);
    ASSERT_EQ(fi_enable(sender.ep.get()), 0);
    receiver.bind(&receiver.cq->fid, FI_RECV);
    receiver.bind(&receiver.av->fid, 0);
    ASSERT_EQ(fi_enable(receiver.ep.get()), 0);
    const fi_addr_t to_receiver = sender.insert(receiver.name());
    const fi_addr_t to_sender = receiver.insert(sender.name());
    std::uint64_t value = 6, got = 0;
    fid_ep* no_send = receiver.ep.get();
    EXPECT_EQ(fi_send(no_send, &value, sizeof value, nullptr, to_sender, nullptr), -FI_EOPNOTSUPP);
    EXPECT_EQ(fi_send(no_send, nullptr, 0, nullptr, to_sender, nullptr), -FI_EOPNOTSUPP);
    EXPECT_EQ(fi_tinject(no_send, &value, sizeof value, to_sender, 0), -FI_EOPNOTSUPP);
    EXPECT_EQ(fi_recv(sender.ep.get(), &got, sizeof got, nullptr, FI_ADDR_UNSPEC, nullptr), -FI_EOPNOTSUPP);
    ASSERT_EQ(fi_recv(receiver.ep.get(), &got, sizeof got, nullptr, FI_ADDR_UNSPEC, nullptr), 0);
    ASSERT_EQ(fi_send(sender.ep.get(), &value, sizeof value, nullptr, to_receiver, nullptr), 0);
    Completion done;
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (!read_one(receiver.cq.get(), done)) {
        Pair::progress(sender);
        ASSERT_LT(std::chrono::steady_clock::now(), end);
    }
    EXPECT_EQ(got, value);
    EXPECT_EQ(fi_tinject(no_send, &value, sizeof value, to_sender, 0), -FI_EOPNOTSUPP)
        << "also when the hot path could: the link stands";
}

} // namespace
} // namespace contract
