// SPDX-License-Identifier: BSD-2-Clause
// Options name constants of the API. fi_tostr could print more of them than upstream's tool accepts, but a
// script that is refused there should be refused here: the lists are those of upstream 2.6.

#include "names.hpp"

#include <algorithm>
#include <span>

#include <rdma/fabric.h>
#include <rdma/fi_endpoint.h>

namespace fi::tools::info {
namespace {

struct Name {
    std::string_view text;
    std::uint64_t value;
};

#define NAMED(constant)                                                                                      \
    Name                                                                                                     \
    {                                                                                                        \
#constant, static_cast < std::uint64_t>(constant)                                                    \
    }

constexpr Name kCapabilities[] = {
    NAMED(FI_MSG),          NAMED(FI_RMA),
    NAMED(FI_TAGGED),       NAMED(FI_ATOMIC),
    NAMED(FI_MULTICAST),    NAMED(FI_COLLECTIVE),
    NAMED(FI_READ),         NAMED(FI_WRITE),
    NAMED(FI_RECV),         NAMED(FI_SEND),
    NAMED(FI_REMOTE_READ),  NAMED(FI_REMOTE_WRITE),
    NAMED(FI_MULTI_RECV),   NAMED(FI_REMOTE_CQ_DATA),
    NAMED(FI_MORE),         NAMED(FI_PEEK),
    NAMED(FI_TRIGGER),      NAMED(FI_FENCE),
    NAMED(FI_SOURCE_ERR),   NAMED(FI_LOCAL_COMM),
    NAMED(FI_REMOTE_COMM),  NAMED(FI_SHARED_AV),
    NAMED(FI_RMA_EVENT),    NAMED(FI_SOURCE),
    NAMED(FI_NAMED_RX_CTX), NAMED(FI_DIRECTED_RECV),
    NAMED(FI_HMEM),
};

constexpr Name kModeBits[] = {
    NAMED(FI_CONTEXT), NAMED(FI_MSG_PREFIX), NAMED(FI_ASYNC_IOV), NAMED(FI_RX_CQ_DATA), NAMED(FI_CONTEXT2),
};

constexpr Name kEndpointTypes[] = {
    NAMED(FI_EP_UNSPEC),
    NAMED(FI_EP_MSG),
    NAMED(FI_EP_DGRAM),
    NAMED(FI_EP_RDM),
};

constexpr Name kAddressFormats[] = {
    NAMED(FI_FORMAT_UNSPEC), NAMED(FI_SOCKADDR),    NAMED(FI_SOCKADDR_IN),
    NAMED(FI_SOCKADDR_IN6),  NAMED(FI_SOCKADDR_IB), NAMED(FI_ADDR_MLX),
    NAMED(FI_ADDR_STR),      NAMED(FI_ADDR_PSMX2),  NAMED(FI_ADDR_EFA),
};

#undef NAMED

// The C library's tolower would follow the locale; names of constants do not.
constexpr char lower(char letter)
{
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

constexpr bool same_letter(char left, char right)
{
    return lower(left) == lower(right);
}

std::optional<std::uint64_t> find(std::span<const Name> names, std::string_view text)
{
    for (const Name& name : names) {
        if (equal_any_case(name.text, text))
            return name.value;
    }
    return std::nullopt;
}

} // namespace

std::optional<std::uint64_t> capability(std::string_view name)
{
    return find(kCapabilities, name);
}

std::optional<std::uint64_t> mode_bit(std::string_view name)
{
    return find(kModeBits, name);
}

std::optional<std::uint64_t> endpoint_type(std::string_view name)
{
    return find(kEndpointTypes, name);
}

std::optional<std::uint64_t> address_format(std::string_view name)
{
    return find(kAddressFormats, name);
}

bool contains_any_case(std::string_view text, std::string_view part)
{
    return std::search(text.begin(), text.end(), part.begin(), part.end(), same_letter) != text.end() ||
           part.empty();
}

bool equal_any_case(std::string_view left, std::string_view right)
{
    return std::equal(left.begin(), left.end(), right.begin(), right.end(), same_letter);
}

} // namespace fi::tools::info
