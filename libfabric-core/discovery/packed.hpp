// SPDX-License-Identifier: BSD-2-Clause
//
// An array of C structures for the application, together with all the strings that they point to, in one
// allocation: one free() releases it, and no half-built array has to be undone.
#pragma once

#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <vector>

namespace fi::core {

/// `fill(entry, row, text)` writes one entry; text(string) stores a copy beside the array and returns its
/// address. It is called twice for each row and has to store the same strings both times. No rows: NULL.
/// Throws std::bad_alloc.
template <class Entry, class Row, class Fill>
[[nodiscard]] Entry* pack(const std::vector<Row>& rows, Fill&& fill)
{
    if (rows.empty())
        return nullptr;

    size_t bytes = rows.size() * sizeof(Entry);
    Entry scratch{};
    for (const Row& row : rows)
        fill(scratch, row, [&bytes](const std::string& text) -> const char* {
            bytes += text.size() + 1;
            return nullptr;
        });

    auto* entries = static_cast<Entry*>(std::calloc(1, bytes));
    if (!entries)
        throw std::bad_alloc();
    char* next = reinterpret_cast<char*>(entries + rows.size());
    for (size_t i = 0; i < rows.size(); ++i)
        fill(entries[i], rows[i], [&next](const std::string& text) -> const char* {
            char* copy = next;
            std::memcpy(copy, text.c_str(), text.size() + 1);
            next += text.size() + 1;
            return copy;
        });
    return entries;
}

} // namespace fi::core
