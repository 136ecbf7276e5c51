// SPDX-License-Identifier: BSD-2-Clause
//
// The entry point of the plugin and the answer to fi_getinfo().
#include "kit/objects/answer.hpp"
#include "kit/objects/offer.hpp"
#include "kit/objects/open_objects.hpp"
#include "kit/objects/resolve.hpp"
#include "soft.hpp"

#include <rdma/providers/fi_prov.h>

namespace fi::soft {
namespace {

constexpr std::size_t kDefaultQueue = 1024; ///< operations in flight where the application does not say

/// One entry for the application: the offer with these addresses, if the hints agree. Throws std::bad_alloc.
bool append(std::uint32_t version, const fi_info* hints, const kit::Address& source, const kit::Address* peer,
            fi_info**& end)
{
    auto placed = kit::PlacedOffer::of<Soft>(offer(source.family()), hints);
    fi_info& offered = placed.info;
    offered.src_addr = const_cast<sockaddr*>(source.data());
    offered.src_addrlen = source.size();
    if (peer) {
        offered.dest_addr = const_cast<sockaddr*>(peer->data());
        offered.dest_addrlen = peer->size();
    }
    if (!kit::acceptable(Soft::provider(), version, offered, hints))
        return false;
    *end = kit::answer(version, offered, hints, {.tx_size = kDefaultQueue, .rx_size = kDefaultQueue});
    end = &(*end)->next;
    return true;
}

/// The local addresses to offer when the application named none: the one that leads to the peer, else the
/// best of each family.
std::vector<kit::Address> local_addresses(const kit::Address* peer, std::uint32_t format)
{
    if (peer) {
        const auto towards = kit::local_address_towards(*peer);
        return towards ? std::vector{*towards} : std::vector<kit::Address>{};
    }
    std::vector<kit::Address> best;
    for (const int family : {AF_INET, AF_INET6}) {
        if (!kit::format_takes(format, family))
            continue;
        const auto found = kit::tcp::interface_addresses(family);
        if (!found.empty())
            best.push_back(found.front());
    }
    return best;
}

/// The entries for that query; 0 or -fi_errno. Throws std::bad_alloc, std::system_error.
int collect(std::uint32_t version, const char* node, const char* service, std::uint64_t flags,
            const fi_info* hints, kit::InfoPtr& list)
{
    kit::Resolved named;
    if (const int error = kit::resolve(Soft::provider(), node, service, flags, hints, named))
        return error;
    const std::uint32_t format = hints ? hints->addr_format : std::uint32_t{FI_FORMAT_UNSPEC};
    fi_info* head = nullptr;
    fi_info** end = &head;
    bool tried = false;
    const std::size_t peers = std::max<std::size_t>(1, named.peers.size());
    for (std::size_t i = 0; i < peers; i++) {
        const kit::Address* peer = named.peers.empty() ? nullptr : &named.peers[i];
        for (const kit::Address& source :
             named.sources.empty() ? local_addresses(peer, format) : named.sources) {
            if (peer && peer->family() != source.family())
                continue;
            tried = true;
            append(version, hints, source, peer, end);
            if (!list)
                list.reset(head); // owned from the first entry on: the rest hangs on it
        }
    }
    // No address to offer: because of a format that is none of ours, or because there is none.
    if (!tried && kit::acceptable(Soft::provider(), version, offer(AF_INET), hints))
        FI_INFO(&Soft::provider(), FI_LOG_CORE, "refused src_addr: asked any, offered no usable interface\n");
    return list ? 0 : -FI_ENODATA;
}

int getinfo(std::uint32_t version, const char* node, const char* service, std::uint64_t flags,
            const fi_info* hints, fi_info** out) noexcept
{
    kit::InfoPtr list;
    const int ret = kit::guarded([&] { return collect(version, node, service, flags, hints, list); });
    if (ret == 0)
        *out = list.release();
    return ret;
}

Settings settings_now;

void define(const char* name, const char* help, int& setting) noexcept
{
    fi_provider& self = Soft::provider();
    fi_param_define(&self, name, FI_PARAM_INT, "%s (default: %d)", help, setting);
    int value = 0;
    if (fi_param_get_int(&self, name, &value) != 0)
        return;
    if (value > 0)
        setting = value;
    else
        FI_WARN(&self, FI_LOG_CORE, "%s is not above 0: ignored\n", name);
}

void define_settings() noexcept
{
    define("connect_timeout",
           "milliseconds that establishing a TCP connection may take before the operations that wait for it "
           "fail",
           settings_now.connect_milliseconds);
    define("peer_timeout", "milliseconds after which a host that answers nothing any more counts as dead",
           settings_now.peer_milliseconds);
}

} // namespace

fi_provider& Soft::provider() noexcept
{
    static fi_provider self{
        .version = FI_VERSION(206, 0),
        .fi_version = FI_VERSION(2, 6),
        .context = {},
        .name = "soft",
        .getinfo = getinfo,
        .fabric = open_fabric,
        .cleanup = nullptr,
    };
    return self;
}

const Settings& Soft::settings() noexcept
{
    return settings_now;
}

} // namespace fi::soft

extern "C" __attribute__((visibility("default"))) fi_provider* FI_SOFT_ENTRY(void)
{
    fi::soft::define_settings();
    return &fi::soft::Soft::provider();
}
