// SPDX-License-Identifier: BSD-2-Clause
//
// Counters bound to endpoints: what is counted, when, and that reading and waiting make progress.
#include "check.hpp"
#include "isolated.hpp"

#include <atomic>
#include <stdexcept>
#include <thread>
#include <tuple>

namespace conform {
namespace {

Owned<fid_cntr> open_counter(const Node& node, fi_wait_obj wait = FI_WAIT_UNSPEC,
                             fi_cntr_events events = FI_CNTR_EVENTS_COMP)
{
    fi_cntr_attr attr{};
    attr.wait_obj = wait;
    attr.events = events;
    fid_cntr* counter = nullptr;
    const int ret = fi_cntr_open(node.domain.get(), &attr, &counter, nullptr);
    if (ret == -FI_ENOSYS || (ret && node.info->domain_attr->cntr_cnt == 0))
        throw NotClaimed{"the provider has no counters"};
    if (ret)
        throw std::runtime_error(std::string("fi_cntr_open: ") + fi_strerror(-ret));
    return Owned<fid_cntr>(counter);
}

/// Two nodes whose sends and receives are counted.
struct Counted {
    Node a, b;
    Owned<fid_cntr> sent_a, received_b;
    fi_addr_t to_b = FI_ADDR_NOTAVAIL, to_a = FI_ADDR_NOTAVAIL;

