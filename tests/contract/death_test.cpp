// SPDX-License-Identifier: BSD-2-Clause
//
// What soft says of peers that cannot be reached or are gone, over TCP: the reasons that it gives.
#include "pair.hpp"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace contract {
namespace {

std::vector<char> bytes_of(const sockaddr_in& address)
{
    const auto* bytes = reinterpret_cast<const char*>(&address);
    return {bytes, bytes + sizeof address};
}

sockaddr_in bound(int fd)
{
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    socklen_t size = sizeof address;
    EXPECT_EQ(getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size), 0);
    return address;
}

/// An address at which nobody listens.
std::vector<char> closed_port()
{
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    const sockaddr_in address = bound(fd);
    close(fd);
    return bytes_of(address);
}

/// A port whose queue of connections is full: whoever connects hears nothing.
class BlackHole {
  public:
    BlackHole() : listener_(socket(AF_INET, SOCK_STREAM, 0)), address_(bound(listener_))
    {
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
    BlackHole(const BlackHole&) = delete;
    BlackHole& operator=(const BlackHole&) = delete;
    [[nodiscard]] std::vector<char> name() const { return bytes_of(address_); }

  private:
    int listener_;
    sockaddr_in address_;
    int fillers_[4];
};

TEST(Death, D221_APortWhereNobodyListensSaysSo)
{
    const Node node;
    const fi_addr_t nobody = node.insert(closed_port());
    int value = 0;
    ASSERT_EQ(fi_send(node.ep.get(), &value, sizeof value, nullptr, nobody, context(4)), 0);
    Completion done;
    ASSERT_TRUE(wait_until([&] { return read_one(node.cq.get(), done); }));
    ASSERT_TRUE(done.failed);
    EXPECT_EQ(done.error.err, FI_ECONNREFUSED);
    char text[128];
    EXPECT_STREQ(fi_cq_strerror(node.cq.get(), done.error.prov_errno, nullptr, text, sizeof text),
                 "Connection refused");
}

TEST(Death, AConnectionThatIsNeverAnsweredEndsAfterItsTimeoutThoughTheReaderSleeps)
{
    const BlackHole hole; // FI_SOFT_CONNECT_TIMEOUT is 300 ms here
    const Node node({.wait = FI_WAIT_UNSPEC});
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

TEST(Death, B41_AReceiveForAPeerThatIsGoneEndsInAnError)
{
    const Wish directed{.caps = FI_MSG | FI_DIRECTED_RECV};
    const Node survivor(directed);
    auto victim = std::make_unique<Node>(directed);
    const fi_addr_t to_victim = survivor.insert(victim->name());
    int value = 0;
    ASSERT_EQ(fi_send(survivor.ep.get(), &value, sizeof value, nullptr, to_victim, context(1)), 0);
    Completion done;
    ASSERT_TRUE(
        wait_until([&] { return read_one(survivor.cq.get(), done); }, [&] { Pair::progress(*victim); }));
    ASSERT_FALSE(done.failed);
    ASSERT_EQ(fi_recv(survivor.ep.get(), &value, sizeof value, nullptr, to_victim, context(3)), 0);
    victim.reset();
    Completion failed;
    ASSERT_TRUE(wait_until([&] { return read_one(survivor.cq.get(), failed); }));
    EXPECT_TRUE(failed.failed) << "it cannot be filled any more";
    EXPECT_EQ(failed.error.op_context, context(3));
}

} // namespace
} // namespace contract
