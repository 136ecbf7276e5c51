// SPDX-License-Identifier: BSD-2-Clause
// The control: what the other files break, whole.
#include "kit/ops/table.hpp"

#include <cstdint>

struct Handle {
    fid_ep fid;
};
struct Endpoint : Handle {
    using Handle = ::Handle;
    ssize_t tinject(const void*, std::size_t, fi_addr_t, std::uint64_t) noexcept { return 0; }
    int tostr(char*, std::size_t) const noexcept { return 0; }
};
fi_ops_tagged* made = fi::kit::table<Endpoint, fi_ops_tagged>();
fi_ops* plain = fi::kit::table<Endpoint, fi_ops>();
