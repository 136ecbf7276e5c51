// SPDX-License-Identifier: BSD-2-Clause
//
// Text into a buffer of fixed size, never past its end. fi_tostr_r's released behaviour keeps one byte more
// free than the terminator needs: a buffer of n bytes holds n - 2 characters, of 1 or 2 bytes the empty
// string (tostr facts).
#pragma once

#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace fi::core::text {

class Writer {
  public:
    // buf: len >= 1 bytes, what they hold does not matter. The text is terminated at every moment.
    Writer(char* buf, size_t len) : buf_(buf), room_(len > 2 ? len - 2 : 0) { buf_[0] = '\0'; }

    void text(std::string_view piece)
    {
        const size_t take = piece.size() < room_ ? piece.size() : room_;
        memcpy(buf_, piece.data(), take);
        advance(take);
        buf_[0] = '\0';
    }

    __attribute__((format(printf, 2, 3))) void format(const char* format, ...)
    {
        va_list args;
        va_start(args, format);
        const int length = vsnprintf(buf_, room_ + 1, format, args);
        va_end(args);
        if (length < 0)
            buf_[0] = '\0';
        else
            advance(static_cast<size_t>(length) < room_ ? static_cast<size_t>(length) : room_);
    }

    // Lets another function write: write(char* rest, size_t bytes). The rest starts as an empty string, so it
    // does not matter whether the function stores or appends. A missing terminator is supplied.
    template <typename Function>
    void foreign(Function write)
    {
        write(buf_, room_ + 1);
        buf_[room_] = '\0';
        advance(strlen(buf_));
    }

    // A mark for drop_separator.
    const char* here() const { return buf_; }

    // Takes away a ", " at the end of what was written since the mark.
    void drop_separator(const char* mark)
    {
        if (buf_ - mark < 2 || buf_[-2] != ',' || buf_[-1] != ' ')
            return;
        buf_ -= 2;
        room_ += 2;
        buf_[0] = '\0';
    }

  private:
    void advance(size_t bytes)
    {
        buf_ += bytes;
        room_ -= bytes;
    }

    char* buf_;   // where the next character goes
    size_t room_; // characters that still fit, the terminator not counted
};

} // namespace fi::core::text
