// SPDX-License-Identifier: BSD-2-Clause
//
// Sleeping on a completion queue: fi_cq_sread, its wait object, fi_cq_signal, and signals of the system.
#include "cq_support.hpp"

#include <csignal>
#include <cstring>
#include <ctime>
#include <poll.h>
#include <sys/time.h>
#include <thread>
#include <vector>

namespace fi::kit {
namespace {

constexpr fi_wait_obj kSleepers[] = {FI_WAIT_FD, FI_WAIT_UNSPEC, FI_WAIT_YIELD};

std::int64_t now_ns()
{
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

bool readable(int fd)
{
    pollfd wait{fd, POLLIN, 0};
    return ::poll(&wait, 1, 0) == 1;
}

int wait_fd(fid_cq* cq)
{
    int fd = -1;
    EXPECT_EQ(0, cq->fid.ops->control(&cq->fid, FI_GETWAIT, &fd));
    return fd;
}

TEST(Sread, WithoutAWaitObjectIsRefusedD201)
{
    TestQueue q;
    fi_cq_tagged_entry entry;
    EXPECT_EQ(-FI_EINVAL, fi_cq_sread(q.cq, &entry, 1, nullptr, 0));
}

TEST(Sread, GivesWhatIsThereAndErrorsAsReadDoes)
{
    for (const fi_wait_obj wait : kSleepers) {
        TestQueue q({.wait = wait});
        q.queue->push(success(1));
        q.queue->push(failure(2, FI_EIO));
        fi_cq_tagged_entry entry;
        fi_addr_t source = 0;
        EXPECT_EQ(1, fi_cq_sreadfrom(q.cq, &entry, 1, &source, nullptr, -1));
        EXPECT_EQ(success(1).source, source);
        EXPECT_EQ(-FI_EAVAIL, fi_cq_sread(q.cq, &entry, 1, nullptr, -1));
    }
}

TEST(Sread, EndsInEAGAINNotBeforeItsTimeD200)
{
    for (const fi_wait_obj wait : kSleepers) {
        TestQueue q({.wait = wait});
        FakeSource source;
        q.queue->add_source(source.as_source());
        fi_cq_tagged_entry entry;
        for (const int milliseconds : {0, 1, 20}) {
            const std::int64_t start = now_ns();
            EXPECT_EQ(-FI_EAGAIN, fi_cq_sread(q.cq, &entry, 1, nullptr, milliseconds));
            EXPECT_GE(now_ns() - start, milliseconds * 1'000'000LL);
        }
        q.queue->remove_source(&source);
    }
}

TEST(Sread, LooksAgainWhenTheSourceBecomesReadable)
{
    for (const fi_wait_obj wait : kSleepers) {
        AnyTestQueue<Mutex> q({.wait = wait});
        FakeSource source;
        source.queue = q.queue;
        q.queue->add_source(source.as_source());
        std::thread other([&] {
            while (source.arms == 0 && wait != FI_WAIT_YIELD)
                std::this_thread::yield();
            source.completes = 1;
            const std::uint64_t one = 1;
            EXPECT_EQ(ssize_t{sizeof one}, ::write(source.fd, &one, sizeof one));
        });
        fi_cq_tagged_entry entry;
        EXPECT_EQ(1, fi_cq_sread(q.cq, &entry, 1, nullptr, -1));
        other.join();
        q.queue->remove_source(&source);
    }
}

TEST(Sread, DoesNotSleepWhileASourceIsBusy)
{
    TestQueue q({.wait = FI_WAIT_FD});
    FakeSource source;
    source.busy = true;
    source.queue = q.queue;
    q.queue->add_source(source.as_source());
    std::thread other([&] {
        while (source.looks < 5)
            std::this_thread::yield();
        source.completes = 1; // and says nothing
    });
    fi_cq_tagged_entry entry;
    EXPECT_EQ(1, fi_cq_sread(q.cq, &entry, 1, nullptr, -1));
    other.join();
    q.queue->remove_source(&source);
}

TEST(Sread, IsWokenByWhatAnotherThreadCompletesWhoeverTookTheBytesB26)
{
    for (const fi_wait_obj wait : {FI_WAIT_FD, FI_WAIT_UNSPEC}) {
        AnyTestQueue<Mutex> q({.wait = wait});
        FakeSource source;
        q.queue->add_source(source.as_source());
        fi_cq_tagged_entry entry;
        for (int round = 0; round < 100; round++) {
            source.arms = 0;
            std::thread other([&] {
                while (source.arms == 0)
                    std::this_thread::yield();
                const std::lock_guard guard(q.lock);
                q.queue->push(success(1)); // the source's descriptor says nothing
            });
            EXPECT_EQ(1, fi_cq_sread(q.cq, &entry, 1, nullptr, -1));
            other.join();
        }
        q.queue->remove_source(&source);
    }
}

TEST(Sread, WakesEverySleeperThatHasSomethingToRead)
{
    AnyTestQueue<Mutex> q({.wait = FI_WAIT_FD});
    FakeSource source;
    q.queue->add_source(source.as_source());
    constexpr int kThreads = 4;
    std::vector<std::thread> sleepers;
    for (int i = 0; i < kThreads; i++)
        sleepers.emplace_back([&] {
            fi_cq_tagged_entry entry;
            EXPECT_EQ(1, fi_cq_sread(q.cq, &entry, 1, nullptr, -1));
        });
    while (source.arms < kThreads)
        std::this_thread::yield();
    {
        const std::lock_guard guard(q.lock);
        for (int i = 0; i < kThreads; i++)
            q.queue->push(success(1));
    }
    for (std::thread& sleeper : sleepers)
        sleeper.join();
    q.queue->remove_source(&source);
}

TEST(Sread, WakesUpToLookWhenAskedTo)
{
    AnyTestQueue<Mutex> q({.wait = FI_WAIT_FD});
    FakeSource source;
    source.queue = q.queue;
    q.queue->add_source(source.as_source());
    std::thread other([&] {
        while (source.arms == 0)
            std::this_thread::yield();
        const std::lock_guard guard(q.lock);
        source.completes = 1; // a post has left something that only a look can send
        q.queue->look_soon();
    });
    fi_cq_tagged_entry entry;
    EXPECT_EQ(1, fi_cq_sread(q.cq, &entry, 1, nullptr, -1));
    other.join();
    q.queue->remove_source(&source);
}

TEST(Signal, EndsASreadD203)
{
    for (const fi_wait_obj wait : kSleepers) {
        AnyTestQueue<Mutex> q({.wait = wait});
        FakeSource source;
        q.queue->add_source(source.as_source());
        std::thread other([&] {
            while (source.looks == 0)
                std::this_thread::yield();
            EXPECT_EQ(0, fi_cq_signal(q.cq));
        });
        fi_cq_tagged_entry entry;
        EXPECT_EQ(-FI_EAGAIN, fi_cq_sread(q.cq, &entry, 1, nullptr, -1));
        other.join();
        q.queue->remove_source(&source);
    }
}

TEST(Signal, WithoutASleeperIsKeptForTheNextSreadAndHoldsBackNoEntry)
{
    TestQueue q({.wait = FI_WAIT_FD});
    fi_cq_tagged_entry entry;
    ASSERT_EQ(0, fi_cq_signal(q.cq));
    ASSERT_EQ(0, fi_cq_signal(q.cq));
    q.queue->push(success(1));
    EXPECT_EQ(1, fi_cq_sread(q.cq, &entry, 1, nullptr, -1));
    EXPECT_EQ(-FI_EAGAIN, fi_cq_sread(q.cq, &entry, 1, nullptr, -1));
    EXPECT_EQ(-FI_EAGAIN, fi_cq_sread(q.cq, &entry, 1, nullptr, 1)) << "and it is gone";
}

TEST(Signal, NeedsAWaitObject)
{
    TestQueue q;
    EXPECT_EQ(-FI_ENOSYS, fi_cq_signal(q.cq));
}

TEST(WaitObject, IsQuietAfterTrywaitHasSaidYesD210)
{
    TestQueue q({.wait = FI_WAIT_FD});
    FakeSource source;
    q.queue->add_source(source.as_source());
    const int fd = wait_fd(q.cq);
    EXPECT_EQ(0, q.queue->try_wait());
    EXPECT_FALSE(readable(fd));
    ASSERT_EQ(0, fi_cq_signal(q.cq));
    EXPECT_TRUE(readable(fd)) << "whoever sleeps on it wakes up";
    // A program that never calls fi_cq_sread drains, asks, and must find rest.
    fi_cq_tagged_entry entry;
    int asked = 0;
    do {
        EXPECT_EQ(-FI_EAGAIN, fi_cq_read(q.cq, &entry, 1));
        ASSERT_LT(asked++, 10);
    } while (q.queue->try_wait() != 0);
    EXPECT_FALSE(readable(fd));
    q.queue->remove_source(&source);
}

TEST(WaitObject, TrywaitSaysNoWhileSomethingIsReadyOrBusyD208)
{
    TestQueue q({.wait = FI_WAIT_FD});
    FakeSource source;
    q.queue->add_source(source.as_source());
    q.queue->push(success(1));
    EXPECT_EQ(-FI_EAGAIN, q.queue->try_wait());
    fi_cq_tagged_entry entry;
    ASSERT_EQ(1, fi_cq_read(q.cq, &entry, 1));
    source.busy = true;
    EXPECT_EQ(-FI_EAGAIN, q.queue->try_wait());
    source.busy = false;
    EXPECT_EQ(0, q.queue->try_wait());
    q.queue->remove_source(&source);
}

TEST(WaitObject, IsToldByControlD205)
{
    TestQueue with({.wait = FI_WAIT_FD});
    TestQueue without;
    fi_wait_obj kind = FI_WAIT_NONE;
    int fd = -1;
    EXPECT_GE(wait_fd(with.cq), 0);
    EXPECT_EQ(0, with.cq->fid.ops->control(&with.cq->fid, FI_GETWAITOBJ, &kind));
    EXPECT_EQ(FI_WAIT_FD, kind);
    EXPECT_EQ(-FI_ENODATA, without.cq->fid.ops->control(&without.cq->fid, FI_GETWAIT, &fd));
}

TEST(SystemSignals, NeverShowAsAnErrorAndNeverCutTheTimeShortB28)
{
    struct sigaction action {};
    struct sigaction before {};
    action.sa_handler = [](int) {};
    ASSERT_EQ(0, sigaction(SIGALRM, &action, &before)); // no SA_RESTART: every system call is interrupted
    itimerval every{};
    every.it_interval.tv_usec = every.it_value.tv_usec = 1000;
    TestQueue q({.wait = FI_WAIT_FD});
    fi_cq_tagged_entry entry;
    const std::int64_t start = now_ns();
    ASSERT_EQ(0, setitimer(ITIMER_REAL, &every, nullptr));
    const ssize_t ret = fi_cq_sread(q.cq, &entry, 1, nullptr, 50);
    every = {};
    setitimer(ITIMER_REAL, &every, nullptr);
    sigaction(SIGALRM, &before, nullptr);
    EXPECT_EQ(-FI_EAGAIN, ret);
    EXPECT_GE(now_ns() - start, 50'000'000LL);
}

} // namespace
} // namespace fi::kit
