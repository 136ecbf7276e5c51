// SPDX-License-Identifier: BSD-2-Clause
//
// The first bytes in each direction of a connection, whatever it runs over: who is speaking, and which
// protocol.
//
// All integers little endian (docs/wire.md). Whatever comes from the socket is checked here and nowhere
// trusted before.
#pragma once

#include "kit/objects/address.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fi::kit {

using Identity = std::array<std::uint8_t, 16>; ///< random, one per endpoint: a restarted peer has another one

struct Hello {
    Identity identity{};
    std::vector<Address> names; ///< where the speaker can be reached, best first; at least one
};

constexpr std::uint16_t kWireVersion = 1;
constexpr std::size_t kHelloHeader = 32; ///< bytes before the names
constexpr std::size_t kHelloName = 24;   ///< bytes of one name
constexpr std::size_t kMaxNames = 64;
constexpr std::size_t kMaxHello = kHelloHeader + kMaxNames * kHelloName;

/// Throws std::bad_alloc.
std::string encode(const Hello& hello);

/// The version of the protocol in the first kHelloHeader bytes of a hello; nothing: they are none.
std::optional<std::uint16_t> hello_version(const unsigned char* header) noexcept;

/// How many bytes the hello that begins with these kHelloHeader bytes has; nothing: it is none of ours, and
/// `why` says so in words.
std::optional<std::size_t> hello_size(const unsigned char* header, const char*& why) noexcept;

/// A whole hello of hello_size() bytes. Nothing if a name is not an address that can be
/// reached. Throws std::bad_alloc.
std::optional<Hello> decode(const unsigned char* bytes, std::size_t size);

/// A new random identity. Throws std::system_error.
Identity make_identity();

} // namespace fi::kit
