// SPDX-License-Identifier: BSD-2-Clause
#include "kit/devices/hello.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <sys/random.h>
#include <system_error>

namespace fi::kit {
namespace {

static_assert(std::endian::native == std::endian::little, "frames are little endian and are not converted");

constexpr char kMagic[4] = {'o', 'f', 'i', 's'};

struct Header {
    char magic[4];
    std::uint16_t version;
    std::uint16_t names;
    Identity identity;
    std::uint64_t features; // bits that a later version may offer; 0 in this one, unknown bits are ignored
};
static_assert(sizeof(Header) == kHelloHeader);

struct Name {
    std::uint16_t family; // 4 or 6
    std::uint16_t port;
    std::uint32_t scope; // IPv6 link-local: the receiver's own interface is what counts, this is information
    std::uint8_t address[16];
};
static_assert(sizeof(Name) == kHelloName);

} // namespace

std::string encode(const Hello& hello)
{
    const std::size_t count = std::min(hello.names.size(), kMaxNames);
    Header header{};
    std::memcpy(header.magic, kMagic, sizeof kMagic);
    header.version = kWireVersion;
    header.names = static_cast<std::uint16_t>(count);
    header.identity = hello.identity;
    std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
    for (std::size_t i = 0; i < count; i++) {
        const Address& address = hello.names[i];
        Name name{};
        name.port = address.port();
        if (address.family() == AF_INET) {
            name.family = 4;
            std::memcpy(name.address, &reinterpret_cast<const sockaddr_in*>(address.data())->sin_addr, 4);
        } else {
            const auto* v6 = reinterpret_cast<const sockaddr_in6*>(address.data());
            name.family = 6;
            name.scope = v6->sin6_scope_id;
            std::memcpy(name.address, &v6->sin6_addr, 16);
        }
        bytes.append(reinterpret_cast<const char*>(&name), sizeof name);
    }
    return bytes;
}

std::optional<std::uint16_t> hello_version(const unsigned char* bytes) noexcept
{
    Header header;
    std::memcpy(&header, bytes, sizeof header);
    return std::memcmp(header.magic, kMagic, sizeof kMagic) == 0 ? std::optional(header.version)
                                                                 : std::nullopt;
}

std::optional<std::size_t> hello_size(const unsigned char* bytes, const char*& why) noexcept
{
    Header header;
    std::memcpy(&header, bytes, sizeof header);
    why = nullptr;
    if (std::memcmp(header.magic, kMagic, sizeof kMagic) != 0)
        why = "it does not speak this protocol";
    else if (header.version != kWireVersion)
        why = "it speaks another version of the protocol";
    else if (header.names == 0 || header.names > kMaxNames)
        why = "its hello is malformed";
    if (why)
        return std::nullopt;
    return kHelloHeader + header.names * kHelloName;
}

std::optional<Hello> decode(const unsigned char* bytes, std::size_t size)
{
    Header header;
    std::memcpy(&header, bytes, sizeof header);
    Hello hello;
    hello.identity = header.identity;
    for (std::size_t at = kHelloHeader; at + kHelloName <= size; at += kHelloName) {
        Name name;
        std::memcpy(&name, bytes + at, sizeof name);
        sockaddr_in v4{};
        sockaddr_in6 v6{};
        std::optional<Address> address;
        if (name.family == 4) {
            v4.sin_family = AF_INET;
            v4.sin_port = htons(name.port);
            std::memcpy(&v4.sin_addr, name.address, 4);
            address = Address::from(&v4, sizeof v4);
        } else if (name.family == 6) {
            v6.sin6_family = AF_INET6;
            v6.sin6_port = htons(name.port);
            v6.sin6_scope_id = name.scope;
            std::memcpy(&v6.sin6_addr, name.address, 16);
            address = Address::from(&v6, sizeof v6);
        }
        if (!address || address->port() == 0 || address->is_wildcard())
            return std::nullopt;
        hello.names.push_back(*address);
    }
    return hello;
}

Identity make_identity()
{
    Identity identity;
    if (getrandom(identity.data(), identity.size(), 0) != static_cast<ssize_t>(identity.size()))
        throw std::system_error(errno, std::generic_category(), "getrandom");
    return identity;
}

} // namespace fi::kit
