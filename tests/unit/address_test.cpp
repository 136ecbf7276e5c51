// SPDX-License-Identifier: BSD-2-Clause
//
// Socket addresses in all the forms of the API, and which of them a query is about.

#include "kit/objects/address.hpp"
#include "kit/objects/resolve.hpp"

#include "log/log.hpp"

#include <arpa/inet.h>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <rdma/fabric.h>
#include <rdma/fi_errno.h>
#include <string>
#include <vector>

namespace {

using fi::kit::Address;
using fi::kit::Resolved;

Address address(const std::string& text)
{
    const auto out = Address::parse(text);
    EXPECT_TRUE(out) << text;
    return out.value_or(Address());
}

TEST(Address, TextIsParsedAndPrintedTheSame)
{
    for (const char* text : {"fi_sockaddr_in://127.0.0.1:80", "fi_sockaddr_in://0.0.0.0:0",
                             "fi_sockaddr_in://255.255.255.255:65535", "fi_sockaddr_in6://[::1]:7471",
                             "fi_sockaddr_in6://[2001:db8::5]:1", "fi_sockaddr_in6://[fe80::1%1]:9"})
        EXPECT_EQ(address(text).text(), text);
}

TEST(Address, C26_LaterPartsOfATextAreOptional)
{
    EXPECT_EQ(address("fi_sockaddr_in://10.1.2.3").text(), "fi_sockaddr_in://10.1.2.3:0");
    EXPECT_EQ(address("fi_sockaddr_in://:5").text(), "fi_sockaddr_in://0.0.0.0:5");
    EXPECT_EQ(address("fi_sockaddr_in6://[::1]").text(), "fi_sockaddr_in6://[::1]:0");
    EXPECT_EQ(address("fi_sockaddr://[::1]:4").text(), "fi_sockaddr_in6://[::1]:4");
    EXPECT_EQ(address("fi_sockaddr_ip://10.0.0.1:4").text(), "fi_sockaddr_in://10.0.0.1:4");
    EXPECT_EQ(address("fi_sockaddr_in6://[fe80::2%lo]:3").text(), "fi_sockaddr_in6://[fe80::2%1]:3");
}

TEST(Address, B06_TextThatIsNoAddressIsNotParsed)
{
    const std::string many(4096, 'a');
    for (const std::string& text : {std::string(),
                                    std::string("://"),
                                    std::string("fi_sockaddr_in"),
                                    std::string("fi_sockaddr_in:/1.2.3.4"),
                                    many + "://1.2.3.4:5",
                                    "fi_sockaddr_in://" + many + ":5",
                                    "fi_sockaddr_in://1.2.3.4:" + many,
                                    std::string("fi_sockaddr_in6://[::1:5"),
                                    "fi_sockaddr_in6://[" + many,
                                    std::string("fi_sockaddr_in6://::1:5"),
                                    std::string("fi_sockaddr_in://1.2.3.4:65536"),
                                    std::string("fi_sockaddr_in://1.2.3.4:99999999999999999999"),
                                    std::string("fi_sockaddr_in://1.2.3.4:-1"),
                                    std::string("fi_sockaddr_in://1.2.3.4:5x"),
                                    std::string("fi_sockaddr_in://1.2.3.4:5/6"),
                                    std::string("fi_sockaddr_in://1.2.3.4:5?a=b"),
                                    std::string("fi_sockaddr_in://1.2.3:5"),
                                    std::string("fi_sockaddr_in://localhost:5"),
                                    std::string("fi_sockaddr_in://[::1]:5"),
                                    std::string("fi_sockaddr_in6://[1.2.3.4]:5"),
                                    std::string("fi_sockaddr_in6://[fe80::1%nosuchlink]:5"),
                                    std::string("fi_sockaddr_in6://[::1]5"),
                                    std::string("fi_addr_efa://[::1]:5:6"),
                                    std::string("fi_sockaddr_in://1.2.3.4\0:5", 25)})
        EXPECT_FALSE(Address::parse(text)) << text.substr(0, 60);
}

TEST(Address, B06_NoMutationOfATextMakesTheParserMisbehave)
{
    std::mt19937 random(7);
    const std::string seeds[] = {"fi_sockaddr_in://127.0.0.1:80", "fi_sockaddr_in6://[fe80::1%1]:9/x?y=z"};
    for (int round = 0; round < 20000; ++round) {
        std::string text = seeds[random() % 2];
        for (unsigned changes = random() % 4; changes; --changes) {
            const size_t at = random() % (text.size() + 1);
            switch (random() % 3) {
            case 0:
                text.insert(at, 1, static_cast<char>(random()));
                break;
            case 1:
                text.erase(at, random() % 3);
                break;
            default:
                text.insert(at, text.substr(random() % (text.size() + 1), random() % 9));
            }
        }
        if (const auto parsed = Address::parse(text)) {
            EXPECT_EQ(Address::parse(parsed->text()), parsed) << text;
        }
    }
}

TEST(Address, BytesOfOtherFamiliesOrTooFewAreNoAddress)
{
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    EXPECT_TRUE(Address::from(&v6, sizeof(v6)));
    EXPECT_FALSE(Address::from(&v6, sizeof(v6) - 1));
    EXPECT_FALSE(Address::from(&v6, 0));
    EXPECT_FALSE(Address::from(nullptr, sizeof(v6)));
    v6.sin6_family = AF_UNIX;
    EXPECT_FALSE(Address::from(&v6, sizeof(v6)));
    v6.sin6_family = AF_INET;
    EXPECT_FALSE(Address::from(&v6, sizeof(sockaddr_in) - 1));
}

TEST(Address, PaddingAndFlowLabelsPlayNoPartInEquality)
{
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    v4.sin_port = htons(5);
    sockaddr_in padded = v4;
    std::memset(padded.sin_zero, 0xaa, sizeof(padded.sin_zero));
    EXPECT_EQ(Address::from(&v4, sizeof(v4)), Address::from(&padded, sizeof(padded)));
    EXPECT_EQ(Address::from(&v4, sizeof(v4))->hash(), Address::from(&padded, sizeof(padded))->hash());

    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    sockaddr_in6 labelled = v6;
    labelled.sin6_flowinfo = 9;
    labelled.sin6_scope_id = 3;
    EXPECT_EQ(Address::from(&v6, sizeof(v6)), Address::from(&labelled, sizeof(labelled)));
    EXPECT_NE(address("fi_sockaddr_in6://[fe80::1%1]:9"), address("fi_sockaddr_in6://[fe80::1%2]:9"));
}

TEST(Address, B20_AShortBufferIsFilledAndTheFullSizeTold)
{
    const Address v4 = address("fi_sockaddr_in://127.0.0.1:80");
    for (const uint32_t format : {FI_SOCKADDR_IN, FI_ADDR_STR}) {
        const size_t full =
            format == FI_ADDR_STR ? sizeof("fi_sockaddr_in://127.0.0.1:80") : sizeof(sockaddr_in);
        std::vector<char> whole(full);
        ASSERT_EQ(v4.store(format, whole.data(), full), full);
        for (size_t room = 0; room <= full + 100; ++room) {
            std::vector<char> buffer(room + 1, '#');
            size_t size = room;
            EXPECT_EQ(fi::kit::give_name(v4, format, room ? buffer.data() : nullptr, &size),
                      room < full ? -FI_ETOOSMALL : 0);
            EXPECT_EQ(size, full);
            EXPECT_EQ(buffer[room], '#') << "written past the end";
            const size_t same =
                std::min(room, full) - (format == FI_ADDR_STR && room && room <= full ? 1 : 0);
            EXPECT_EQ(std::memcmp(buffer.data(), whole.data(), same), 0);
            if (format == FI_ADDR_STR && room) {
                EXPECT_LT(strnlen(buffer.data(), room), room) << "a text always ends";
            }
        }
    }
    size_t size = 4;
    EXPECT_EQ(fi::kit::give_name(v4, FI_SOCKADDR_IN, nullptr, &size), -FI_EINVAL);
    EXPECT_EQ(fi::kit::give_name(v4, FI_SOCKADDR_IN, &size, nullptr), -FI_EINVAL);
}

TEST(Address, C25_EachFormatTakesItsFamilies)
{
    const Address v4 = address("fi_sockaddr_in://127.0.0.1:80"), v6 = address("fi_sockaddr_in6://[::1]:80");
    const struct {
        uint32_t format;
        bool takes4, takes6;
    } kRows[] = {{FI_FORMAT_UNSPEC, true, true}, {FI_SOCKADDR, true, true},
                 {FI_SOCKADDR_IP, true, true},   {FI_ADDR_STR, true, true},
                 {FI_SOCKADDR_IN, true, false},  {FI_SOCKADDR_IN6, false, true},
                 {FI_SOCKADDR_IB, false, false}, {FI_ADDR_EFA, false, false}};
    for (const auto& row : kRows)
        for (const Address& one : {v4, v6}) {
            char bytes[128] = {};
            const size_t size = one.store(row.format, bytes, sizeof(bytes));
            const bool takes = one == v4 ? row.takes4 : row.takes6;
            EXPECT_EQ(Address::load(row.format, bytes, size), takes ? std::optional(one) : std::nullopt)
                << row.format;
        }
}

TEST(Address, LoopbackAndWildcardAreRecognised)
{
    EXPECT_TRUE(address("fi_sockaddr_in://127.1.2.3:1").is_loopback());
    EXPECT_TRUE(address("fi_sockaddr_in6://[::1]:1").is_loopback());
    EXPECT_FALSE(address("fi_sockaddr_in://10.0.0.1:1").is_loopback());
    EXPECT_TRUE(address("fi_sockaddr_in://0.0.0.0:1").is_wildcard());
    EXPECT_TRUE(address("fi_sockaddr_in6://[::]:1").is_wildcard());
    EXPECT_EQ(address("fi_sockaddr_in6://[::]:1").format(), uint32_t{FI_SOCKADDR_IN6});
}

TEST(Address, TheSystemSaysFromWhereItTalksToAPeer)
{
    const auto local = fi::kit::local_address_towards(address("fi_sockaddr_in://127.0.0.1:9"));
    ASSERT_TRUE(local);
    EXPECT_EQ(local->text(), "fi_sockaddr_in://127.0.0.1:0");
}

/// One query with hints that may carry addresses.
struct Query {
    fi_provider provider{};
    fi_info hints{};
    std::vector<std::string> reasons;

