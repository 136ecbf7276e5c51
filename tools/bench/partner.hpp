// SPDX-License-Identifier: BSD-2-Clause
// The process that does what the driver says: the other half of each measurement, or an idle peer.
#pragma once

#include <optional>
#include <string>

#include "control.hpp"
#include "raw.hpp"

namespace fi::tools::bench {

// What a partner has from its own side rather than from the driver.
struct Place {
    std::string library;
    std::string address;    // empty: as the driver says
    Line* line = nullptr;   // shared with the driver; nullptr on another machine
    std::optional<int> cpu; // to pin to
};

// Serves the driver until it says that it is over. Returns the process's exit status; what goes wrong has
// been told to the driver, whose run it ends.
[[nodiscard]] int serve(Control& control, const Place& place);

} // namespace fi::tools::bench
