// SPDX-License-Identifier: BSD-2-Clause
//
// fi_log, fi_log_enabled, fi_log_ready. Providers call the second on paths that matter, so it is one load and
// a test when nothing is wanted, and never allocates or locks. Who decides, in this order: a capture on this
// thread, the application's imported log, the FI_LOG_* variables.
#include "log/log.hpp"

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <memory>
#include <mutex>
#include <unistd.h>

#include "api/export.hpp"
#include "loader/registry.hpp"
#include "log/gate.hpp"
#include "log/import.hpp"
#include "log/settings.hpp"
#include "log/words.hpp"
#include "param/param.hpp"

namespace fi::core::log {
namespace {

std::atomic<const Settings*> in_force{nullptr};
std::atomic<bool> initialised{false};

const Settings& settings()
{
    if (const Settings* present =
            in_force.load(std::memory_order_acquire)) // pairs with the release in apply()
        return *present;
    static const Settings& before_init = *new Settings;
    return before_init;
}

std::mutex& changing()
{
    static std::mutex& mutex = *new std::mutex;
    return mutex;
}

// The flag was written when the provider was registered; a provider that never was has zeros there.
bool filtered(const fi_provider& provider)
{
    return loader::scratch_of(provider).log_disabled;
}

uint64_t import_flags(const fi_provider& provider)
{
    return filtered(provider) ? FI_LOG_PROV_FILTERED : 0;
}

bool wanted_by_variables(const fi_provider& provider, unsigned level, unsigned subsys)
{
    const Settings& now = settings();
    return level < kLevelWords.size() && subsys < kSubsysWords.size() && (now.levels >> level & 1) &&
           (now.subsystems >> subsys & 1) && !filtered(provider);
}

bool enabled(const fi_provider& provider, fi_log_level level, fi_log_subsys subsys)
{
    if (Capture::current())
        return static_cast<unsigned>(level) <= FI_LOG_INFO;
    ImportedLog import;
    if (import.ops && import.ops->enabled)
        return import.ops->enabled(&provider, level, subsys, import_flags(provider)) != 0;
    return wanted_by_variables(provider, static_cast<unsigned>(level), static_cast<unsigned>(subsys));
}

uint64_t now_ms()
{
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1000 + static_cast<uint64_t>(now.tv_nsec) / 1000000;
}

// True for one caller per interval. The word is a static of the calling function, shared by its threads.
bool due(uint64_t* showtime)
{
    const uint64_t now = now_ms();
    uint64_t next = __atomic_load_n(showtime, __ATOMIC_RELAXED);
    return now >= next && __atomic_compare_exchange_n(showtime, &next, now + settings().interval_ms, false,
                                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

const char* word(const auto& words, unsigned index)
{
    return index < words.size() ? words[index] : "?";
}

void print(const fi_provider& provider, fi_log_level level, fi_log_subsys subsys, const char* func, int line,
           const char* message)
{
    char text[kLongestMessage + 513];
    int length =
        snprintf(text, 512, "libfabric:%d:%lld:%s:%s:%s:%s():%d<%s> ", static_cast<int>(getpid()),
                 static_cast<long long>(time(nullptr)), Prefix::current(), provider.name ? provider.name : "",
                 word(kSubsysWords, static_cast<unsigned>(subsys)), func ? func : "", line,
                 word(kLevelWords, static_cast<unsigned>(level)));
    size_t used = length < 0 ? 0 : length < 512 ? static_cast<size_t>(length) : 511;
    const size_t rest = strlen(message);
    memcpy(text + used, message, rest);
    settings().output.write({text, used + rest});
}

void log_message(const fi_provider& provider, fi_log_level level, fi_log_subsys subsys, const char* func,
                 int line, const char* format, va_list args)
{
    const int saved = errno;
    char message[kLongestMessage + 1];
    int length = vsnprintf(message, sizeof message, format, args);
    if (length < 0)
        message[0] = '\0';
    else if (static_cast<size_t>(length) > kLongestMessage)
        message[kLongestMessage - 1] = '\n';

    if (Capture* capture = Capture::current()) {
        capture->add(provider, level, message);
    } else {
        ImportedLog import;
        if (import.ops && import.ops->log)
            import.ops->log(&provider, level, subsys, func, line, message);
        else
            print(provider, level, subsys, func, line, message);
    }
    errno = saved;
}

constinit const fi_provider kCore = {
    .version = FI_VERSION(FI_MAJOR_VERSION * 100 + FI_MINOR_VERSION, 0),
    .fi_version = FI_VERSION(FI_MAJOR_VERSION, FI_MINOR_VERSION),
    .name = "core",
};

const fi_provider& named(const fi_provider* provider)
{
    return provider ? *provider : kCore;
}

} // namespace

const fi_provider* core_provider()
{
    return &kCore;
}

void apply(Settings fresh)
{
    static auto& kept = *new std::vector<std::unique_ptr<const Settings>>;
    const Settings* now;
    {
        std::lock_guard lock(changing());
        kept.push_back(std::make_unique<const Settings>(std::move(fresh)));
        now = kept.back().get();
        in_force.store(now, std::memory_order_release);
        gate.set_variables(now->levels);
    }
    if (!now->complaint.empty())
        FI_CORE_WARN(FI_LOG_CORE, "%s", now->complaint.c_str());
}

void init()
{
    if (initialised.load(std::memory_order_acquire))
        return;
    static std::mutex& once = *new std::mutex;
    std::lock_guard lock(once);
    if (initialised.load(std::memory_order_relaxed))
        return;
    apply(Settings::read());
    initialised.store(true, std::memory_order_release);
}

bool provider_filtered(std::string_view name)
{
    return !settings().providers.passes(name);
}

void write(fi_log_level level, fi_log_subsys subsys, const char* func, int line, const char* format, ...)
{
    va_list args;
    va_start(args, format);
    log_message(kCore, level, subsys, func, line, format, args);
    va_end(args);
}

} // namespace fi::core::log

using namespace fi::core;

extern "C" FI_EXPORT int fi_log_enabled(const struct fi_provider* prov, enum fi_log_level level,
                                        enum fi_log_subsys subsys)
{
    if (!log::gate.possibly_enabled(static_cast<unsigned>(level))) [[likely]]
        return 0;
    return log::enabled(log::named(prov), level, subsys);
}

extern "C" FI_EXPORT int fi_log_ready(const struct fi_provider* prov, enum fi_log_level level,
                                      enum fi_log_subsys subsys, uint64_t* showtime)
{
    if (!log::gate.possibly_enabled(static_cast<unsigned>(level))) [[likely]]
        return 0;
    const fi_provider& provider = log::named(prov);
    // A capture wants every line and must not use up the moment at which the next reader would have seen it.
    if (!log::Capture::current()) {
        log::ImportedLog import;
        if (import.ops && import.ops->ready)
            return import.ops->ready(&provider, level, subsys, log::import_flags(provider), showtime) != 0;
        return log::enabled(provider, level, subsys) && log::due(showtime);
    }
    return log::enabled(provider, level, subsys);
}

extern "C" FI_EXPORT void fi_log(const struct fi_provider* prov, enum fi_log_level level,
                                 enum fi_log_subsys subsys, const char* func, int line, const char* fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    log::log_message(log::named(prov), level, subsys, func, line, fmt, args);
    va_end(args);
}
