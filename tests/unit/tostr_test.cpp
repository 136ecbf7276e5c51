// SPDX-License-Identifier: BSD-2-Clause
// fi_tostr and fi_tostr_r of single values against the recorded output, and what must hold for any type: no
// byte outside the buffer, whatever its length, and no thread that sees another's text. Structures:
// tostr_layout_test.cpp.
#include <cinttypes>
#include <cstring>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_eq.h>

#include "table.hpp"

using fi::test::Row;
using fi::test::table;

namespace {

const std::map<std::string, fi_type>& scalar_types()
{
    static const std::map<std::string, fi_type> types = {
        {"FI_TYPE_EP_TYPE", FI_TYPE_EP_TYPE},
        {"FI_TYPE_CAPS", FI_TYPE_CAPS},
        {"FI_TYPE_OP_FLAGS", FI_TYPE_OP_FLAGS},
        {"FI_TYPE_ADDR_FORMAT", FI_TYPE_ADDR_FORMAT},
        {"FI_TYPE_THREADING", FI_TYPE_THREADING},
        {"FI_TYPE_PROGRESS", FI_TYPE_PROGRESS},
        {"FI_TYPE_PROTOCOL", FI_TYPE_PROTOCOL},
        {"FI_TYPE_MSG_ORDER", FI_TYPE_MSG_ORDER},
        {"FI_TYPE_MODE", FI_TYPE_MODE},
        {"FI_TYPE_AV_TYPE", FI_TYPE_AV_TYPE},
        {"FI_TYPE_ATOMIC_TYPE", FI_TYPE_ATOMIC_TYPE},
        {"FI_TYPE_ATOMIC_OP", FI_TYPE_ATOMIC_OP},
        {"FI_TYPE_VERSION", FI_TYPE_VERSION},
        {"FI_TYPE_EQ_EVENT", FI_TYPE_EQ_EVENT},
        {"FI_TYPE_CQ_EVENT_FLAGS", FI_TYPE_CQ_EVENT_FLAGS},
        {"FI_TYPE_MR_MODE", FI_TYPE_MR_MODE},
        {"FI_TYPE_OP_TYPE", FI_TYPE_OP_TYPE},
        {"FI_TYPE_COLLECTIVE_OP", FI_TYPE_COLLECTIVE_OP},
        {"FI_TYPE_HMEM_IFACE", FI_TYPE_HMEM_IFACE},
        {"FI_TYPE_CQ_FORMAT", FI_TYPE_CQ_FORMAT},
        {"FI_TYPE_LOG_LEVEL", FI_TYPE_LOG_LEVEL},
        {"FI_TYPE_LOG_SUBSYS", FI_TYPE_LOG_SUBSYS},
        {"FI_TYPE_CQ_WAIT_COND", FI_TYPE_CQ_WAIT_COND},
        {"FI_TYPE_WAIT_OBJ", FI_TYPE_WAIT_OBJ},
    };
    return types;
}

std::string text_of(const void* data, fi_type type)
{
    std::vector<char> buf(16384);
    return fi_tostr_r(buf.data(), buf.size(), data, type);
}

// A buffer of exactly `len` bytes whose end is the end of readable memory; the bytes before it are watched.
class EdgeBuffer {
  public:
    EdgeBuffer()
    {
        page_ = static_cast<size_t>(sysconf(_SC_PAGESIZE));
        base_ = static_cast<char*>(
            mmap(nullptr, 5 * page_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        mprotect(base_ + 4 * page_, page_, PROT_NONE);
    }
    ~EdgeBuffer() { munmap(base_, 5 * page_); }

    char* of(size_t len)
    {
        memset(base_, kCanary, 4 * page_);
        return base_ + 4 * page_ - len;
    }
    bool untouched_before(const char* buf) const
    {
        for (const char* byte = base_; byte < buf; ++byte)
            if (*byte != kCanary)
                return false;
        return true;
    }

  private:
    static constexpr char kCanary = 0x5a;
    size_t page_;
    char* base_;
};

} // namespace

TEST(Tostr, PrintsEveryScalarAsTheReleasedLibraryDoes)
{
    int checked = 0;
    for (const Row& row : table("tostr.tsv")) {
        auto type = scalar_types().find(row.at("fi_type"));
        if (type == scalar_types().end())
            continue;
        // Little endian: the low bytes are the value at every width that a type may have.
        const uint64_t value = strtoull(row.at("hex").c_str(), nullptr, 16);
        EXPECT_EQ(row.at("output"), text_of(&value, type->second))
            << row.at("fi_type") << " " << row.at("input");
        ++checked;
    }
    EXPECT_EQ(checked, 588);
}

TEST(Tostr, TruncatesAListAsTheReleasedLibraryDoes)
{
    int checked = 0;
    const uint64_t caps = FI_MSG | FI_RMA | FI_TAGGED;
    for (const Row& row : table("tostr.tsv")) {
        if (!row.at("fi_type").starts_with("fi_tostr_r("))
            continue;
        EdgeBuffer memory;
        const size_t len = std::stoul(row.at("dec"));
        char* buf = memory.of(len);
        char* result = fi_tostr_r(buf, len, &caps, FI_TYPE_CAPS);
        if (row.at("output") == "(NULL)") {
            EXPECT_EQ(result, nullptr) << len;
        } else {
            ASSERT_EQ(result, buf) << len;
            EXPECT_EQ(row.at("output"), result) << len;
        }
        ++checked;
    }
    EXPECT_EQ(checked, 27);
}

TEST(Tostr, SaysUnknownTypeOutsideTheEnumeration)
{
    const uint64_t zero = 0;
    int checked = 0;
    for (const Row& row : table("tostr.tsv")) {
        if (row.at("output") != "Unknown type")
            continue;
        EXPECT_EQ("Unknown type", text_of(&zero, static_cast<fi_type>(std::stoi(row.at("fi_type")))));
        ++checked;
    }
    EXPECT_EQ(checked, 2);
}

TEST(Tostr, C286_ReturnsTheBufferAndRefusesNull)
{
    char buf[64];
    const uint64_t caps = FI_MSG;
    EXPECT_EQ(fi_tostr_r(buf, sizeof buf, &caps, FI_TYPE_CAPS), buf);
    EXPECT_EQ(fi_tostr_r(nullptr, sizeof buf, &caps, FI_TYPE_CAPS), nullptr);
    EXPECT_EQ(fi_tostr_r(buf, 0, &caps, FI_TYPE_CAPS), nullptr);
    for (int type = -1; type < 40; ++type) {
        EXPECT_EQ(fi_tostr_r(buf, sizeof buf, nullptr, static_cast<fi_type>(type)), nullptr) << type;
        EXPECT_EQ(fi_tostr(nullptr, static_cast<fi_type>(type)), nullptr) << type;
    }
}

TEST(Tostr, C286_VersionIgnoresItsData)
{
    EXPECT_EQ("2.6.0", text_of("anything", FI_TYPE_VERSION));
}

TEST(Tostr, C286_ReusesTheThreadsBuffer)
{
    const uint64_t first = FI_MSG, second = FI_TAGGED;
    char* one = fi_tostr(&first, FI_TYPE_CAPS);
    EXPECT_STREQ(one, "FI_MSG");
    EXPECT_EQ(one, fi_tostr(&second, FI_TYPE_CAPS));
    EXPECT_STREQ(one, "FI_TAGGED");
}

TEST(Tostr, KeepsThreadsApart)
{
    std::vector<std::thread> threads;
    for (unsigned bit : {1u, 2u, 3u, 4u, 8u, 9u, 10u, 11u})
        threads.emplace_back([bit] {
            const uint64_t caps = 1ULL << bit;
            const std::string expected = text_of(&caps, FI_TYPE_CAPS);
            for (int i = 0; i < 2000; ++i)
                ASSERT_EQ(expected, fi_tostr(&caps, FI_TYPE_CAPS));
        });
    for (std::thread& thread : threads)
        thread.join();
}

// Every type, with every bit set and with none, into every length from nothing to more than enough.
TEST(Tostr, StaysInsideABufferOfAnyLength)
{
    EdgeBuffer memory;
    for (const auto& [name, type] : scalar_types()) {
        for (uint64_t value : {uint64_t{0}, ~uint64_t{0}}) {
            const std::string full = text_of(&value, type);
            for (size_t len = 1; len < full.size() + 4; ++len) {
                char* buf = memory.of(len);
                ASSERT_EQ(fi_tostr_r(buf, len, &value, type), buf);
                ASSERT_TRUE(memory.untouched_before(buf)) << name << " " << len;
                const size_t length = strnlen(buf, len);
                ASSERT_LT(length, len) << name << " " << len;
                ASSERT_LE(length, len > 2 ? len - 2 : 0) << name << " " << len;
                ASSERT_EQ(full.compare(0, length, buf), 0) << name << " " << len;
            }
            char* buf = memory.of(full.size() + 2);
            ASSERT_EQ(full, fi_tostr_r(buf, full.size() + 2, &value, type));
        }
    }
}
