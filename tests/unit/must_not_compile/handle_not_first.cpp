// SPDX-License-Identifier: BSD-2-Clause
// EXPECT: offsetof(Handle, fid) == 0
#include "kit/ops/table.hpp"

#include <cstdint>

struct Handle {
    long before;
    fid_ep fid;
};
struct Endpoint : Handle {
    using Handle = ::Handle;
    int close() noexcept { return 0; }
};
fi_ops* made = fi::kit::table<Endpoint, fi_ops>();
