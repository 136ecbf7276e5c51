// SPDX-License-Identifier: BSD-2-Clause
//
// Making hosts, and main(): the program moves into a namespace of its own first, as root or as whom the
// system lets be root there.
#include "network.hpp"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace faults {
namespace {

std::string why_no_hosts = "main() has not been run";
constexpr const char* kInside = "FI_TEST_INSIDE_A_USER_NAMESPACE";

[[noreturn]] void throw_errno(const char* what)
{
    throw std::system_error(errno, std::generic_category(), what);
}

int open_own_namespace()
{
    const int fd = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        throw_errno("/proc/thread-self/ns/net");
    return fd;
}

/// Empty: this process is in a network namespace of its own and may make others.
std::string move_out(char** argv)
{
    if (unshare(CLONE_NEWNET) == 0)
        return std::system("ip link show >/dev/null 2>&1") == 0 ? "" : "there is no ip command (iproute2)";
    const std::string refused = std::strerror(errno);
    if (!std::getenv(kInside) && std::system("unshare -Urn true >/dev/null 2>&1") == 0) {
        setenv(kInside, "1", 1);
        std::vector<char*> command{const_cast<char*>("unshare"), const_cast<char*>("-Urn")};
        for (char** argument = argv; *argument; argument++)
            command.push_back(*argument);
        command.push_back(nullptr);
        execvp("unshare", command.data());
    }
    return "network namespaces are not allowed here: " + refused;
}

} // namespace

bool can_make_hosts(std::string& why)
{
    why = why_no_hosts;
    return why.empty();
}

Host::Visit::Visit(const Host& host) : home_(open_own_namespace())
{
    if (setns(host.fd_, CLONE_NEWNET))
        throw_errno("setns");
}

Host::Visit::~Visit()
{
    EXPECT_EQ(setns(home_, CLONE_NEWNET), 0);
    close(home_);
}

Host::Host()
{
    const int home = open_own_namespace();
    if (unshare(CLONE_NEWNET))
        throw_errno("unshare");
    fd_ = open_own_namespace();
    const int back = setns(home, CLONE_NEWNET);
    close(home);
    if (back)
        throw_errno("setns");
    ip("link set lo up");
}

Host::~Host()
{
    close(fd_);
}

void Host::ip(const std::string& lines) const
{
    int status = 0;
    const std::string said = output("ip -batch - <<'END'\n" + lines + "\nEND\n", &status);
    EXPECT_EQ(status, 0) << lines << "\n" << said;
}

void Host::connect(Host& other, const std::string& name, const std::string& here,
                   const std::string& there) const
{
    const std::string their_namespace =
        "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(other.fd_);
    const auto give = [&](const std::string& address) {
        return "address add " + address + " dev " + name + "\nlink set " + name + " up";
    };
    ip("link add " + name + " type veth peer name " + name + " netns " + their_namespace + "\n" + give(here));
    other.ip(give(there));
    wait_for_carrier(name);
    other.wait_for_carrier(name);
}

void Host::wait_for_carrier(const std::string& name) const
{
    const int fd = on([] { return socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0); });
    ifreq request{};
    std::strncpy(request.ifr_name, name.c_str(), IFNAMSIZ - 1);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (ioctl(fd, SIOCGIFFLAGS, &request) == 0 && !(request.ifr_flags & IFF_RUNNING)) {
        if (std::chrono::steady_clock::now() > end) {
            ADD_FAILURE() << name << " has no carrier";
            break;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    close(fd);
}

std::string Host::output(const std::string& command, int* status) const
{
    return on([&] {
        std::string said;
        FILE* pipe = popen(("exec 2>&1; " + command).c_str(), "r");
        if (!pipe)
            throw_errno("popen");
        char part[512];
        while (const std::size_t got = fread(part, 1, sizeof part, pipe))
            said.append(part, got);
        const int ended = pclose(pipe);
        if (status)
            *status = WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
        return said;
    });
}

} // namespace faults

int main(int argc, char** argv)
{
    const char* path = std::getenv("PATH"); // of an ordinary user it may lack where ip is
    setenv("PATH", (std::string(path ? path : "/usr/bin:/bin") + ":/usr/sbin:/sbin").c_str(), 1);
    faults::why_no_hosts = faults::move_out(argv);
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
