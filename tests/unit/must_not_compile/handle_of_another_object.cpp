// SPDX-License-Identifier: BSD-2-Clause
// EXPECT: is_same_v
#include "kit/ops/table.hpp"

#include <cstdint>

struct Handle {
    fid_cq fid;
};
struct Queue : Handle {
    using Handle = ::Handle;
    ssize_t tinject(const void*, std::size_t, fi_addr_t, std::uint64_t) noexcept { return 0; }
};
fi_ops_tagged* made = fi::kit::table<Queue, fi_ops_tagged>();
