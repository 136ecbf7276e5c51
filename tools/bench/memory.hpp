// SPDX-License-Identifier: BSD-2-Clause
// Page-aligned bytes, written once so that the kernel has given each page before anything is measured.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

namespace fi::tools::bench {

class Memory {
  public:
    Memory() = default;
    explicit Memory(std::size_t bytes) : size_((bytes + kPage) / kPage * kPage)
    {
        bytes_.reset(static_cast<std::byte*>(std::aligned_alloc(kPage, size_)));
        if (!bytes_)
            throw std::bad_alloc();
        std::memset(bytes_.get(), 1, size_); // zeros could all be one page
    }
    [[nodiscard]] std::byte* data() const { return bytes_.get(); }
    [[nodiscard]] std::size_t size() const { return size_; }

    static constexpr std::size_t kPage = 4096;

  private:
    struct Free {
        void operator()(std::byte* bytes) const { std::free(bytes); }
    };
    std::size_t size_ = 0;
    std::unique_ptr<std::byte, Free> bytes_;
};

} // namespace fi::tools::bench
