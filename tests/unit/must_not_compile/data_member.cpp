// SPDX-License-Identifier: BSD-2-Clause
// EXPECT: tinject has not the signature of its slot
#include "kit/ops/table.hpp"

#include <cstdint>

struct Handle {
    fid_ep fid;
};
struct Endpoint : Handle {
    using Handle = ::Handle;
    long tinject;
};
fi_ops_tagged* made = fi::kit::table<Endpoint, fi_ops_tagged>();
