// SPDX-License-Identifier: BSD-2-Clause
// Strings are the only difficult part: names come from devices and provider logs, so any byte may turn up in
// them, and one stray byte would make the whole document unreadable.

#include "json_writer.hpp"

#include <cstdio>
#include <utility>

namespace fi::tools::info {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD"; // U+FFFD

bool is_continuation(unsigned char byte)
{
    return (byte & 0xC0) == 0x80;
}

// Bytes of the well-formed UTF-8 sequence at the front, 0 when there is none: overlong forms, surrogates and
// values past U+10FFFF do not count. RFC 3629, section 4
std::size_t sequence_length(std::string_view text)
{
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(0);
    if (lead < 0x80)
        return 1;
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || text.size() < length)
        return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if (!is_continuation(byte(i)))
            return 0;
    }
    const unsigned char second = byte(1);
    const bool malformed = (lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) ||
                           (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F);
    return malformed ? 0 : length;
}

void append_ascii(std::string& out, char letter)
{
    const auto code = static_cast<unsigned char>(letter);
    if (letter == '"' || letter == '\\') {
        out += '\\';
        out += letter;
    } else if (letter == '\n') {
        out += "\\n";
    } else if (letter == '\t') {
        out += "\\t";
    } else if (code < 0x20 || code == 0x7F) {
        char escape[8];
        std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(code));
        out += escape;
    } else {
        out += letter;
    }
}

} // namespace

void JsonWriter::open(char bracket)
{
    begin_value();
    out_ += bracket;
    ++depth_;
    first_ = true;
}

void JsonWriter::close(char bracket)
{
    --depth_;
    if (!first_)
        new_line();
    out_ += bracket;
    first_ = false;
}

void JsonWriter::key(std::string_view name)
{
    text(name);
    out_ += ": ";
    after_key_ = true;
}

void JsonWriter::text(std::string_view value)
{
    begin_value();
    out_ += '"';
    while (!value.empty()) {
        const std::size_t length = sequence_length(value);
        if (length == 1)
            append_ascii(out_, value[0]);
        else
            out_ += length ? value.substr(0, length) : kReplacement;
        value.remove_prefix(length ? length : 1);
    }
    out_ += '"';
}

void JsonWriter::text_or_null(const char* value)
{
    if (value)
        text(value);
    else
        null();
}

void JsonWriter::number(std::uint64_t value)
{
    begin_value();
    out_ += std::to_string(value);
}

void JsonWriter::hex(std::uint64_t value)
{
    char digits[24];
    std::snprintf(digits, sizeof digits, "0x%llx", static_cast<unsigned long long>(value));
    text(digits);
}

void JsonWriter::null()
{
    begin_value();
    out_ += "null";
}

std::string JsonWriter::take()
{
    out_ += '\n';
    return std::exchange(out_, {});
}

void JsonWriter::begin_value()
{
    if (std::exchange(after_key_, false))
        return;
    if (depth_ == 0)
        return;
    if (!first_)
        out_ += ',';
    new_line();
    first_ = false;
}

void JsonWriter::new_line()
{
    out_ += '\n';
    out_.append(2 * depth_, ' ');
}

} // namespace fi::tools::info
