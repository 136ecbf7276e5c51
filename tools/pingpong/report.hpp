// SPDX-License-Identifier: BSD-2-Clause
// What fi_pingpong tells: its table on stdout, errors and, with -v, its steps on stderr. fi_pingpong(1)
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace fi::tools::pingpong {

// The line that calls. std::source_location is out of reach: clang 14 lacks what the standard library asks
// for.
struct Where {
    const char* file;
    int line;
    static constexpr Where current(const char* file = __builtin_FILE(), int line = __builtin_LINE())
    {
        return {file, line};
    }
};

// Thrown once the reason has been printed; ret is a negative error code, which becomes the exit status.
struct Failure {
    int ret;
};

// The process's exit status for ret: its low eight bits, as the system would cut them, but never 0 for a
// failure.
[[nodiscard]] int exit_status(int ret);

// With its text: a call that returned the negative code ret.
[[noreturn]] void fail(std::string_view call, long ret, Where where = Where::current());

// In own words, for what is not one call's fault.
[[noreturn]] void fail_because(std::string_view text, int ret, Where where = Where::current());

// Returns ret when it is no error.
inline long check(std::string_view call, long ret, Where where = Where::current())
{
    if (ret < 0)
        fail(call, ret, where);
    return ret;
}

void enable_debug();
void debug(std::string_view text, Where where = Where::current());

// Numbers in at most seven characters: sizes by powers of 1024 (k m g), counts by powers of 1000 (k m b);
// below ten units one decimal, cut, if it is not 0.
[[nodiscard]] std::string size_text(std::uint64_t bytes);
[[nodiscard]] std::string count_text(std::uint64_t count);

struct Row {
    std::size_t size = 0;    // bytes of a message
    std::uint64_t sent = 0;  // messages sent by each side
    std::uint64_t acked = 0; // messages that came back to the client
    std::chrono::steady_clock::duration time{};
};

[[nodiscard]] std::string header_text(); // one line, ending in a newline
[[nodiscard]] std::string row_text(const Row& row);

} // namespace fi::tools::pingpong
