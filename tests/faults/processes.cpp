// SPDX-License-Identifier: BSD-2-Clause
#include "processes.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fstream>
#include <random>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace faults {
namespace {

constexpr std::size_t kPacket = 4096; ///< bytes at most

void print(const char* text)
{
    (void)!write(STDERR_FILENO, text, std::strlen(text));
}

/// Async-signal-safe.
void print(long number)
{
    char digits[24];
    char* at = digits + sizeof digits;
    *--at = '\0';
    unsigned long left =
        number < 0 ? 0ul - static_cast<unsigned long>(number) : static_cast<unsigned long>(number);
    do
        *--at = static_cast<char>('0' + left % 10);
    while (left /= 10);
    if (number < 0)
        *--at = '-';
    print(at);
}

std::array<int, 2> make_ends()
{
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()))
        throw std::system_error(errno, std::generic_category(), "socketpair");
    return ends;
}

void out_of_time(int)
{
    print("\ntoo long: process ");
    print(getpid());
    print(" is at: ");
    print(state.doing);
    for (const long number : state.numbers) {
        print(" ");
        print(number);
    }
    print("\n");
    _exit(124);
}

} // namespace

State state;

void limit(unsigned seconds)
{
    struct sigaction action {};
    action.sa_handler = out_of_time;
    sigaction(SIGALRM, &action, nullptr);
    if (!memory_is_ours())
        seconds *= 4; // everything takes longer, starting a process most of all
    alarm(seconds);
}

Channel::Channel(Channel&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

Channel::~Channel()
{
    if (fd_ >= 0)
        close(fd_);
}

void Channel::send(const std::vector<char>& packet) const
{
    ASSERT_LE(packet.size(), kPacket);
    // Whom a packet does not reach has been killed, which is what these tests are about.
    (void)!::send(fd_, packet.data(), packet.size(), MSG_NOSIGNAL);
}

std::vector<char> Channel::receive() const
{
    std::vector<char> packet(kPacket);
    ssize_t got = 0;
    do
        got = recv(fd_, packet.data(), packet.size(), 0);
    while (got < 0 && errno == EINTR);
    packet.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return packet;
}

std::string Channel::receive_text() const
{
    const auto packet = receive();
    return {packet.begin(), packet.end()};
}

std::optional<std::vector<char>> Channel::try_receive() const
{
    char byte = 0;
    if (recv(fd_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) <= 0)
        return std::nullopt;
    return receive();
}

Process::Process(const Body& body, unsigned seconds) : Process(body, seconds, make_ends()) {}

Process::Process(const Body& body, unsigned seconds, std::array<int, 2> ends) : channel_(ends[0])
{
    const int mine = ends[1];
    const pid_t parent = getpid();
    std::fflush(nullptr);
    pid_ = fork();
    if (pid_ < 0)
        throw std::system_error(errno, std::generic_category(), "fork");
    if (pid_ > 0) {
        close(mine);
        return;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    // The channels of its elder siblings are none of its business, and would keep them open.
    close_range(3, static_cast<unsigned>(mine) - 1, 0);
    close_range(static_cast<unsigned>(mine) + 1, ~0u, 0);
    limit(seconds);
    try {
        body(Channel(mine));
    } catch (const std::exception& error) {
        ADD_FAILURE() << error.what();
    }
    std::fflush(nullptr);
    _exit(testing::Test::HasFailure() ? 1 : 0);
}

Process::Process(Process&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), channel_(std::move(other.channel_))
{
}

Process::~Process()
{
    if (pid_ > 0) {
        ::kill(pid_, SIGKILL);
        const int status = wait();
        EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
            << "it had ended with status " << status;
    }
}

void Process::signal(int number) const
{
    EXPECT_EQ(::kill(pid_, number), 0);
}

bool Process::runs() const
{
    siginfo_t ended{};
    return waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           ended.si_pid == 0;
}

void Process::kill()
{
    signal(SIGKILL);
    const int status = wait();
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "status " << status;
}

int Process::wait()
{
    int status = -1;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return status;
}

void Process::expect_success()
{
    const int status = wait();
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
}

void introduce(const Process& first, const Process& second)
{
    const auto name = first.channel().receive();
    first.channel().send(second.channel().receive());
    second.channel().send(name);
}

void meet(const Process& first, const Process& second, const std::string& word)
{
    for (const Process* one : {&first, &second})
        EXPECT_EQ(one->channel().receive_text(), word);
    for (const Process* one : {&first, &second})
        one->channel().send("go");
}

std::uint64_t seed()
{
    const char* wanted = std::getenv("FI_TEST_SEED");
    const std::uint64_t value = wanted ? std::strtoull(wanted, nullptr, 0) : std::random_device()();
    std::printf("FI_TEST_SEED=%llu\n", static_cast<unsigned long long>(value));
    return value;
}

int rounds(int few, int many)
{
    const char* wanted = std::getenv("FI_TEST_ROUNDS");
    if (!wanted)
        return few;
    return std::strcmp(wanted, "many") == 0 ? many : std::atoi(wanted);
}

bool over_shared_memory()
{
    const char* setting = std::getenv("FI_SOFT_SHM");
    return !setting || std::strcmp(setting, "0") != 0;
}

bool memory_is_ours()
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return false;
#elif defined(__has_feature)
    return !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer);
#else
    return true;
#endif
}

std::size_t descriptors()
{
    std::size_t count = 0;
    DIR* all = opendir("/proc/self/fd");
    if (!all)
        return 0;
    while (const dirent* one = readdir(all))
        if (one->d_name[0] != '.')
            count++;
    closedir(all);
    return count - 1; // not the one just used
}

std::size_t mappings(const std::string& text)
{
    std::ifstream all("/proc/self/maps");
    std::size_t count = 0;
    for (std::string line; std::getline(all, line);)
        count += line.find(text) != line.npos;
    return count;
}

std::size_t resident()
{
    std::ifstream all("/proc/self/smaps_rollup");
    for (std::string line; std::getline(all, line);)
        if (line.starts_with("Rss:"))
            return std::strtoull(line.c_str() + 4, nullptr, 10) * 1024;
    return 0;
}

} // namespace faults
