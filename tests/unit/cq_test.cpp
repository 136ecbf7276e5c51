// SPDX-License-Identifier: BSD-2-Clause
//
// The completion queue: formats, order, errors in place, the list behind a full ring, and when it looks.
// Sleeping and signals are in cq_wait_test.cpp.
#include "cq_support.hpp"

#include <cstring>

namespace fi::kit {
namespace {

TEST(CompletionQueue, AnEmptyQueueSaysTryAgain)
{
    TestQueue q;
    fi_cq_tagged_entry entry;
    EXPECT_EQ(-FI_EAGAIN, fi_cq_read(q.cq, &entry, 1));
    fi_cq_err_entry error{};
    EXPECT_EQ(-FI_EAGAIN, fi_cq_readerr(q.cq, &error, 0));
}

TEST(CompletionQueue, EachFormatIsWrittenAndNothingBehindItD174)
{
    const std::pair<fi_cq_format, std::size_t> formats[] = {
        {FI_CQ_FORMAT_UNSPEC, sizeof(fi_cq_entry)},
        {FI_CQ_FORMAT_CONTEXT, sizeof(fi_cq_entry)},
        {FI_CQ_FORMAT_MSG, sizeof(fi_cq_msg_entry)},
        {FI_CQ_FORMAT_DATA, sizeof(fi_cq_data_entry)},
        {FI_CQ_FORMAT_TAGGED, sizeof(fi_cq_tagged_entry)}};
    for (const auto& [format, size] : formats) {
        SCOPED_TRACE(format);
        TestQueue q({.format = format});
        // Three entries, so that the distance between them is tested as well; once by the hot path, once by
        // the slow.
        for (const bool hot : {true, false}) {
            for (std::uint64_t i = 1; i <= 3; i++)
                q.queue->push(success(i));
            alignas(8) unsigned char memory[4 * sizeof(fi_cq_tagged_entry)];
            std::memset(memory, 0xa5, sizeof memory);
            fi_addr_t sources[3];
            ASSERT_EQ(3, hot ? fi_cq_read(q.cq, memory, 3) : fi_cq_readfrom(q.cq, memory, 3, sources));
            for (std::uint64_t i = 1; i <= 3; i++) {
                const fi_hot_completion made = success(i);
                EXPECT_EQ(0, std::memcmp(memory + (i - 1) * size, &made, size));
                if (!hot) {
                    EXPECT_EQ(made.source, sources[i - 1]);
                }
            }
            for (std::size_t i = 3 * size; i < sizeof memory; i++)
                ASSERT_EQ(0xa5, memory[i]) << i;
        }
    }
}

TEST(CompletionQueue, ReadTakesNoMoreThanAskedD183)
{
    TestQueue q;
    for (std::uint64_t i = 1; i <= 5; i++)
        q.queue->push(success(i));
    fi_cq_tagged_entry entries[4];
    EXPECT_EQ(2, fi_cq_read(q.cq, entries, 2));
    EXPECT_EQ(3, fi_cq_read(q.cq, entries, 4));
    EXPECT_EQ(5u, entries[2].tag);
}

TEST(CompletionQueue, ErrorsKeepTheirPlaceAndStayUntilReadD184D185)
{
    TestQueue q;
    q.queue->push(success(1));
    q.queue->push(failure(2, FI_ECANCELED));
    q.queue->push(failure(3, FI_ETRUNC));
    q.queue->push(success(4));
    fi_cq_tagged_entry entries[4];
    fi_cq_err_entry error{};
    EXPECT_EQ(-FI_EAGAIN, fi_cq_readerr(q.cq, &error, 0)) << "a success is in front";
    EXPECT_EQ(1, fi_cq_read(q.cq, entries, 4));
    EXPECT_EQ(1u, entries[0].tag);
    for (int i = 0; i < 3; i++)
        EXPECT_EQ(-FI_EAVAIL, fi_cq_read(q.cq, entries, 4));
    ASSERT_EQ(1, fi_cq_readerr(q.cq, &error, 0));
    EXPECT_EQ(FI_ECANCELED, error.err);
    EXPECT_EQ(-FI_EAVAIL, fi_cq_read(q.cq, entries, 4));
    ASSERT_EQ(1, fi_cq_readerr(q.cq, &error, 0));
    EXPECT_EQ(FI_ETRUNC, error.err);
    EXPECT_EQ(1, fi_cq_read(q.cq, entries, 4));
    EXPECT_EQ(4u, entries[0].tag);
}

TEST(CompletionQueue, AnErrorEntryCarriesWhatIsKnownD188)
{
    TestQueue q;
    fi_hot_completion made = failure(9, FI_ETRUNC);
    made.source = 100; // olen
    q.queue->push(made);
    fi_cq_err_entry error{};
    ASSERT_EQ(1, fi_cq_readerr(q.cq, &error, 0));
    EXPECT_EQ(made.op_context, error.op_context);
    EXPECT_EQ(made.flags, error.flags);
    EXPECT_EQ(made.len, error.len);
    EXPECT_EQ(made.data, error.data);
    EXPECT_EQ(made.tag, error.tag);
    EXPECT_EQ(100u, error.olen);
    EXPECT_EQ(FI_ETRUNC, error.err);
    EXPECT_EQ(FI_ADDR_NOTAVAIL, error.src_addr);
    EXPECT_STREQ(fi_strerror(FI_ETRUNC), fi_cq_strerror(q.cq, error.prov_errno, error.err_data, nullptr, 0));
    char text[5];
    EXPECT_EQ(text, fi_cq_strerror(q.cq, error.prov_errno, error.err_data, text, sizeof text));
    EXPECT_EQ(std::string(fi_strerror(FI_ETRUNC)).substr(0, 4), text) << "D198";
}

TEST(CompletionQueue, ErrorEntriesOfOlderVersionsAreNotOverrunB10D192)
{
    const std::pair<std::uint32_t, std::size_t> versions[] = {
        {FI_VERSION(1, 4), offsetof(fi_cq_err_entry, err_data_size)},
        {FI_VERSION(1, 5), offsetof(fi_cq_err_entry, src_addr)},
        {FI_VERSION(1, 19), offsetof(fi_cq_err_entry, src_addr)},
        {FI_VERSION(1, 20), sizeof(fi_cq_err_entry)},
        {FI_VERSION(2, 6), sizeof(fi_cq_err_entry)},
    };
    for (const auto& [version, size] : versions) {
        SCOPED_TRACE(version);
        TestQueue q({.api = version});
        q.queue->push(failure(1, FI_ECANCELED));
        alignas(8) unsigned char memory[sizeof(fi_cq_err_entry) + 16];
        std::memset(memory, 0xa5, sizeof memory);
        // Through the table, as an old program's own header calls: today's wrapper itself presets src_addr.
        ASSERT_EQ(1, q.cq->ops->readerr(q.cq, reinterpret_cast<fi_cq_err_entry*>(memory), 0));
        for (std::size_t i = size; i < sizeof memory; i++)
            EXPECT_EQ(0xa5, memory[i]) << i;
        const auto* error = reinterpret_cast<fi_cq_err_entry*>(memory);
        EXPECT_EQ(FI_ECANCELED, error->err);
        if (version >= FI_VERSION(1, 20)) {
            EXPECT_EQ(FI_ADDR_NOTAVAIL, error->src_addr);
        }
    }
}

TEST(CompletionQueue, TheCallersErrorBufferIsLeftToTheCallerD190D191)
{
    TestQueue q;
    q.queue->push(failure(1, FI_ECANCELED));
    q.queue->push(failure(2, FI_ECANCELED));
    char room[4] = "abc";
    fi_cq_err_entry error{};
    error.err_data = room;
    error.err_data_size = sizeof room;
    ASSERT_EQ(1, fi_cq_readerr(q.cq, &error, 0));
    EXPECT_EQ(room, error.err_data);
    EXPECT_EQ(0u, error.err_data_size);
    EXPECT_STREQ("abc", room);
    ASSERT_EQ(1, fi_cq_readerr(q.cq, &error, 0));
    EXPECT_EQ(nullptr, error.err_data);
}

TEST(Overflow, WhatDoesNotFitIntoTheRingWaitsInOrderAndIsRecycledOnce)
{
    for (const bool from : {false, true}) {
        TestQueue q({.size = 4});
        std::vector<TestRecord> records(50);
        for (std::uint64_t i = 0; i < 50; i++) {
            records[i].done = i % 7 == 6 ? failure(i, FI_EIO) : success(i);
            records[i].owner = &q;
            q.queue->push(&records[i]);
            EXPECT_EQ(i < 4 ? 1 : 0, records[i].recycled) << i;
        }
        EXPECT_FALSE(q.queue->has_room());
        std::vector<std::uint64_t> tags;
        fi_cq_tagged_entry entries[3];
        fi_addr_t sources[3];
        while (tags.size() < 50) {
            const ssize_t ret =
                from ? fi_cq_readfrom(q.cq, entries, 3, sources) : fi_cq_read(q.cq, entries, 3);
            if (ret == -FI_EAVAIL) {
                fi_cq_err_entry error{};
                ASSERT_EQ(1, fi_cq_readerr(q.cq, &error, 0));
                tags.push_back(error.tag);
                continue;
            }
            ASSERT_GT(ret, 0);
            for (ssize_t i = 0; i < ret; i++)
                tags.push_back(entries[i].tag);
        }
        for (std::uint64_t i = 0; i < 50; i++) {
            EXPECT_EQ(i, tags[i]);
            EXPECT_EQ(1, records[i].recycled) << i;
        }
        EXPECT_TRUE(q.queue->has_room());
        EXPECT_EQ(-FI_EAGAIN, fi_cq_read(q.cq, entries, 3));
    }
}

TEST(Overflow, NothingOvertakesItThoughTheRingHasRoomAgain)
{
    TestQueue q({.size = 1});
    TestRecord records[3];
    for (std::uint64_t i = 0; i < 3; i++) {
        records[i].done = success(i);
        q.queue->push(&records[i]);
    }
    fi_cq_tagged_entry entry;
    for (std::uint64_t i = 0; i < 3; i++) {
        ASSERT_EQ(1, fi_cq_read(q.cq, &entry, 1));
        EXPECT_EQ(i, entry.tag);
    }
}

TEST(Overflow, AClosingOwnersRecordsAreForgottenAndTheOthersStay)
{
    for (const int last_owner : {0, 1}) {
        TestQueue q({.size = 1});
        int owners[2];
        std::vector<TestRecord> records(9);
        for (std::uint64_t i = 0; i < 9; i++) {
            records[i].done = success(i);
            records[i].owner = &owners[(i + static_cast<std::uint64_t>(last_owner)) % 2];
            q.queue->push(&records[i]);
        }
        q.queue->forget(&owners[0]);
        TestRecord late;
        late.done = success(100);
        late.owner = &owners[1];
        q.queue->push(&late); // the list's end is where it should be
        std::vector<std::uint64_t> tags;
        fi_cq_tagged_entry entry;
        while (fi_cq_read(q.cq, &entry, 1) == 1)
            tags.push_back(entry.tag);
        std::vector<std::uint64_t> expected;
        for (std::uint64_t i = 0; i < 9; i++) {
            const bool kept = i == 0 || records[i].owner == &owners[1]; // the first was in the ring already
            if (kept)
                expected.push_back(i);
            EXPECT_EQ(1, records[i].recycled) << i;
        }
        expected.push_back(100);
        EXPECT_EQ(expected, tags);
    }
}

TEST(Looking, HappensWhenItsTimeHasComeAndNotBefore)
{
    TestQueue q;
    FakeSource source;
    q.queue->add_source(source.as_source());
    fi_cq_tagged_entry entry;
    fi_cq_read(q.cq, &entry, 1);
    const int before = source.looks;
    EXPECT_EQ(1, before) << "a new source is looked at at once";
    EXPECT_GT(q.queue->schedule.look_at, 0u);
    q.queue->schedule.look_at = fi_hot_clock() + (std::uint64_t{1} << 60);
    for (int i = 0; i < 1000; i++)
        EXPECT_EQ(-FI_EAGAIN, fi_cq_read(q.cq, &entry, 1));
    EXPECT_EQ(before, source.looks);
    q.queue->schedule.look_at = fi_hot_clock();
    fi_cq_read(q.cq, &entry, 1);
    EXPECT_EQ(before + 1, source.looks);
}

TEST(Looking, HappensAtEveryReadWhileASourceIsBusy)
{
    TestQueue q;
    FakeSource source;
    source.busy = true;
    q.queue->add_source(source.as_source());
    fi_cq_tagged_entry entry;
    for (int i = 1; i <= 10; i++) {
        fi_cq_read(q.cq, &entry, 1);
        EXPECT_EQ(i, source.looks);
    }
    source.busy = false;
    fi_cq_read(q.cq, &entry, 1);
    q.queue->schedule.look_at = fi_hot_clock() + (std::uint64_t{1} << 60);
    fi_cq_read(q.cq, &entry, 1);
    EXPECT_EQ(11, source.looks);
}

TEST(Looking, HappensWhenAWatchedWordChanges)
{
    TestQueue q;
    FakeSource source;
    source.words = {1, 2};
    q.queue->add_source(source.as_source());
    fi_cq_tagged_entry entry;
    fi_cq_read(q.cq, &entry, 1);
    q.queue->schedule.look_at = fi_hot_clock() + (std::uint64_t{1} << 60);
    fi_cq_read(q.cq, &entry, 1);
    ASSERT_EQ(1, source.looks);
    for (std::uint64_t& word : source.words) {
        const int before = source.looks;
        word++;
        fi_cq_read(q.cq, &entry, 1);
        fi_cq_read(q.cq, &entry, 1);
        EXPECT_EQ(before + 1, source.looks) << "what it holds now is the new quiet";
    }
}

TEST(Looking, HappensAtEveryReadWhileThereAreMoreWordsThanCanBeWatched)
{
    TestQueue q;
    FakeSource one, other;
    one.words.resize(FI_HOT_WATCHES - 1);
    other.words.resize(2);
    q.queue->add_source(one.as_source());
    q.queue->add_source(other.as_source());
    fi_cq_tagged_entry entry;
    fi_cq_read(q.cq, &entry, 1);
    for (int i = 1; i <= 1000; i++) {
        EXPECT_EQ(i, other.looks);
        fi_cq_read(q.cq, &entry, 1);
    }
    EXPECT_GE(other.looks_at_all, 1);
    const int before = other.looks_at_all;
    const Deadline time(10'000);
    while (other.looks_at_all == before && time.left() > 0)
        fi_cq_read(q.cq, &entry, 1);
    EXPECT_GT(other.looks_at_all, before) << "everything still has its turn";
}

TEST(Looking, AlsoHappensWhileEntriesAreReadThatNeverRunOut)
{
    TestQueue q({.size = 256});
    FakeSource source;
    q.queue->add_source(source.as_source());
    fi_cq_tagged_entry entry;
    fi_cq_read(q.cq, &entry, 1);
    const int before = source.looks;
    for (std::uint64_t i = 0; i < 100; i++)
        q.queue->push(success(i));
    q.queue->schedule.look_at = fi_hot_clock();
    ASSERT_EQ(1, fi_cq_read(q.cq, &entry, 1));
    EXPECT_EQ(before + 1, source.looks);
}

TEST(Looking, WhatALookCompletesIsReadAtOnce)
{
    TestQueue q;
    FakeSource source;
    source.queue = q.queue;
    source.completes = 1;
    q.queue->add_source(source.as_source());
    fi_cq_tagged_entry entry;
    EXPECT_EQ(1, fi_cq_read(q.cq, &entry, 1));
}

TEST(Looking, AReadOfNothingOnlyMakesProgressD186)
{
    TestQueue q;
    FakeSource source;
    source.queue = q.queue;
    source.completes = 1;
    q.queue->add_source(source.as_source());
    EXPECT_EQ(0, fi_cq_read(q.cq, nullptr, 0));
    EXPECT_EQ(1, source.looks);
    fi_cq_tagged_entry entry;
    EXPECT_EQ(1, fi_cq_read(q.cq, &entry, 1));
}

TEST(Looking, ARemovedSourceIsNotLookedAt)
{
    TestQueue q;
    FakeSource one;
    FakeSource other;
    q.queue->add_source(one.as_source());
    q.queue->add_source(other.as_source());
    q.queue->remove_source(&one);
    q.queue->look_soon();
    fi_cq_tagged_entry entry;
    fi_cq_read(q.cq, &entry, 1);
    EXPECT_EQ(0, one.looks);
    EXPECT_EQ(1, other.looks);
}

TEST(CompletionQueue, ABoundQueueIsBusyD176)
{
    TestParent siblings;
    NoLock lock;
    fi_cq_attr attr{};
    auto* queue = new CompletionQueue<NoLock>(lock, siblings, attr, FI_VERSION(2, 6), nullptr);
    queue->use();
    EXPECT_EQ(-FI_EBUSY, fi_close(&queue->fid.fid));
    queue->unuse();
    EXPECT_EQ(1u, siblings.children());
    EXPECT_EQ(0, fi_close(&queue->fid.fid));
    EXPECT_EQ(0u, siblings.children());
}

TEST(CompletionQueue, HoldsAtLeastTheSizeAskedForD173)
{
    TestQueue q({.size = 1000});
    for (std::uint64_t i = 0; i < 1000; i++) {
        ASSERT_TRUE(q.queue->has_room());
        q.queue->push(success(i));
    }
}

TEST(CompletionQueue, AttributesThatCannotBeServedAreRefused)
{
    fi_cq_attr attr{};
    EXPECT_EQ(0, CompletionQueueBase::check(test_provider, attr));
    attr.wait_obj = FI_WAIT_SET;
    EXPECT_EQ(-FI_ENOSYS, CompletionQueueBase::check(test_provider, attr));
    attr = {};
    attr.format = static_cast<fi_cq_format>(7);
    EXPECT_EQ(-FI_EINVAL, CompletionQueueBase::check(test_provider, attr));
    attr = {};
    attr.size = SIZE_MAX;
    EXPECT_EQ(-FI_EINVAL, CompletionQueueBase::check(test_provider, attr));
}

TEST(DirectLayout, IsGivenByUnlockedQueuesOnly)
{
    TestQueue q;
    void* found = nullptr;
    ASSERT_EQ(0, q.cq->fid.ops->ops_open(&q.cq->fid, FI_DIRECT_LAYOUT_NAME, 0, &found, nullptr));
    const auto* layout = static_cast<fi_direct_layout*>(found);
    EXPECT_EQ(sizeof *layout, layout->size);
    EXPECT_EQ(std::uint32_t{FI_HOT_LAYOUT}, layout->version);
    EXPECT_EQ(q.cq->ops, layout->table);
    EXPECT_EQ(-FI_ENOSYS, q.cq->fid.ops->ops_open(&q.cq->fid, "another", 0, &found, nullptr));
    EXPECT_EQ(-FI_EBADFLAGS, q.cq->fid.ops->ops_open(&q.cq->fid, FI_DIRECT_LAYOUT_NAME, 1, &found, nullptr));

    Mutex mutex;
    TestParent siblings;
    fi_cq_attr attr{};
    CompletionQueue<Mutex> locked(mutex, siblings, attr, FI_VERSION(2, 6), nullptr);
    EXPECT_EQ(-FI_EOPNOTSUPP,
              locked.fid.fid.ops->ops_open(&locked.fid.fid, FI_DIRECT_LAYOUT_NAME, 0, &found, nullptr));
}

} // namespace
} // namespace fi::kit
