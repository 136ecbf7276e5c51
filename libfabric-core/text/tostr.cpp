// SPDX-License-Identifier: BSD-2-Clause
//
// fi_tostr and fi_tostr_r, fi_tostr(3): any value or structure of the API as text. One table says how each
// type is read through the caller's pointer and what writes it.
#include <rdma/fabric.h>
#include <rdma/fi_errno.h>

#include "api/export.hpp"
#include "text/attributes.hpp"
#include "text/names.hpp"

namespace fi::core::text {
namespace {

// How wide the value is that the pointer points to, and what it is.
enum class Kind { Flags64, Flags32, Unsigned32, Int, Structure, Version };

struct Type {
    fi_type type;
    Kind kind;
    const Names* names;
    void (*write)(Writer&, const void*);
};

template <typename Struct>
void structure(Writer& writer, const void* data)
{
    write(writer, *static_cast<const Struct*>(data));
}

void object(Writer& writer, const void* data)
{
    write_fid(writer, "fid", static_cast<const fid*>(data));
}

constexpr Type kTypes[] = {
    {FI_TYPE_INFO, Kind::Structure, nullptr, structure<fi_info>},
    {FI_TYPE_EP_TYPE, Kind::Int, &kEpType, nullptr},
    {FI_TYPE_CAPS, Kind::Flags64, &kCaps, nullptr},
    {FI_TYPE_OP_FLAGS, Kind::Flags64, &kOpFlags, nullptr},
    {FI_TYPE_ADDR_FORMAT, Kind::Unsigned32, &kAddrFormat, nullptr},
    {FI_TYPE_TX_ATTR, Kind::Structure, nullptr, structure<fi_tx_attr>},
    {FI_TYPE_RX_ATTR, Kind::Structure, nullptr, structure<fi_rx_attr>},
    {FI_TYPE_EP_ATTR, Kind::Structure, nullptr, structure<fi_ep_attr>},
    {FI_TYPE_DOMAIN_ATTR, Kind::Structure, nullptr, structure<fi_domain_attr>},
    {FI_TYPE_FABRIC_ATTR, Kind::Structure, nullptr, structure<fi_fabric_attr>},
    {FI_TYPE_THREADING, Kind::Int, &kThreading, nullptr},
    {FI_TYPE_PROGRESS, Kind::Int, &kProgress, nullptr},
    {FI_TYPE_PROTOCOL, Kind::Unsigned32, &kProtocol, nullptr},
    {FI_TYPE_MSG_ORDER, Kind::Flags64, &kMsgOrder, nullptr},
    {FI_TYPE_MODE, Kind::Flags64, &kMode, nullptr},
    {FI_TYPE_AV_TYPE, Kind::Int, &kAvType, nullptr},
    {FI_TYPE_ATOMIC_TYPE, Kind::Int, &kAtomicType, nullptr},
    {FI_TYPE_ATOMIC_OP, Kind::Int, &kAtomicOp, nullptr},
    {FI_TYPE_VERSION, Kind::Version, nullptr, nullptr},
    {FI_TYPE_EQ_EVENT, Kind::Int, &kEqEvent, nullptr},
    {FI_TYPE_CQ_EVENT_FLAGS, Kind::Flags64, &kCqEventFlags, nullptr},
    {FI_TYPE_MR_MODE, Kind::Flags32, &kMrMode, nullptr},
    {FI_TYPE_OP_TYPE, Kind::Int, &kOpType, nullptr},
    {FI_TYPE_FID, Kind::Structure, nullptr, object},
    {FI_TYPE_COLLECTIVE_OP, Kind::Int, &kCollectiveOp, nullptr},
    {FI_TYPE_HMEM_IFACE, Kind::Int, &kHmemIface, nullptr},
    {FI_TYPE_CQ_FORMAT, Kind::Int, &kCqFormat, nullptr},
    {FI_TYPE_LOG_LEVEL, Kind::Int, &kLogLevel, nullptr},
    {FI_TYPE_LOG_SUBSYS, Kind::Int, &kLogSubsys, nullptr},
    {FI_TYPE_AV_ATTR, Kind::Structure, nullptr, structure<fi_av_attr>},
    {FI_TYPE_CQ_ATTR, Kind::Structure, nullptr, structure<fi_cq_attr>},
    {FI_TYPE_MR_ATTR, Kind::Structure, nullptr, structure<fi_mr_attr>},
    {FI_TYPE_CNTR_ATTR, Kind::Structure, nullptr, structure<fi_cntr_attr>},
    {FI_TYPE_CQ_ERR_ENTRY, Kind::Structure, nullptr, structure<fi_cq_err_entry>},
    {FI_TYPE_CQ_WAIT_COND, Kind::Int, &kCqWaitCond, nullptr},
    {FI_TYPE_WAIT_OBJ, Kind::Int, &kWaitObj, nullptr},
};

constexpr bool types_are_in_order()
{
    int expected = 0;
    for (const Type& entry : kTypes)
        if (entry.type != expected++)
            return false;
    return true;
}
static_assert(types_are_in_order(), "a type is found by its value");

template <typename T>
T read(const void* data)
{
    T value;
    memcpy(&value, data, sizeof value);
    return value;
}

void write_type(Writer& writer, const Type& type, const void* data)
{
    switch (type.kind) {
    case Kind::Flags64:
        return write_flags(writer, *type.names, read<uint64_t>(data));
    case Kind::Flags32:
        return write_flags(writer, *type.names, read<uint32_t>(data));
    case Kind::Unsigned32:
        return writer.text(name_of(*type.names, read<uint32_t>(data)));
    case Kind::Int:
        return writer.text(name_of(*type.names, static_cast<uint64_t>(read<int>(data))));
    case Kind::Structure:
        return type.write(writer, data);
    case Kind::Version:
        return writer.text(FI_PACKAGE_VERSION);
    }
}

// Upstream's size. One buffer per thread, so that threads do not overwrite each other's text; in static
// storage, so that it cannot fail for want of memory and is still there while a thread's or the process's
// exit handlers print.
constexpr size_t kBufferSize = 8192;
thread_local char thread_buffer[kBufferSize];

} // namespace
} // namespace fi::core::text

extern "C" FI_EXPORT char* fi_tostr_r(char* buf, size_t len, const void* data, enum fi_type datatype)
{
    using namespace fi::core::text;
    if (!data || !buf || !len)
        return nullptr;
    Writer writer(buf, len);
    const auto index = static_cast<size_t>(datatype);
    if (index < std::size(kTypes))
        write_type(writer, kTypes[index], data);
    else
        writer.text("Unknown type");
    return buf;
}

// The text belongs to the calling thread: it is valid until the thread's next call of fi_tostr or its end.
extern "C" FI_EXPORT char* fi_tostr(const void* data, enum fi_type datatype)
{
    using namespace fi::core::text;
    return fi_tostr_r(thread_buffer, kBufferSize, data, datatype);
}
