// SPDX-License-Identifier: BSD-2-Clause
//
// The counter against the rules of fi_cntr(3), by their numbers: its two values, progress, and sleeping on
// it.
#include "cq_support.hpp"
#include "kit/objects/counter.hpp"

#include <chrono>
#include <cstring>
#include <functional>
#include <poll.h>
#include <rdma/inline/cntr.h>
#include <thread>

namespace fi::kit {
namespace {

constexpr fi_wait_obj kSleepers[] = {FI_WAIT_FD, FI_WAIT_UNSPEC, FI_WAIT_YIELD};

struct CounterOptions {
    fi_wait_obj wait = FI_WAIT_NONE;
    fi_cntr_events events = FI_CNTR_EVENTS_COMP;
};

/// A counter without a domain around it.
template <class Lock>
struct AnyTestCounter {
    explicit AnyTestCounter(const CounterOptions& options = {})
    {
        fi_cntr_attr attr{};
        attr.wait_obj = options.wait;
        attr.events = options.events;
        EXPECT_EQ(0, CounterBase::check(test_provider, attr));
        counter = new Counter<Lock>(lock, siblings, attr, nullptr);
        cntr = &counter->fid;
    }
    ~AnyTestCounter() { EXPECT_EQ(0, fi_close(&cntr->fid)); }
    AnyTestCounter(const AnyTestCounter&) = delete;
    AnyTestCounter& operator=(const AnyTestCounter&) = delete;

    void count(int error, std::uint64_t bytes = 0)
    {
        const std::lock_guard guard(lock);
        counter->count(error, bytes);
    }

    Lock lock;
    TestParent siblings;
    Counter<Lock>* counter;
    fid_cntr* cntr;
};
using TestCounter = AnyTestCounter<NoLock>;

/// Something to look at that ends as many operations as it is told.
struct CountedSource {
    CountedSource() : fd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
    ~CountedSource() { ::close(fd); }
    CountedSource(const CountedSource&) = delete;
    CountedSource& operator=(const CountedSource&) = delete;

    ProgressSource as_source(CounterBase& counter)
    {
        to = &counter;
        return {
            .self = this,
            .look =
                [](void* self, bool) noexcept {
                    auto& source = *static_cast<CountedSource*>(self);
                    source.looks++;
                    for (; source.ends > 0; source.ends--)
                        source.to->count(0, 1);
                    for (; source.fails > 0; source.fails--)
                        source.to->count(FI_EIO, 1);
                    return false;
                },
            .watch = [](void*, fi_hot_watch*, std::size_t) noexcept { return std::size_t{0}; },
            .arm =
                [](void* self) noexcept {
                    static_cast<CountedSource*>(self)->arms++;
                    return true;
                },
            .wait_fd = fd,
        };
    }
    void tell() const
    {
        const std::uint64_t one = 1;
        EXPECT_EQ(ssize_t{sizeof one}, ::write(fd, &one, sizeof one));
    }

