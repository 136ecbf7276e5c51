// SPDX-License-Identifier: BSD-2-Clause
// fi_tostr of structures: every recorded line, addresses, objects that describe themselves, and buffers of
// every length.
#include <arpa/inet.h>
#include <climits>
#include <cstring>
#include <string>
#include <sys/mman.h>
#include <vector>

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>

#include "table.hpp"

using fi::test::Row;
using fi::test::table;

namespace {

void* at(uintptr_t address)
{
    return reinterpret_cast<void*>(address);
}

// The values that the table's samples show.
struct Samples {
    sockaddr_in address{};
    fi_tx_attr tx{};
    fi_rx_attr rx{};
    fi_ep_attr ep{};
    fi_domain_attr domain{};
    fi_fabric_attr fabric{};
    fi_info info{};
    fi_av_attr av{};
    fi_cq_attr cq{};
    fi_mr_attr mr{};
    fi_cntr_attr cntr{};
    fi_cq_err_entry error{};
    char domain_name[4] = "DOM", fabric_name[4] = "FAB", prov_name[16] = "core;ofi_rxm";

    Samples()
    {
        address.sin_family = AF_INET;
        address.sin_port = htons(80);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        tx.caps = FI_SEND;
        tx.op_flags = FI_COMPLETION | FI_INJECT;
        tx.msg_order = FI_ORDER_RAR | FI_ORDER_RAW;
        tx.inject_size = 11;
        tx.size = 12;
        tx.iov_limit = 13;
        tx.rma_iov_limit = 14;
        tx.tclass = 0x205;
        rx.caps = FI_RECV;
        rx.size = 22;
        rx.iov_limit = 23;
        ep.type = FI_EP_RDM;
        ep.protocol = FI_PROTO_RXM;
        ep.protocol_version = 31;
        ep.max_msg_size = 32;
        ep.msg_prefix_size = 33;
        ep.max_order_raw_size = 34;
        ep.max_order_war_size = 35;
        ep.max_order_waw_size = 36;
        ep.mem_tag_format = 0xaaaa;
        ep.tx_ctx_cnt = FI_SHARED_CONTEXT;
        ep.rx_ctx_cnt = 38;
        fill_domain();
        fabric.name = fabric_name;
        fabric.prov_name = prov_name;
        fabric.prov_version = FI_VERSION(206, 0);
        fabric.api_version = FI_VERSION(1, 17);
        info.caps = FI_MSG | FI_RMA;
        info.mode = FI_CONTEXT;
        info.addr_format = FI_SOCKADDR_IN;
        info.src_addr = &address;
        info.src_addrlen = sizeof address;
        info.tx_attr = &tx;
        info.rx_attr = &rx;
        info.ep_attr = &ep;
        info.domain_attr = &domain;
        info.fabric_attr = &fabric;
        fill_queues();
    }

    void fill_domain()
    {
        domain.name = domain_name;
        domain.threading = FI_THREAD_SAFE;
        domain.progress = FI_PROGRESS_MANUAL;
        domain.resource_mgmt = FI_RM_ENABLED;
        domain.av_type = FI_AV_MAP;
        domain.mr_mode = FI_MR_VIRT_ADDR;
        domain.mr_key_size = 41;
        domain.cq_data_size = 42;
        domain.cq_cnt = 43;
        domain.ep_cnt = 44;
        domain.tx_ctx_cnt = 45;
        domain.rx_ctx_cnt = 46;
        domain.max_ep_tx_ctx = 47;
        domain.max_ep_rx_ctx = 48;
        domain.max_ep_stx_ctx = 49;
        domain.max_ep_srx_ctx = 50;
        domain.cntr_cnt = 51;
        domain.mr_iov_limit = 52;
        domain.caps = FI_LOCAL_COMM;
        domain.max_err_data = 54;
        domain.mr_cnt = 55;
        domain.tclass = 0x100;
    }

