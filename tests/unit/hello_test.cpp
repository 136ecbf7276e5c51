// SPDX-License-Identifier: BSD-2-Clause
//
// The hello of a TCP connection: there and back, and with every field in hostile hands.
#include "kit/devices/hello.hpp"

#include <cstring>
#include <gtest/gtest.h>

namespace fi::kit {
namespace {

// Offsets on the wire; this test is where they are pinned.
constexpr std::size_t kVersionAt = 4;
constexpr std::size_t kNamesAt = 6;
constexpr std::size_t kIdentityAt = 8;
constexpr std::size_t kFeaturesAt = 24;
constexpr std::size_t kFamilyAt = 0; // within a name
constexpr std::size_t kPortAt = 2;
constexpr std::size_t kScopeAt = 4;
constexpr std::size_t kAddressAt = 8;

Hello example()
{
    Hello hello;
    for (std::size_t i = 0; i < hello.identity.size(); i++)
        hello.identity[i] = static_cast<std::uint8_t>(0xf0 + i);
    hello.names = {*Address::parse("fi_sockaddr_in://10.1.2.3:7471"),
                   *Address::parse("fi_sockaddr_in6://[2001:db8::1]:7472")};
    return hello;
}

const unsigned char* bytes_of(const std::string& text)
{
    return reinterpret_cast<const unsigned char*>(text.data());
}

/// What the port does with received bytes. Reads from a copy of exactly their size.
std::optional<Hello> understood(const std::string& text)
{
    const std::vector<unsigned char> exact(text.begin(), text.end());
    const char* why = nullptr;
    const auto size = hello_size(exact.data(), why);
    EXPECT_EQ(size.has_value(), why == nullptr);
    if (!size)
        return std::nullopt;
    EXPECT_EQ(text.size(), *size);
    return *size == exact.size() ? decode(exact.data(), exact.size()) : std::nullopt;
}

template <class T>
std::string with(std::string text, std::size_t at, T value)
{
    std::memcpy(text.data() + at, &value, sizeof value);
    return text;
}

TEST(Hello, ComesBackAsItWas)
{
    const Hello sent = example();
    const auto got = understood(encode(sent));
    ASSERT_TRUE(got);
    EXPECT_EQ(sent.identity, got->identity);
    EXPECT_EQ(sent.names, got->names);
}

TEST(Hello, HasTheBytesThatTheProtocolSays)
{
    const std::string text = encode(example());
    ASSERT_EQ(kHelloHeader + 2 * kHelloName, text.size());
    EXPECT_EQ(std::string("ofis\x01\x00\x02\x00", 8), text.substr(0, 8));
    EXPECT_EQ('\xf0', text[kIdentityAt]);
    EXPECT_EQ(std::string(8, '\0'), text.substr(kFeaturesAt, 8));
    const std::string v4 = text.substr(kHelloHeader, kHelloName);
    EXPECT_EQ(std::string("\x04\x00", 2), v4.substr(kFamilyAt, 2));
    EXPECT_EQ(std::string("\x2f\x1d", 2), v4.substr(kPortAt, 2)) << "7471, little endian";
    EXPECT_EQ(std::string("\x0a\x01\x02\x03", 4), v4.substr(kAddressAt, 4));
    EXPECT_EQ('\x06', text[kHelloHeader + kHelloName]);
}

TEST(Hello, AnyNumberOfNamesThatFitsComesBack)
{
    for (std::size_t count = 1; count <= kMaxNames; count++) {
        Hello hello = example();
        hello.names.assign(count, hello.names[1]);
        const auto got = understood(encode(hello));
        ASSERT_TRUE(got);
        EXPECT_EQ(count, got->names.size());
    }
}

TEST(Hello, MoreNamesThanFitAreLeftOut)
{
    Hello hello = example();
    hello.names.assign(kMaxNames + 1, hello.names[0]);
    const std::string text = encode(hello);
    EXPECT_EQ(kMaxHello, text.size());
    EXPECT_TRUE(understood(text));
}

TEST(Hello, AScopeComesBackForLinkLocalNames)
{
    Hello hello = example();
    sockaddr_in6 local{};
    local.sin6_family = AF_INET6;
    local.sin6_port = htons(1);
    local.sin6_addr.s6_addr[0] = 0xfe;
    local.sin6_addr.s6_addr[1] = 0x80;
    local.sin6_scope_id = 3;
    hello.names = {*Address::from(&local, sizeof local)};
    const std::string text = encode(hello);
    EXPECT_EQ('\x03', text[kHelloHeader + kScopeAt]);
    EXPECT_EQ(hello.names, understood(text)->names);
}

TEST(HostileHello, EveryChangedByteOfTheMagicIsRefusedWithAReason)
{
    for (std::size_t at = 0; at < 4; at++) {
        std::string text = encode(example());
        text[at] = static_cast<char>(text[at] ^ 1);
        const char* why = nullptr;
        EXPECT_FALSE(hello_size(bytes_of(text), why));
        ASSERT_NE(nullptr, why);
        EXPECT_TRUE(std::strstr(why, "protocol"));
    }
}

TEST(HostileHello, AnotherVersionIsRefusedWithItsOwnReason)
{
    for (const std::uint16_t version : {0, 2, 0x0100, 0xffff}) {
        const std::string text = with(encode(example()), kVersionAt, version);
        const char* why = nullptr;
        EXPECT_FALSE(hello_size(bytes_of(text), why));
        ASSERT_NE(nullptr, why);
        EXPECT_TRUE(std::strstr(why, "version"));
    }
}

TEST(HostileHello, ACountOfNamesThatIsZeroOrTooLargeIsRefused)
{
    for (const std::size_t names :
         {std::size_t{0}, kMaxNames + 1, std::size_t{0x0200}, std::size_t{0xffff}}) {
        const std::string text = with(encode(example()), kNamesAt, static_cast<std::uint16_t>(names));
        const char* why = nullptr;
        EXPECT_FALSE(hello_size(bytes_of(text), why));
        EXPECT_NE(nullptr, why);
    }
}

TEST(HostileHello, NoCountThatIsTakenLeadsAboveTheLimit)
{
    for (std::uint32_t names = 0; names <= 0xffff; names++) {
        const std::string text = with(encode(example()), kNamesAt, static_cast<std::uint16_t>(names));
        const char* why = nullptr;
        if (const auto size = hello_size(bytes_of(text), why)) {
            ASSERT_LE(*size, kMaxHello);
            ASSERT_EQ(kHelloHeader + names * kHelloName, *size);
        }
    }
}

TEST(HostileHello, AnyIdentityAndAnyUnknownFeatureIsTaken)
{
    EXPECT_TRUE(understood(with(encode(example()), kFeaturesAt, UINT64_MAX)));
    const auto got = understood(with(encode(example()), kIdentityAt, UINT64_MAX));
    ASSERT_TRUE(got);
    EXPECT_EQ(0xff, got->identity[7]);
}

TEST(HostileHello, ANameOfAnotherFamilyIsRefused)
{
    for (const std::uint16_t family : {0, 1, 2, 5, 10, 0x0400, 0xffff})
        EXPECT_FALSE(understood(with(encode(example()), kHelloHeader + kFamilyAt, family))) << family;
}

TEST(HostileHello, ANameThatNobodyCanReachIsRefused)
{
    const std::string text = encode(example());
    EXPECT_FALSE(understood(with(text, kHelloHeader + kPortAt, std::uint16_t{0}))) << "port 0";
    EXPECT_FALSE(understood(with(text, kHelloHeader + kAddressAt, std::uint32_t{0})))
        << "0.0.0.0 would be ourselves";
    std::string any = text;
    std::memset(any.data() + kHelloHeader + kHelloName + kAddressAt, 0, 16);
    EXPECT_FALSE(understood(any)) << "::";
}

TEST(HostileHello, RandomBytesBehindAGoodHeaderDoNoHarm)
{
    std::uint64_t state = 12345;
    for (int round = 0; round < 20'000; round++) {
        std::string text = encode(example());
        for (std::size_t at = kIdentityAt; at < text.size(); at++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            text[at] = static_cast<char>(state >> 56);
        }
        const auto got = understood(text);
        for (const Address& name : got ? got->names : std::vector<Address>{})
            ASSERT_TRUE(name.family() == AF_INET || name.family() == AF_INET6);
    }
}

TEST(Identity, IsAnotherOneEachTime)
{
    EXPECT_NE(make_identity(), make_identity());
}

} // namespace
} // namespace fi::kit
