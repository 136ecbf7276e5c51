// SPDX-License-Identifier: BSD-2-Clause
//
// Addresses of every format that has a text notation. Layouts of foreign formats are facts of the providers
// that use them; values are copied out because an address in an application's buffer need not be aligned.
#include "text/address.hpp"

#include <arpa/inet.h>
#include <cinttypes>
#include <netinet/in.h>
#include <sys/socket.h>

#include <rdma/fabric.h>

namespace fi::core::text {
namespace {

// The kernel's address family for native InfiniBand addresses, and its sockaddr_ib (linux/ib.h: both need
// headers of the RDMA stack, of which the core wants none).
constexpr sa_family_t kFamilyIb = 27;

struct SockaddrIb {
    uint16_t family;
    uint16_t pkey;
    uint32_t flowinfo;
    uint8_t gid[16];
    uint64_t service_id;
    uint64_t service_mask;
    uint64_t scope_id;
};
static_assert(sizeof(SockaddrIb) == 48);

struct EfaAddress {
    uint8_t gid[16];
    uint16_t qpn;
    uint16_t pad;
    uint32_t qkey;
};
static_assert(sizeof(EfaAddress) == 24);

struct IbUdAddress {
    uint8_t gid[16];
    uint32_t qpn;
    uint16_t lid;
    uint16_t pkey;
    uint16_t service;
    uint8_t sl;
    uint8_t pad[5];
};
static_assert(sizeof(IbUdAddress) == 32);

struct Gid {
    char text[INET6_ADDRSTRLEN];
    explicit Gid(const void* bytes) { inet_ntop(AF_INET6, bytes, text, sizeof text); }
};

struct Bytes {
    const void* data;
    size_t length;

    template <typename T>
    bool read(T& value) const
    {
        if (length < sizeof value)
            return false;
        memcpy(&value, data, sizeof value);
        return true;
    }
};

uint64_t from_network(uint64_t value)
{
    return __builtin_bswap64(value);
}
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);

void write_in(Writer& writer, Bytes bytes)
{
    sockaddr_in in;
    if (!bytes.read(in))
        return;
    char text[INET_ADDRSTRLEN];
    inet_ntop(AF_INET, &in.sin_addr, text, sizeof text);
    writer.format("fi_sockaddr_in://%s:%" PRIu16, text, ntohs(in.sin_port));
}

void write_in6(Writer& writer, Bytes bytes)
{
    sockaddr_in6 in6;
    if (bytes.read(in6))
        writer.format("fi_sockaddr_in6://[%s]:%" PRIu16, Gid(&in6.sin6_addr).text, ntohs(in6.sin6_port));
}

// The port space is the part of the service id above the port number.
void write_ib(Writer& writer, Bytes bytes)
{
    SockaddrIb ib;
    if (!bytes.read(ib))
        return;
    const auto port_space = static_cast<unsigned>(from_network(ib.service_id) >> 16) & 0xfff;
    const auto scope = static_cast<unsigned>(from_network(ib.scope_id)) & 0xff;
    writer.format("fi_sockaddr_ib://[%s]:0x%x:0x%x:0x%x", Gid(ib.gid).text, ntohs(ib.pkey), port_space,
                  scope);
}

void write_by_family(Writer& writer, Bytes bytes)
{
    sa_family_t family;
    if (!bytes.read(family))
        return;
    if (family == AF_INET)
        write_in(writer, bytes);
    else if (family == AF_INET6)
        write_in6(writer, bytes);
    else if (family == kFamilyIb)
        write_ib(writer, bytes);
}

void write_efa(Writer& writer, Bytes bytes)
{
    EfaAddress efa;
    if (bytes.read(efa))
        writer.format("fi_addr_efa://[%s]:%" PRIu16 ":%" PRIu32, Gid(efa.gid).text, efa.qpn, efa.qkey);
}

void write_ib_ud(Writer& writer, Bytes bytes)
{
    IbUdAddress ud;
    if (bytes.read(ud))
        writer.format("fi_addr_ib_ud://%s:%x/%x/%x/%x", Gid(ud.gid).text, ud.qpn, ud.lid, ud.pkey, ud.sl);
}

void write_psmx2(Writer& writer, Bytes bytes)
{
    uint64_t word[2];
    if (bytes.read(word))
        writer.format("fi_addr_psmx2://%" PRIx64 ":%" PRIx64, word[0], word[1]);
}

void write_psmx3(Writer& writer, Bytes bytes)
{
    uint64_t word[4];
    if (bytes.read(word))
        writer.format("fi_addr_psmx3://%" PRIx64 ":%" PRIx64 ":%" PRIx64 ":%" PRIx64, word[0], word[1],
                      word[2], word[3]);
}

void write_opx(Writer& writer, Bytes bytes)
{
    uint64_t word;
    if (bytes.read(word))
        writer.format("fi_addr_opx://%016" PRIx64, word);
}

void write_cxi(Writer& writer, Bytes bytes)
{
    uint32_t word;
    if (bytes.read(word))
        writer.format("fi_addr_cxi://0x%08" PRIx32, word);
}

// These are opaque: only their place is shown.
void write_mlx(Writer& writer, Bytes bytes)
{
    writer.format("fi_addr_mlx://%p", bytes.data);
}

void write_ucx(Writer& writer, Bytes bytes)
{
    writer.format("fi_addr_ucx://%p", bytes.data);
}

void write_string(Writer& writer, Bytes bytes)
{
    const auto* text = static_cast<const char*>(bytes.data);
    writer.text({text, strnlen(text, bytes.length)});
}

struct Notation {
    uint32_t format;
    void (*write)(Writer&, Bytes);
};

constexpr Notation kNotations[] = {
    {FI_SOCKADDR, write_by_family}, {FI_SOCKADDR_IP, write_by_family}, {FI_SOCKADDR_IN, write_in},
    {FI_SOCKADDR_IN6, write_in6},   {FI_SOCKADDR_IB, write_ib},        {FI_ADDR_STR, write_string},
    {FI_ADDR_EFA, write_efa},       {FI_ADDR_IB_UD, write_ib_ud},      {FI_ADDR_PSMX2, write_psmx2},
    {FI_ADDR_PSMX3, write_psmx3},   {FI_ADDR_OPX, write_opx},          {FI_ADDR_CXI, write_cxi},
    {FI_ADDR_MLX, write_mlx},       {FI_ADDR_UCX, write_ucx},
};

} // namespace

void write_address(Writer& writer, uint32_t format, const void* address, size_t length)
{
    if (!address) {
        writer.text("(null)");
        return;
    }
    for (const Notation& notation : kNotations)
        if (notation.format == format)
            return notation.write(writer, {address, length});
}

} // namespace fi::core::text
