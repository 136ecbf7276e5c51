// SPDX-License-Identifier: BSD-2-Clause
//
// Connections with programs that are not what they should be: of another version, silent, or gone again.
// The test plays them with a socket, on hosts of its own.
#include "world.hpp"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

namespace faults {
namespace {

constexpr std::size_t kHelloHeader = 32, kHelloName = 24; // docs/wire.md

/// A hello with one name, 10.1.0.1 and that port.
std::string hello(std::uint16_t version, std::uint16_t port)
{
    std::string bytes("ofis", 4);
    const auto add = [&](const auto& value) {
        bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    };
    add(version);
    add(std::uint16_t{1});
    bytes.append(16, 'x'); // identity
    add(std::uint64_t{0});
    add(std::uint16_t{4});
    add(port);
    add(std::uint32_t{0});
    bytes += std::string("\x0a\x01\x00\x01", 4) + std::string(12, '\0');
    return bytes;
}

/// The socket that the test plays a peer with.
class Socket {
  public:
    explicit Socket(int fd) : fd_(fd) { EXPECT_GE(fd, 0); }
    ~Socket()
    {
        if (fd_ >= 0)
            close(fd_);
    }
    Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Socket& operator=(Socket&& other) noexcept
    {
        std::swap(fd_, other.fd_);
        return *this;
    }

