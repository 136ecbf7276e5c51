// SPDX-License-Identifier: BSD-2-Clause
//
// The lines of which the text of a structure consists. Internal to the text of structures.
#pragma once

#include <cinttypes>
#include <cstdint>

#include "text/names.hpp"
#include "text/writer.hpp"

namespace fi::core::text {

class Block {
  public:
    // Writes the first line; the members' lines are one level further in.
    Block(Writer& writer, const char* name, int level) : writer_(writer), level_(level)
    {
        indent(level);
        writer_.format("%s:\n", name);
    }

    int inner_level() const { return level_ + 1; }

    void number(const char* key, uint64_t value) { member(key, "%" PRIu64, value); }
    void signed_number(const char* key, int value) { member(key, "%d", value); }
    void hex(const char* key, uint64_t value) { member(key, "0x%" PRIx64, value); }
    void tag_format(const char* key, uint64_t value) { member(key, "0x%016" PRIx64, value); }
    void pointer(const char* key, const void* value) { member(key, "%p", value); }
    void string(const char* key, const char* value) { member(key, "%s", value ? value : "(null)"); }
    void version(const char* key, uint32_t value) { member(key, "%u.%u", value >> 16, value & 0xffff); }
    void name(const char* key, Names names, uint64_t value) { member(key, "%s", name_of(names, value)); }

    void flags(const char* key, Names names, uint64_t value)
    {
        begin(key);
        writer_.text("[ ");
        write_flags(writer_, names, value);
        writer_.text(" ]\n");
    }

    // `write()` writes the value.
    template <typename Function>
    void custom(const char* key, Function write)
    {
        begin(key);
        write();
        writer_.text("\n");
    }

  private:
    void indent(int level) { writer_.format("%*s", level * 4, ""); }

    void begin(const char* key)
    {
        indent(inner_level());
        writer_.format("%s: ", key);
    }

    template <typename... Args>
    void member(const char* key, const char* format, Args... args)
    {
        begin(key);
        writer_.format(format, args...);
        writer_.text("\n");
    }

    Writer& writer_;
    int level_;
};

} // namespace fi::core::text
