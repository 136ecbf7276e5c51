// SPDX-License-Identifier: BSD-2-Clause
// The library prints values for people; here its text is taken apart again, so that names stay its own.

#include "json_fields.hpp"

namespace fi::tools::info::fields {
namespace {

// The library prints an address only as a line of a whole fi_info, so it gets one that holds nothing else.
std::string address_text(std::uint32_t format, void* data, std::size_t length)
{
    fi_info only{};
    only.addr_format = format;
    only.src_addr = data;
    only.src_addrlen = length;
    const std::string all = text_of(&only, FI_TYPE_INFO);
    constexpr std::string_view kKey = "\n    src_addr: ";
    const std::size_t start = all.find(kKey);
    if (start == std::string::npos)
        return {};
    const std::size_t from = start + kKey.size();
    return all.substr(from, all.find('\n', from) - from);
}

} // namespace

void number(JsonWriter& json, std::string_view name, std::uint64_t value)
{
    json.key(name);
    json.number(value);
}

void hex(JsonWriter& json, std::string_view name, std::uint64_t value)
{
    json.key(name);
    json.hex(value);
}

void text(JsonWriter& json, std::string_view name, const char* value)
{
    json.key(name);
    json.text_or_null(value);
}

void pointer(JsonWriter& json, std::string_view name, const void* value)
{
    json.key(name);
    if (value)
        json.hex(reinterpret_cast<std::uintptr_t>(value));
    else
        json.null();
}

void bytes(JsonWriter& json, std::string_view name, const void* data, std::size_t length)
{
    json.key(name);
    if (!data)
        return json.null();
    constexpr char kDigits[] = "0123456789abcdef";
    std::string digits;
    for (std::size_t i = 0; i < length; ++i) {
        const unsigned char byte = static_cast<const unsigned char*>(data)[i];
        digits += {kDigits[byte >> 4], kDigits[byte & 15]};
    }
    json.text(digits);
}

void address(JsonWriter& json, std::string_view name, std::uint32_t format, void* data, std::size_t length)
{
    number(json, std::string(name) + "len", length);
    json.key(name);
    if (data)
        json.text(address_text(format, data, length));
    else
        json.null();
    bytes(json, std::string(name) + "_bytes", data, length);
}

void names(JsonWriter& json, std::string_view joined)
{
    json.open_array();
    while (!joined.empty()) {
        const std::string_view one = joined.substr(0, joined.find(", "));
        json.text(one);
        joined.remove_prefix(std::min(joined.size(), one.size() + 2));
    }
    json.close_array();
}

} // namespace fi::tools::info::fields