    static Socket to(const std::vector<char>& name)
    {
        Socket out(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        EXPECT_EQ(::connect(out.fd_, reinterpret_cast<const sockaddr*>(name.data()), sizeof(sockaddr_in)), 0);
        return out;
    }
    /// Listens on 10.1.0.1.
    static Socket listener(std::vector<char>& name)
    {
        Socket out(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        sockaddr_in address{};
        address.sin_family = AF_INET;
        inet_pton(AF_INET, "10.1.0.1", &address.sin_addr);
        EXPECT_EQ(bind(out.fd_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
        EXPECT_EQ(listen(out.fd_, 8), 0);
        socklen_t size = sizeof address;
        EXPECT_EQ(getsockname(out.fd_, reinterpret_cast<sockaddr*>(&address), &size), 0);
        name.assign(reinterpret_cast<char*>(&address), reinterpret_cast<char*>(&address) + size);
        return out;
    }
    Socket accept() const { return Socket(::accept(fd_, nullptr, nullptr)); }
    /// Whether there is something to read or accept, or the end.
    [[nodiscard]] bool ready() const
    {
        pollfd one{fd_, POLLIN, 0};
        return ::poll(&one, 1, 0) == 1;
    }
    void write(const std::string& bytes) const
    {
        EXPECT_EQ(::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
    }
    /// Adds what is there to `to`; false: the end.
    bool read(std::string& to) const
    {
        char part[4096];
        const ssize_t got = recv(fd_, part, sizeof part, 0);
        if (got > 0)
            to.append(part, static_cast<std::size_t>(got));
        return got > 0;
    }

  private:
    int fd_;
};

class Strangers : public Network {
  protected:
    void SetUp() override
    {
        Network::SetUp();
        if (IsSkipped())
            return;
        one_ = std::make_unique<Host>();
        two_ = std::make_unique<Host>();
        one_->connect(*two_, "v0", "10.1.0.1/24", "10.1.0.2/24");
        machine_ = std::make_unique<Machine>(*two_);
    }
    void TearDown() override { machine_.reset(); }

    /// Everything until the other side ends the connection.
    [[nodiscard]] std::string until_the_end(const Socket& socket) const
    {
        std::string bytes;
        drive({machine_.get()}, [&] { return socket.ready() && !socket.read(bytes); });
        return bytes;
    }
    std::string exactly(const Socket& socket, std::size_t count) const
    {
        std::string bytes;
        drive({machine_.get()}, [&] {
            if (bytes.size() < count && socket.ready()) {
                EXPECT_TRUE(socket.read(bytes)) << "the end after " << bytes.size() << " bytes";
            }
            return bytes.size() >= count || HasFailure();
        });
        return bytes;
    }
    [[nodiscard]] Socket accept(const Socket& listener) const
    {
        drive({machine_.get()}, [&] { return listener.ready(); });
        return listener.accept();
    }

    std::unique_ptr<Host> one_, two_;
    std::unique_ptr<Machine> machine_;
};

TEST_F(Strangers, ACallerOfAnotherVersionIsToldOursAndRefusedWithWords)
{
    testing::internal::CaptureStderr();
    const Socket caller = one_->on([&] { return Socket::to(machine_->node().name()); });
    caller.write(hello(99, 1));
    const std::string answer = until_the_end(caller);
    const std::string log = testing::internal::GetCapturedStderr();
    ASSERT_GE(answer.size(), kHelloHeader);
    EXPECT_EQ(answer.substr(0, 6), std::string("ofis\x01\x00", 6));
    EXPECT_NE(log.find("10.1.0.1"), log.npos) << log;
    EXPECT_NE(log.find("it speaks version 99 of the protocol, this is version 1"), log.npos) << log;
}

TEST_F(Strangers, APeerOfAnotherVersionEndsTheSendWithWords)
{
    std::vector<char> name;
    const Socket listener = one_->on([&] { return Socket::listener(name); });
    const auto bytes = contract::pattern(8, 1);
    ASSERT_EQ(machine_->send(bytes, machine_->insert(name), 1), 0);
    const Socket peer = accept(listener);
    exactly(peer, kHelloHeader + kHelloName);
    testing::internal::CaptureStderr();
    peer.write(hello(99, 1));
    const Completion failed = next({machine_.get()});
    const std::string log = testing::internal::GetCapturedStderr();
    ASSERT_TRUE(failed.failed);
    EXPECT_EQ(failed.error.err, EPROTO);
    EXPECT_NE(log.find("it speaks version 99 of the protocol, this is version 1"), log.npos) << log;
}

TEST_F(Strangers, ACallerThatSaysNothingIsDropped)
{
    const Socket caller = one_->on([&] { return Socket::to(machine_->node().name()); });
    EXPECT_EQ(until_the_end(caller), "");
}

TEST_F(Strangers, ACallerThatSaysHalfAHelloIsDropped)
{
    const Socket caller = one_->on([&] { return Socket::to(machine_->node().name()); });
    caller.write(hello(1, 1).substr(0, kHelloHeader + 5));
    EXPECT_EQ(until_the_end(caller), "");
}

TEST_F(Strangers, AConnectionThatEndsBeforeItsAnswerIsMadeAnew)
{
    std::vector<char> name;
    const Socket listener = one_->on([&] { return Socket::listener(name); });
    const auto bytes = contract::pattern(8, 1);
    ASSERT_EQ(machine_->send(bytes, machine_->insert(name), 1), 0);
    for (int i = 0; i < 3; i++)
        exactly(accept(listener), kHelloHeader + kHelloName);
    const Socket peer = accept(listener);
    exactly(peer, kHelloHeader + kHelloName);
    peer.write(hello(1, ntohs(reinterpret_cast<const sockaddr_in*>(name.data())->sin_port)));
    const std::string frame = exactly(peer, 32 + bytes.size());
    EXPECT_EQ(frame.substr(32), std::string(bytes.begin(), bytes.end()));
    EXPECT_FALSE(next({machine_.get()}).failed);
}

TEST_F(Strangers, SomebodyWhoAlwaysHangsUpIsAnErrorInTheEnd)
{
    std::vector<char> name;
    const Socket listener = one_->on([&] { return Socket::listener(name); });
    const auto bytes = contract::pattern(8, 1);
    ASSERT_EQ(machine_->send(bytes, machine_->insert(name), 1), 0);
    Completion failed;
    drive({machine_.get()}, [&] {
        if (listener.ready())
            listener.accept();
        return machine_->read(failed);
    });
    EXPECT_TRUE(failed.failed);
}

/// A peer that has been called and has called too, which the other one has learnt, before it answers.
class BothCall : public Strangers {
  protected:
    void SetUp() override
    {
        Strangers::SetUp();
        if (IsSkipped())
            return;
        std::vector<char> name;
        const Socket listener = one_->on([&] { return Socket::listener(name); });
        words_ = hello(1, ntohs(reinterpret_cast<const sockaddr_in*>(name.data())->sin_port));
        const fi_addr_t peer = machine_->insert(name);
        ASSERT_EQ(fi_trecv(machine_->node().ep.get(), buffer_.data(), buffer_.size(), nullptr, peer, 7, 0,
                           contract::context(kReceive)),
                  0);
        ASSERT_EQ(machine_->send(bytes_, peer, kSend), 0);
        called_ = std::make_unique<Socket>(accept(listener));
        exactly(*called_, words_.size());
        const Socket calls = one_->on([&] { return Socket::to(machine_->node().name()); });
        calls.write(words_);
        exactly(calls, words_.size() + kFrame + bytes_.size()); // what waited for our answer comes here
        ASSERT_FALSE(next({machine_.get()}).failed);
    } // and so ends this connection
    /// Lets the machine see all that there is to be seen.
    void look_around() const
    {
        for (int i = 0; i < 200; i++)
            machine_->progress();
    }

    static constexpr std::size_t kFrame = 32; // docs/wire.md
    static constexpr std::uintptr_t kSend = 1, kReceive = 2;
    std::string words_;
    std::vector<unsigned char> bytes_ = contract::pattern(8, 1);
    std::vector<unsigned char> buffer_ = std::vector<unsigned char>(8);
    std::unique_ptr<Socket> called_;
};

TEST_F(BothCall, WhatAPeerSaysBehindItsAnswerArrivesThoughItsOtherConnectionHasEnded)
{
    look_around();
    std::string frame(kFrame, '\0');
    frame[0] = 1; // eager
    frame[1] = 1; // tagged
    frame[4] = static_cast<char>(bytes_.size());
    frame[8] = 7; // the tag
    called_->write(words_ + frame + std::string(bytes_.begin(), bytes_.end()));
    called_.reset();
    const Completion got = next({machine_.get()});
    EXPECT_FALSE(got.failed) << fi_strerror(got.error.err);
    EXPECT_EQ(buffer_, bytes_);
}

TEST_F(BothCall, APeerWhoseConnectionHasEndedIsDeadWhenItDoesNotAnswerEither)
{
    look_around();
    called_.reset();
    const Completion failed = next({machine_.get()});
    EXPECT_TRUE(failed.failed);
    EXPECT_EQ(failed.error.op_context, contract::context(kReceive));
}

/// Lowers how many descriptors this process may have, to so many more than now.
class FewDescriptors {
  public:
    explicit FewDescriptors(int more)
    {
        EXPECT_EQ(getrlimit(RLIMIT_NOFILE, &before_), 0);
        const int lowest = dup(STDIN_FILENO);
        close(lowest);
        rlimit now = before_;
        now.rlim_cur = static_cast<rlim_t>(lowest + more);
        EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &now), 0);
    }
    ~FewDescriptors() { EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &before_), 0); }
    FewDescriptors(const FewDescriptors&) = delete;
    FewDescriptors& operator=(const FewDescriptors&) = delete;

  private:
    rlimit before_{};
};

TEST_F(Strangers, B47_CallersForWhomThereIsNoDescriptorAreServedWhenOthersHaveGone)
{
    std::vector<Socket> callers;
    one_->on([&] {
        for (std::uint16_t port = 1; port <= 12; port++) {
            callers.push_back(Socket::to(machine_->node().name()));
            std::string words = hello(1, port);
            words[8] = static_cast<char>(port); // each is somebody else
            callers.back().write(words);
        }
    });
    std::string log;
    two_->on([&] { // once: going there takes a descriptor
        const FewDescriptors limit(3);
        testing::internal::CaptureStderr(); // takes one of the three
        const auto end = std::chrono::steady_clock::now() + contract::kPatience;
        while (!callers.empty() && std::chrono::steady_clock::now() < end) {
            fi_cq_read(machine_->node().cq.get(), nullptr, 0);
            std::string answer;
            std::erase_if(callers,
                          [&](const Socket& caller) { return caller.ready() && caller.read(answer); });
        }
        log = testing::internal::GetCapturedStderr();
    });
    EXPECT_EQ(callers.size(), 0u) << "nobody answers them";
    EXPECT_NE(log.find("cannot accept connections for now"), log.npos) << log;
}

TEST_F(Strangers, SomebodyElseAtAnotherNameOfAPeerIsNotTakenForIt)
{
    // `peer` has called us and said that it is known as 10.1.0.9 and as the listener's address too; it is
    // gone, and somebody else answers there.
    std::vector<char> name;
    const Socket listener = one_->on([&] { return Socket::listener(name); });
    const std::uint16_t port = ntohs(reinterpret_cast<const sockaddr_in*>(name.data())->sin_port);
    std::string two_names = hello(1, port);
    two_names[6] = 2;
    std::string dead = two_names.substr(kHelloHeader);
    dead[11] = 9;
    two_names.insert(kHelloHeader, dead);
    auto dead_name = name;
    inet_pton(AF_INET, "10.1.0.9", &reinterpret_cast<sockaddr_in*>(dead_name.data())->sin_addr);
    {
        const Socket peer = one_->on([&] { return Socket::to(machine_->node().name()); });
        peer.write(two_names);
        exactly(peer, kHelloHeader + kHelloName);
    }
    two_->ip("route add prohibit 10.1.0.9/32");
    const auto bytes = contract::pattern(8, 1);
    Completion failed;
    // The end of the connection may be noticed late: what is sent before that is lost with it.
    const fi_addr_t to_peer = machine_->insert(dead_name);
    std::string heard;
    std::unique_ptr<Socket> other;
    drive({machine_.get()}, [&] {
        if (!other) {
            EXPECT_EQ(machine_->send(bytes, to_peer, 1), 0);
            Completion entry;
            machine_->read(entry);
        }
        if (!other && listener.ready()) {
            other = std::make_unique<Socket>(listener.accept());
            std::string stranger = hello(1, port);
            stranger[8] = 'y'; // another identity
            other->write(stranger);
        }
        return other && other->ready() && !other->read(heard);
    });
    EXPECT_EQ(heard.size(), kHelloHeader + kHelloName) << "no message went to the stranger";
    drive({machine_.get()}, [&] { return machine_->read(failed) && failed.failed; });
}

} // namespace
} // namespace faults
