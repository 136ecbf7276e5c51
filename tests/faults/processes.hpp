// SPDX-License-Identifier: BSD-2-Clause
//
// Test programs made of several processes, any of which may be killed, stopped or deprived of something.
//
// The test's own process only directs: it never calls the library, so that each child begins with a library
// that nobody has used. Children end with their parent, and by themselves when an alarm goes off: then they
// print what they were doing. Nothing here waits for ever.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace faults {

/// What this process is doing, printed by its alarm.
struct State {
    const char* doing = "";
    long numbers[4] = {};
};
extern State state;

/// Fails this process, printing its state, after so many seconds from now. Replaces the alarm before it.
void limit(unsigned seconds);

/// Packets between a child and who started it.
class Channel {
  public:
    explicit Channel(int fd) : fd_(fd) {}
    Channel(Channel&& other) noexcept;
    ~Channel();

    void send(const std::vector<char>& packet) const;
    void send(const std::string& packet) const { send(std::vector<char>(packet.begin(), packet.end())); }
    /// Waits; empty: the other side has gone.
    [[nodiscard]] std::vector<char> receive() const;
    [[nodiscard]] std::string receive_text() const;
    /// Nothing: nothing has come.
    [[nodiscard]] std::optional<std::vector<char>> try_receive() const;
    [[nodiscard]] int fd() const { return fd_; }

  private:
    int fd_;
};

/// A forked child. Its expectations and exceptions are failures of expect_success().
class Process {
  public:
    using Body = std::function<void(const Channel&)>;
    /// seconds: until its alarm.
    explicit Process(const Body& body, unsigned seconds = 60);
    /// Kills it, if it still runs.
    ~Process();
    Process(Process&& other) noexcept;
    Process& operator=(Process&&) = delete;

    [[nodiscard]] const Channel& channel() const { return channel_; }
    [[nodiscard]] pid_t pid() const { return pid_; }
    void signal(int number) const;
    [[nodiscard]] bool runs() const;
    /// Kills it and waits for its end; a child that had ended otherwise fails the test.
    void kill();
    /// Waits for its end; the status as waitpid() gives it.
    int wait();
    void expect_success();

  private:
    Process(const Body& body, unsigned seconds, std::array<int, 2> ends);
    pid_t pid_ = -1;
    Channel channel_;
};

/// Gives each of two the name that the other one says first.
void introduce(const Process& first, const Process& second);
/// Waits until both have said that word, then lets both go on.
void meet(const Process& first, const Process& second, const std::string& word);

/// Random numbers of a test. The seed is printed, and is FI_TEST_SEED's if that is set.
std::uint64_t seed();
/// How often something is done that is done over and over: `few` times; `many`, if FI_TEST_ROUNDS is "many";
/// or the number that it is set to.
int rounds(int few, int many);
/// Whether endpoints of this machine share memory in this run.
bool over_shared_memory();
/// Whether the memory of a process says anything, which it does not under a sanitizer.
bool memory_is_ours();

/// Open descriptors of this process.
std::size_t descriptors();
/// Mappings of this process whose line has that text.
std::size_t mappings(const std::string& text);
/// Bytes of memory that this process has in use.
std::size_t resident();

} // namespace faults
