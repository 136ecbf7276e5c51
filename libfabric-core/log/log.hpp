// SPDX-License-Identifier: BSD-2-Clause
//
// The log as the rest of the core uses it: its own lines, catching the lines of a query, naming a nested
// query, and handing the log to the application. fi_log, fi_log_enabled and fi_log_ready themselves are in
// log.cpp. Nothing is logged unless FI_LOG_LEVEL is set; then disabled costs one load and a test per call.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <rdma/fabric.h>
#include <rdma/providers/fi_log.h>
#include <rdma/providers/fi_prov.h>

namespace fi::core::log {

// Longest message in bytes, its newline included; what is longer is cut and ends with a newline.
constexpr size_t kLongestMessage = 1023;

// Reads the FI_LOG_* variables once per process and opens FI_LOG_LOCATION. Idempotent, thread safe. Before
// it, fi_log_enabled answers no, and fi_log, which does not ask, writes to standard error.
void init();

// Whether FI_LOG_PROV excludes a provider of this name; names are compared exactly. False before init().
bool provider_filtered(std::string_view name);

// Logs one line of the core itself, under the provider name "core"; for the macros below, which ask first.
__attribute__((format(printf, 5, 6))) void write(fi_log_level level, fi_log_subsys subsys, const char* func,
                                                 int line, const char* format, ...);

// The provider under whose name the core logs.
const fi_provider* core_provider();

// One caught message, without the newline at its end.
struct Line {
    std::string provider;
    fi_log_level level;
    std::string text;
};

// While one lives, messages of the thread that made it are kept here instead of being printed, and
// fi_log_enabled says yes on that thread for every level but debug, whatever the FI_LOG_* variables and an
// imported log say. The innermost of several receives the lines. It must be destroyed by the thread that made
// it.
class Capture {
  public:
    Capture();
    ~Capture();
    Capture(const Capture&) = delete;
    Capture& operator=(const Capture&) = delete;

    const std::vector<Line>& lines() const { return lines_; }

    // For fi_log: the innermost one of this thread, or nullptr.
    static Capture* current();
    // For fi_log: keeps a message. One that memory does not suffice for is lost.
    void add(const fi_provider& provider, fi_log_level level, std::string_view text) noexcept;

  private:
    Capture* outer_;
    std::vector<Line> lines_;
};

// While one lives, this thread's log lines carry the name in their prefix field: the utility provider on
// whose behalf a nested query runs. The innermost of several counts. Destroyed by the thread that made it.
class Prefix {
  public:
    explicit Prefix(std::string_view name);
    ~Prefix();
    Prefix(const Prefix&) = delete;
    Prefix& operator=(const Prefix&) = delete;

    // This thread's prefix, "" when there is none.
    static const char* current();

  private:
    const char* outer_;
    std::string name_;
};

// fi_open(3) for the name "logging": *out becomes the log's own object, to which an application's struct
// fid_logging is bound (fi_import_log). -FI_EINVAL for an API version before 1.13 or any attribute,
// -FI_EBADFLAGS for any flag, -FI_EALREADY while an application's log is in place. The object is static:
// closing it does nothing.
int open_logging(uint32_t version, void* attr, size_t attr_len, uint64_t flags, fid** out, void* context);

} // namespace fi::core::log

// FI_CORE_WARN(FI_LOG_CORE, "format\n", ...): the arguments are evaluated only when the line is wanted.
#define FI_CORE_LOG(level, subsys, ...)                                                                      \
    do {                                                                                                     \
        if (fi_log_enabled(::fi::core::log::core_provider(), level, subsys))                                 \
            ::fi::core::log::write(level, subsys, __func__, __LINE__, __VA_ARGS__);                          \
    } while (0)
#define FI_CORE_WARN(subsys, ...) FI_CORE_LOG(FI_LOG_WARN, subsys, __VA_ARGS__)
#define FI_CORE_TRACE(subsys, ...) FI_CORE_LOG(FI_LOG_TRACE, subsys, __VA_ARGS__)
#define FI_CORE_INFO(subsys, ...) FI_CORE_LOG(FI_LOG_INFO, subsys, __VA_ARGS__)
#define FI_CORE_DBG(subsys, ...) FI_CORE_LOG(FI_LOG_DEBUG, subsys, __VA_ARGS__)
