// SPDX-License-Identifier: BSD-2-Clause
//
// The event queue against the rules of fi_eq(3), by their numbers.
#include "kit/objects/eq.hpp"
#include "test_parent.hpp"

#include <cstring>
#include <gtest/gtest.h>
#include <poll.h>
#include <rdma/inline/eq.h>
#include <thread>

namespace fi::kit {
namespace {

struct Queue {
    explicit Queue(fi_wait_obj wait = FI_WAIT_NONE, std::uint32_t api = FI_VERSION(2, 6),
                   std::uint64_t flags = FI_WRITE)
    {
        fi_eq_attr attr{};
        attr.wait_obj = wait;
        attr.flags = flags;
        EXPECT_EQ(0, EventQueue::check(test_provider, attr));
        queue = new EventQueue(siblings, attr, api, &context);
        eq = &queue->fid;
    }
    ~Queue()
    {
        if (queue) {
            EXPECT_EQ(0, fi_close(&eq->fid));
        }
    }
    bool readable() const
    {
        int fd = -1;
        EXPECT_EQ(0, eq->fid.ops->control(&eq->fid, FI_GETWAIT, &fd));
        pollfd poll_for{fd, POLLIN, 0};
        return ::poll(&poll_for, 1, 0) == 1;
    }
    TestParent siblings;
    int context = 0;
    EventQueue* queue;
    fid_eq* eq;
};

fi_eq_entry entry(std::uint64_t data)
{
    fi_eq_entry made{};
    made.data = data;
    return made;
}

fi_eq_err_entry error(int err, void* context = nullptr, void* data = nullptr, std::size_t size = 0)
{
    fi_eq_err_entry made{};
    made.err = err;
    made.context = context;
    made.err_data = data;
    made.err_data_size = size;
    return made;
}

TEST(EventQueue, ReadGivesOneEventAndItsSizeInOrderC242)
{
    Queue q;
    std::uint32_t event = 0;
    fi_eq_entry got[2];
    EXPECT_EQ(-FI_EAGAIN, fi_eq_read(q.eq, &event, got, sizeof got, 0));
    for (const std::uint64_t data : {7u, 8u}) {
        const fi_eq_entry made = entry(data);
        ASSERT_EQ(0, q.queue->post(FI_MR_COMPLETE, &made, sizeof made));
    }
    for (const std::uint64_t data : {7u, 8u}) {
        EXPECT_EQ(ssize_t{sizeof(fi_eq_entry)}, fi_eq_read(q.eq, &event, got, sizeof got, 0));
        EXPECT_EQ(std::uint32_t{FI_MR_COMPLETE}, event);
        EXPECT_EQ(data, got[0].data);
    }
    EXPECT_EQ(-FI_EAGAIN, fi_eq_read(q.eq, &event, got, sizeof got, 0));
}

TEST(EventQueue, PeekLeavesTheEventC242)
{
    Queue q;
    const fi_eq_entry made = entry(1);
    ASSERT_EQ(0, q.queue->post(FI_NOTIFY, &made, sizeof made));
    std::uint32_t event = 0;
    fi_eq_entry got;
    EXPECT_EQ(ssize_t{sizeof got}, fi_eq_read(q.eq, &event, &got, sizeof got, FI_PEEK));
    EXPECT_EQ(ssize_t{sizeof got}, fi_eq_read(q.eq, &event, &got, sizeof got, 0));
    EXPECT_EQ(-FI_EAGAIN, fi_eq_read(q.eq, &event, &got, sizeof got, 0));
}

TEST(EventQueue, AnErrorKeepsItsPlaceAndHoldsUpReadsUntilTakenC243)
{
    Queue q;
    const fi_eq_entry made = entry(1);
    ASSERT_EQ(0, q.queue->post(FI_NOTIFY, &made, sizeof made));
    ASSERT_EQ(0, q.queue->post_error(error(FI_ECONNREFUSED, &q)));
    ASSERT_EQ(0, q.queue->post(FI_NOTIFY, &made, sizeof made));
    std::uint32_t event = 0;
    fi_eq_entry got;
    fi_eq_err_entry failed{};
    EXPECT_EQ(-FI_EAGAIN, fi_eq_readerr(q.eq, &failed, 0));
    EXPECT_LT(0, fi_eq_read(q.eq, &event, &got, sizeof got, 0));
    EXPECT_EQ(-FI_EAVAIL, fi_eq_read(q.eq, &event, &got, sizeof got, 0));
    EXPECT_EQ(-FI_EAVAIL, fi_eq_read(q.eq, &event, &got, sizeof got, 0));
    EXPECT_EQ(ssize_t{sizeof failed}, fi_eq_readerr(q.eq, &failed, 0));
    EXPECT_EQ(FI_ECONNREFUSED, failed.err);
    EXPECT_EQ(&q, failed.context);
    EXPECT_LT(0, fi_eq_read(q.eq, &event, &got, sizeof got, 0));
    EXPECT_EQ(-FI_EAGAIN, fi_eq_readerr(q.eq, &failed, 0));
}

TEST(EventQueue, SreadEndsInEAGAINAndIsRefusedWithoutAWaitObjectC244)
{
    std::uint32_t event = 0;
    fi_eq_entry got;
    Queue none;
    EXPECT_EQ(-FI_EINVAL, fi_eq_sread(none.eq, &event, &got, sizeof got, 0, 0));
    for (const fi_wait_obj wait : {FI_WAIT_FD, FI_WAIT_UNSPEC, FI_WAIT_YIELD}) {
        Queue q(wait);
        EXPECT_EQ(-FI_EAGAIN, fi_eq_sread(q.eq, &event, &got, sizeof got, 0, 0));
        EXPECT_EQ(-FI_EAGAIN, fi_eq_sread(q.eq, &event, &got, sizeof got, 2, 0));
    }
}

TEST(EventQueue, SreadWakesForAnEventOfAnotherThreadC244C253)
{
    for (const fi_wait_obj wait : {FI_WAIT_FD, FI_WAIT_UNSPEC, FI_WAIT_YIELD}) {
        Queue q(wait);
        std::thread writer([&] {
            const fi_eq_entry made = entry(3);
            EXPECT_EQ(ssize_t{sizeof made}, fi_eq_write(q.eq, FI_NOTIFY, &made, sizeof made, 0));
        });
        std::uint32_t event = 0;
        fi_eq_entry got;
        EXPECT_EQ(ssize_t{sizeof got}, fi_eq_sread(q.eq, &event, &got, sizeof got, -1, 0));
        writer.join();
        EXPECT_EQ(3u, got.data);
    }
}

TEST(EventQueue, SreadGivesErrorsAsReadDoes)
{
    Queue q(FI_WAIT_FD);
    ASSERT_EQ(0, q.queue->post_error(error(FI_EIO)));
    std::uint32_t event = 0;
    fi_eq_entry got;
    EXPECT_EQ(-FI_EAVAIL, fi_eq_sread(q.eq, &event, &got, sizeof got, -1, 0));
}

TEST(EventQueue, WritingNeedsTheFlagFI_WRITEC245)
{
    Queue q;
    Queue closed(FI_WAIT_NONE, FI_VERSION(2, 6), 0);
    const fi_eq_entry made = entry(1);
    EXPECT_EQ(ssize_t{sizeof made}, fi_eq_write(q.eq, 77, &made, sizeof made, 0));
    EXPECT_EQ(-FI_EINVAL, fi_eq_write(closed.eq, 77, &made, sizeof made, 0));
    std::uint32_t event = 0;
    fi_eq_entry got;
    EXPECT_EQ(ssize_t{sizeof got}, fi_eq_read(q.eq, &event, &got, sizeof got, 0));
    EXPECT_EQ(77u, event);
}

TEST(EventQueue, AnEventMayBeEmpty)
{
    Queue q;
    EXPECT_EQ(0, fi_eq_write(q.eq, 5, nullptr, 0, 0));
    std::uint32_t event = 0;
    EXPECT_EQ(0, fi_eq_read(q.eq, &event, nullptr, 0, 0));
    EXPECT_EQ(5u, event);
}

TEST(EventQueue, AnEventThatDoesNotFitStays)
{
    Queue q;
    char bytes[100];
    std::memset(bytes, 'x', sizeof bytes);
    ASSERT_EQ(100, fi_eq_write(q.eq, 5, bytes, sizeof bytes, 0));
    std::uint32_t event = 0;
    char got[100];
    EXPECT_EQ(-FI_ETOOSMALL, fi_eq_read(q.eq, &event, got, 99, 0));
    EXPECT_EQ(100, fi_eq_read(q.eq, &event, got, 100, 0));
}

TEST(EventQueue, ErrorDataIsCopiedAsFarAsTheCallersBufferGoesC247)
{
    Queue q;
    char text[] = "because";
    ASSERT_EQ(0, q.queue->post_error(error(FI_EIO, nullptr, text, sizeof text)));
    ASSERT_EQ(0, q.queue->post_error(error(FI_EIO, nullptr, text, sizeof text)));
    char room[20];
    std::memset(room, '.', sizeof room);
    fi_eq_err_entry got{};
    got.err_data = room;
    got.err_data_size = 3;
    ASSERT_LT(0, fi_eq_readerr(q.eq, &got, 0));
    EXPECT_EQ(room, got.err_data);
    EXPECT_EQ(3u, got.err_data_size);
    EXPECT_EQ(0, std::memcmp(room, "bec.", 4));
    got.err_data_size = sizeof room;
    ASSERT_LT(0, fi_eq_readerr(q.eq, &got, 0));
    EXPECT_EQ(sizeof text, got.err_data_size);
    EXPECT_STREQ("because", room);
}

TEST(EventQueue, WithoutABufferErrorDataPointsIntoTheLibraryC248)
{
    Queue q;
    {
        char text[] = "because";
        ASSERT_EQ(0, q.queue->post_error(error(FI_EIO, nullptr, text, sizeof text)));
        std::memset(text, '#', sizeof text);
    }
    fi_eq_err_entry got{};
    ASSERT_LT(0, fi_eq_readerr(q.eq, &got, FI_PEEK));
    EXPECT_STREQ("because", static_cast<char*>(got.err_data));
    got = {};
    ASSERT_LT(0, fi_eq_readerr(q.eq, &got, 0));
    EXPECT_EQ(sizeof "because", got.err_data_size);
    EXPECT_STREQ("because", static_cast<char*>(got.err_data));
}

TEST(EventQueue, AnOlderCallersShorterErrorEntryIsNotOverrunB10)
{
    Queue q(FI_WAIT_NONE, FI_VERSION(1, 4));
    char text[] = "because";
    ASSERT_EQ(0, q.queue->post_error(error(FI_EIO, &q, text, sizeof text)));
    constexpr std::size_t kOldSize = offsetof(fi_eq_err_entry, err_data_size);
    alignas(fi_eq_err_entry) unsigned char memory[sizeof(fi_eq_err_entry) + 16];
    std::memset(memory, 0xa5, sizeof memory);
    EXPECT_EQ(ssize_t{kOldSize}, fi_eq_readerr(q.eq, reinterpret_cast<fi_eq_err_entry*>(memory), 0));
    const auto* got = reinterpret_cast<fi_eq_err_entry*>(memory);
    EXPECT_EQ(FI_EIO, got->err);
    EXPECT_STREQ("because", static_cast<char*>(got->err_data));
    for (std::size_t i = kOldSize; i < sizeof memory; i++)
        EXPECT_EQ(0xa5, memory[i]) << i;
}

TEST(EventQueue, ABoundQueueIsBusyC249)
{
    Queue q;
    q.queue->use();
    EXPECT_EQ(-FI_EBUSY, fi_close(&q.eq->fid));
    q.queue->unuse();
    EXPECT_EQ(1u, q.siblings.children());
    EXPECT_EQ(0, fi_close(&q.eq->fid));
    EXPECT_EQ(0u, q.siblings.children());
    q.queue = nullptr;
}

TEST(EventQueue, AnOverrunKeepsTheGoodEventsAndThenEndsInAnErrorForGoodC250)
{
    Queue q(FI_WAIT_FD);
    std::size_t good = 0;
    std::uint64_t data = 0;
    while (fi_eq_write(q.eq, FI_NOTIFY, &data, sizeof data, 0) == sizeof data)
        ASSERT_LT(++good, 1'000'000u);
    EXPECT_EQ(-FI_EOVERRUN, fi_eq_write(q.eq, FI_NOTIFY, &data, sizeof data, 0));
    std::uint32_t event = 0;
    for (std::size_t i = 0; i < good; i++)
        ASSERT_EQ(ssize_t{sizeof data}, fi_eq_read(q.eq, &event, &data, sizeof data, 0));
    for (int i = 0; i < 3; i++) {
        fi_eq_err_entry got{};
        EXPECT_EQ(-FI_EAVAIL, fi_eq_read(q.eq, &event, &data, sizeof data, 0));
        EXPECT_LT(0, fi_eq_readerr(q.eq, &got, 0));
        EXPECT_EQ(FI_EOVERRUN, got.err);
        EXPECT_EQ(-FI_EOVERRUN, fi_eq_write(q.eq, FI_NOTIFY, &data, sizeof data, 0));
    }
}

TEST(EventQueue, ItsSizeIsAtLeastWhatWasAskedC254)
{
    TestParent siblings;
    fi_eq_attr attr{};
    attr.size = 5000;
    attr.flags = FI_WRITE;
    EventQueue queue(siblings, attr, FI_VERSION(2, 6), nullptr);
    for (int i = 0; i < 5000; i++)
        ASSERT_EQ(0, queue.eq_write(1, nullptr, 0, 0));
}

TEST(EventQueue, TheWaitObjectIsReadableWhileEventsWaitC251C252)
{
    Queue q(FI_WAIT_FD);
    EXPECT_FALSE(q.readable());
    EXPECT_EQ(0, q.queue->try_wait());
    const fi_eq_entry made = entry(1);
    ASSERT_EQ(0, q.queue->post(FI_NOTIFY, &made, sizeof made));
    ASSERT_EQ(0, q.queue->post_error(error(FI_EIO)));
    EXPECT_TRUE(q.readable());
    EXPECT_EQ(-FI_EAGAIN, q.queue->try_wait());
    std::uint32_t event = 0;
    fi_eq_entry got;
    fi_eq_err_entry failed{};
    ASSERT_LT(0, fi_eq_read(q.eq, &event, &got, sizeof got, 0));
    EXPECT_TRUE(q.readable());
    ASSERT_LT(0, fi_eq_readerr(q.eq, &failed, 0));
    EXPECT_FALSE(q.readable());
    EXPECT_EQ(0, q.queue->try_wait());
}

TEST(EventQueue, WithoutAWaitObjectThereIsNoneToGetC251)
{
    Queue q;
    int fd = -1;
    EXPECT_EQ(-FI_ENODATA, q.eq->fid.ops->control(&q.eq->fid, FI_GETWAIT, &fd));
}

TEST(EventQueue, PrivateDataOfAConnectionEventIsCutToTheBufferC257)
{
    Queue q;
    unsigned char made[sizeof(fi_eq_cm_entry) + 8] = {}; // a header without handles, and the private data
    std::memcpy(made + sizeof(fi_eq_cm_entry), "private", 8);
    std::uint32_t event = 0;
    for (const std::size_t room : {sizeof(fi_eq_cm_entry), sizeof(fi_eq_cm_entry) + 3, sizeof made + 10}) {
        ASSERT_EQ(0, q.queue->post(FI_CONNREQ, made, sizeof made));
        unsigned char got[sizeof made + 10];
        const std::size_t expected = std::min(room, sizeof made);
        EXPECT_EQ(static_cast<ssize_t>(expected), fi_eq_read(q.eq, &event, got, room, 0));
        EXPECT_EQ(0, std::memcmp(got, made, expected));
    }
    ASSERT_EQ(0, q.queue->post(FI_CONNREQ, made, sizeof made));
    char small[sizeof(fi_eq_cm_entry) - 1];
    EXPECT_EQ(-FI_ETOOSMALL, fi_eq_read(q.eq, &event, small, sizeof small, 0));
}

TEST(EventQueue, AttributesThatCannotBeServedAreRefused)
{
    fi_eq_attr attr{};
    attr.wait_obj = FI_WAIT_SET;
    EXPECT_EQ(-FI_ENOSYS, EventQueue::check(test_provider, attr));
    attr = {};
    attr.flags = FI_TRANSMIT;
    EXPECT_EQ(-FI_EBADFLAGS, EventQueue::check(test_provider, attr));
}

} // namespace
} // namespace fi::kit
