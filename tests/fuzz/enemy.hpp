// SPDX-License-Identifier: BSD-2-Clause
//
// A process of the same user that speaks the shared memory handshake and then does what it likes; here a part
// of the fuzzing program itself, over real sockets and real memory.
#pragma once

#include "input.hpp"
#include "kit/devices/shm/port.hpp"

#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <vector>

namespace fuzz {

using namespace fi::kit;

/// Addresses that no other process of this machine uses, since they hold our number.
inline Address address_of(unsigned host)
{
    const auto pid = static_cast<unsigned>(getpid());
    return *Address::parse("fi_sockaddr_in://127." + std::to_string(host) + "." +
                           std::to_string(pid >> 8 & 255) + "." + std::to_string(pid & 255) + ":" +
                           std::to_string(10'000 + (pid >> 16 & 1023)));
}

inline Hello hello_of(unsigned host, std::uint8_t identity = 0)
{
    Hello hello;
    hello.identity.fill(static_cast<std::uint8_t>(host + identity * 16));
    hello.names = {address_of(host)};
    return hello;
}

/// What stands before the hello in a packet (devices/shm/handshake.cpp).
struct Preamble {
    std::uint32_t version = 1;
    std::uint32_t ring_bytes = sizeof(shm::RingMemory);
    std::uint64_t probe = 0;
    std::uint32_t has_barrier = 0;
    std::uint32_t reserved = 0;
};

/// One descriptor.
class Fd {
  public:
    explicit Fd(int fd = -1) : fd_(fd) {}
    Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Fd& operator=(Fd&& other) noexcept
    {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~Fd()
    {
        if (fd_ >= 0)
            close(fd_);
    }
    [[nodiscard]] int get() const { return fd_; }

  private:
    int fd_;
};

/// A socket that the port with that address has been called by; -1 when it does not answer.
inline Fd call(const Address& address)
{
    Fd fd(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    const std::string text = "fabric/" + std::to_string(address.family()) + "/" + address.text();
    std::memcpy(name.sun_path + 1, text.data(), text.size());
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
    if (connect(fd.get(), reinterpret_cast<const sockaddr*>(&name), size))
        return Fd();
    return fd;
}

/// Sends one packet with these descriptors.
inline void send_packet(int to, const void* bytes, std::size_t size, const std::vector<int>& passed)
{
    iovec part{const_cast<void*>(bytes), size};
    alignas(cmsghdr) char control[CMSG_SPACE(8 * sizeof(int))] = {};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (!passed.empty()) {
        message.msg_control = control;
        message.msg_controllen = CMSG_SPACE(passed.size() * sizeof(int));
        cmsghdr* first = CMSG_FIRSTHDR(&message);
        first->cmsg_level = SOL_SOCKET;
        first->cmsg_type = SCM_RIGHTS;
        first->cmsg_len = CMSG_LEN(passed.size() * sizeof(int));
        std::memcpy(CMSG_DATA(first), passed.data(), passed.size() * sizeof(int));
    }
    (void)!sendmsg(to, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/// Reads a packet and gives the first descriptor that came with it.
inline Fd receive_packet(int from)
{
    char bytes[4096];
    iovec part{bytes, sizeof bytes};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    if (recvmsg(from, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) <= 0)
        return Fd();
    const cmsghdr* first = CMSG_FIRSTHDR(&message);
    if (!first || first->cmsg_type != SCM_RIGHTS)
        return Fd();
    int fd = -1;
    std::memcpy(&fd, CMSG_DATA(first), sizeof fd);
    return Fd(fd);
}

/// A mapping of another side's ring.
class Mapping {
  public:
    Mapping() = default;
    explicit Mapping(int fd)
    {
        void* data = mmap(nullptr, sizeof(shm::RingMemory), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        data_ = data == MAP_FAILED ? nullptr : static_cast<shm::RingMemory*>(data);
    }
    Mapping(Mapping&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
    Mapping& operator=(Mapping&& other) noexcept
    {
        std::swap(data_, other.data_);
        return *this;
    }
    ~Mapping()
    {
        if (data_)
            munmap(data_, sizeof *data_);
    }
    [[nodiscard]] shm::RingMemory* get() const { return data_; }

  private:
    shm::RingMemory* data_ = nullptr;
};

/// To the port of host 1, from the first packet on.
class Connection {
  public:
    explicit Connection(unsigned host) : hello_(hello_of(host)) {}

    void connect()
    {
        writer_ = {};
        theirs_ = Mapping();
        socket_ = call(address_of(1));
        if (socket_.get() < 0)
            return;
        int fd = -1;
        memory_ = shm::Memory::create(sizeof(shm::RingMemory), fd);
        const Fd ours(fd);
        Preamble preamble;
        preamble.probe = reinterpret_cast<std::uint64_t>(hello_.identity.data());
        preamble.has_barrier = shm::has_barrier();
        std::string packet(reinterpret_cast<const char*>(&preamble), sizeof preamble);
        packet += encode(hello_);
        send_packet(socket_.get(), packet.data(), packet.size(), {ours.get()});
    }
    /// Takes the port's answer, if it is there.
    bool up()
    {
        if (theirs_.get())
            return true;
        if (socket_.get() < 0)
            return false;
        theirs_fd_ = receive_packet(socket_.get());
        if (theirs_fd_.get() < 0)
            return false;
        theirs_ = Mapping(theirs_fd_.get());
        channel_ = {};
        channel_.ring_bell = [](fi_hot_channel*) {};
        writer_.attach(channel_, *theirs_.get(), false);
        return true;
    }

    [[nodiscard]] int socket() const { return socket_.get(); }
    [[nodiscard]] int theirs_fd() const { return theirs_fd_.get(); }
    /// The ring that the port reads.
    [[nodiscard]] shm::RingMemory* theirs() const { return theirs_.get(); }
    /// The ring that the port writes.
    [[nodiscard]] shm::RingMemory* ours() const { return static_cast<shm::RingMemory*>(memory_.data()); }
    /// Writes what the port reads, by the rules.
    [[nodiscard]] shm::Writer& writer() { return writer_; }

  private:
    Hello hello_;
    Fd socket_;
    Fd theirs_fd_;
    shm::Memory memory_;
    Mapping theirs_;
    fi_hot_channel channel_{};
    shm::Writer writer_;
};

/// Descriptors open in this process: what came with packets must not stay.
inline int open_descriptors()
{
    int count = 0;
    for (int fd = 0; fd < 256; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

} // namespace fuzz
