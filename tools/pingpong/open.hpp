// SPDX-License-Identifier: BSD-2-Clause
// The steps of opening that connected and connection-less endpoints share.
#pragma once

#include "endpoint.hpp"

namespace fi::tools::pingpong {

// The entries that fit the options: towards peer, or for a server without one.
[[nodiscard]] InfoList query(const Options& options, const Name* peer);

// fi_fabric of endpoint.info.
void open_fabric(Endpoint& endpoint);

// Domain, buffers, queues and endpoint of info, which is endpoint.info or an entry that came with a
// connection request. The endpoint is bound to its queues and not enabled yet.
void open_domain(Endpoint& endpoint, const Options& options, fi_info& info);

} // namespace fi::tools::pingpong
