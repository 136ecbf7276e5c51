// SPDX-License-Identifier: BSD-2-Clause
#include "shims.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace faults {
namespace {

constexpr auto kNumber = static_cast<unsigned>(offsetof(seccomp_data, nr));
constexpr auto kFirstArgument = static_cast<unsigned>(offsetof(seccomp_data, args)); // its low half
constexpr sock_filter load(unsigned offset)
{
    return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset);
}
constexpr sock_filter skip_unless(unsigned value, unsigned char count)
{
    return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, count);
}
constexpr sock_filter answer(unsigned what)
{
    return BPF_STMT(BPF_RET | BPF_K, what);
}

void install(std::vector<sock_filter> filter)
{
    filter.push_back(answer(SECCOMP_RET_ALLOW));
    const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        throw std::system_error(errno, std::generic_category(), "seccomp");
}

} // namespace

ReadingOthers reading_others;

void refuse_calls(std::initializer_list<int> calls, int error)
{
    std::vector<sock_filter> filter{load(kNumber)};
    for (const int call : calls) {
        filter.push_back(skip_unless(static_cast<unsigned>(call), 1));
        filter.push_back(answer(SECCOMP_RET_ERRNO | static_cast<unsigned>(error)));
    }
    install(std::move(filter));
}

void refuse_netlink()
{
    install({load(kNumber), skip_unless(SYS_socket, 3), load(kFirstArgument), skip_unless(AF_NETLINK, 1),
             answer(SECCOMP_RET_ERRNO | EPERM)});
}

bool shrink_dev_shm(const std::string& size, std::string& why)
{
    if (unshare(geteuid() == 0 ? CLONE_NEWNS : CLONE_NEWUSER | CLONE_NEWNS) ||
        mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) ||
        mount("tmpfs", "/dev/shm", "tmpfs", 0, ("size=" + size).c_str())) {
        why = std::string("no mount namespaces here: ") + std::strerror(errno);
        return false;
    }
    return true;
}

void limit_descriptors(unsigned count)
{
    const rlimit limit{count, count};
    if (setrlimit(RLIMIT_NOFILE, &limit))
        throw std::system_error(errno, std::generic_category(), "setrlimit");
}

} // namespace faults

// Found by the plugin before the C library's, since a program's own symbols come first.
extern "C" __attribute__((visibility("default"))) ssize_t
process_vm_readv(pid_t pid, const iovec* to, unsigned long to_count, const iovec* from,
                 unsigned long from_count, unsigned long flags)
{
    auto& shim = faults::reading_others;
    shim.calls++;
    if (shim.calls_left == 0) {
        errno = EPERM;
        return -1;
    }
    if (shim.calls_left > 0)
        shim.calls_left--;
    iovec some = *to;
    if (shim.cut_short && to_count == 1 && some.iov_len > 16)
        some.iov_len = 16 + static_cast<std::size_t>(shim.calls) * 7919 % (some.iov_len - 16);
    return syscall(SYS_process_vm_readv, pid, &some, to_count, from, from_count, flags);
}
