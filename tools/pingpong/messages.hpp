// SPDX-License-Identifier: BSD-2-Clause
// Sending and receiving one message at a time on an open endpoint, tagged or not, each wait bounded. All
// throw Failure with the reason printed.
#pragma once

#include <cstddef>

#include "control.hpp"
#include "endpoint.hpp"

namespace fi::tools::pingpong {

// Gives the whole receive buffer to the endpoint; at most one receive is posted at a time.
void post_receive(Endpoint& endpoint);

// Sends size bytes of the send buffer and returns when the buffer is free again. Sizes below the inject limit
// go out by inject calls.
void send_message(Endpoint& endpoint, const Control& control, std::size_t size);

// Waits until the posted receive holds a message. Its bytes stay until post_receive.
void await_message(Endpoint& endpoint, const Control& control);

// Tells the peer that no more will come, waits for the same from it, and closes a connection properly.
void finish(Endpoint& endpoint, const Control& control);

} // namespace fi::tools::pingpong
