// SPDX-License-Identifier: BSD-2-Clause
//
// Socket addresses as the names of endpoints: one value type, and the forms in which the API carries it.
//
// The API hands addresses over as bytes with a length, in the layout of a sockaddr or as a text such as
// `fi_sockaddr_in6://[fe80::1%eth0]:7471`. Everything here checks lengths before it reads and tells the full
// size when it cuts, so a short buffer or a hostile string costs nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <netinet/in.h>
#include <optional>
#include <string>
#include <string_view>
#include <sys/socket.h>

namespace fi::kit {

/// An IPv4 or IPv6 socket address. A value: 28 bytes and trivially copyable. Two are equal if they name the
/// same socket; padding, flow labels and the scope of addresses that are not link-local play no part.
class Address {
  public:
    /// No address; family() is AF_UNSPEC.
    Address() noexcept : storage_{} {}

    /// From a sockaddr of `size` bytes in any alignment. Nothing for other families and for sizes that are
    /// too short.
    static std::optional<Address> from(const void* sockaddr_bytes, size_t size) noexcept;

    /// From an address string with a numeric host: fi_sockaddr_in, fi_sockaddr_in6, or the generic
    /// fi_sockaddr and fi_sockaddr_ip. No host is the wildcard, no service is port 0. Asks no name service.
    static std::optional<Address> parse(std::string_view text);

    sa_family_t family() const noexcept { return storage_.any.sa_family; }
    uint16_t port() const noexcept; ///< host byte order
    void set_port(uint16_t port) noexcept;
    bool is_wildcard() const noexcept;
    bool is_loopback() const noexcept;

    const sockaddr* data() const noexcept { return &storage_.any; }
    socklen_t size() const noexcept;  ///< bytes of the sockaddr
    uint32_t format() const noexcept; ///< FI_SOCKADDR_IN or FI_SOCKADDR_IN6

    /// The address string, as fi_av_straddr() and fi_tostr() print it.
    std::string text() const;

    /// Writes the address in the form of `format` (FI_ADDR_STR: text with its NUL; any other: the sockaddr),
    /// cut to `capacity` bytes, a cut text still ending in NUL. Returns the bytes that the whole takes.
    size_t store(uint32_t format, void* buffer, size_t capacity) const;

    /// Reads what store() wrote. Nothing if the bytes are not an address that `format` allows.
    static std::optional<Address> load(uint32_t format, const void* bytes, size_t size);

    size_t hash() const noexcept;
    friend bool operator==(const Address& a, const Address& b) noexcept;

  private:
    union Storage {
        sockaddr any;
        sockaddr_in v4;
        sockaddr_in6 v6;
    } storage_;
};

struct AddressHash {
    size_t operator()(const Address& address) const noexcept { return address.hash(); }
};

/// True if an address of this family may appear where `format` was agreed. FI_FORMAT_UNSPEC, FI_SOCKADDR,
/// FI_SOCKADDR_IP and FI_ADDR_STR take both families.
bool format_takes(uint32_t format, int family) noexcept;

/// The parts of an address string, nothing resolved yet.
struct AddressString {
    int family; ///< AF_UNSPEC if the scheme leaves it open
    std::string host;
    std::string service;
};

/// True for anything that is written like an address string, whatever its scheme.
bool is_address_string(std::string_view text) noexcept;

/// Takes a socket address string apart. Nothing for other schemes, a missing bracket, fields or keys (socket
/// addresses have none), or parts longer than a host name can be.
std::optional<AddressString> split_address_string(std::string_view text);

/// The fi_getname() contract: fills what fits, always leaves the full size in *size, returns 0 or
/// -FI_ETOOSMALL; -FI_EINVAL if `size` is NULL, or `buffer` is and *size is not 0.
int give_name(const Address& address, uint32_t format, void* buffer, size_t* size);

} // namespace fi::kit
