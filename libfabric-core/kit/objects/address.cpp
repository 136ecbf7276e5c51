// SPDX-License-Identifier: BSD-2-Clause
//
// Socket addresses and their text form. All text parsing is on bounded views; see address.hpp.

#include "kit/objects/address.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <charconv>
#include <cstring>
#include <net/if.h>
#include <netdb.h>
#include <rdma/fabric.h>
#include <rdma/fi_errno.h>

namespace fi::kit {
namespace {

constexpr size_t kLongestPart = NI_MAXHOST - 1;

/// "%eth0" or "%2" after a link-local address; 0 if there is no such interface.
uint32_t scope_of(const std::string& zone)
{
    uint32_t number = 0;
    const auto [end, status] = std::from_chars(zone.data(), zone.data() + zone.size(), number);
    if (status == std::errc() && end == zone.data() + zone.size())
        return number;
    return if_nametoindex(zone.c_str());
}

bool numeric_v4(const std::string& host, sockaddr_in& out)
{
    out.sin_family = AF_INET;
    return host.empty() || inet_pton(AF_INET, host.c_str(), &out.sin_addr) == 1;
}

bool numeric_v6(const std::string& host, sockaddr_in6& out)
{
    out.sin6_family = AF_INET6;
    if (host.empty())
        return true;
    const size_t zone = host.find('%');
    if (inet_pton(AF_INET6, host.substr(0, zone).c_str(), &out.sin6_addr) != 1)
        return false;
    if (zone == std::string::npos)
        return true;
    out.sin6_scope_id = scope_of(host.substr(zone + 1));
    return out.sin6_scope_id != 0;
}

bool numeric_port(const std::string& service, uint16_t& port)
{
    if (service.empty())
        return true;
    const char* end = service.data() + service.size();
    const auto [stop, status] = std::from_chars(service.data(), end, port);
    return status == std::errc() && stop == end;
}

} // namespace

std::optional<Address> Address::from(const void* bytes, size_t size) noexcept
{
    Address out;
    sockaddr head{};
    if (!bytes || size < offsetof(sockaddr, sa_data))
        return std::nullopt;
    std::memcpy(&head, bytes, offsetof(sockaddr, sa_data));
    if (head.sa_family == AF_INET && size >= sizeof(sockaddr_in)) {
        std::memcpy(&out.storage_.v4, bytes, sizeof(sockaddr_in));
        std::memset(out.storage_.v4.sin_zero, 0, sizeof(out.storage_.v4.sin_zero));
        return out;
    }
    if (head.sa_family == AF_INET6 && size >= sizeof(sockaddr_in6)) {
        std::memcpy(&out.storage_.v6, bytes, sizeof(sockaddr_in6));
        return out;
    }
    return std::nullopt;
}

std::optional<Address> Address::parse(std::string_view text)
{
    const auto parts = split_address_string(text);
    uint16_t port = 0;
    if (!parts || !numeric_port(parts->service, port))
        return std::nullopt;
    Address out;
    const bool v6 = parts->family == AF_INET6 ||
                    (parts->family == AF_UNSPEC && parts->host.find(':') != std::string::npos);
    if (!(v6 ? numeric_v6(parts->host, out.storage_.v6) : numeric_v4(parts->host, out.storage_.v4)))
        return std::nullopt;
    out.set_port(port);
    return out;
}

uint16_t Address::port() const noexcept
{
    switch (family()) {
    case AF_INET:
        return ntohs(storage_.v4.sin_port);
    case AF_INET6:
        return ntohs(storage_.v6.sin6_port);
    default:
        return 0;
    }
}

void Address::set_port(uint16_t port) noexcept
{
    if (family() == AF_INET)
        storage_.v4.sin_port = htons(port);
    else if (family() == AF_INET6)
        storage_.v6.sin6_port = htons(port);
}

bool Address::is_wildcard() const noexcept
{
    return family() == AF_INET ? storage_.v4.sin_addr.s_addr == htonl(INADDR_ANY)
                               : family() == AF_INET6 && IN6_IS_ADDR_UNSPECIFIED(&storage_.v6.sin6_addr);
}

bool Address::is_loopback() const noexcept
{
    return family() == AF_INET ? (ntohl(storage_.v4.sin_addr.s_addr) >> 24) == IN_LOOPBACKNET
                               : family() == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&storage_.v6.sin6_addr);
}

socklen_t Address::size() const noexcept
{
    switch (family()) {
    case AF_INET:
        return sizeof(sockaddr_in);
    case AF_INET6:
        return sizeof(sockaddr_in6);
    default:
        return 0;
    }
}

uint32_t Address::format() const noexcept
{
    switch (family()) {
    case AF_INET:
        return FI_SOCKADDR_IN;
    case AF_INET6:
        return FI_SOCKADDR_IN6;
    default:
        return FI_FORMAT_UNSPEC;
    }
}

std::string Address::text() const
{
    std::array<char, INET6_ADDRSTRLEN> host{};
    if (family() == AF_INET) {
        inet_ntop(AF_INET, &storage_.v4.sin_addr, host.data(), host.size());
        return "fi_sockaddr_in://" + std::string(host.data()) + ":" + std::to_string(port());
    }
    if (family() != AF_INET6)
        return {};
    inet_ntop(AF_INET6, &storage_.v6.sin6_addr, host.data(), host.size());
    // Without its zone the text of a link-local address names no socket.
    const bool zoned = IN6_IS_ADDR_LINKLOCAL(&storage_.v6.sin6_addr) && storage_.v6.sin6_scope_id;
    return "fi_sockaddr_in6://[" + std::string(host.data()) +
           (zoned ? "%" + std::to_string(storage_.v6.sin6_scope_id) : "") + "]:" + std::to_string(port());
}

