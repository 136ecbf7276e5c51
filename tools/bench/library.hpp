// SPDX-License-Identifier: BSD-2-Clause
// Any libfabric.so.1, opened by name. fi_bench is not linked to one: the same program measures several
// libraries in alternation, and two of them in one process would take each other's symbols. Only what
// API 1.17 has is used.
#pragma once

#include <string>

#include <rdma/fabric.h>
#include <rdma/fi_errno.h>

namespace fi::tools::bench {

// Stays open until the process ends: providers may have threads. Calls are as thread-safe as the library's.
class Library {
  public:
    // A path, or a file name for the system's search. Throws Failure when it cannot be opened or is none.
    explicit Library(const std::string& path);
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;

    decltype(&::fi_version) version = nullptr;
    decltype(&::fi_getinfo) getinfo = nullptr;
    decltype(&::fi_freeinfo) freeinfo = nullptr;
    decltype(&::fi_dupinfo) dupinfo = nullptr;
    decltype(&::fi_fabric) fabric = nullptr;
    decltype(&::fi_strerror) strerror = nullptr;

    [[nodiscard]] const std::string& path() const { return path_; } // the file that was opened
    [[nodiscard]] std::string version_text() const;                 // "1.17"

    // Returns ret when it is no error; throws Failure with the library's words for it otherwise.
    long check(const char* call, long ret) const;

  private:
    std::string path_;
};

} // namespace fi::tools::bench
