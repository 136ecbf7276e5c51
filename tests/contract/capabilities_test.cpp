// SPDX-License-Identifier: BSD-2-Clause
//
// What an endpoint was not opened for, or cannot do, is refused in the right words; and a threading model is
// kept.
#include "pair.hpp"

#include <atomic>
#include <netinet/in.h>
#include <poll.h>
#include <rdma/fi_atomic.h>
#include <rdma/fi_rma.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace contract {
namespace {

TEST(Capabilities, AnEnabledEndpointSaysThatRmaAndAtomicsAreNotThere)
{
    Pair pair;
    std::uint64_t value = 0;
    EXPECT_EQ(fi_read(pair.a.ep.get(), &value, sizeof value, nullptr, pair.to_b, 0, 0, nullptr), -FI_ENOSYS);
    EXPECT_EQ(fi_atomic(pair.a.ep.get(), &value, 1, nullptr, pair.to_b, 0, 0, FI_UINT64, FI_SUM, nullptr),
              -FI_ENOSYS);
}

TEST(Capabilities, D60_MessagesThatWereNotAskedForAreRefused)
{
    Wish wish;
    wish.caps = FI_TAGGED;
    Pair pair(wish);
    int value = 0;
    EXPECT_EQ(fi_send(pair.a.ep.get(), &value, sizeof value, nullptr, pair.to_b, nullptr), -FI_EOPNOTSUPP);
    EXPECT_EQ(fi_recv(pair.a.ep.get(), &value, sizeof value, nullptr, FI_ADDR_UNSPEC, nullptr),
              -FI_EOPNOTSUPP);
    EXPECT_EQ(fi_tsend(pair.a.ep.get(), &value, sizeof value, nullptr, pair.to_b, 0, nullptr), 0);
}

TEST(Threads, D240_TwoQueuesOfOneEndpointMayBeReadByTwoThreads)
{
    Wish wish;
    wish.threading = FI_THREAD_COMPLETION;
    Node receiver(wish);
    Node sender(wish, false);
    fi_cq_attr attr{};
    attr.format = FI_CQ_FORMAT_TAGGED;
    fid_cq* second = nullptr;
    ASSERT_EQ(fi_cq_open(sender.domain.get(), &attr, &second, nullptr), 0);
    const Owned<fid_cq> receives(second);
    sender.bind(&sender.cq->fid, FI_TRANSMIT);
    sender.bind(&receives->fid, FI_RECV);
    sender.bind(&sender.av->fid, 0);
    ASSERT_EQ(fi_enable(sender.ep.get()), 0);
    const fi_addr_t to_receiver = sender.insert(receiver.name());
    constexpr int kCount = 2000;
    std::atomic<bool> done{false};
    std::thread reader([&] {
        while (!done)
            fi_cq_read(receives.get(), nullptr, 0);
    });
    std::thread writer([&] {
        for (int i = 0; i < kCount; i++)
            while (fi_tinject(sender.ep.get(), &i, sizeof i, to_receiver, 1) == -FI_EAGAIN)
                fi_cq_read(sender.cq.get(), nullptr, 0);
        while (!done)
            fi_cq_read(sender.cq.get(), nullptr, 0);
    });
    for (int i = 0; i < kCount; i++) {
        int got = -1;
        ASSERT_EQ(fi_trecv(receiver.ep.get(), &got, sizeof got, nullptr, FI_ADDR_UNSPEC, 1, 0, nullptr), 0);
        Completion received;
        while (!read_one(receiver.cq.get(), received))
            ;
        ASSERT_EQ(got, i);
    }
    done = true;
    reader.join();
    writer.join();
    sender.ep.reset(); // before the queue that it is bound to
}

/// A port whose queue of connections is full: whoever connects hears nothing.
class BlackHole {
  public:
    BlackHole() : listener_(socket(AF_INET, SOCK_STREAM, 0))
    {
        address_.sin_family = AF_INET;
        address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&address_), sizeof address_), 0);
        socklen_t size = sizeof address_;
        EXPECT_EQ(getsockname(listener_, reinterpret_cast<sockaddr*>(&address_), &size), 0);
        EXPECT_EQ(listen(listener_, 0), 0);
        for (int& fd : fillers_) {
            fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
            connect(fd, reinterpret_cast<sockaddr*>(&address_), sizeof address_);
            // The next one is sent only when the kernel has taken this one.
            pollfd wait{fd, POLLOUT, 0};
            poll(&wait, 1, 100);
        }
    }
    ~BlackHole()
    {
        for (const int fd : fillers_)
            close(fd);
        close(listener_);
    }
    [[nodiscard]] std::vector<char> name() const
    {
        const auto* bytes = reinterpret_cast<const char*>(&address_);
        return {bytes, bytes + sizeof address_};
    }

  private:
    sockaddr_in address_{};
    int listener_;
    int fillers_[4];
};

TEST(Death, AConnectionThatIsNeverAnsweredEndsAfterItsTimeoutThoughTheReaderSleeps)
{
    const BlackHole hole; // FI_SOFT_CONNECT_TIMEOUT is 300 ms here
    Wish wish;
    wish.wait = FI_WAIT_UNSPEC;
    Node node(wish);
    const fi_addr_t nobody = node.insert(hole.name());
    int value = 0;
    ASSERT_EQ(fi_send(node.ep.get(), &value, sizeof value, nullptr, nobody, context(1)), 0);
    fi_cq_tagged_entry entry;
    EXPECT_EQ(fi_cq_sread(node.cq.get(), &entry, 1, nullptr, 30'000), -FI_EAVAIL);
    fi_cq_err_entry error{};
    EXPECT_EQ(fi_cq_readerr(node.cq.get(), &error, 0), 1);
    EXPECT_EQ(error.err, FI_ETIMEDOUT);
    EXPECT_EQ(error.op_context, context(1));
}

} // namespace
} // namespace contract
