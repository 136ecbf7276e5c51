// SPDX-License-Identifier: BSD-2-Clause
#include "isolated.hpp"

#include "node.hpp"

#include <cstring>
#include <poll.h>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace conform {
namespace {

using Clock = std::chrono::steady_clock;

int to_parent = -1; ///< in the process of a check

/// What is sent to the parent: this, the file's name, the text.
struct Header {
    enum Kind : int { Success, NonFatal, Fatal, Skip, Text, Error } kind;
    int line;
    std::size_t file_size, text_size;
};

struct Message {
    Header::Kind kind;
    int line;
    std::string file, text;
};

void send(Header::Kind kind, const char* file, int line, const std::string& text)
{
    const std::string name = file ? file : "";
    const Header header{kind, line, name.size(), text.size()};
    std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
    bytes += name;
    bytes += text;
    for (std::size_t done = 0; done < bytes.size();) {
        const ssize_t ret = write(to_parent, bytes.data() + done, bytes.size() - done);
        if (ret < 0 && errno != EINTR)
            _exit(EXIT_FAILURE); // the parent is gone
        done += ret > 0 ? static_cast<std::size_t>(ret) : 0;
    }
}

/// Takes the messages that are complete off the front of the bytes.
std::vector<Message> take_messages(std::string& bytes)
{
    std::vector<Message> messages;
    for (;;) {
        Header header;
        if (bytes.size() < sizeof header)
            return messages;
        std::memcpy(&header, bytes.data(), sizeof header);
        const std::size_t size = sizeof header + header.file_size + header.text_size;
        if (bytes.size() < size)
            return messages;
        messages.push_back({header.kind, header.line, bytes.substr(sizeof header, header.file_size),
                            bytes.substr(sizeof header + header.file_size, header.text_size)});
        bytes.erase(0, size);
    }
}

/// Runs in the child, which it ends. exit(), not _exit(): a leak checker looks then.
[[noreturn]] void child(int pipe_end, const std::function<void()>& body)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL); // whoever interrupts the tool interrupts the check
    to_parent = pipe_end;
    body();
    std::exit(EXIT_SUCCESS);
}

struct End {
    std::string bytes;     ///< all that the child sent
    std::string complaint; ///< how it ended, if not well
};

std::string complaint_about(int status)
{
    if (WIFSIGNALED(status))
        return "the process of the check died: " + std::string(strsignal(WTERMSIG(status)));
    if (WEXITSTATUS(status) != 0)
        return "the process of the check ended with status " + std::to_string(WEXITSTATUS(status));
    return "";
}

End in_child(const std::function<void()>& body)
{
    int ends[2];
    if (pipe(ends) != 0)
        throw std::runtime_error(std::string("pipe: ") + std::strerror(errno));
    fflush(nullptr); // or the child prints it again
    const pid_t pid = fork();
    if (pid < 0) {
        close(ends[0]);
        close(ends[1]);
        throw std::runtime_error(std::string("fork: ") + std::strerror(errno));
    }
    if (pid == 0) {
        close(ends[0]);
        child(ends[1], body);
    }
    close(ends[1]);

    End end;
    const auto last = Clock::now() + running().deadline;
    for (;;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(last - Clock::now());
        pollfd wait{ends[0], POLLIN, 0};
        const int ready = left.count() > 0 ? poll(&wait, 1, static_cast<int>(left.count())) : 0;
        if (ready == 0) {
            kill(pid, SIGKILL);
            end.complaint = "no end after " + std::to_string(running().deadline.count()) + " s: killed";
            break;
        }
        char bytes[4096];
        const ssize_t size = ready > 0 ? read(ends[0], bytes, sizeof bytes) : 1;
        if (size == 0)
            break;
        if (ready > 0 && size > 0)
            end.bytes.append(bytes, static_cast<std::size_t>(size));
    }
    close(ends[0]);
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (end.complaint.empty())
        end.complaint = complaint_about(status);
    return end;
}

void record(const Message& message)
{
    switch (message.kind) {
    case Header::Skip:
        GTEST_SKIP_(message.text.c_str());
    case Header::NonFatal:
    case Header::Fatal:
    case Header::Error:
        GTEST_MESSAGE_AT_(message.file.c_str(), message.line, message.text.c_str(),
                          testing::TestPartResult::kNonFatalFailure);
        break;
    case Header::Success:
    case Header::Text:
        break;
    }
}

void run_here(const std::function<void()>& body)
{
    try {
        body();
    } catch (const NotClaimed& reason) {
        GTEST_SKIP() << reason.what;
    } catch (const std::exception& error) {
        ADD_FAILURE() << error.what();
    }
}

} // namespace

Running& running()
{
    static Running settings;
    return settings;
}

std::chrono::milliseconds patience()
{
    return std::chrono::duration_cast<std::chrono::milliseconds>(running().deadline) / 2;
}

bool sent_to_parent(const testing::TestPartResult& result)
{
    if (to_parent < 0)
        return false;
    const Header::Kind kind = result.skipped()          ? Header::Skip
                              : result.fatally_failed() ? Header::Fatal
                              : result.failed()         ? Header::NonFatal
                                                        : Header::Success;
    send(kind, result.file_name(), result.line_number(), result.message());
    return true;
}

void isolated(const std::function<void()>& body)
{
    if (running().in_process)
        return run_here(body);
    End end = in_child([&] { run_here(body); });
    for (const Message& message : take_messages(end.bytes))
        record(message);
    EXPECT_EQ(end.complaint, "");
}

std::string text_from_child(const std::function<std::string()>& body)
{
    End end = in_child([&] {
        try {
            send(Header::Text, nullptr, 0, body());
        } catch (const std::exception& error) {
            send(Header::Error, nullptr, 0, error.what());
        }
    });
    std::string text;
    for (const Message& message : take_messages(end.bytes)) {
        if (message.kind == Header::Error)
            throw std::runtime_error(message.text);
        text += message.text;
    }
    if (!end.complaint.empty())
        throw std::runtime_error(end.complaint);
    return text;
}

} // namespace conform
