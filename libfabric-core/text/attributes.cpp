// SPDX-License-Identifier: BSD-2-Clause
//
// The members of each structure, in the order in which upstream prints them. Nothing here depends on the API
// version of the caller: a structure that is printed is one that this library or its caller's headers laid
// out in full.
#include "text/attributes.hpp"

#include "text/address.hpp"
#include "text/block.hpp"

namespace fi::core::text {
namespace {

// An attribute block of fi_info, which may be missing.
template <typename Attr>
void write_optional(Writer& writer, const char* name, const Attr* attr, int level)
{
    if (attr)
        write(writer, *attr, level);
    else
        writer.format("%*s%s: (null)\n", level * 4, "", name);
}

void context_count(Block& block, const char* key, size_t count)
{
    if (count == FI_SHARED_CONTEXT)
        block.string(key, "FI_SHARED_CONTEXT");
    else
        block.number(key, count);
}

} // namespace

void write(Writer& writer, const fi_tx_attr& attr, int level)
{
    Block block(writer, "fi_tx_attr", level);
    block.flags("caps", kCaps, attr.caps);
    block.flags("mode", kMode, attr.mode);
    block.flags("op_flags", kOpFlags, attr.op_flags);
    block.flags("msg_order", kMsgOrder, attr.msg_order);
    block.number("inject_size", attr.inject_size);
    block.number("size", attr.size);
    block.number("iov_limit", attr.iov_limit);
    block.number("rma_iov_limit", attr.rma_iov_limit);
    block.hex("tclass", attr.tclass);
}

void write(Writer& writer, const fi_rx_attr& attr, int level)
{
    Block block(writer, "fi_rx_attr", level);
    block.flags("caps", kCaps, attr.caps);
    block.flags("mode", kMode, attr.mode);
    block.flags("op_flags", kOpFlags, attr.op_flags);
    block.flags("msg_order", kMsgOrder, attr.msg_order);
    block.number("size", attr.size);
    block.number("iov_limit", attr.iov_limit);
}

void write(Writer& writer, const fi_ep_attr& attr, int level)
{
    Block block(writer, "fi_ep_attr", level);
    block.name("type", kEpType, attr.type);
    block.name("protocol", kProtocol, attr.protocol);
    block.signed_number("protocol_version", static_cast<int>(attr.protocol_version));
    block.number("max_msg_size", attr.max_msg_size);
    block.number("msg_prefix_size", attr.msg_prefix_size);
    block.number("max_order_raw_size", attr.max_order_raw_size);
    block.number("max_order_war_size", attr.max_order_war_size);
    block.number("max_order_waw_size", attr.max_order_waw_size);
    block.tag_format("mem_tag_format", attr.mem_tag_format);
    context_count(block, "tx_ctx_cnt", attr.tx_ctx_cnt);
    context_count(block, "rx_ctx_cnt", attr.rx_ctx_cnt);
    block.number("auth_key_size", attr.auth_key_size);
}

void write(Writer& writer, const fi_domain_attr& attr, int level)
{
    Block block(writer, "fi_domain_attr", level);
    block.pointer("domain", attr.domain);
    block.string("name", attr.name);
    block.name("threading", kThreading, attr.threading);
    block.name("progress", kProgress, attr.progress);
    block.name("resource_mgmt", kResourceMgmt, attr.resource_mgmt);
    block.name("av_type", kAvType, attr.av_type);
    block.flags("mr_mode", kMrMode, static_cast<uint32_t>(attr.mr_mode));
    block.number("mr_key_size", attr.mr_key_size);
    block.number("cq_data_size", attr.cq_data_size);
    block.number("cq_cnt", attr.cq_cnt);
    block.number("ep_cnt", attr.ep_cnt);
    block.number("tx_ctx_cnt", attr.tx_ctx_cnt);
    block.number("rx_ctx_cnt", attr.rx_ctx_cnt);
    block.number("max_ep_tx_ctx", attr.max_ep_tx_ctx);
    block.number("max_ep_rx_ctx", attr.max_ep_rx_ctx);
    block.number("max_ep_stx_ctx", attr.max_ep_stx_ctx);
    block.number("max_ep_srx_ctx", attr.max_ep_srx_ctx);
    block.number("cntr_cnt", attr.cntr_cnt);
    block.number("mr_iov_limit", attr.mr_iov_limit);
    block.flags("caps", kCaps, attr.caps);
    block.flags("mode", kMode, attr.mode);
    block.number("auth_key_size", attr.auth_key_size);
    block.number("max_err_data", attr.max_err_data);
    block.number("mr_cnt", attr.mr_cnt);
    block.hex("tclass", attr.tclass);
    block.number("max_ep_auth_key", attr.max_ep_auth_key);
    block.number("max_group_id", attr.max_group_id);
    block.number("max_cntr_value", attr.max_cntr_value);
    block.number("max_err_cntr_value", attr.max_err_cntr_value);
}

void write(Writer& writer, const fi_fabric_attr& attr, int level)
{
    Block block(writer, "fi_fabric_attr", level);
    block.string("name", attr.name);
    block.string("prov_name", attr.prov_name);
    block.version("prov_version", attr.prov_version);
    block.version("api_version", attr.api_version);
}

void write(Writer& writer, const fi_info& info, int level)
{
    Block block(writer, "fi_info", level);
    const int inner = block.inner_level();
    block.flags("caps", kCaps, info.caps);
    block.flags("mode", kMode, info.mode);
    block.name("addr_format", kAddrFormat, info.addr_format);
    block.number("src_addrlen", info.src_addrlen);
    block.number("dest_addrlen", info.dest_addrlen);
    block.custom("src_addr",
                 [&] { write_address(writer, info.addr_format, info.src_addr, info.src_addrlen); });
    block.custom("dest_addr",
                 [&] { write_address(writer, info.addr_format, info.dest_addr, info.dest_addrlen); });
    write_fid(writer, "handle", info.handle, inner);
    write_optional(writer, "fi_tx_attr", info.tx_attr, inner);
    write_optional(writer, "fi_rx_attr", info.rx_attr, inner);
    write_optional(writer, "fi_ep_attr", info.ep_attr, inner);
    write_optional(writer, "fi_domain_attr", info.domain_attr, inner);
    write_optional(writer, "fi_fabric_attr", info.fabric_attr, inner);
    write_fid(writer, "nic", info.nic ? &info.nic->fid : nullptr, inner);
}

void write(Writer& writer, const fi_av_attr& attr, int level)
{
    Block block(writer, "fi_av_attr", level);
    block.name("type", kAvType, attr.type);
    block.number("count", attr.count);
    block.number("ep_per_node", attr.ep_per_node);
    block.string("name", attr.name);
    block.flags("flags", kAvFlags, attr.flags);
}

void write(Writer& writer, const fi_cq_attr& attr, int level)
{
    Block block(writer, "fi_cq_attr", level);
    block.number("size", attr.size);
    block.flags("flags", kCqFlags, attr.flags);
    block.name("format", kCqFormat, attr.format);
    block.name("wait_obj", kWaitObj, attr.wait_obj);
    block.signed_number("signaling_vector", attr.signaling_vector);
    block.name("wait_cond", kCqWaitCond, attr.wait_cond);
}

void write(Writer& writer, const fi_mr_attr& attr, int level)
{
    Block block(writer, "fi_mr_attr", level);
    block.pointer("mr_iov", attr.mr_iov);
    block.number("iov_count", attr.iov_count);
    block.flags("access", kMrAccess, attr.access);
    block.hex("offset", attr.offset);
    block.hex("requested_key", attr.requested_key);
    block.pointer("context", attr.context);
    block.number("auth_key_size", attr.auth_key_size);
    block.name("iface", kHmemIface, attr.iface);
}

void write(Writer& writer, const fi_cntr_attr& attr, int level)
{
    Block block(writer, "fi_cntr_attr", level);
    block.name("events", kCntrEvents, attr.events);
    block.name("wait_obj", kWaitObj, attr.wait_obj);
    block.hex("flags", attr.flags);
}

// Upstream prints err twice where the second line says prov_errno, and does not print src_addr, the one thing
// that says which peer it was; neither is repeated here.
void write(Writer& writer, const fi_cq_err_entry& entry, int level)
{
    Block block(writer, "fi_cq_err_entry", level);
    block.pointer("op_context", entry.op_context);
    block.hex("flags", entry.flags);
    block.number("len", entry.len);
    block.pointer("buf", entry.buf);
    block.number("data", entry.data);
    block.hex("tag", entry.tag);
    block.number("olen", entry.olen);
    block.signed_number("err", entry.err);
    block.signed_number("prov_errno", entry.prov_errno);
    block.pointer("err_data", entry.err_data);
    block.number("err_data_size", entry.err_data_size);
    if (entry.src_addr == FI_ADDR_NOTAVAIL)
        block.string("src_addr", "FI_ADDR_NOTAVAIL");
    else
        block.number("src_addr", entry.src_addr);
}

void write_fid(Writer& writer, const char* key, const fid* object, int level)
{
    if (object && FI_CHECK_OP(object->ops, struct fi_ops, tostr))
        writer.foreign([&](char* rest, size_t bytes) { object->ops->tostr(object, rest, bytes); });
    else
        writer.format("%*s%s: %p\n", level * 4, "", key, static_cast<const void*>(object));
}

} // namespace fi::core::text
