// SPDX-License-Identifier: BSD-2-Clause
//
// Writing log lines from many threads and processes to one place: each line is one write, so lines do not
// mix, and no lock can be left held by a forked child.
#include "log/output.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fi::core::log {

Output Output::open(const std::string& location, unsigned mode, std::string& complaint)
{
    Output output;
    if (location.empty() || location == "stderr")
        return output;
    if (location == "stdout") {
        output.stdio_ = true;
        return output;
    }
    std::string path = location;
    struct stat status;
    if (stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode))
        path += "/ofi_" + std::to_string(getpid()) + ".log";
    int fd =
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, static_cast<mode_t>(mode));
    if (fd < 0) {
        complaint +=
            "FI_LOG_LOCATION: cannot create " + path + ": " + strerror(errno) + "; logging to stderr\n";
        return output;
    }
    output.fd_ = fd;
    return output;
}

void Output::write(std::string_view line) const
{
    if (stdio_) {
        fwrite(line.data(), 1, line.size(), stdout);
        fflush(stdout);
        return;
    }
    while (!line.empty()) {
        ssize_t written = ::write(fd_, line.data(), line.size());
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return;
        line.remove_prefix(static_cast<size_t>(written));
    }
}

} // namespace fi::core::log
