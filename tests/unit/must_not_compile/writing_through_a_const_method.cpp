// SPDX-License-Identifier: BSD-2-Clause
// EXPECT: tostr has not the signature of its slot
// fi_ops::tostr gets a const handle: a method that may write does not go with it.
#include "kit/ops/table.hpp"

#include <cstdint>

struct Handle {
    fid_ep fid;
};
struct Endpoint : Handle {
    using Handle = ::Handle;
    int tostr(char*, std::size_t) noexcept { return 0; }
};
fi_ops* made = fi::kit::table<Endpoint, fi_ops>();