size_t Address::store(uint32_t format, void* buffer, size_t capacity) const
{
    if (format != FI_ADDR_STR) {
        if (buffer)
            std::memcpy(buffer, &storage_, std::min<size_t>(capacity, size()));
        return size();
    }
    const std::string whole = text();
    if (buffer && capacity) {
        const size_t kept = std::min(capacity - 1, whole.size());
        std::memcpy(buffer, whole.data(), kept);
        static_cast<char*>(buffer)[kept] = '\0';
    }
    return whole.size() + 1;
}

std::optional<Address> Address::load(uint32_t format, const void* bytes, size_t size)
{
    if (!bytes)
        return std::nullopt;
    if (format == FI_ADDR_STR) {
        const char* text = static_cast<const char*>(bytes);
        return parse({text, strnlen(text, size)});
    }
    auto out = from(bytes, size);
    if (out && !format_takes(format, out->family()))
        out.reset();
    return out;
}

size_t Address::hash() const noexcept
{
    // FNV-1a over what equality compares.
    const auto mix = [](size_t seed, const void* data, size_t size) {
        const auto* byte = static_cast<const unsigned char*>(data);
        for (size_t i = 0; i < size; ++i)
            seed = (seed ^ byte[i]) * 0x100000001b3ULL;
        return seed;
    };
    const uint16_t number = port();
    const size_t seed = mix(0xcbf29ce484222325ULL, &number, sizeof(number));
    if (family() == AF_INET)
        return mix(seed, &storage_.v4.sin_addr, sizeof(storage_.v4.sin_addr));
    if (family() == AF_INET6)
        return mix(seed, &storage_.v6.sin6_addr, sizeof(storage_.v6.sin6_addr));
    return seed;
}

bool operator==(const Address& a, const Address& b) noexcept
{
    if (a.family() != b.family() || a.port() != b.port())
        return false;
    if (a.family() == AF_INET)
        return a.storage_.v4.sin_addr.s_addr == b.storage_.v4.sin_addr.s_addr;
    if (a.family() != AF_INET6)
        return true;
    const sockaddr_in6 &x = a.storage_.v6, &y = b.storage_.v6;
    return IN6_ARE_ADDR_EQUAL(&x.sin6_addr, &y.sin6_addr) &&
           (!IN6_IS_ADDR_LINKLOCAL(&x.sin6_addr) || x.sin6_scope_id == y.sin6_scope_id);
}

bool format_takes(uint32_t format, int family) noexcept
{
    switch (format) {
    case FI_SOCKADDR_IN:
        return family == AF_INET;
    case FI_SOCKADDR_IN6:
        return family == AF_INET6;
    case FI_FORMAT_UNSPEC:
    case FI_SOCKADDR:
    case FI_SOCKADDR_IP:
    case FI_ADDR_STR:
        return family == AF_INET || family == AF_INET6;
    default:
        return false;
    }
}

bool is_address_string(std::string_view text) noexcept
{
    return text.find("://") != std::string_view::npos;
}

std::optional<AddressString> split_address_string(std::string_view text)
{
    struct Scheme {
        std::string_view name;
        int family;
    };
    static constexpr Scheme kSchemes[] = {{"fi_sockaddr_in", AF_INET},
                                          {"fi_sockaddr_in6", AF_INET6},
                                          {"fi_sockaddr_ip", AF_UNSPEC},
                                          {"fi_sockaddr", AF_UNSPEC}};
    const size_t colon = text.find("://");
    if (colon == std::string_view::npos)
        return std::nullopt;
    const auto* scheme = std::find_if(std::begin(kSchemes), std::end(kSchemes),
                                      [&](const Scheme& one) { return one.name == text.substr(0, colon); });
    if (scheme == std::end(kSchemes))
        return std::nullopt;

    std::string_view rest = text.substr(colon + 3);
    AddressString out{scheme->family, {}, {}};
    if (!rest.empty() && rest.front() == '[') {
        const size_t close = rest.find(']');
        if (close == std::string_view::npos || close > kLongestPart)
            return std::nullopt;
        out.host = rest.substr(1, close - 1);
        rest.remove_prefix(close + 1);
    } else {
        const size_t end = std::min(rest.find(':'), rest.size());
        if (end > kLongestPart)
            return std::nullopt;
        out.host = rest.substr(0, end);
        rest.remove_prefix(end);
    }
    if (!rest.empty()) {
        if (rest.front() != ':' || rest.size() > kLongestPart)
            return std::nullopt;
        out.service = rest.substr(1);
    }
    const auto no_field = [](const std::string& part) {
        return part.find_first_of("/?") == std::string::npos;
    };
    const bool clean =
        no_field(out.host) && no_field(out.service) && out.service.find(':') == std::string::npos &&
        out.host.find('\0') == std::string::npos && out.service.find('\0') == std::string::npos;
    return clean ? std::optional(std::move(out)) : std::nullopt;
}

int give_name(const Address& address, uint32_t format, void* buffer, size_t* size)
{
    if (!size || (!buffer && *size))
        return -FI_EINVAL;
    const size_t room = *size;
    *size = address.store(format, buffer, room);
    return *size > room ? -FI_ETOOSMALL : 0;
}

} // namespace fi::kit
