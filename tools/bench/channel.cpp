// SPDX-License-Identifier: BSD-2-Clause
#include "channel.hpp"

#include <bit>

namespace fi::tools::bench {

// Without inject calls even the empty message takes the ordinary way.
Channel::Channel(Endpoint& endpoint, Control& control, const Config& config, std::size_t depth)
    : endpoint_(endpoint), ep_(endpoint.ep()), queue_(endpoint.queue()), tagged_(config.tagged),
      inject_limit_(config.inject ? endpoint.info().tx_attr->inject_size + 1 : 0), depth_(depth),
      patience_(control), contexts_(2 * depth), arrivals_(std::bit_ceil(depth)), mask_(arrivals_.size() - 1)
{
    for (std::size_t i = depth; i-- > 0;)
        free_sends_.push_back(static_cast<std::uint32_t>(i));
}

void Channel::fail_read(ssize_t ret) const
{
    if (ret == -FI_EAVAIL)
        endpoint_.fail_completion();
    endpoint_.library().check("fi_cq_read", ret);
    fail("fi_cq_read answered {}", ret);
}

} // namespace fi::tools::bench
