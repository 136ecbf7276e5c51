// SPDX-License-Identifier: BSD-2-Clause
//
// Port, finding a local peer and getting to know it. Nothing is known of the other side yet, so every step
// may fail, and every failure is only this link's.
//
// Each side says in one packet who it is (the same hello as over TCP), where in its memory that hello's
// identity can be read as a probe, and passes the memory of the ring that it will read from.
#include "kit/devices/shm/port.hpp"

#include <algorithm>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <system_error>

namespace fi::kit::shm {
namespace {

constexpr std::uint32_t kRingVersion = 1;

struct LocalHello {
    std::uint32_t version;     // kRingVersion
    std::uint32_t ring_bytes;  // sizeof(RingMemory)
    std::uint64_t probe;       // address of the hello's identity in the speaker's memory
    std::uint32_t has_barrier; // see has_barrier()
    std::uint32_t reserved;
};

/// The name under which the endpoint with that address, or with that port on every address, is found here.
sockaddr_un local_name(const Address& address, bool any, socklen_t& size) noexcept
{
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    const std::string where = any ? "*:" + std::to_string(address.port()) : address.text();
    const int length = std::snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "fabric/%d/%s",
                                     address.family(), where.c_str());
    size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + static_cast<std::size_t>(length));
    return name;
}

/// Whether an address is one of this machine's, or rather of this network namespace's.
bool is_ours(Address address) noexcept
{
    const int fd = socket(address.family(), SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return false;
    address.set_port(0);
    const bool ours = bind(fd, address.data(), address.size()) == 0;
    close_here(fd);
    return ours;
}

/// The first descriptor that has come with a message, or -1. Nobody asked for more: others are closed.
int first_descriptor(msghdr& message) noexcept
{
    int first = -1;
    for (cmsghdr* at = CMSG_FIRSTHDR(&message); at; at = CMSG_NXTHDR(&message, at)) {
        if (at->cmsg_level != SOL_SOCKET || at->cmsg_type != SCM_RIGHTS)
            continue;
        for (std::size_t i = 0; CMSG_LEN((i + 1) * sizeof(int)) <= at->cmsg_len; i++) {
            int passed = -1;
            std::memcpy(&passed, CMSG_DATA(at) + i * sizeof passed, sizeof passed);
            if (first < 0)
                first = passed;
            else
                ::close(passed);
        }
    }
    return first;
}

/// The peer's process, if it is run by our user. Nothing: it is not.
std::optional<pid_t> our_users_process(int fd) noexcept
{
    ucred peer{};
    socklen_t size = sizeof peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) || peer.uid != geteuid())
        return std::nullopt;
    return peer.pid;
}

} // namespace

