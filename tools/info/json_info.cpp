// SPDX-License-Identifier: BSD-2-Clause
// One function per block of fi_info, one line per field: the order is the structure's, so that a field that
// is missing here is found by reading the two side by side.

#include "json_info.hpp"

#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

#include "json_fields.hpp"
#include "sources.hpp"

namespace fi::tools::info {
namespace {

using namespace fields;

void write_tx(JsonWriter& json, const fi_tx_attr& tx)
{
    flags(json, "caps", tx.caps, FI_TYPE_CAPS);
    flags(json, "mode", tx.mode, FI_TYPE_MODE);
    flags(json, "op_flags", tx.op_flags, FI_TYPE_OP_FLAGS);
    flags(json, "msg_order", tx.msg_order, FI_TYPE_MSG_ORDER);
    hex(json, "comp_order", tx.comp_order);
    number(json, "inject_size", tx.inject_size);
    number(json, "size", tx.size);
    number(json, "iov_limit", tx.iov_limit);
    number(json, "rma_iov_limit", tx.rma_iov_limit);
    hex(json, "tclass", tx.tclass);
}

void write_rx(JsonWriter& json, const fi_rx_attr& rx)
{
    flags(json, "caps", rx.caps, FI_TYPE_CAPS);
    flags(json, "mode", rx.mode, FI_TYPE_MODE);
    flags(json, "op_flags", rx.op_flags, FI_TYPE_OP_FLAGS);
    flags(json, "msg_order", rx.msg_order, FI_TYPE_MSG_ORDER);
    hex(json, "comp_order", rx.comp_order);
    number(json, "total_buffered_recv", rx.total_buffered_recv);
    number(json, "size", rx.size);
    number(json, "iov_limit", rx.iov_limit);
}

void write_ep(JsonWriter& json, const fi_ep_attr& ep)
{
    enumerator(json, "type", ep.type, FI_TYPE_EP_TYPE);
    enumerator(json, "protocol", ep.protocol, FI_TYPE_PROTOCOL);
    number(json, "protocol_version", ep.protocol_version);
    number(json, "max_msg_size", ep.max_msg_size);
    number(json, "msg_prefix_size", ep.msg_prefix_size);
    number(json, "max_order_raw_size", ep.max_order_raw_size);
    number(json, "max_order_war_size", ep.max_order_war_size);
    number(json, "max_order_waw_size", ep.max_order_waw_size);
    hex(json, "mem_tag_format", ep.mem_tag_format);
    number(json, "tx_ctx_cnt", ep.tx_ctx_cnt);
    number(json, "rx_ctx_cnt", ep.rx_ctx_cnt);
    number(json, "auth_key_size", ep.auth_key_size);
    bytes(json, "auth_key", ep.auth_key, ep.auth_key_size);
}

// fi_tostr knows these only as a line of the whole block.
const char* resource_mgmt_text(fi_resource_mgmt value)
{
    switch (value) {
    case FI_RM_UNSPEC:
        return "FI_RM_UNSPEC";
    case FI_RM_DISABLED:
        return "FI_RM_DISABLED";
    case FI_RM_ENABLED:
        return "FI_RM_ENABLED";
    }
    return "Unknown";
}

void write_domain(JsonWriter& json, const fi_domain_attr& domain)
{
    pointer(json, "domain", domain.domain);
    text(json, "name", domain.name);
    enumerator(json, "threading", domain.threading, FI_TYPE_THREADING);
    enumerator(json, "control_progress", domain.control_progress, FI_TYPE_PROGRESS);
    enumerator(json, "progress", domain.progress, FI_TYPE_PROGRESS);
    json.key("resource_mgmt");
    json.text(resource_mgmt_text(domain.resource_mgmt));
    number(json, "resource_mgmt_value", domain.resource_mgmt);
    enumerator(json, "av_type", domain.av_type, FI_TYPE_AV_TYPE);
    flags(json, "mr_mode", domain.mr_mode, FI_TYPE_MR_MODE);
    number(json, "mr_key_size", domain.mr_key_size);
    number(json, "cq_data_size", domain.cq_data_size);
    number(json, "cq_cnt", domain.cq_cnt);
    number(json, "ep_cnt", domain.ep_cnt);
    number(json, "tx_ctx_cnt", domain.tx_ctx_cnt);
    number(json, "rx_ctx_cnt", domain.rx_ctx_cnt);
    number(json, "max_ep_tx_ctx", domain.max_ep_tx_ctx);
    number(json, "max_ep_rx_ctx", domain.max_ep_rx_ctx);
    number(json, "max_ep_stx_ctx", domain.max_ep_stx_ctx);
    number(json, "max_ep_srx_ctx", domain.max_ep_srx_ctx);
    number(json, "cntr_cnt", domain.cntr_cnt);
    number(json, "mr_iov_limit", domain.mr_iov_limit);
    flags(json, "caps", domain.caps, FI_TYPE_CAPS);
    flags(json, "mode", domain.mode, FI_TYPE_MODE);
    // FI_AV_AUTH_KEY is no length: the key is NULL then, and bytes() writes null.
    bytes(json, "auth_key", domain.auth_key, domain.auth_key_size);
    number(json, "auth_key_size", domain.auth_key_size);
    number(json, "max_err_data", domain.max_err_data);
    number(json, "mr_cnt", domain.mr_cnt);
    hex(json, "tclass", domain.tclass);
    number(json, "max_ep_auth_key", domain.max_ep_auth_key);
    number(json, "max_group_id", domain.max_group_id);
    number(json, "max_cntr_value", domain.max_cntr_value);
    number(json, "max_err_cntr_value", domain.max_err_cntr_value);
}

void write_fabric(JsonWriter& json, const fi_fabric_attr& fabric)
{
    pointer(json, "fabric", fabric.fabric);
    text(json, "name", fabric.name);
    text(json, "prov_name", fabric.prov_name);
    json.key("prov_version");
    json.text(version_text(fabric.prov_version));
    json.key("api_version");
    json.text(version_text(fabric.api_version));
}

const char* bus_text(fi_bus_type type)
{
    return type == FI_BUS_PCI ? "FI_BUS_PCI" : "FI_BUS_UNKNOWN";
}

const char* link_text(fi_link_state state)
{
    return state == FI_LINK_UP ? "FI_LINK_UP" : state == FI_LINK_DOWN ? "FI_LINK_DOWN" : "FI_LINK_UNKNOWN";
}

void write_device(JsonWriter& json, const fi_device_attr& device)
{
    text(json, "name", device.name);
    text(json, "device_id", device.device_id);
    text(json, "device_version", device.device_version);
    text(json, "vendor_id", device.vendor_id);
    text(json, "driver", device.driver);
    text(json, "firmware", device.firmware);
}

void write_bus(JsonWriter& json, const fi_bus_attr& bus)
{
    json.key("bus_type");
    json.text(bus_text(bus.bus_type));
    const fi_pci_attr* pci = bus.bus_type == FI_BUS_PCI ? &bus.attr.pci : nullptr;
    block(json, "pci", pci, [&](const fi_pci_attr& attr) {
        number(json, "domain_id", attr.domain_id);
        number(json, "bus_id", attr.bus_id);
        number(json, "device_id", attr.device_id);
        number(json, "function_id", attr.function_id);
    });
}

void write_link(JsonWriter& json, const fi_link_attr& link)
{
    text(json, "address", link.address);
    number(json, "mtu", link.mtu);
    number(json, "speed", link.speed);
    json.key("state");
    json.text(link_text(link.state));
    text(json, "network_type", link.network_type);
}

void write_nic(JsonWriter& json, const fid_nic& nic)
{
    block(json, "device_attr", nic.device_attr,
          [&](const fi_device_attr& attr) { write_device(json, attr); });
    block(json, "bus_attr", nic.bus_attr, [&](const fi_bus_attr& attr) { write_bus(json, attr); });
    block(json, "link_attr", nic.link_attr, [&](const fi_link_attr& attr) { write_link(json, attr); });
}

} // namespace

void write_info(JsonWriter& json, const fi_info& info)
{
    json.open_object();
    flags(json, "caps", info.caps, FI_TYPE_CAPS);
    flags(json, "mode", info.mode, FI_TYPE_MODE);
    enumerator(json, "addr_format", info.addr_format, FI_TYPE_ADDR_FORMAT);
    address(json, "src_addr", info.addr_format, info.src_addr, info.src_addrlen);
    address(json, "dest_addr", info.addr_format, info.dest_addr, info.dest_addrlen);
    pointer(json, "handle", info.handle);
    block(json, "tx_attr", info.tx_attr, [&](const fi_tx_attr& tx) { write_tx(json, tx); });
    block(json, "rx_attr", info.rx_attr, [&](const fi_rx_attr& rx) { write_rx(json, rx); });
    block(json, "ep_attr", info.ep_attr, [&](const fi_ep_attr& ep) { write_ep(json, ep); });
    block(json, "domain_attr", info.domain_attr,
          [&](const fi_domain_attr& attr) { write_domain(json, attr); });
    block(json, "fabric_attr", info.fabric_attr,
          [&](const fi_fabric_attr& attr) { write_fabric(json, attr); });
    block(json, "nic", info.nic, [&](const fid_nic& nic) { write_nic(json, nic); });
    json.close_object();
}

} // namespace fi::tools::info