    void fill_queues()
    {
        av.type = FI_AV_TABLE;
        av.count = 61;
        av.ep_per_node = 62;
        av.name = "NM";
        av.flags = FI_EVENT | FI_READ | FI_SYMMETRIC;
        cq.size = 63;
        cq.flags = FI_AFFINITY;
        cq.format = FI_CQ_FORMAT_TAGGED;
        cq.wait_obj = FI_WAIT_FD;
        cq.signaling_vector = 64;
        cq.wait_cond = FI_CQ_COND_THRESHOLD;
        mr.mr_iov = static_cast<const iovec*>(at(0x1000));
        mr.iov_count = 65;
        mr.access = FI_RECV | FI_SEND | FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE | FI_COLLECTIVE;
        mr.offset = 0x66;
        mr.requested_key = 0x67;
        mr.context = at(0x68);
        mr.auth_key_size = 69;
        mr.iface = FI_HMEM_CUDA;
        cntr.events = FI_CNTR_EVENTS_BYTES;
        cntr.wait_obj = FI_WAIT_YIELD;
        cntr.flags = 0x70;
        error.op_context = at(0x71);
        error.flags = 0x72;
        error.len = 73;
        error.buf = at(0x74);
        error.data = 75;
        error.tag = 0x76;
        error.olen = 77;
        error.err = 78;
        error.prov_errno = 79;
        error.err_data = at(0x80);
        error.err_data_size = 81;
        error.src_addr = 82;
    }

    struct Entry {
        fi_type type;
        const void* data;
    };
    std::map<std::string, Entry> all() const
    {
        return {
            {"FI_TYPE_INFO", {FI_TYPE_INFO, &info}},
            {"FI_TYPE_TX_ATTR", {FI_TYPE_TX_ATTR, &tx}},
            {"FI_TYPE_RX_ATTR", {FI_TYPE_RX_ATTR, &rx}},
            {"FI_TYPE_EP_ATTR", {FI_TYPE_EP_ATTR, &ep}},
            {"FI_TYPE_DOMAIN_ATTR", {FI_TYPE_DOMAIN_ATTR, &domain}},
            {"FI_TYPE_FABRIC_ATTR", {FI_TYPE_FABRIC_ATTR, &fabric}},
            {"FI_TYPE_AV_ATTR", {FI_TYPE_AV_ATTR, &av}},
            {"FI_TYPE_CQ_ATTR", {FI_TYPE_CQ_ATTR, &cq}},
            {"FI_TYPE_MR_ATTR", {FI_TYPE_MR_ATTR, &mr}},
            {"FI_TYPE_CNTR_ATTR", {FI_TYPE_CNTR_ATTR, &cntr}},
            {"FI_TYPE_CQ_ERR_ENTRY", {FI_TYPE_CQ_ERR_ENTRY, &error}},
        };
    }
};

std::string text_of(const void* data, fi_type type)
{
    std::vector<char> buf(16384);
    return fi_tostr_r(buf.data(), buf.size(), data, type);
}

// The table's text for each (type, case).
std::map<std::pair<std::string, std::string>, std::string> expected_texts()
{
    std::map<std::pair<std::string, std::string>, std::string> texts;
    for (const Row& row : table("tostr_layout.tsv")) {
        std::string value = row.at("sample_value");
        // The released library prints err here; ours prints the member that the line names.
        if (row.at("fi_type") == "FI_TYPE_CQ_ERR_ENTRY" && row.at("key") == "prov_errno")
            value = " 79";
        texts[{row.at("fi_type"), row.at("case")}] +=
            std::string(std::stoul(row.at("indent")), ' ') + row.at("key") + ":" + value + "\n";
    }
    // And it leaves src_addr out.
    texts[{"FI_TYPE_CQ_ERR_ENTRY", "layout (err=78 prov_errno=79)"}] += "    src_addr: 82\n";
    return texts;
}

std::string line_of(const std::string& text, const std::string& key)
{
    const size_t start = text.find(" " + key + ": ");
    return start == text.npos
               ? ""
               : text.substr(start + key.size() + 3, text.find('\n', start) - start - key.size() - 3);
}

std::string address_text(uint32_t format, const void* address, size_t length)
{
    fi_info info{};
    info.addr_format = format;
    info.src_addr = const_cast<void*>(address);
    info.src_addrlen = length;
    return line_of(text_of(&info, FI_TYPE_INFO), "src_addr");
}

} // namespace

TEST(TostrLayout, PrintsEveryStructureAsTheReleasedLibraryDoes)
{
    Samples samples;
    Samples sparse;
    sparse.info.tx_attr = nullptr;
    sparse.info.rx_attr = nullptr;
    sparse.info.ep_attr = nullptr;
    sparse.domain.name = nullptr;
    int checked = 0;
    for (const auto& [key, expected] : expected_texts()) {
        const auto entry =
            (key.second.starts_with("layout with NULL") ? sparse : samples).all().at(key.first);
        EXPECT_EQ(expected, text_of(entry.data, entry.type)) << key.first << ", " << key.second;
        ++checked;
    }
    EXPECT_EQ(checked, 12);
}

