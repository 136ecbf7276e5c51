// SPDX-License-Identifier: BSD-2-Clause
// How values of the C API become members of a JSON object: one function per kind of field. fi_info(1)
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include <rdma/fabric.h>

#include "json_writer.hpp"
#include "sources.hpp"

namespace fi::tools::info::fields {

void number(JsonWriter& json, std::string_view name, std::uint64_t value);
void hex(JsonWriter& json, std::string_view name, std::uint64_t value);
void text(JsonWriter& json, std::string_view name, const char* value);
void pointer(JsonWriter& json, std::string_view name, const void* value);

// length bytes as hexadecimal digits; null when data is.
void bytes(JsonWriter& json, std::string_view name, const void* data, std::size_t length);

// <name>len, <name> as the library prints it, and <name>_bytes.
void address(JsonWriter& json, std::string_view name, std::uint32_t format, void* data, std::size_t length);

// The names of a list as fi_tostr joins them, as an array.
void names(JsonWriter& json, std::string_view joined);

// Value is of the type that fi_tostr expects for the kind: uint64_t, or int for mr_mode.
template <class Value>
void flags(JsonWriter& json, std::string_view name, const Value& value, fi_type kind)
{
    json.key(name);
    names(json, text_of(&value, kind));
    hex(json, std::string(name) + "_bits", static_cast<std::make_unsigned_t<Value>>(value));
}

template <class Value>
void enumerator(JsonWriter& json, std::string_view name, const Value& value, fi_type kind)
{
    static_assert(sizeof value == 4, "fi_tostr reads 32 bits");
    json.key(name);
    json.text(text_of(&value, kind));
    number(json, std::string(name) + "_value", static_cast<std::uint32_t>(value));
}

// The member is an object whose members write adds, or null for a block that is missing.
template <class Block, class Write>
void block(JsonWriter& json, std::string_view name, const Block* value, Write write)
{
    json.key(name);
    if (!value)
        return json.null();
    json.open_object();
    write(*value);
    json.close_object();
}

} // namespace fi::tools::info::fields
