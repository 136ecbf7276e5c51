// SPDX-License-Identifier: BSD-2-Clause
//
// Memory that a check looks at while the provider may be writing to it.
//
// With automatic progress a message arrives by a thread of the provider. An application that has been told of
// it by a completion is ordered behind that write; one that looks before it calls is not, and reading the
// buffer itself would be a data race (which the thread sanitizer reports, rightly). So the memory is mapped
// twice: the provider is given one view, and the check reads the other, as a device or another process would,
// byte by byte and as bytes that change by themselves.
#pragma once

#include <cstddef>
#include <vector>

namespace conform {

class WatchedMemory {
  public:
    /// `size` bytes of zeros. Throws std::system_error.
    explicit WatchedMemory(std::size_t size);
    ~WatchedMemory();
    WatchedMemory(const WatchedMemory&) = delete;
    WatchedMemory& operator=(const WatchedMemory&) = delete;

    /// What the provider is given; the check may write there while no operation has it.
    [[nodiscard]] unsigned char* buffer() const noexcept { return buffer_; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    /// What the last byte is now.
    [[nodiscard]] unsigned char last() const noexcept { return seen_[size_ - 1]; }
    /// What all of it is now.
    [[nodiscard]] std::vector<unsigned char> bytes() const { return {seen_, seen_ + size_}; }

  private:
    std::size_t size_;
    unsigned char* buffer_;
    const volatile unsigned char* seen_;
};

} // namespace conform