TEST(TostrLayout, SaysWhenTheSourceOfAnErrorIsNotKnown)
{
    Samples samples;
    samples.error.src_addr = FI_ADDR_NOTAVAIL;
    EXPECT_EQ("FI_ADDR_NOTAVAIL", line_of(text_of(&samples.error, FI_TYPE_CQ_ERR_ENTRY), "src_addr"));
}

// The buffer ends where readable memory ends, and canaries stand before it.
TEST(TostrLayout, StaysInsideABufferOfAnyLength)
{
    constexpr size_t kRoom = 16384;
    auto* base = static_cast<char*>(
        mmap(nullptr, kRoom + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(base, MAP_FAILED);
    ASSERT_EQ(mprotect(base + kRoom, 4096, PROT_NONE), 0);
    Samples samples;
    for (const auto& [name, entry] : samples.all()) {
        const std::string full = text_of(entry.data, entry.type);
        for (size_t len = 1; len < full.size() + 4; ++len) {
            memset(base, 0x5a, kRoom);
            char* buf = base + kRoom - len;
            ASSERT_EQ(fi_tostr_r(buf, len, entry.data, entry.type), buf);
            const size_t length = strnlen(buf, len);
            ASSERT_LE(length, len > 2 ? len - 2 : 0) << name << " " << len;
            for (const char* byte = buf - 64; byte < buf; ++byte)
                ASSERT_EQ(*byte, 0x5a) << name << " " << len;
            if (len >= full.size() + 2) {
                ASSERT_EQ(full, buf) << name << " " << len;
            }
        }
    }
    munmap(base, kRoom + 4096);
}

TEST(TostrLayout, WritesAddressesInTheirNotation)
{
    sockaddr_in6 in6{};
    in6.sin6_family = AF_INET6;
    in6.sin6_port = htons(4711);
    in6.sin6_addr = in6addr_loopback;
    for (uint32_t format : {FI_SOCKADDR, FI_SOCKADDR_IP, FI_SOCKADDR_IN6})
        EXPECT_EQ("fi_sockaddr_in6://[::1]:4711", address_text(format, &in6, sizeof in6));

    Samples samples;
    for (uint32_t format : {FI_SOCKADDR, FI_SOCKADDR_IP, FI_SOCKADDR_IN})
        EXPECT_EQ("fi_sockaddr_in://127.0.0.1:80",
                  address_text(format, &samples.address, sizeof samples.address));

    EXPECT_EQ("soft://here", address_text(FI_ADDR_STR, "soft://here", sizeof "soft://here"));

    uint8_t ib[48] = {27, 0, 0x80, 0x01}; // family, pkey; then flow label, gid, service id
    ib[8] = 0xfe, ib[9] = 0x80, ib[23] = 1;
    ib[28] = 0x01, ib[29] = 0x06;
    ib[47] = 7;
    for (uint32_t format : {FI_SOCKADDR, FI_SOCKADDR_IB})
        EXPECT_EQ("fi_sockaddr_ib://[fe80::1]:0x8001:0x106:0x7", address_text(format, ib, sizeof ib))
            << format;

    struct {
        uint8_t gid[16];
        uint16_t qpn, pad;
        uint32_t qkey;
    } efa = {{0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2}, 300, 0, 70000};
    EXPECT_EQ("fi_addr_efa://[fe80::2]:300:70000", address_text(FI_ADDR_EFA, &efa, sizeof efa));

    struct {
        uint8_t gid[16];
        uint32_t qpn;
        uint16_t lid, pkey, service;
        uint8_t sl, pad[5];
    } ud = {{0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3}, 0x123, 0x45, 0xffff, 9, 6, {}};
    EXPECT_EQ("fi_addr_ib_ud://fe80::3:123/45/ffff/6", address_text(FI_ADDR_IB_UD, &ud, sizeof ud));

    const uint64_t words[4] = {0xabc, 0x1, 0x2, 0x3};
    EXPECT_EQ("fi_addr_psmx2://abc:1", address_text(FI_ADDR_PSMX2, words, sizeof words));
    EXPECT_EQ("fi_addr_psmx3://abc:1:2:3", address_text(FI_ADDR_PSMX3, words, sizeof words));
    EXPECT_EQ("fi_addr_opx://0000000000000abc", address_text(FI_ADDR_OPX, words, sizeof words));
    EXPECT_EQ("fi_addr_cxi://0x00000abc", address_text(FI_ADDR_CXI, words, sizeof words));

    char pointer[64];
    snprintf(pointer, sizeof pointer, "fi_addr_mlx://%p", static_cast<const void*>(words));
    EXPECT_EQ(pointer, address_text(FI_ADDR_MLX, words, sizeof words));
    snprintf(pointer, sizeof pointer, "fi_addr_ucx://%p", static_cast<const void*>(words));
    EXPECT_EQ(pointer, address_text(FI_ADDR_UCX, words, sizeof words));
}

TEST(TostrLayout, WritesNothingForAnAddressItCannotRead)
{
    const uint64_t words[4] = {1, 2, 3, 4};
    EXPECT_EQ("", address_text(FI_FORMAT_UNSPEC, words, sizeof words));
    EXPECT_EQ("", address_text(4711, words, sizeof words));
    EXPECT_EQ("(null)", address_text(FI_SOCKADDR_IN, nullptr, 16));
}

// Bytes behind the stated length are not the library's to read.
TEST(TostrLayout, ReadsNoAddressBeyondItsLength)
{
    auto* base =
        static_cast<char*>(mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(base, MAP_FAILED);
    ASSERT_EQ(mprotect(base + 4096, 4096, PROT_NONE), 0);
    for (uint32_t format = 0; format < 20; ++format)
        for (uint16_t family : {AF_INET, AF_INET6, 27})
            for (size_t length = 0; length < 64; ++length) {
                char* address = base + 4096 - length;
                memset(address, 'x', length);
                if (length >= sizeof family)
                    memcpy(address, &family, sizeof family);
                address_text(format, address, length); // reading too far is a fault
            }
    munmap(base, 8192);
}

// Providers built for the released library append to what the buffer holds; others store. Both are the same
// here.
namespace {

int appending_tostr(const fid*, char* buf, size_t len)
{
    const size_t used = strnlen(buf, len);
    snprintf(buf + used, len - used, "    nic:\n        mine\n");
    return 0;
}

int storing_tostr(const fid*, char* buf, size_t len)
{
    snprintf(buf, len, "    nic:\n        mine\n");
    return 0;
}

int unterminated_tostr(const fid*, char* buf, size_t len)
{
    memset(buf, 'y', len);
    return 0;
}

} // namespace

TEST(TostrLayout, LetsObjectsDescribeThemselves)
{
    Samples samples;
    fi_ops ops{};
    ops.size = sizeof ops;
    fid_nic nic{};
    nic.fid.ops = &ops;
    samples.info.nic = &nic;
    for (auto* tostr : {appending_tostr, storing_tostr}) {
        ops.tostr = tostr;
        const std::string text = text_of(&samples.info, FI_TYPE_INFO);
        EXPECT_TRUE(text.ends_with("        api_version: 1.17\n    nic:\n        mine\n")) << text;
        EXPECT_EQ("    nic:\n        mine\n", text_of(&nic.fid, FI_TYPE_FID));
    }
}

TEST(TostrLayout, EndsTheTextOfAnObjectThatDoesNot)
{
    fi_ops ops{};
    ops.size = sizeof ops;
    ops.tostr = unterminated_tostr;
    fid object{};
    object.ops = &ops;
    char buf[32];
    memset(buf, 'z', sizeof buf);
    fi_tostr_r(buf, 16, &object, FI_TYPE_FID);
    EXPECT_EQ(std::string(14, 'y'), buf);
    EXPECT_EQ(buf[16], 'z');
}

TEST(TostrLayout, ShowsThePlaceOfAnObjectThatCannotDescribeItself)
{
    fi_ops older{};
    older.size = offsetof(fi_ops, tostr); // a provider from before the slot existed
    older.tostr = storing_tostr;
    fid object{};
    char expected[64];
    snprintf(expected, sizeof expected, "fid: %p\n", static_cast<void*>(&object));
    EXPECT_EQ(expected, text_of(&object, FI_TYPE_FID));
    object.ops = &older;
    EXPECT_EQ(expected, text_of(&object, FI_TYPE_FID));
}
