// SPDX-License-Identifier: BSD-2-Clause
#include "crew.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <new>
#include <thread>

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "failure.hpp"
#include "partner.hpp"
#include "watchdog.hpp"

namespace fi::tools::bench {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::hours kIdlePatience{
    24}; // an idle peer waits for the whole run; its driver's end ends it
constexpr std::chrono::seconds kToEnd{2};

// How it ended; empty while it runs.
std::string ending(pid_t pid)
{
    siginfo_t info{};
    if (waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0)
        return "";
    if (info.si_code != CLD_EXITED)
        return words("was killed by signal {} ({})", info.si_status, strsignal(info.si_status));
    return info.si_status == 0 ? "" : words("ended with status {}", info.si_status);
}

void reap(pid_t pid)
{
    const auto deadline = Clock::now() + kToEnd;
    while (waitpid(pid, nullptr, WNOHANG) == 0) {
        watchdog::feed();
        if (Clock::now() > deadline) {
            kill(pid, SIGKILL);
            waitpid(pid, nullptr, 0);
            return;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

} // namespace

void Crew::Unmap::operator()(Line* line) const
{
    munmap(line, sizeof *line);
}

Crew::Crew(const Options& options, std::optional<int> partner_cpu)
{
    if (options.server.empty()) {
        void* shared = mmap(nullptr, sizeof(Line), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (shared == MAP_FAILED)
            fail("mmap: {}", std::strerror(errno));
        line_.reset(new (shared) Line);
        enlist(options, "the partner", partner_cpu);
    } else
        members_.push_back({-1, connect_to_server(options)});
    for (std::uint64_t k = 0; k < options.config.peers; k++)
        enlist(options, words("idle peer {}", k + 1), std::nullopt);
}

void Crew::enlist(const Options& options, const std::string& who, std::optional<int> cpu)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        fail("socketpair: {}", std::strerror(errno));
    Fd ours(ends[0]), theirs(ends[1]);
    const pid_t driver = getpid();
    const pid_t pid = fork();
    if (pid < 0)
        fail("fork: {}", std::strerror(errno));
    if (pid == 0) {
        // The end of the driver, however it comes, is the end of this: by signal, and because nobody else
        // holds the other end of the control connection.
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != driver)
            _exit(EXIT_FAILURE);
        ours = Fd();
        for (Member& member : members_)
            member.control.end();
        Control control(std::move(theirs), "the driver", members_.empty() ? options.timeout : kIdlePatience);
        _exit(serve(control, {options.library, "", line_.get(), cpu}));
    }
    members_.push_back({pid, Control(std::move(ours), who, options.timeout)});
}

Crew::~Crew()
{
    for (Member& member : members_)
        member.control.end();
    for (const Member& member : members_)
        if (member.pid > 0)
            reap(member.pid);
}

void Crew::look()
{
    for (Member& member : members_)
        member.control.look();
}

void Crew::finish(const std::function<void()>& progress)
{
    for (Member& member : members_)
        member.control.send({{"do", "end"}});
    for (Member& member : members_)
        (void)member.control.receive("farewell", progress);
}

std::string Crew::obituary()
{
    std::string text;
    const auto deadline =
        Clock::now() + std::chrono::milliseconds(200); // its connection ends before the process does
    for (Member& member : members_) {
        std::string how;
        while (member.pid > 0 && (how = ending(member.pid)).empty() && Clock::now() < deadline)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        if (!how.empty())
            text += words("; {} {}", member.control.who(), how);
    }
    return text;
}

} // namespace fi::tools::bench
