// SPDX-License-Identifier: BSD-2-Clause
// fi_info's JSON, read back by another program's parser: valid whatever bytes names hold, and no field left
// out.

#include <string>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <nlohmann/json.hpp>

#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

#include "json_info.hpp"
#include "json_writer.hpp"

namespace {

using namespace fi::tools::info;
using Json = nlohmann::json;

std::string written(std::string_view text)
{
    JsonWriter json;
    json.text(text);
    return json.take();
}

TEST(JsonWriter, NestsWithCommasBetweenAndNoneAtTheEnd)
{
    JsonWriter json;
    json.open_object();
    json.key("none");
    json.open_array();
    json.close_array();
    json.key("two");
    json.open_array();
    json.number(1);
    json.null();
    json.close_array();
    json.key("mask");
    json.hex(0xF00000000000000FULL);
    json.close_object();
    EXPECT_EQ(
        json.take(),
        "{\n  \"none\": [],\n  \"two\": [\n    1,\n    null\n  ],\n  \"mask\": \"0xf00000000000000f\"\n}\n");
}

TEST(JsonWriter, EscapesWhatAStringMayNotHold)
{
    EXPECT_EQ(written("a\"b\\c\n\t\x01\x7f"), "\"a\\\"b\\\\c\\n\\t\\u0001\\u007f\"\n");
    EXPECT_EQ(Json::parse(written(std::string_view("\0x", 2))), std::string("\0x", 2));
}

TEST(JsonWriter, KeepsUtf8AndReplacesEveryByteThatIsNone)
{
    EXPECT_EQ(written("\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"), "\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\"\n");
    const std::string replaced = "\xEF\xBF\xBD";
    for (const char* broken : {"\x80", "\xC0", "\xFF", "\xC3", "\xE9"})
        EXPECT_EQ(written(broken), '"' + replaced + "\"\n") << broken;
    EXPECT_EQ(written("\xC0\xAF"), '"' + replaced + replaced + "\"\n") << "overlong";
    EXPECT_EQ(written("\xED\xA0\x80"), '"' + replaced + replaced + replaced + "\"\n") << "surrogate";
    EXPECT_EQ(written("\xF4\x90\x80\x80"), '"' + replaced + replaced + replaced + replaced + "\"\n")
        << "too large";
}

TEST(JsonWriter, StaysValidForEveryByteInEveryPlace)
{
    for (int byte = 0; byte < 256; ++byte) {
        for (const char* frame : {"?", "a?", "?a", "\xE2?", "\xE2\x82?", "\xF0\x9F?\x80"}) {
            std::string text = frame;
            text[text.find('?')] = static_cast<char>(byte);
            EXPECT_TRUE(Json::accept(written(text))) << byte << " in " << frame;
        }
    }
}

Json read_back(const fi_info& info)
{
    JsonWriter json;
    write_info(json, info);
    return Json::parse(json.take());
}

TEST(InfoJson, HoldsNullForEachMissingBlockAndString)
{
    const Json json = read_back(fi_info{});
    for (const char* name : {"src_addr", "src_addr_bytes", "dest_addr", "handle", "tx_attr", "rx_attr",
                             "ep_attr", "domain_attr", "fabric_attr", "nic"})
        EXPECT_TRUE(json.at(name).is_null()) << name;
    EXPECT_EQ(json.at("caps"), Json::array());
    EXPECT_EQ(json.at("caps_bits"), "0x0");
}

TEST(InfoJson, NamesFlagsAndKeepsTheBitsThatHaveNoName)
{
    fi_info info{};
    info.caps = FI_MSG | FI_TAGGED | (1ULL << 63);
    info.addr_format = FI_SOCKADDR_IN;
    const Json json = read_back(info);
    EXPECT_EQ(json.at("caps"), Json({"FI_MSG", "FI_TAGGED"}));
    EXPECT_EQ(json.at("caps_bits"), "0x800000000000000a");
    EXPECT_EQ(json.at("addr_format"), "FI_SOCKADDR_IN");
    EXPECT_EQ(json.at("addr_format_value"), 2);
}

TEST(InfoJson, WritesAnAddressAsTextAndAsBytes)
{
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(80);
    address.sin_addr.s_addr = htonl(0x7F000001);
    fi_info info{};
    info.addr_format = FI_SOCKADDR_IN;
    info.dest_addr = &address;
    info.dest_addrlen = sizeof address;
    const Json json = read_back(info);
    EXPECT_EQ(json.at("dest_addr"), "fi_sockaddr_in://127.0.0.1:80");
    EXPECT_EQ(json.at("dest_addr_bytes"), "020000507f0000010000000000000000");
    EXPECT_EQ(json.at("dest_addrlen"), 16);
}

TEST(InfoJson, HoldsTheDeviceBelow)
{
    char text[] = "text";
    fi_device_attr device{text, text, text, text, text, nullptr};
    fi_bus_attr bus{};
    bus.bus_type = FI_BUS_PCI;
    bus.attr.pci = {1, 2, 3, 4};
    fi_link_attr link{text, 1500, 100000000000ULL, FI_LINK_UP, text};
    fid_nic nic{};
    nic.device_attr = &device;
    nic.bus_attr = &bus;
    nic.link_attr = &link;
    fi_info info{};
    info.nic = &nic;
    const Json json = read_back(info).at("nic");
    EXPECT_EQ(json.at("device_attr"), Json({{"name", "text"},
                                            {"device_id", "text"},
                                            {"device_version", "text"},
                                            {"vendor_id", "text"},
                                            {"driver", "text"},
                                            {"firmware", nullptr}}));
    EXPECT_EQ(json.at("bus_attr"),
              Json({{"bus_type", "FI_BUS_PCI"},
                    {"pci", {{"domain_id", 1}, {"bus_id", 2}, {"device_id", 3}, {"function_id", 4}}}}));
    EXPECT_EQ(json.at("link_attr"), Json({{"address", "text"},
                                          {"mtu", 1500},
                                          {"speed", 100000000000ULL},
                                          {"state", "FI_LINK_UP"},
                                          {"network_type", "text"}}));
}

// Counted by hand in the structures: a field that is added there is missed here.
TEST(InfoJson, HasAMemberForEveryField)
{
    fi_tx_attr tx{};
    fi_rx_attr rx{};
    fi_ep_attr ep{};
    fi_domain_attr domain{};
    fi_fabric_attr fabric{};
    uint8_t key[] = {0xAB, 0xCD};
    ep.auth_key = key;
    ep.auth_key_size = sizeof key;
    domain.auth_key_size = FI_AV_AUTH_KEY;
    domain.max_cntr_value = UINT64_MAX;
    domain.mr_mode = FI_MR_LOCAL;
    fabric.prov_version = FI_VERSION(206, 10);
    fi_info info{};
    info.tx_attr = &tx;
    info.rx_attr = &rx;
    info.ep_attr = &ep;
    info.domain_attr = &domain;
    info.fabric_attr = &fabric;
    const Json json = read_back(info);
    constexpr int kFlagSets = 1; // each set and each enumerator takes one member more
    EXPECT_EQ(json.at("tx_attr").size(), 10U + 4 * kFlagSets);
    EXPECT_EQ(json.at("rx_attr").size(), 8U + 4 * kFlagSets);
    EXPECT_EQ(json.at("ep_attr").size(), 13U + 2 * kFlagSets);
    EXPECT_EQ(json.at("domain_attr").size(), 31U + 8 * kFlagSets);
    EXPECT_EQ(json.at("fabric_attr").size(), 5U);
    EXPECT_EQ(json.at("ep_attr").at("auth_key"), "abcd");
    EXPECT_TRUE(json.at("domain_attr").at("auth_key").is_null());
    EXPECT_EQ(json.at("domain_attr").at("auth_key_size"), SIZE_MAX);
    EXPECT_EQ(json.at("domain_attr").at("max_cntr_value"), UINT64_MAX);
    EXPECT_EQ(json.at("domain_attr").at("mr_mode"), Json({"FI_MR_LOCAL"}));
    EXPECT_EQ(json.at("fabric_attr").at("prov_version"), "206.10");
}

} // namespace