    explicit Counted(const Wish& wish, fi_cntr_events events = FI_CNTR_EVENTS_COMP)
        : a(wish, false), b(wish, false), sent_a(open_counter(a, FI_WAIT_UNSPEC, events)),
          received_b(open_counter(b, FI_WAIT_UNSPEC, events))
    {
        a.bind(&sent_a->fid, FI_SEND);
        b.bind(&received_b->fid, FI_RECV);
        for (const Node* node : {&a, &b}) {
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
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;

    [[nodiscard]] std::uint64_t sent() const { return fi_cntr_read(sent_a.get()); }
    [[nodiscard]] std::uint64_t received() const { return fi_cntr_read(received_b.get()); }

    /// Reads both counters until the condition holds: nothing else makes progress.
    void until(const std::function<bool()>& holds) const
    {
        if (!wait_until(holds, [&] { std::ignore = sent() + received(); }))
            ADD_FAILURE() << sent() << " sent, " << received() << " received";
    }
    /// Posts until it is accepted, making progress likewise.
    void post(const std::function<ssize_t()>& what) const
    {
        until([&] { return what() == 0; });
    }
};

CHECK_MODELS(D228_D231_C76_EverySendAndReceiveIsCountedAndReadingMakesTheProgress)
{
    const Counted pair(wish());
    std::uint64_t expected = 0;
    const auto both = [&] { return pair.sent() == expected && pair.received() == expected; };
    for (const std::size_t size : {0, 8, 5'000, 300'000}) {
        const auto sent = pattern(size, 1);
        std::vector<unsigned char> got(size);
        pair.post(
            [&] { return fi_recv(pair.b.ep.get(), got.data(), size, nullptr, FI_ADDR_UNSPEC, nullptr); });
        pair.post([&] { return fi_send(pair.a.ep.get(), sent.data(), size, nullptr, pair.to_b, nullptr); });
        expected++;
        pair.until(both);
        EXPECT_EQ(got, sent) << "D231: what is counted is there";
    }
    std::uint64_t value = 3, answer = 0;
    pair.post([&] {
        return fi_trecv(pair.b.ep.get(), &answer, sizeof answer, nullptr, FI_ADDR_UNSPEC, 1, 0, nullptr);
    });
    pair.post(
        [&] { return fi_tsend(pair.a.ep.get(), &value, sizeof value, nullptr, pair.to_b, 1, nullptr); });
    expected++;
    pair.until(both);
    EXPECT_EQ(fi_cntr_readerr(pair.sent_a.get()), 0u);
    EXPECT_EQ(fi_cntr_readerr(pair.received_b.get()), 0u);
}

CHECK_MODELS(D27_InjectsAreCountedThoughTheyWriteNoEntry)
{
    const Counted pair(wish());
    constexpr std::uint64_t kMessages = 300;
    std::vector<std::uint64_t> got(kMessages);
    for (std::uint64_t i = 0; i < kMessages; i++) {
        pair.post([&] {
            return fi_trecv(pair.b.ep.get(), &got[i], sizeof got[i], nullptr, FI_ADDR_UNSPEC, 1, 0, nullptr);
        });
        pair.post([&] { return fi_tinject(pair.a.ep.get(), &i, sizeof i, pair.to_b, 1); });
    }
    pair.until([&] { return pair.sent() == kMessages && pair.received() == kMessages; });
    fi_cq_tagged_entry entry;
    EXPECT_EQ(fi_cq_read(pair.a.cq.get(), &entry, 1), -FI_EAGAIN);
}

CHECK_MODELS(D227_OperationsThatAreSelectedOutOfTheQueueAreCounted)
{
    Wish selective = wish();
    selective.select_transmit = selective.select_receive = FI_SELECTIVE_COMPLETION;
    const Counted pair(selective);
    std::uint64_t value = 3, got = 0;
    const iovec to{&got, sizeof got}, from{&value, sizeof value};
    const fi_msg receive{&to, nullptr, 1, FI_ADDR_UNSPEC, nullptr, 0};
    const fi_msg send{&from, nullptr, 1, pair.to_b, nullptr, 0};
    pair.post([&] { return fi_recvmsg(pair.b.ep.get(), &receive, 0); });
    pair.post([&] { return fi_sendmsg(pair.a.ep.get(), &send, 0); });
    pair.until([&] { return pair.sent() == 1 && pair.received() == 1; });
    fi_cq_tagged_entry entry;
    EXPECT_EQ(fi_cq_read(pair.a.cq.get(), &entry, 1), -FI_EAGAIN);
    EXPECT_EQ(fi_cq_read(pair.b.cq.get(), &entry, 1), -FI_EAGAIN);
}

CHECK_MODELS(D227_D233_ACancelledReceiveIsAnErrorOfTheCounterAndOfTheQueue)
{
    const Counted pair(wish());
    std::uint64_t got = 0;
    pair.post(
        [&] { return fi_recv(pair.b.ep.get(), &got, sizeof got, nullptr, FI_ADDR_UNSPEC, context(7)); });
    ASSERT_EQ(fi_cancel(&pair.b.ep->fid, context(7)), 0);
    EXPECT_NE(fi_cntr_wait(pair.received_b.get(), 1, -1), 0) << "D233: the error unblocks the waiter";
    EXPECT_EQ(fi_cntr_readerr(pair.received_b.get()), 1u);
    EXPECT_EQ(pair.received(), 0u);
    Completion done;
    ASSERT_TRUE(wait_until([&] { return read_one(pair.b.cq.get(), done); }));
    EXPECT_EQ(done.error.err, FI_ECANCELED);
}

CHECK_MODELS(D95_D227_ATruncatedReceiveIsAnErrorOfItsCounterAlone)
{
    const Counted pair(wish());
    std::uint64_t values[2] = {1, 2}, got = 0;
    pair.post([&] { return fi_recv(pair.b.ep.get(), &got, sizeof got, nullptr, FI_ADDR_UNSPEC, nullptr); });
    pair.post([&] { return fi_send(pair.a.ep.get(), values, sizeof values, nullptr, pair.to_b, nullptr); });
    pair.until([&] { return fi_cntr_readerr(pair.received_b.get()) + pair.received() == 1; });
    Completion done;
    pair.until([&] { return read_one(pair.b.cq.get(), done); });
    EXPECT_EQ(fi_cntr_readerr(pair.received_b.get()), done.failed ? 1u : 0u);
}

CHECK_MODELS(D237_BytesAreCountedIfAskedFor)
{
    const Counted pair(wish(), FI_CNTR_EVENTS_BYTES);
    std::uint64_t total = 0;
    for (const std::size_t size : {std::size_t{10}, std::size_t{200'000}, std::size_t{0}}) {
        const auto sent = pattern(size, 2);
        std::vector<unsigned char> got(size + 8); // what arrives is counted, not the room for it
        pair.post([&] {
            return fi_recv(pair.b.ep.get(), got.data(), got.size(), nullptr, FI_ADDR_UNSPEC, nullptr);
        });
        pair.post([&] { return fi_send(pair.a.ep.get(), sent.data(), size, nullptr, pair.to_b, nullptr); });
        total += size;
        Completion done;
        pair.until([&] {
            return pair.sent() == total && pair.received() == total && read_one(pair.b.cq.get(), done);
        });
    }
    std::uint32_t value = 5, got = 0;
    pair.post([&] { return fi_recv(pair.b.ep.get(), &got, sizeof got, nullptr, FI_ADDR_UNSPEC, nullptr); });
    pair.post([&] { return fi_inject(pair.a.ep.get(), &value, sizeof value, pair.to_b); });
    total += sizeof value;
    pair.until([&] { return pair.sent() == total && pair.received() == total; });
}

/// One node with a counter of its receives, and one that sends to it.
struct Awaited {
    Node a, b;
    Owned<fid_cntr> received;
    fi_addr_t to_b = FI_ADDR_NOTAVAIL;

    Awaited(const Wish& wish, fi_wait_obj wait) : a(wish), b(wish, false), received(open_counter(b, wait))
    {
        b.bind(&received->fid, FI_RECV);
        b.bind(&b.cq->fid, FI_TRANSMIT | FI_RECV);
        b.bind(&b.av->fid, 0);
        EXPECT_EQ(fi_enable(b.ep.get()), 0);
        to_b = a.insert(b.name());
    }
    ~Awaited() { b.ep.reset(); }
    Awaited(const Awaited&) = delete;
    Awaited& operator=(const Awaited&) = delete;

    [[nodiscard]] int wait(std::uint64_t value) const
    {
        return fi_cntr_wait(received.get(), value, static_cast<int>(patience().count()));
    }
};

CHECK_MODELS(D232_AWaiterIsWokenByAMessageForEachKindOfWaitObject)
{
    for (const fi_wait_obj wait : {FI_WAIT_UNSPEC, FI_WAIT_FD, FI_WAIT_YIELD}) {
        const Awaited pair(wish(), wait);
        for (std::uint64_t round = 1; round <= 100; round++) {
            std::uint64_t got = 0;
            ASSERT_EQ(fi_trecv(pair.b.ep.get(), &got, sizeof got, nullptr, FI_ADDR_UNSPEC, 1, 0, nullptr), 0);
            std::thread sender([&] {
                wait_until(
                    [&] {
                        return fi_tsend(pair.a.ep.get(), &round, sizeof round, nullptr, pair.to_b, 1,
                                        nullptr) != -FI_EAGAIN;
                    },
                    [&] { Pair::progress(pair.a); });
                Completion done;
                wait_until([&] { return read_one(pair.a.cq.get(), done); });
            });
            EXPECT_EQ(pair.wait(round), 0);
            sender.join();
            EXPECT_EQ(got, round);
            Completion done;
            EXPECT_TRUE(wait_until([&] { return read_one(pair.b.cq.get(), done); }));
        }
    }
}

CHECK_MODELS(D232_AWaitEndsAtItsTimeAndAtOnceIfThereIsNothingToWaitFor)
{
    const Counted pair(wish());
    EXPECT_EQ(fi_cntr_wait(pair.received_b.get(), 0, -1), 0) << "the threshold is reached already";
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(fi_cntr_wait(pair.received_b.get(), 1, 30), -FI_ETIMEDOUT);
    EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(30));
}

CHECK(B26_D239_AWaiterIsWokenThoughAnotherThreadMakesTheProgress)
{
    const Awaited pair(wish(), FI_WAIT_UNSPEC);
    std::atomic<bool> stop{false};
    std::thread reader([&] {
        fi_cq_tagged_entry entries[16];
        while (!stop) {
            fi_cq_read(pair.b.cq.get(), entries, std::size(entries));
            fi_cq_read(pair.a.cq.get(), entries, std::size(entries)); // the connection needs both sides
        }
    });
    for (std::uint64_t round = 1; round <= 1000; round++) {
        std::uint64_t got = 0;
        EXPECT_EQ(fi_trecv(pair.b.ep.get(), &got, sizeof got, nullptr, FI_ADDR_UNSPEC, 1, 0, nullptr), 0);
        std::thread sender;
        const auto send = [&] {
            wait_until(
                [&] { return fi_tinject(pair.a.ep.get(), &round, sizeof round, pair.to_b, 1) != -FI_EAGAIN; },
                [&] { Pair::progress(pair.a); });
            Pair::progress(pair.a);
        };
        if (round % 50)
            send();
        else
            sender = std::thread(send); // while this thread is asleep
        EXPECT_EQ(pair.wait(round), 0);
        if (sender.joinable())
            sender.join();
        EXPECT_EQ(got, round);
    }
    stop = true;
    reader.join();
}

CHECK_MODELS(D230_OneCounterTakesManyEventsAndEndpoints)
{
    Node node(wish(FI_MSG | FI_TAGGED | FI_LOCAL_COMM), false);
    const Owned<fid_cntr> all = open_counter(node);
    auto other = open<fid_ep>("fi_endpoint", [&](fid_ep** out) {
        return fi_endpoint(node.domain.get(), node.info.get(), out, nullptr);
    });
    for (fid_ep* ep : {node.ep.get(), other.get()}) {
        ASSERT_EQ(fi_ep_bind(ep, &all->fid, FI_SEND | FI_RECV), 0);
        ASSERT_EQ(fi_ep_bind(ep, &node.cq->fid, FI_TRANSMIT | FI_RECV), 0);
        ASSERT_EQ(fi_ep_bind(ep, &node.av->fid, 0), 0);
        ASSERT_EQ(fi_enable(ep), 0);
    }
    const fi_addr_t to_node = node.insert(node.name());
    std::uint64_t value = 4, got = 0;
    ASSERT_EQ(fi_recv(node.ep.get(), &got, sizeof got, nullptr, FI_ADDR_UNSPEC, nullptr), 0);
    wait_until(
        [&] { return fi_send(other.get(), &value, sizeof value, nullptr, to_node, nullptr) != -FI_EAGAIN; },
        [&] { fi_cntr_read(all.get()); });
    EXPECT_TRUE(wait_until([&] { return fi_cntr_read(all.get()) == 2; }))
        << "a send of the one and a receive of the other";
    other.reset();
    node.ep.reset();
}

CHECK(C137_C138_C139_D229_D236_WrongBindingsAreRefused)
{
    Node node(wish(), false), stranger(wish(), false);
    const Owned<fid_cntr> counter = open_counter(node), other = open_counter(node),
                          foreign = open_counter(stranger);
    fid_ep* ep = node.ep.get();
    if (!(node.info->caps & FI_RMA_EVENT)) {
        EXPECT_REFUSED(fi_ep_bind(ep, &counter->fid, FI_REMOTE_WRITE)) << "D229: without FI_RMA_EVENT";
    }
    EXPECT_EQ(fi_ep_bind(ep, &foreign->fid, FI_SEND), -FI_EDOMAIN);
    EXPECT_EQ(fi_ep_bind(ep, &counter->fid, FI_SEND), 0);
    EXPECT_REFUSED(fi_ep_bind(ep, &other->fid, FI_SEND));
    EXPECT_EQ(fi_ep_bind(ep, &other->fid, FI_RECV), 0) << "a refusal binds nothing";
    EXPECT_EQ(fi_close(&counter->fid), -FI_EBUSY) << "D236";
    EXPECT_EQ(fi_enable(ep), -FI_ENOCQ) << "C133: a counter does not stand in for a queue";
    node.bind(&node.cq->fid, FI_TRANSMIT | FI_RECV);
    node.bind(&node.av->fid, 0);
    EXPECT_EQ(fi_enable(ep), 0);
    EXPECT_REFUSED(fi_ep_bind(ep, &counter->fid, FI_READ)) << "C135";
    node.ep.reset();
}

CHECK(D234_D236_ThereIsNoWaitWithoutAWaitObject)
{
    const Node node(wish(), false);
    const Owned<fid_cntr> counter = open_counter(node, FI_WAIT_NONE);
    EXPECT_REFUSED(fi_cntr_wait(counter.get(), 1, 0));
}

CHECK(D235_ASetOrAddedValueIsReadInTheEnd)
{
    const Node node(wish(), false);
    const Owned<fid_cntr> counter = open_counter(node);
    const auto reads = [&](std::uint64_t value, std::uint64_t errors) {
        return wait_until(
            [&] { return fi_cntr_read(counter.get()) == value && fi_cntr_readerr(counter.get()) == errors; });
    };
    EXPECT_TRUE(reads(0, 0));
    EXPECT_EQ(fi_cntr_set(counter.get(), 40), 0);
    EXPECT_EQ(fi_cntr_add(counter.get(), 2), 0);
    EXPECT_TRUE(reads(42, 0));
    EXPECT_EQ(fi_cntr_seterr(counter.get(), 4), 0);
    EXPECT_EQ(fi_cntr_adderr(counter.get(), 3), 0);
    EXPECT_TRUE(reads(42, 7));
}

} // namespace
} // namespace conform
