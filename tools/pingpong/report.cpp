// SPDX-License-Identifier: BSD-2-Clause
// The layouts are upstream's to the column: people compare runs of both tools side by side, and scripts cut
// them.

#include "report.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <rdma/fi_errno.h>

namespace fi::tools::pingpong {
namespace {

bool debug_enabled = false;

struct Unit {
    std::uint64_t value;
    const char* suffix;
};

std::string in_units(std::uint64_t number, const std::array<Unit, 4>& units)
{
    for (const Unit& unit : units) {
        if (number < unit.value)
            continue;
        const std::uint64_t whole = number / unit.value;
        const std::uint64_t tenths = whole < 10 ? number % unit.value * 10 / unit.value : 0;
        return std::to_string(whole) + (tenths ? '.' + std::to_string(tenths) : "") + unit.suffix;
    }
    return std::to_string(number);
}

int length(std::string_view text)
{
    return static_cast<int>(text.size());
}

template <class... Arguments>
std::string printed(const char* format, Arguments... arguments)
{
    std::array<char, 160> line{};
    std::snprintf(line.data(), line.size(), format, arguments...);
    return line.data();
}

// The compiler's path says where the project was built, which helps nobody.
const char* file_of(const Where& where)
{
    const char* slash = std::strrchr(where.file, '/');
    return slash ? slash + 1 : where.file;
}

void say(const char* kind, std::string_view text, const Where& where)
{
    std::fprintf(stderr, "[%s] %s:%-4d: %.*s\n", kind, file_of(where), where.line, length(text), text.data());
}

} // namespace

int exit_status(int ret)
{
    const int code = ret < 0 ? -ret : ret;
    return code % 256 == 0 && code != 0 ? EXIT_FAILURE : code % 256;
}

void fail(std::string_view call, long ret, Where where)
{
    const int code = static_cast<int>(ret);
    std::fprintf(stderr, "%.*s(): %s:%-4d, ret=%d (%s)\n", length(call), call.data(), file_of(where),
                 where.line, code, fi_strerror(-code));
    throw Failure{code};
}

void fail_because(std::string_view text, int ret, Where where)
{
    say("error", text, where);
    throw Failure{ret};
}

void enable_debug()
{
    debug_enabled = true;
}

void debug(std::string_view text, Where where)
{
    if (debug_enabled)
        say("debug", text, where);
}

std::string size_text(std::uint64_t bytes)
{
    return in_units(bytes, {{{1ULL << 30, "g"}, {1ULL << 20, "m"}, {1ULL << 10, "k"}, {1, ""}}});
}

std::string count_text(std::uint64_t count)
{
    return in_units(count, {{{1000000000, "b"}, {1000000, "m"}, {1000, "k"}, {1, ""}}});
}

std::string header_text()
{
    return printed("%-8s%-8s%-9s%-8s%8s %10s%13s%13s\n", "bytes", "#sent", "#ack", "total", "time", "MB/sec",
                   "usec/xfer", "Mxfers/sec");
}

std::string row_text(const Row& row)
{
    const double usec = std::chrono::duration<double, std::micro>(row.time).count();
    const double transfers = 2.0 * static_cast<double>(row.sent);
    const std::uint64_t bytes = row.size * row.sent * 2;
    const char sign = row.acked == row.sent ? '=' : row.acked > row.sent ? '-' : '+';
    const std::uint64_t shown_acks = row.acked == row.sent  ? row.acked
                                     : row.acked > row.sent ? row.acked - row.sent
                                                            : row.sent - row.acked;
    const double per_transfer = usec / transfers;
    return printed("%-8s%-8s%c%-8s%-8s%8.2fs%10.2f%11.2f%11.2f\n", size_text(row.size).c_str(),
                   count_text(row.sent).c_str(), sign, count_text(shown_acks).c_str(),
                   size_text(bytes).c_str(), usec / 1e6, static_cast<double>(bytes) / usec, per_transfer,
                   1.0 / per_transfer);
}

} // namespace fi::tools::pingpong
