// SPDX-License-Identifier: BSD-2-Clause
//
// Catching the log of one thread, so that a query which found nothing can say why, whoever wrote the
// provider.
#include "log/gate.hpp"
#include "log/log.hpp"

namespace fi::core::log {
namespace {

thread_local Capture* innermost = nullptr;
thread_local const char* prefix = "";

} // namespace

Capture::Capture() : outer_(innermost)
{
    innermost = this;
    gate.add_capture();
}

Capture::~Capture()
{
    gate.remove_capture();
    innermost = outer_;
}

Capture* Capture::current()
{
    return innermost;
}

void Capture::add(const fi_provider& provider, fi_log_level level, std::string_view text) noexcept
{
    while (text.ends_with('\n'))
        text.remove_suffix(1);
    try {
        lines_.push_back({provider.name ? provider.name : "", level, std::string(text)});
    } catch (...) {
        // One reason less in a report is better than failing a query for want of memory.
    }
}

Prefix::Prefix(std::string_view name) : outer_(prefix), name_(name)
{
    prefix = name_.c_str();
}

Prefix::~Prefix()
{
    prefix = outer_;
}

const char* Prefix::current()
{
    return prefix;
}

} // namespace fi::core::log