void Port::listen()
{
    const Address& name = config_.self.names.front();
    listener_ = close_in_child(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (listener_ < 0)
        throw std::system_error(errno, std::generic_category(), "socket");
    socklen_t size = 0;
    const sockaddr_un local = local_name(name, config_.any, size);
    if (bind(listener_, reinterpret_cast<const sockaddr*>(&local), size) || ::listen(listener_, SOMAXCONN))
        throw std::system_error(errno, std::generic_category(), "cannot listen for local peers");
    watch_fd(listener_, &listener_);
    hello_bytes_ = encode(config_.self);
}

Link* Port::connect(const Address& address, Peer* peer) noexcept
{
    const int fd = close_in_child(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (fd < 0)
        return nullptr;
    int error = ECONNREFUSED;
    for (const bool any : {false, true}) {
        if (any && !is_ours(address))
            break;
        socklen_t size = 0;
        const sockaddr_un local = local_name(address, any, size);
        error = ::connect(fd, reinterpret_cast<const sockaddr*>(&local), size) == 0 ? 0 : errno;
        if (error != ECONNREFUSED)
            break;
    }
    if (!error && !our_users_process(fd))
        error = EACCES;
    if (error) {
        close_here(fd);
        errno = error;
        return nullptr;
    }
    Link* link = add_link(fd, Link::State::AwaitAnswer);
    if (!link)
        return nullptr;
    link->called = true;
    link->peer = peer;
    link->dialled = address;
    try {
        say_hello(*link);
        return link;
    } catch (const std::system_error& refused) {
        errno = refused.code().value();
    } catch (...) {
        errno = ENOMEM;
    }
    error = errno;
    remove_fds(*link);
    links_.erase(link);
    errno = error;
    return nullptr;
}

void Port::accept_all() noexcept
{
    for (;;) {
        const int fd = close_in_child(accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
        if (fd < 0)
            return;
        if (!our_users_process(fd)) {
            close_here(fd);
            continue;
        }
        add_link(fd, Link::State::AwaitHello);
    }
}

void Port::say_hello(Link& link)
{
    int memory = -1;
    link.in_memory = Memory::create(sizeof(RingMemory), memory);
    LocalHello local{};
    local.version = kRingVersion;
    local.ring_bytes = sizeof(RingMemory);
    local.probe = reinterpret_cast<std::uint64_t>(config_.self.identity.data());
    local.has_barrier = has_barrier();
    iovec parts[] = {{&local, sizeof local}, {hello_bytes_.data(), hello_bytes_.size()}};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = 2;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* passed = CMSG_FIRSTHDR(&message);
    passed->cmsg_level = SOL_SOCKET;
    passed->cmsg_type = SCM_RIGHTS;
    passed->cmsg_len = CMSG_LEN(sizeof memory);
    std::memcpy(CMSG_DATA(passed), &memory, sizeof memory);
    const ssize_t sent = sendmsg(link.fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    const int error = errno;
    ::close(memory);
    if (sent < 0)
        throw std::system_error(error, std::generic_category(), "hello");
}

/// Takes the peer's packet apart. Throws std::system_error, std::bad_alloc.
void Port::take_hello(Link& link, const unsigned char* bytes, std::size_t size, int memory)
{
    const auto refuse = [](const char* why) {
        throw std::system_error(EPROTO, std::generic_category(), why);
    };
    LocalHello local{};
    const char* why = "its hello is malformed";
    if (size < sizeof local + kHelloHeader || memory < 0)
        refuse(why);
    std::memcpy(&local, bytes, sizeof local);
    if (local.version != kRingVersion || local.ring_bytes != sizeof(RingMemory))
        refuse("it has another version of rings");
    const unsigned char* hello = bytes + sizeof local;
    const auto expected = hello_size(hello, why);
    if (!expected || *expected != size - sizeof local)
        refuse(why ? why : "its hello is malformed");
    auto decoded = decode(hello, *expected);
    if (!decoded)
        refuse("its hello is malformed");
    link.hello = std::move(*decoded);
    link.out_memory = Memory::adopt(memory, sizeof(RingMemory));
    link.pid = our_users_process(link.fd).value_or(0);
    watch_process(link);
    if (link.state == Link::State::AwaitHello)
        say_hello(link);

    const bool fenced = !has_barrier() || !local.has_barrier;
    link.reader.attach(link.incoming(), fenced);
    link.writer.attach(link.hot, link.outgoing(), fenced);
    link.state = Link::State::Up;
    if (link.pidfd < 0)
        return;
    Identity probe{};
    const fi_frame_place place{local.probe, probe.size()};
    const iovec to{probe.data(), probe.size()};
    const int error = copy_from(link.pid, &place, 1, &to, 1);
    link.readable = error == 0 && probe == link.hello.identity;
    FI_INFO(config_.provider, FI_LOG_EP_CTRL, "%s: shared memory; large messages are %s%s%s\n",
            link.hello.names.front().text().c_str(),
            link.readable ? "read from the sender" : "copied through the ring", error ? ": " : "",
            error ? fi_strerror(error) : "");
}

/// Has epoll tell when the peer's process is gone, even if a child of it still has the socket.
void Port::watch_process(Link& link) noexcept
{
    if (link.pid <= 0)
        return;
    link.pidfd = static_cast<int>(syscall(SYS_pidfd_open, link.pid, 0));
    if (link.pidfd < 0)
        return;
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.ptr = &link;
    if (epoll_ctl(epoll_, EPOLL_CTL_ADD, link.pidfd, &event) == 0)
        return;
    ::close(link.pidfd);
    link.pidfd = -1;
}

bool Port::hear_hello(Link& link) noexcept
{
    unsigned char bytes[sizeof(LocalHello) + kMaxHello];
    alignas(cmsghdr) char control[CMSG_SPACE(4 * sizeof(int))];
    iovec part{bytes, sizeof bytes};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    const ssize_t got = recvmsg(link.fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    const int error = errno;
    const int memory = got < 0 ? -1 : first_descriptor(message); // an empty packet can bring some, too
    if (got <= 0) {
        if (memory >= 0)
            ::close(memory);
        fail(link, got < 0 ? error : ECONNREFUSED);
        return false;
    }
    try {
        take_hello(link, bytes, static_cast<std::size_t>(got), memory);
    } catch (const std::system_error& refused) {
        FI_WARN(config_.provider, FI_LOG_EP_CTRL, "no shared memory with a peer of this machine: %s\n",
                refused.what());
        fail(link, refused.code().value());
    } catch (...) {
        fail(link, ENOMEM);
    }
    if (memory >= 0)
        ::close(memory);
    return !link.error;
}

} // namespace fi::kit::shm
