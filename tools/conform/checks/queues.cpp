// SPDX-License-Identifier: BSD-2-Clause
//
// Completion queues: formats, fields, errors, and that each operation is told of once.
#include "check.hpp"

namespace conform {
namespace {

CHECK_MODELS(D3_D6_EachOperationCompletesOnceWithItsOwnContext)
{
    const Pair pair(wish());
    constexpr unsigned kCount = 50;
    int got[kCount];
    const int sent = 3;
    for (unsigned i = 0; i < kCount; i++)
        pair.trecv(&got[i], sizeof got[i], i, 0, context(100 + i));
    for (unsigned i = 0; i < kCount; i++)
        pair.tsend(&sent, sizeof sent, i, context(200 + i));
    std::vector<bool> at_a(kCount), at_b(kCount);
    const auto take = [&](const Node& side, std::vector<bool>& seen, std::uintptr_t first) {
        const Completion done = pair.next(side);
        ASSERT_FALSE(done.failed);
        const std::uintptr_t number = reinterpret_cast<std::uintptr_t>(done.entry.op_context) - first;
        ASSERT_LT(number, kCount) << "a context that no operation has";
        EXPECT_FALSE(seen[number]) << "a second completion of operation " << number;
        seen[number] = true;
    };
    for (unsigned i = 0; i < kCount; i++) {
        take(pair.a, at_a, 200);
        take(pair.b, at_b, 100);
    }
    Completion none;
    EXPECT_FALSE(pair.anything(pair.a, none)) << "a completion of nothing";
    EXPECT_FALSE(pair.anything(pair.b, none)) << "a completion of nothing";
}

CHECK_MODELS(D178_D179_FlagsSayWhatCompleted)
{
    const Pair pair(wish());
    const int sent = 1;
    int got = 0;
    pair.trecv(&got, sizeof got, 7);
    pair.tsend(&sent, sizeof sent, 7);
    EXPECT_EQ(pair.next(pair.b).entry.flags, FI_RECV | FI_TAGGED);
    EXPECT_EQ(pair.next(pair.a).entry.flags, FI_SEND | FI_TAGGED);
    pair.post([&] { return fi_recv(pair.b.ep.get(), &got, sizeof got, nullptr, FI_ADDR_UNSPEC, nullptr); });
    pair.post([&] { return fi_send(pair.a.ep.get(), &sent, sizeof sent, nullptr, pair.to_b, nullptr); });
    EXPECT_EQ(pair.next(pair.b).entry.flags, FI_RECV | FI_MSG);
    EXPECT_EQ(pair.next(pair.a).entry.flags, FI_SEND | FI_MSG);
}

CHECK_MODELS(D193_D194_TheSourceOfAMessageIsTheAddressOfItsSender)
{
    const Pair pair(wish(FI_MSG | FI_TAGGED | FI_SOURCE));
    const int sent = 1;
    for (const std::size_t size : {sizeof sent, std::size_t{300'000}}) {
        const auto message = pattern(size, 1);
        std::vector<unsigned char> got(size);
        pair.trecv(got.data(), size, 7);
        pair.tsend(message.data(), size, 7);
        EXPECT_EQ(pair.next(pair.b).source, pair.to_a);
        EXPECT_FALSE(pair.next(pair.a).failed);
    }
}

template <class Entry>
void read_as(const Wish& wish, const std::function<void(const Entry&)>& look)
{
    const Pair pair(wish);
    const int sent = 1;
    int got[2] = {};
    for (unsigned i = 0; i < 2; i++) {
        pair.trecv(&got[i], sizeof got[i], 7, 0, context(i + 1));
        pair.tinject(&sent, sizeof sent, 7);
    }
    for (unsigned i = 0; i < 2; i++) {
        struct {
            Entry entry, behind;
        } read;
        std::memset(&read, 0x5A, sizeof read);
        ASSERT_TRUE(wait_until([&] { return fi_cq_read(pair.b.cq.get(), &read.entry, 1) == 1; },
                               [&] { Pair::progress(pair.a); }));
        EXPECT_EQ(read.entry.op_context, context(i + 1));
        look(read.entry);
        unsigned char untouched[sizeof(Entry)];
        std::memset(untouched, 0x5A, sizeof untouched);
        EXPECT_EQ(std::memcmp(&read.behind, untouched, sizeof untouched), 0)
            << "one entry was asked for, and more was written";
    }
}

CHECK_MODELS(D174_AnEntryHasTheSizeOfItsFormat)
{
    Wish formatted = wish();
    formatted.format = FI_CQ_FORMAT_CONTEXT;
    read_as<fi_cq_entry>(formatted, [](const fi_cq_entry&) {});
    formatted.format = FI_CQ_FORMAT_MSG;
    read_as<fi_cq_msg_entry>(formatted,
                             [](const fi_cq_msg_entry& entry) { EXPECT_EQ(entry.len, sizeof(int)); });
    formatted.format = FI_CQ_FORMAT_DATA;
    read_as<fi_cq_data_entry>(formatted,
                              [](const fi_cq_data_entry& entry) { EXPECT_EQ(entry.len, sizeof(int)); });
    formatted.format = FI_CQ_FORMAT_TAGGED;
    read_as<fi_cq_tagged_entry>(formatted, [](const fi_cq_tagged_entry& entry) { EXPECT_EQ(entry.tag, 7u); });
}

CHECK_MODELS(D185_D187_AnErrorStaysOnTopUntilItIsTaken)
{
    const Pair pair(wish());
    int got = 0;
    fi_cq_err_entry error{};
    EXPECT_EQ(fi_cq_readerr(pair.b.cq.get(), &error, 0), -FI_EAGAIN) << "there is none yet";
    pair.trecv(&got, sizeof got, 3, 0, context(11));
    EXPECT_EQ(fi_cancel(&pair.b.ep->fid, context(11)), 0);
    fi_cq_tagged_entry entry;
    ASSERT_TRUE(wait_until([&] { return fi_cq_read(pair.b.cq.get(), &entry, 1) == -FI_EAVAIL; }));
    for (int i = 0; i < 3; i++)
        EXPECT_EQ(fi_cq_read(pair.b.cq.get(), &entry, 1), -FI_EAVAIL);
    EXPECT_EQ(fi_cq_readerr(pair.b.cq.get(), &error, 0), 1);
    EXPECT_EQ(fi_cq_readerr(pair.b.cq.get(), &error, 0), -FI_EAGAIN);
    EXPECT_EQ(fi_cq_read(pair.b.cq.get(), &entry, 1), -FI_EAGAIN);
}

CHECK_MODELS(D188_D198_AnErrorNamesItsOperationAndItsReason)
{
    const Pair pair(wish());
    int got = 0;
    pair.trecv(&got, sizeof got, 3, 0, context(11));
    EXPECT_EQ(fi_cancel(&pair.b.ep->fid, context(11)), 0);
    const Completion cancelled = pair.next(pair.b);
    ASSERT_TRUE(cancelled.failed);
    EXPECT_EQ(cancelled.error.op_context, context(11));
    EXPECT_GT(cancelled.error.err, 0);
    EXPECT_TRUE(cancelled.error.flags & FI_RECV);
    char text[8];
    std::memset(text, '?', sizeof text);
    EXPECT_NE(fi_cq_strerror(pair.b.cq.get(), cancelled.error.prov_errno, cancelled.error.err_data, text, 4),
              nullptr);
    EXPECT_EQ(text[4], '?') << "at most as many bytes as there is room for";
}

CHECK_MODELS(D186_ReadingNothingTakesNothing)
{
    const Pair pair(wish());
    const int sent = 1;
    int got = 0;
    pair.trecv(&got, sizeof got, 7, 0, context(4));
    pair.tsend(&sent, sizeof sent, 7);
    ASSERT_FALSE(pair.next(pair.a).failed);
    for (int i = 0; i < 1000; i++)
        EXPECT_LE(fi_cq_read(pair.b.cq.get(), nullptr, 0), 0);
    EXPECT_EQ(pair.next(pair.b).entry.op_context, context(4));
}

CHECK_MODELS(D217_ASmallCompletionQueueLosesNothing)
{
    Wish tiny = wish();
    tiny.queue_size = 2;
    const Pair pair(tiny);
    constexpr unsigned kCount = 100;
    std::vector<int> got(kCount);
    for (unsigned i = 0; i < kCount; i++)
        pair.trecv(&got[i], sizeof(int), i, 0, context(i));
    for (unsigned i = 0; i < kCount; i++)
        pair.tinject(&i, sizeof i, i);
    std::vector<bool> seen(kCount);
    for (unsigned i = 0; i < kCount; i++) {
        const Completion received = pair.next(pair.b);
        ASSERT_FALSE(received.failed);
        seen[reinterpret_cast<std::uintptr_t>(received.entry.op_context)] = true;
    }
    EXPECT_EQ(std::count(seen.begin(), seen.end(), false), 0);
}

} // namespace
} // namespace conform
