// SPDX-License-Identifier: BSD-2-Clause
// The control connection against a peer that this test plays byte by byte: what goes out is what upstream's
// tool expects, and a peer that dies, lies or falls silent ends every wait with a failure.

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <rdma/fabric.h>
#include <rdma/fi_errno.h>

#include "control.hpp"
#include "messages.hpp"
#include "patience.hpp"
#include "report.hpp"

namespace {

using namespace fi::tools::pingpong;
using namespace std::string_view_literals;

class Peer {
  public:
    explicit Peer(Role role, std::chrono::seconds patience = std::chrono::seconds(20))
        : ends_(pair()), control_(role, Socket(ends_[0]), patience), other_(ends_[1])
    {
    }

    Control& control() { return control_; }
    void say(std::string_view bytes) const
    {
        ASSERT_EQ(::send(other_.fd(), bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
    }
    std::string heard() const
    {
        std::array<char, 4096> bytes{};
        const ssize_t got = ::recv(other_.fd(), bytes.data(), bytes.size(), MSG_DONTWAIT);
        return got > 0 ? std::string(bytes.data(), static_cast<std::size_t>(got)) : std::string();
    }
    void die() { other_ = Socket(); }

  private:
    static std::array<int, 2> pair()
    {
        std::array<int, 2> ends{};
        EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
        return ends;
    }

    std::array<int, 2> ends_;
    Control control_;
    Socket other_;
};

template <class Call>
int failure_of(Call call)
{
    testing::internal::CaptureStderr();
    int ret = 0;
    try {
        call();
    } catch (const Failure& failure) {
        ret = failure.ret;
    }
    const std::string told = testing::internal::GetCapturedStderr();
    EXPECT_EQ(told.empty(), ret == 0) << "a failure is told, success is not: " << told;
    return ret;
}

Name name(std::uint32_t format, std::string_view bytes)
{
    Name result{format, {}};
    for (const char byte : bytes)
        result.bytes.push_back(static_cast<std::byte>(byte));
    return result;
}

TEST(Control, SendsANameAsLengthFormatAndBytes)
{
    Peer peer(Role::Server);
    peer.control().send_name(name(FI_SOCKADDR_IN, "abcdef"));
    EXPECT_EQ(peer.heard(), "\0\0\0\6\2\0\0\0abcdef"sv);
}

TEST(Control, ReceivesANameHoweverItIsCut)
{
    Peer peer(Role::Client);
    peer.say("\0\0\0\3\xA\0\0\0xyz"sv);
    const Name got = peer.control().receive_name();
    EXPECT_EQ(got.format, 10U);
    EXPECT_EQ(got.bytes, name(0, "xyz").bytes);
}

TEST(Control, ClientAsksAndServerAnswersAtABarrier)
{
    Peer server(Role::Client);
    server.say("a\0"sv);
    server.control().sync();
    EXPECT_EQ(server.heard(), "q\0"sv);

    Peer client(Role::Server);
    client.say("q\0"sv);
    client.control().sync();
    EXPECT_EQ(client.heard(), "a\0"sv);
}

TEST(Control, ClientSendsItsCountInTenBytes)
{
    Peer peer(Role::Client);
    peer.say("cnt ok\0"sv);
    EXPECT_EQ(peer.control().exchange_count(1234), 1234U);
    EXPECT_EQ(peer.heard(), "1234\0\0\0\0\0\0"sv);
}

TEST(Control, ServerTakesTheClientsCount)
{
    Peer peer(Role::Server);
    peer.say("1234567890"sv);
    EXPECT_EQ(peer.control().exchange_count(0), 1234567890U);
    EXPECT_EQ(peer.heard(), "cnt ok\0"sv);
}

TEST(Control, RefusesANameLongerThanUpstreamEverSends)
{
    for (const auto length : {"\0\0\4\1"sv, "\xFF\xFF\xFF\xFF"sv, "\0\0\0\0"sv}) {
        Peer peer(Role::Client);
        peer.say(length);
        EXPECT_EQ(failure_of([&] { (void)peer.control().receive_name(); }), -FI_EPROTO);
    }
}

TEST(Control, RefusesWhatIsNoBarrierAndNoCount)
{
    Peer server(Role::Client);
    server.say("x\0"sv);
    EXPECT_EQ(failure_of([&] { server.control().sync(); }), -FI_EPROTO);
    for (const auto count : {"12x4567890"sv, "-1\0\0\0\0\0\0\0\0"sv, "\0\0\0\0\0\0\0\0\0\0"sv}) {
        Peer client(Role::Server);
        client.say(count);
        EXPECT_EQ(failure_of([&] { (void)client.control().exchange_count(0); }), -FI_EPROTO);
    }
}

TEST(Control, FailsAtOnceWhenThePeerDiesInTheMiddleOfAnything)
{
    Peer early(Role::Client);
    early.die();
    EXPECT_EQ(failure_of([&] { (void)early.control().receive_name(); }), -FI_ECONNABORTED);

    Peer middle(Role::Client);
    middle.say("\0\0\0\20\2\0\0\0abc"sv);
    middle.die();
    EXPECT_EQ(failure_of([&] { (void)middle.control().receive_name(); }), -FI_ECONNABORTED);

    Peer sending(Role::Client);
    sending.die();
    EXPECT_EQ(failure_of([&] { sending.control().sync(); }), -FI_ECONNABORTED);
}

TEST(Control, GivesUpOnASilentPeer)
{
    Peer peer(Role::Server, std::chrono::seconds(1));
    EXPECT_EQ(failure_of([&] { peer.control().sync(); }), -FI_ETIMEDOUT);
}

TEST(Control, SeesThatThePeerIsGoneEvenBehindUnreadBytes)
{
    Peer peer(Role::Server);
    EXPECT_FALSE(peer.control().peer_gone());
    peer.say("left over");
    EXPECT_FALSE(peer.control().peer_gone());
    peer.die();
    EXPECT_TRUE(peer.control().peer_gone());
}

TEST(Patience, EndsWhenThePeerIsGoneAndWhenItIsSilent)
{
    Peer dead(Role::Server);
    dead.die();
    EXPECT_EQ(failure_of([&] {
                  Patience patience(dead.control(), "message");
                  for (;;)
                      patience.pause();
              }),
              -FI_ECONNABORTED);

    Peer silent(Role::Server, std::chrono::seconds(1));
    EXPECT_EQ(failure_of([&] {
                  Patience patience(silent.control(), "message");
                  for (;;)
                      patience.pause();
              }),
              -FI_ETIMEDOUT);
}

} // namespace
