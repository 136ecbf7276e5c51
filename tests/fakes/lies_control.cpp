// SPDX-License-Identifier: BSD-2-Clause
#include "liar.hpp"

#include <cstring>

namespace liar {
namespace {

constexpr std::uint64_t kRma = FI_RMA | FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE;

/// 0 although an endpoint is bound; the queue stays open.
int close_in_use(fid* queue)
{
    const int ret = honest(queue->ops).close(queue);
    return ret == -FI_EBUSY ? 0 : ret;
}

/// The size of a name that does not fit comes back as the room that there was.
int getname(fid* endpoint, void* addr, std::size_t* size)
{
    const std::size_t room = *size;
    auto* ep = reinterpret_cast<fid_ep*>(endpoint);
    const int ret = honest(ep->cm).getname(endpoint, addr, size);
    if (ret == -FI_ETOOSMALL && room > 0)
        *size = room;
    return ret;
}

const Lie kLies[] = {
    {
        .name = "capability_without_calls",
        .hints =
            [](fi_info& hints) {
                hints.caps &= ~kRma;
                if (hints.tx_attr)
                    hints.tx_attr->caps &= ~kRma;
                if (hints.rx_attr)
                    hints.rx_attr->caps &= ~kRma;
            },
        .answer = [](fi_info& entry) { entry.caps |= kRma; },
    },
    {
        .name = "capability_not_asked_for",
        .answer = [](fi_info& entry) { entry.caps |= FI_MSG | FI_TAGGED; },
    },
    {
        .name = "mode_not_offered",
        .answer = [](fi_info& entry) { entry.mode |= FI_CONTEXT; },
    },
    {
        .name = "less_than_asked_for",
        .hints = [](fi_info& hints) { hints.tx_attr->size = 0; },
    },
    {
        .name = "close_in_use",
        .queue_object = [](fi_ops& table) { table.close = close_in_use; },
    },
    {
        .name = "name_without_its_size",
        .names = [](fi_ops_cm& table) { table.getname = getname; },
    },
};

} // namespace

const Lie* find_control(const char* name)
{
    for (const Lie& each : kLies)
        if (std::strcmp(each.name, name) == 0)
            return &each;
    return nullptr;
}

} // namespace liar
