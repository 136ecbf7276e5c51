// SPDX-License-Identifier: BSD-2-Clause
// How the two sides find each other. Connection-less endpoints: both send their name, and each inserts the
// other's into its address vector. Connected ones: the server sends the name that it listens on, and the
// client connects. The first receive is posted before the peer can know this side's name, so that no message
// arrives unexpected.

#include "endpoint.hpp"

#include <cstring>
#include <string>
#include <utility>

#include <rdma/fi_errno.h>

#include "messages.hpp"
#include "open.hpp"
#include "patience.hpp"
#include "report.hpp"

namespace fi::tools::pingpong {
namespace {

Name name_of(fid_t fid, const fi_info& info)
{
    Name name{info.addr_format, std::vector<std::byte>(1024)};
    std::size_t length = name.bytes.size();
    check("fi_getname", fi_getname(fid, name.bytes.data(), &length));
    name.bytes.resize(length);
    return name;
}

void open_events(Endpoint& endpoint)
{
    fi_eq_attr attr{};
    attr.wait_obj = FI_WAIT_UNSPEC;
    fid_eq* events = nullptr;
    check("fi_eq_open", fi_eq_open(endpoint.fabric.get(), &attr, &events, nullptr));
    endpoint.events.reset(events);
}

[[noreturn]] void fail_event(fid_eq* events)
{
    fi_eq_err_entry error{};
    check("fi_eq_readerr", fi_eq_readerr(events, &error, 0));
    char text[256] = "";
    const char* detail = fi_eq_strerror(events, error.prov_errno, error.err_data, text, sizeof text);
    fail_because(std::string("the connection failed: ") + fi_strerror(error.err) + " (" +
                     (detail ? detail : "no detail") + ")",
                 -error.err);
}

// Waits for one connection event; the entry of a request belongs to the caller.
InfoList await(Endpoint& endpoint, const Control& control, std::uint32_t wanted, const char* what)
{
    Patience patience(control, what);
    fi_eq_cm_entry entry{};
    std::uint32_t event = 0;
    for (;;) {
        const ssize_t ret = fi_eq_read(endpoint.events.get(), &event, &entry, sizeof entry, 0);
        if (ret == -FI_EAVAIL)
            fail_event(endpoint.events.get());
        if (ret != -FI_EAGAIN) {
            check("fi_eq_read", ret);
            break;
        }
        patience.pause();
    }
    InfoList info(event == FI_CONNREQ ? entry.info : nullptr);
    if (event != wanted)
        fail_because(std::string("another event came instead of a ") + what, -FI_EOTHER);
    return info;
}

void enable(Endpoint& endpoint)
{
    check("fi_enable", fi_enable(endpoint.ep.get()));
    post_receive(endpoint);
}

void bind_events(Endpoint& endpoint)
{
    check("fi_ep_bind", fi_ep_bind(endpoint.ep.get(), &endpoint.events->fid, 0));
}

Endpoint listen_and_accept(const Options& options, Control& control)
{
    Endpoint endpoint;
    endpoint.info = query(options, nullptr);
    open_fabric(endpoint);
    open_events(endpoint);
    fid_pep* listener = nullptr;
    check("fi_passive_ep", fi_passive_ep(endpoint.fabric.get(), endpoint.info.get(), &listener, nullptr));
    endpoint.listener.reset(listener);
    check("fi_pep_bind", fi_pep_bind(listener, &endpoint.events->fid, 0));
    check("fi_listen", fi_listen(listener));
    control.send_name(name_of(&listener->fid, *endpoint.info));

    const InfoList request = await(endpoint, control, FI_CONNREQ, "connection request");
    open_domain(endpoint, options, *request);
    bind_events(endpoint);
    enable(endpoint);
    check("fi_accept", fi_accept(endpoint.ep.get(), nullptr, 0));
    (void)await(endpoint, control, FI_CONNECTED, "connection");
    return endpoint;
}

Endpoint connect_to(const Options& options, Control& control)
{
    const Name peer = control.receive_name();
    Endpoint endpoint;
    endpoint.info = query(options, &peer);
    open_fabric(endpoint);
    open_events(endpoint);
    open_domain(endpoint, options, *endpoint.info);
    bind_events(endpoint);
    enable(endpoint);
    check("fi_connect", fi_connect(endpoint.ep.get(), peer.bytes.data(), nullptr, 0));
    (void)await(endpoint, control, FI_CONNECTED, "connection");
    return endpoint;
}

void insert(Endpoint& endpoint, const Name& peer)
{
    const int inserted =
        fi_av_insert(endpoint.addresses.get(), peer.bytes.data(), 1, &endpoint.peer, 0, nullptr);
    check("fi_av_insert", inserted);
    if (inserted != 1)
        fail_because("the address vector did not take the peer's name", -FI_EADDRNOTAVAIL);
}

Endpoint open_connectionless(const Options& options, Control& control)
{
    const bool client = control.role() == Role::Client;
    Name peer;
    if (client)
        peer = control.receive_name();
    Endpoint endpoint;
    endpoint.info = query(options, client ? &peer : nullptr);
    open_fabric(endpoint);
    open_domain(endpoint, options, *endpoint.info);

    fi_av_attr attr{};
    attr.type = endpoint.info->domain_attr->av_type;
    attr.count = 1;
    fid_av* addresses = nullptr;
    check("fi_av_open", fi_av_open(endpoint.domain.get(), &attr, &addresses, nullptr));
    endpoint.addresses.reset(addresses);
    check("fi_ep_bind", fi_ep_bind(endpoint.ep.get(), &addresses->fid, 0));
    enable(endpoint);

    control.send_name(name_of(&endpoint.ep->fid, *endpoint.info));
    if (!client)
        peer = control.receive_name();
    insert(endpoint, peer);
    return endpoint;
}

} // namespace

Endpoint open_endpoint(const Options& options, Control& control)
{
    if (options.ep_type != FI_EP_MSG)
        return open_connectionless(options, control);
    return control.role() == Role::Server ? listen_and_accept(options, control)
                                          : connect_to(options, control);
}

} // namespace fi::tools::pingpong