    Query() { provider.name = "sample"; }

    int run(const char* node, const char* service, uint64_t flags, Resolved& out, bool with_hints = true)
    {
        const fi::core::log::Capture capture;
        const int status =
            fi::kit::resolve(provider, node, service, flags, with_hints ? &hints : nullptr, out);
        for (const auto& line : capture.lines())
            reasons.push_back(line.text);
        return status;
    }
};

std::string texts(const std::vector<Address>& addresses)
{
    std::string out;
    for (const Address& one : addresses)
        out += (out.empty() ? "" : " ") + one.text();
    return out;
}

// C14 and C16 to C20: every combination of node, service, FI_SOURCE and the two addresses in the hints.
class EveryCombination : public testing::TestWithParam<int> {};

TEST_P(EveryCombination, NamesTheRightSourceAndPeer)
{
    const bool node = GetParam() & 1, service = GetParam() & 2, source = GetParam() & 4, src = GetParam() & 8,
               dest = GetParam() & 16;
    const bool named = node || service;
    const Address hinted_src = address("fi_sockaddr_in://127.0.0.2:20");
    const Address hinted_dest = address("fi_sockaddr_in://127.0.0.3:30");
    Address src_bytes = hinted_src, dest_bytes = hinted_dest;

    Query query;
    query.hints.addr_format = FI_SOCKADDR_IN;
    query.hints.src_addrlen = query.hints.dest_addrlen = sizeof(sockaddr_in); // means nothing beside NULL
    if (src)
        query.hints.src_addr = const_cast<sockaddr*>(src_bytes.data());
    if (dest)
        query.hints.dest_addr = const_cast<sockaddr*>(dest_bytes.data());
    Resolved out;
    const int status =
        query.run(node ? "127.0.0.1" : nullptr, service ? "80" : nullptr, source ? FI_SOURCE : 0, out);
    if (source && !named) {
        EXPECT_EQ(status, -FI_EINVAL);
        ASSERT_EQ(query.reasons.size(), 1U);
        return;
    }
    ASSERT_EQ(status, 0);
    const std::string host = node ? "127.0.0.1" : source ? "0.0.0.0" : "127.0.0.1";
    const std::string looked_up = "fi_sockaddr_in://" + host + (service ? ":80" : ":0");
    EXPECT_EQ(texts(out.sources), source ? looked_up : src ? hinted_src.text() : "");
    EXPECT_EQ(texts(out.peers), named && !source ? looked_up : dest ? hinted_dest.text() : "");
    EXPECT_TRUE(query.reasons.empty());
}

std::string combination_name(const testing::TestParamInfo<int>& info)
{
    const char* const names[] = {"Node", "Service", "Source", "SrcAddr", "DestAddr"};
    std::string name;
    for (int bit = 0; bit < 5; ++bit)
        if (info.param & (1 << bit))
            name += names[bit];
    return name.empty() ? "Nothing" : name;
}
INSTANTIATE_TEST_SUITE_P(Resolve, EveryCombination, testing::Range(0, 32), combination_name);

TEST(Resolve, NoHintsAreHintsWithoutAddresses)
{
    Query query;
    Resolved out;
    EXPECT_EQ(query.run(nullptr, nullptr, 0, out, false), 0);
    EXPECT_TRUE(out.sources.empty() && out.peers.empty());
    EXPECT_EQ(query.run("127.0.0.1", "1", 0, out, false), 0);
    EXPECT_EQ(texts(out.peers), "fi_sockaddr_in://127.0.0.1:1");
}

TEST(Resolve, C22_AnAddressWithoutALengthIsAnError)
{
    Address bytes = address("fi_sockaddr_in://127.0.0.2:20");
    Query query;
    query.hints.src_addr = const_cast<sockaddr*>(bytes.data());
    Resolved out;
    EXPECT_EQ(query.run(nullptr, nullptr, 0, out), -FI_EINVAL);
    EXPECT_EQ(query.reasons[0].rfind("refused src_addr: asked 0 bytes", 0), 0U);
}

TEST(Resolve, C23_AHintedAddressIsReadInTheHintedFormat)
{
    char text[] = "fi_sockaddr_in6://[::1]:5";
    Query query;
    query.hints.addr_format = FI_ADDR_STR;
    query.hints.dest_addr = text;
    query.hints.dest_addrlen = sizeof(text);
    Resolved out;
    EXPECT_EQ(query.run(nullptr, nullptr, 0, out), 0);
    EXPECT_EQ(texts(out.peers), text);
    query.hints.addr_format = FI_SOCKADDR_IN;
    EXPECT_EQ(query.run(nullptr, nullptr, 0, out), -FI_ENODATA);
    EXPECT_EQ(query.reasons,
              std::vector<std::string>{
                  "refused dest_addr: asked 26 bytes that are no address of format FI_SOCKADDR_IN, "
                  "offered IPv4 and IPv6 socket addresses"});
}

TEST(Resolve, C23_AFormatOfOtherDevicesIsRefusedBeforeAnythingIsLookedUp)
{
    Query query;
    query.hints.addr_format = FI_ADDR_EFA;
    Resolved out;
    EXPECT_EQ(query.run("no.such.host", nullptr, 0, out), -FI_ENODATA);
    EXPECT_EQ(query.reasons, std::vector<std::string>{"refused addr_format: asked FI_ADDR_EFA, offered "
                                                      "FI_SOCKADDR_IN, FI_SOCKADDR_IN6"});
}

TEST(Resolve, C26_C27_ANodeMayBeAnAddressStringWithoutAService)
{
    Query query;
    Resolved out;
    EXPECT_EQ(query.run("fi_sockaddr_in://127.0.0.1:7", nullptr, 0, out), 0);
    EXPECT_EQ(texts(out.peers), "fi_sockaddr_in://127.0.0.1:7");
    EXPECT_EQ(query.run("fi_sockaddr_in6://[::1]:7", nullptr, FI_SOURCE, out), 0);
    EXPECT_EQ(texts(out.sources), "fi_sockaddr_in6://[::1]:7");
    EXPECT_EQ(query.run("fi_sockaddr_in://127.0.0.1:7", "8", 0, out), -FI_EINVAL);
    EXPECT_EQ(query.run("fi_addr_efa://[::1]:1:2", nullptr, 0, out), -FI_ENODATA);
    query.hints.addr_format = FI_SOCKADDR_IN6;
    EXPECT_EQ(query.run("fi_sockaddr_in://127.0.0.1:7", nullptr, 0, out), -FI_ENODATA);
}

TEST(Resolve, B06_HostileNodesAreRefusedWithAReasonOfOneLine)
{
    const std::string many(4096, 'a');
    Query query;
    Resolved out;
    EXPECT_EQ(query.run((many + "://x").c_str(), nullptr, 0, out), -FI_ENODATA);
    EXPECT_EQ(query.run(("fi_sockaddr_in://" + many).c_str(), nullptr, 0, out), -FI_ENODATA);
    EXPECT_EQ(query.run("1.2.3.4\n://", nullptr, 0, out), -FI_ENODATA);
    for (const std::string& reason : query.reasons) {
        EXPECT_EQ(reason.find('\n'), std::string::npos);
        EXPECT_LT(reason.size(), 300U);
    }
}

TEST(Resolve, C28_NumericHostAsksNoNameService)
{
    Query query;
    Resolved out;
    EXPECT_EQ(query.run("localhost", "5", FI_NUMERICHOST, out), -FI_ENODATA);
    ASSERT_EQ(query.reasons.size(), 1U);
    EXPECT_EQ(query.reasons[0].rfind("refused node: asked localhost:5, offered no address (", 0), 0U);
    EXPECT_EQ(query.run("::1", "5", FI_NUMERICHOST, out), 0);
    EXPECT_EQ(texts(out.peers), "fi_sockaddr_in6://[::1]:5");
}

TEST(Resolve, AnAddressThatIsFoundTwiceIsNamedOnce)
{
    Query query;
    Resolved out;
    ASSERT_EQ(query.run("localhost", "5", 0, out), 0);
    for (size_t i = 0; i < out.peers.size(); ++i)
        for (size_t j = i + 1; j < out.peers.size(); ++j)
            EXPECT_NE(out.peers[i], out.peers[j]);
}

} // namespace
