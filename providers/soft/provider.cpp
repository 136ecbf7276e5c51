// SPDX-License-Identifier: BSD-2-Clause
//
// The entry point of the plugin and the answer to fi_getinfo().
#include "kit/objects/answer.hpp"
#include "kit/objects/offer.hpp"
#include "kit/objects/open_objects.hpp"
#include "kit/objects/resolve.hpp"
#include "soft.hpp"

#include <algorithm>
#include <atomic>
#include <rdma/providers/fi_prov.h>

namespace fi::soft {
namespace {

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
    *end = kit::answer(version, offered, hints,
                       {.tx_size = kDefaultQueue, .rx_size = kDefaultQueue, .progress = FI_PROGRESS_MANUAL});
    end = &(*end)->next;
    return true;
}

bool has(const std::vector<kit::tcp::LocalAddress>& in, const kit::Address& address)
{
    return std::any_of(in.begin(), in.end(),
                       [&](const kit::tcp::LocalAddress& local) { return local.address == address; });
}

/// The local addresses to offer when the application named none, best first: the one that leads to the peer,
/// as far as FI_SOFT_IFACE leaves it the choice, else all. A peer on loopback is reached from every address,
/// so FI_REMOTE_COMM is not answered with one that only this host can reach, unless there is no other.
std::vector<kit::Address> local_addresses(const kit::Address* peer, std::uint32_t format,
                                          const fi_info* hints)
{
    const auto known = Soft::local_addresses(peer ? peer->family() : AF_UNSPEC);
    kit::tcp::log_order(Soft::provider(), known);
    if (peer) {
        const auto towards = kit::local_address_towards(*peer);
        if (!towards)
            return {};
        const bool remote = hints && (hints->caps & FI_REMOTE_COMM);
        if (has(known, *towards) ||
            (Soft::settings().interfaces->all() && !(remote && towards->is_loopback())))
            return {*towards};
    }
    std::vector<kit::Address> out;
    for (const kit::tcp::LocalAddress& local : known)
        if (kit::format_takes(format, local.address.family()))
            out.push_back(local.address);
    return out;
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
             named.sources.empty() ? local_addresses(peer, format, hints) : named.sources) {
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

void define(const char* variable, const char* help, int& setting) noexcept
{
    fi_provider& self = Soft::provider();
    fi_param_define(&self, variable, FI_PARAM_INT, "%s (default: %d)", help, setting);
    int value = 0;
    if (fi_param_get_int(&self, variable, &value) != 0)
        return;
    if (value > 0)
        setting = value;
    else
        FI_WARN(&self, FI_LOG_CORE, "%s is not above 0: ignored\n", variable);
}

/// The value of a text variable, or NULL.
const char* define(const char* variable, const char* help) noexcept
{
    fi_provider& self = Soft::provider();
    fi_param_define(&self, variable, FI_PARAM_STRING, "%s", help);
    char* value = nullptr;
    return fi_param_get_str(&self, variable, &value) == 0 && value && *value ? value : nullptr;
}

/// False: out of memory.
bool define_settings() noexcept
{
    define("connect_timeout",
           "milliseconds that establishing a TCP connection may take before the operations that wait for it "
           "fail",
           settings_now.connect_milliseconds);
    define("peer_timeout", "milliseconds after which a host that answers nothing any more counts as dead",
           settings_now.peer_milliseconds);
    const char* interfaces = define("iface", "interfaces to be known by, such as eth0,10.0.0.0/8 or ^docker0 "
                                             "(default: all, ranked; loopback if it is alone)");
    const int ret = kit::guarded([&] {
        if (!settings_now.interfaces)
            settings_now.interfaces = new kit::tcp::InterfaceFilter(interfaces ? interfaces : "");
        return 0;
    });
    if (ret)
        FI_WARN(&Soft::provider(), FI_LOG_CORE, "FI_SOFT_IFACE: %s\n", fi_strerror(-ret));
    if (const char* text = define("port_range", "ports to listen on, low-high (default: any)")) {
        if (const auto range = kit::tcp::PortRange::parse(text))
            settings_now.listen_on = *range;
        else
            FI_WARN(&Soft::provider(), FI_LOG_CORE,
                    "FI_SOFT_PORT_RANGE=%s is no range of ports such as 7000-7100: ignored\n", text);
    }
    int on = 1;
    fi_param_define(&Soft::provider(), "shm", FI_PARAM_BOOL,
                    "whether peers on this machine are reached by shared memory (default: yes); no: by TCP "
                    "like all others");
    if (fi_param_get_bool(&Soft::provider(), "shm", &on) == 0)
        settings_now.shared_memory = on != 0;
    return ret == 0;
}

/// Once for each item in the life of the process: an interface may be made later.
void warn_of_unmatched(const std::vector<kit::tcp::Interface>& interfaces)
{
    static std::atomic<bool> told{false};
    if (Soft::settings().interfaces->all() || told.exchange(true))
        return;
    for (const std::string& item : Soft::settings().interfaces->unmatched(interfaces))
        FI_WARN(&Soft::provider(), FI_LOG_CORE, "FI_SOFT_IFACE: %s fits no interface that is up\n",
                item.c_str());
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

std::vector<kit::tcp::LocalAddress> Soft::local_addresses(int family)
{
    const auto interfaces = kit::tcp::read_interfaces();
    warn_of_unmatched(interfaces);
    return kit::tcp::ranked(interfaces, family, *settings_now.interfaces);
}

} // namespace fi::soft

extern "C" __attribute__((visibility("default"))) fi_provider* FI_SOFT_ENTRY(void)
{
    return fi::soft::define_settings() ? &fi::soft::Soft::provider() : nullptr;
}
