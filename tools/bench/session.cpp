// SPDX-License-Identifier: BSD-2-Clause
#include "session.hpp"

namespace fi::tools::bench {
namespace {

std::uint64_t depth_of(const Config& config)
{
    return std::max<std::uint64_t>(config.window, 8);
}

std::uint64_t buffers_of(const Config& config)
{
    return config.check ? depth_of(config) : 1;
}

} // namespace

Session::Session(const Library& library, Control& control, const Config& config)
    : config_(config), stride_(config.check ? (config.largest + 64) / 64 * 64 : 0),
      sends_(buffers_of(config) * (config.largest + 64)),
      receives_(buffers_of(config) * (config.largest + 64)), notes_(depth_of(config) * 8),
      endpoint_(library, config), send_descriptor_(endpoint_.descriptor_of(sends_)),
      receive_descriptor_(endpoint_.descriptor_of(receives_)),
      note_descriptor_(endpoint_.descriptor_of(notes_)),
      channel_(endpoint_, control, config, depth_of(config))
{
}

void Session::greet(const std::string& name, bool initiator)
{
    channel_.talk_to(endpoint_.insert(name));
    channel_.post(0, note(0), 8);
    if (initiator)
        channel_.send(note(1), 8);
    (void)channel_.receive();
    if (!initiator)
        channel_.send(note(1), 8);
    channel_.finish_sends();
}

} // namespace fi::tools::bench
