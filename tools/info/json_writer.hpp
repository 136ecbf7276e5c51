// SPDX-License-Identifier: BSD-2-Clause
// Writes one JSON document front to back. A library would bring a dependency and a tree in memory for what is
// two brackets and an escape rule; members stay in the order in which they are written, so that the output of
// two runs can be compared as text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace fi::tools::info {

// Calls must nest as JSON does: inside an object every value follows a key. Not thread safe.
class JsonWriter {
  public:
    void open_object() { open('{'); }
    void close_object() { close('}'); }
    void open_array() { open('['); }
    void close_array() { close(']'); }

    // The next call writes this member's value.
    void key(std::string_view name);

    void text(std::string_view value); // bytes that are no UTF-8 become U+FFFD
    void text_or_null(const char* value);
    void number(std::uint64_t value);
    void hex(std::uint64_t value); // a string: JSON readers may round numbers above 2^53
    void null();

    // The document, ending in a newline; complete once every bracket is closed.
    [[nodiscard]] std::string take();

  private:
    void open(char bracket);
    void close(char bracket);
    void begin_value();
    void new_line();

    std::string out_;
    std::size_t depth_ = 0;
    bool first_ = true;      // nothing yet inside the innermost bracket
    bool after_key_ = false; // the value belongs on the key's line
};

} // namespace fi::tools::info
