// SPDX-License-Identifier: BSD-2-Clause
#include "kit/objects/wait.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <poll.h>
#include <rdma/fi_errno.h>

namespace fi::kit {
namespace {

std::int64_t now_ns() noexcept
{
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

} // namespace

bool serves(fi_wait_obj kind) noexcept
{
    return kind == FI_WAIT_NONE || kind == FI_WAIT_YIELD || has_descriptor(kind);
}

int control_wait(fi_wait_obj kind, int fd, int command, void* arg) noexcept
{
    switch (command) {
    case FI_GETWAIT:
        if (!has_descriptor(kind))
            return -FI_ENODATA;
        *static_cast<int*>(arg) = fd;
        return 0;
    case FI_GETWAITOBJ:
        *static_cast<fi_wait_obj*>(arg) = kind == FI_WAIT_UNSPEC ? FI_WAIT_FD : kind;
        return 0;
    default:
        return -FI_ENOSYS;
    }
}

const char* error_text(int prov_errno, char* buf, std::size_t len) noexcept
{
    const char* text = fi_strerror(prov_errno);
    if (!buf || !len)
        return text;
    std::snprintf(buf, len, "%s", text);
    return buf;
}

Deadline::Deadline(int milliseconds) noexcept
    : end_ns_(milliseconds < 0 ? -1 : now_ns() + milliseconds * 1'000'000LL)
{
}

int Deadline::left() const noexcept
{
    if (end_ns_ < 0)
        return -1;
    return static_cast<int>(std::max<std::int64_t>(0, (end_ns_ - now_ns() + 999'999) / 1'000'000));
}

bool sleep_on(int fd, const Deadline& deadline) noexcept
{
    for (;;) {
        pollfd wait{fd, POLLIN, 0};
        const int left = deadline.left();
        const int ret = ::poll(&wait, 1, left);
        if (ret > 0)
            return true;
        if (ret == 0 || errno != EINTR || left == 0)
            return false;
    }
}

} // namespace fi::kit