    int fd;
    CounterBase* to = nullptr;
    std::atomic<int> looks{0};
    std::atomic<int> arms{0};
    std::atomic<int> ends{0};
    std::atomic<int> fails{0};
};

bool readable(int fd)
{
    pollfd wait{fd, POLLIN, 0};
    return ::poll(&wait, 1, 0) == 1;
}

TEST(Counter, CountsSuccessesAndErrorsApartD227)
{
    TestCounter c;
    EXPECT_EQ(0u, fi_cntr_read(c.cntr));
    EXPECT_EQ(0u, fi_cntr_readerr(c.cntr));
    c.count(0, 100);
    c.count(FI_ECANCELED, 100);
    c.count(0, 0);
    EXPECT_EQ(2u, fi_cntr_read(c.cntr));
    EXPECT_EQ(1u, fi_cntr_readerr(c.cntr));
}

TEST(Counter, CountsBytesIfAskedToAndAnErrorStillOnceD237)
{
    TestCounter c({.events = FI_CNTR_EVENTS_BYTES});
    c.count(0, 100);
    c.count(FI_EIO, 100);
    c.count(0, 11);
    EXPECT_EQ(111u, fi_cntr_read(c.cntr));
    EXPECT_EQ(1u, fi_cntr_readerr(c.cntr));
}

TEST(Counter, CanBeSetAndAddedToD235)
{
    TestCounter c;
    EXPECT_EQ(0, fi_cntr_set(c.cntr, 40));
    EXPECT_EQ(0, fi_cntr_add(c.cntr, 2));
    EXPECT_EQ(0, fi_cntr_seterr(c.cntr, 7));
    EXPECT_EQ(0, fi_cntr_adderr(c.cntr, 1));
    EXPECT_EQ(42u, fi_cntr_read(c.cntr));
    EXPECT_EQ(8u, fi_cntr_readerr(c.cntr));
}

TEST(Counter, GoesUpToTheLastOfSixtyFourBitsC99)
{
    TestCounter c;
    EXPECT_EQ(0, fi_cntr_set(c.cntr, UINT64_MAX - 1));
    c.count(0);
    EXPECT_EQ(UINT64_MAX, fi_cntr_read(c.cntr));
}

TEST(Counter, ReadingItMakesProgressC76)
{
    TestCounter c;
    CountedSource source;
    c.counter->add_source(source.as_source(*c.counter));
    source.ends = 1;
    EXPECT_EQ(1u, fi_cntr_read(c.cntr)) << "a new source is looked at at once";
    c.counter->schedule.look_at = fi_hot_clock() + (std::uint64_t{1} << 60); // the clock has no say here
    source.ends = 1;
    for (int i = 0; i < 100; i++)
        ASSERT_EQ(1u, fi_cntr_read(c.cntr));
    c.counter->schedule.look_at = fi_hot_clock();
    EXPECT_EQ(2u, fi_cntr_read(c.cntr));
    c.counter->look_soon();
    source.fails = 1;
    EXPECT_EQ(1u, fi_cntr_readerr(c.cntr));
    c.counter->remove_source(&source);
}

TEST(CounterWait, WithoutAWaitObjectIsRefusedD234)
{
    TestCounter c;
    EXPECT_EQ(-FI_EINVAL, fi_cntr_wait(c.cntr, 0, 0));
}

TEST(CounterWait, EndsAtOnceWhereTheThresholdIsReachedD232)
{
    for (const fi_wait_obj wait : kSleepers) {
        TestCounter c({.wait = wait});
        c.count(0);
        c.count(0);
        EXPECT_EQ(0, fi_cntr_wait(c.cntr, 0, -1));
        EXPECT_EQ(0, fi_cntr_wait(c.cntr, 2, -1));
        EXPECT_EQ(0, fi_cntr_wait(c.cntr, 1, 0));
    }
}

TEST(CounterWait, EndsInETIMEDOUTNotBeforeItsTimeD232)
{
    for (const fi_wait_obj wait : kSleepers) {
        TestCounter c({.wait = wait});
        CountedSource source;
        c.counter->add_source(source.as_source(*c.counter));
        for (const int milliseconds : {0, 1, 20}) {
            const auto start = std::chrono::steady_clock::now();
            EXPECT_EQ(-FI_ETIMEDOUT, fi_cntr_wait(c.cntr, 1, milliseconds));
            EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(milliseconds));
        }
        c.counter->remove_source(&source);
    }
}

TEST(CounterWait, IsWokenByWhatTheSourceBringsByOtherThreadsAndByTheApplication)
{
    for (const fi_wait_obj wait : kSleepers) {
        AnyTestCounter<Mutex> c({.wait = wait});
        CountedSource source;
        c.counter->add_source(source.as_source(*c.counter));
        const std::function<void()> ways[] = {
            [&] {
                source.ends = 1;
                source.tell();
            },
            [&] { c.count(0); },
            [&] { fi_cntr_add(c.cntr, 1); },
            [&] { fi_cntr_set(c.cntr, 4); },
        };
        std::uint64_t threshold = 0;
        for (const auto& way : ways) {
            source.looks = 0;
            source.arms = 0;
            std::thread other([&] {
                while (wait == FI_WAIT_YIELD ? source.looks == 0 : source.arms == 0)
                    std::this_thread::yield();
                way();
            });
            EXPECT_EQ(0, fi_cntr_wait(c.cntr, ++threshold, -1));
            other.join();
        }
        c.counter->remove_source(&source);
    }
}

TEST(CounterWait, EndsInEAVAILWhenTheErrorsChangeB31D233)
{
    for (const fi_wait_obj wait : kSleepers) {
        AnyTestCounter<Mutex> c({.wait = wait});
        CountedSource source;
        c.counter->add_source(source.as_source(*c.counter));
        const std::function<void()> ways[] = {
            [&] { c.count(FI_EIO); },
            [&] { fi_cntr_adderr(c.cntr, 1); },
            [&] { fi_cntr_seterr(c.cntr, 3); },
        };
        std::uint64_t errors = 0;
        for (const auto& way : ways) {
            source.looks = 0;
            source.arms = 0;
            std::thread other([&] {
                while (wait == FI_WAIT_YIELD ? source.looks == 0 : source.arms == 0)
                    std::this_thread::yield();
                way();
            });
            EXPECT_EQ(-FI_EAVAIL, fi_cntr_wait(c.cntr, 1, -1));
            EXPECT_EQ(-FI_EAVAIL, fi_cntr_wait(c.cntr, 1, -1)) << "until they are read";
            other.join();
            EXPECT_EQ(++errors, fi_cntr_readerr(c.cntr));
            EXPECT_EQ(-FI_ETIMEDOUT, fi_cntr_wait(c.cntr, 1, 0));
        }
        c.counter->remove_source(&source);
    }
}

TEST(CounterWait, SeesAnErrorThatCameBeforeTheCallB31)
{
    TestCounter c({.wait = FI_WAIT_FD});
    c.count(FI_EIO);
    EXPECT_EQ(-FI_EAVAIL, fi_cntr_wait(c.cntr, 1, -1));
    c.count(0);
    EXPECT_EQ(0, fi_cntr_wait(c.cntr, 1, -1)) << "a threshold that is reached comes first";
}

TEST(CounterWaitObject, TrywaitSaysNoUntilEveryChangeHasBeenReadD208D210)
{
    TestCounter c({.wait = FI_WAIT_FD});
    CountedSource source;
    c.counter->add_source(source.as_source(*c.counter));
    int fd = -1;
    ASSERT_EQ(0, fi_control(&c.cntr->fid, FI_GETWAIT, &fd));
    EXPECT_EQ(0, c.counter->try_wait());
    EXPECT_FALSE(readable(fd));
    c.count(0);
    EXPECT_TRUE(readable(fd)) << "whoever sleeps on it wakes up";
    EXPECT_EQ(-FI_EAGAIN, c.counter->try_wait());
    EXPECT_EQ(1u, fi_cntr_read(c.cntr));
    EXPECT_EQ(0, c.counter->try_wait());
    EXPECT_FALSE(readable(fd));
    c.count(FI_EIO);
    EXPECT_EQ(-FI_EAGAIN, c.counter->try_wait());
    EXPECT_EQ(1u, fi_cntr_readerr(c.cntr));
    EXPECT_EQ(0, c.counter->try_wait());
    EXPECT_FALSE(readable(fd));
    source.ends = 1;
    EXPECT_EQ(-FI_EAGAIN, c.counter->try_wait()) << "it looks for itself";
    c.counter->remove_source(&source);
}

TEST(CounterWaitObject, IsToldByControlD205)
{
    TestCounter with({.wait = FI_WAIT_FD});
    TestCounter without;
    fi_wait_obj kind = FI_WAIT_NONE;
    int fd = -1;
    EXPECT_EQ(0, fi_control(&with.cntr->fid, FI_GETWAITOBJ, &kind));
    EXPECT_EQ(FI_WAIT_FD, kind);
    EXPECT_EQ(-FI_ENODATA, fi_control(&without.cntr->fid, FI_GETWAIT, &fd));
}

TEST(CounterClose, IsRefusedWhileAnEndpointIsBoundD236)
{
    TestCounter c;
    c.counter->use();
    EXPECT_EQ(-FI_EBUSY, fi_close(&c.cntr->fid));
    c.counter->unuse();
    EXPECT_EQ(1u, c.siblings.children());
}

TEST(CounterAttributes, ThatCannotBeServedAreRefusedD236)
{
    fi_cntr_attr attr{};
    attr.flags = FI_AFFINITY;
    EXPECT_EQ(-FI_EBADFLAGS, CounterBase::check(test_provider, attr));
    attr.flags = FI_PEER;
    EXPECT_EQ(-FI_EINVAL, CounterBase::check(test_provider, attr)) << "D269";
    attr.flags = 0;
    const std::uint32_t unknown = 2; // of an application in C
    std::memcpy(&attr.events, &unknown, sizeof unknown);
    EXPECT_EQ(-FI_EINVAL, CounterBase::check(test_provider, attr));
    attr.events = FI_CNTR_EVENTS_COMP;
    for (const fi_wait_obj wait : {FI_WAIT_SET, FI_WAIT_MUTEX_COND, FI_WAIT_POLLFD}) {
        attr.wait_obj = wait;
        EXPECT_EQ(-FI_ENOSYS, CounterBase::check(test_provider, attr));
    }
}

} // namespace
} // namespace fi::kit
