// SPDX-License-Identifier: BSD-2-Clause
// EXPECT: is_base_of
#include "kit/ops/table.hpp"

#include <cstdint>

struct Handle {
    fid_ep fid;
};
struct Endpoint {
    using Handle = ::Handle;
    int close() noexcept { return 0; }
};
fi_ops* made = fi::kit::table<Endpoint, fi_ops>();
