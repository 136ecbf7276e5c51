// SPDX-License-Identifier: BSD-2-Clause
// EXPECT: tinject must be one public method of the class
#include "kit/ops/table.hpp"

#include <cstdint>

struct Handle {
    fid_ep fid;
};
class Endpoint : public Handle {
  public:
    using Handle = ::Handle;

  private:
    ssize_t tinject(const void*, std::size_t, fi_addr_t, std::uint64_t) noexcept { return 0; }
};
fi_ops_tagged* made = fi::kit::table<Endpoint, fi_ops_tagged>();
