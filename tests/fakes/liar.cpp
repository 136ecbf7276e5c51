// SPDX-License-Identifier: BSD-2-Clause
//
// The liar's entry, and the way down from the provider to the objects whose tables a lie changes. Enabling an
// endpoint gives it new tables, so they are changed again then.
#include "liar.hpp"

#include <rdma/providers/fi_prov.h>

extern "C" {
#include "script.h"
fi_provider* liar_honest_entry(void); // soft's fi_prov_ini
}

namespace liar {
namespace {

const Lie* lie;
fi_provider honest_provider;

template <class Table>
void apply(Table*& table, void (*how)(Table&))
{
    if (how)
        table = change(table, how);
}

int control(fid* endpoint, int command, void* argument)
{
    const int ret = honest(endpoint->ops).control(endpoint, command, argument);
    if (ret == 0 && command == FI_ENABLE) {
        auto& ep = *reinterpret_cast<fid_ep*>(endpoint);
        apply(ep.msg, lie->messages);
        apply(ep.tagged, lie->tagged);
    }
    return ret;
}

int open_endpoint(fid_domain* domain, fi_info* info, fid_ep** out, void* context)
{
    const int ret = honest(domain->ops).endpoint(domain, info, out, context);
    if (ret == 0) {
        apply<fi_ops>((*out)->fid.ops, [](fi_ops& table) { table.control = control; });
        apply((*out)->ops, lie->endpoint);
        apply((*out)->cm, lie->names);
    }
    return ret;
}

int open_queue(fid_domain* domain, fi_cq_attr* attr, fid_cq** out, void* context)
{
    const int ret = honest(domain->ops).cq_open(domain, attr, out, context);
    // The lies about entries read and write them in the largest format.
    if (ret == 0 && attr->format == FI_CQ_FORMAT_TAGGED) {
        apply((*out)->fid.ops, lie->queue_object);
        apply((*out)->ops, lie->queue);
    }
    return ret;
}

int open_domain(fid_fabric* fabric, fi_info* info, fid_domain** out, void* context)
{
    const int ret = honest(fabric->ops).domain(fabric, info, out, context);
    if (ret == 0)
        apply<fi_ops_domain>((*out)->ops, [](fi_ops_domain& table) {
            table.endpoint = open_endpoint;
            table.cq_open = open_queue;
        });
    return ret;
}

int open_fabric(fi_fabric_attr* attr, fid_fabric** out, void* context)
{
    const int ret = honest_provider.fabric(attr, out, context);
    if (ret == 0)
        apply<fi_ops_fabric>((*out)->ops, [](fi_ops_fabric& table) { table.domain = open_domain; });
    return ret;
}

int getinfo(std::uint32_t version, const char* node, const char* service, std::uint64_t flags,
            const fi_info* hints, fi_info** out)
{
    fi_info* changed = hints && lie->hints ? fi_dupinfo(hints) : nullptr;
    if (changed)
        lie->hints(*changed);
    const int ret = honest_provider.getinfo(version, node, service, flags, changed ? changed : hints, out);
    if (changed)
        fi_freeinfo(changed);
    for (fi_info* entry = ret == 0 ? *out : nullptr; entry && lie->answer; entry = entry->next)
        lie->answer(*entry);
    return ret;
}

} // namespace
} // namespace liar

extern "C" __attribute__((visibility("default"))) fi_provider* fi_prov_ini(void)
{
    using namespace liar;
    script_load();
    const char* name = script_text("lie", "");
    for (const auto find : {find_control, find_data, find_queue})
        if (!lie)
            lie = find(name);
    fi_provider* provider = liar_honest_entry();
    if (!lie)
        return *name ? nullptr : provider; // honest only when no lie was asked for
    honest_provider = *provider;
    provider->getinfo = getinfo;
    provider->fabric = open_fabric;
    return provider;
}
