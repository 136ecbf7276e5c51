// SPDX-License-Identifier: BSD-2-Clause
//
// Where log lines go.
#pragma once

#include <string>
#include <string_view>

namespace fi::core::log {

class Output {
  public:
    // FI_LOG_LOCATION: "" or "stderr", "stdout", a directory (a file ofi_<pid>.log is made in it) or the path
    // of a file that does not exist yet. An existing file is refused, since it may be somebody's data or
    // another process's log; then the output is standard error and `complaint` says why. mode: permission
    // bits of a new file.
    static Output open(const std::string& location, unsigned mode, std::string& complaint);

    // Writes all of a line in one piece. No allocation, no lock; errors are nobody's to handle and are
    // dropped.
    void write(std::string_view line) const;

  private:
    int fd_ = 2;         // never closed: other threads may be writing at any time
    bool stdio_ = false; // through stdout's buffer, to keep the order with what the application prints there
};

} // namespace fi::core::log
