// SPDX-License-Identifier: BSD-2-Clause
//
// The application's own log, when it has imported one. Internal to the log; open_logging is in log.hpp.
#pragma once

#include <rdma/fi_ext.h>

namespace fi::core::log {

// Holds the imported functions for the time of one call, so that an application that closes its log can free
// it afterwards. `ops` is nullptr when nothing is imported; costs one load then.
class ImportedLog {
  public:
    ImportedLog();
    ~ImportedLog();
    ImportedLog(const ImportedLog&) = delete;
    ImportedLog& operator=(const ImportedLog&) = delete;

    const fi_ops_log* ops = nullptr;
};

} // namespace fi::core::log
