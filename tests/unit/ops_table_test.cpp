// SPDX-License-Identifier: BSD-2-Clause
//
// Function tables made from classes (kit/ops/table.hpp): what is filled, what is refused, what arrives.
// What must not compile is in must_not_compile/.
#include "kit/ops/table.hpp"

#include <array>
#include <cstring>
#include <gtest/gtest.h>

namespace fi::kit {
namespace {

struct EmptyHandle {
    fid_ep fid;
};
struct Empty : EmptyHandle {
    using Handle = EmptyHandle;
};
struct CounterHandle {
    fid_cntr fid;
};
struct Counter : CounterHandle {
    using Handle = CounterHandle;
};
struct QueueHandle {
    fid_eq fid;
};
struct Queue : QueueHandle {
    using Handle = QueueHandle;
};
struct Closed : EmptyHandle {
    using Handle = EmptyHandle;
    static constexpr int kRefusal = -FI_EOPBADSTATE;
};

/// Every member of a table behind `size` as the pointer that it is.
template <class Table>
std::array<void*, (sizeof(Table) - sizeof(std::size_t)) / sizeof(void*)> slots(const Table& table)
{
    std::array<void*, (sizeof(Table) - sizeof(std::size_t)) / sizeof(void*)> all;
    std::memcpy(all.data(), reinterpret_cast<const char*>(&table) + sizeof(std::size_t), sizeof all);
    return all;
}

template <class Table>
struct EveryTable : testing::Test {
};
using AllTables =
    testing::Types<fi_ops, fi_ops_fabric, fi_ops_domain, fi_ops_mr, fi_ops_av, fi_ops_av_set, fi_ops_eq,
                   fi_ops_cq, fi_ops_cntr, fi_ops_wait, fi_ops_poll, fi_ops_ep, fi_ops_cm, fi_ops_msg,
                   fi_ops_tagged, fi_ops_rma, fi_ops_atomic, fi_ops_collective>;
TYPED_TEST_SUITE(EveryTable, AllTables);

TYPED_TEST(EveryTable, OfAClassWithoutMethodsHasItsSizeAndNoEmptySlot)
{
    const TypeParam* made = table<Empty, TypeParam>();
    EXPECT_EQ(sizeof(TypeParam), made->size);
    for (void* slot : slots(*made))
        EXPECT_NE(nullptr, slot);
}

TYPED_TEST(EveryTable, IsTheSameObjectEachTime)
{
    EXPECT_EQ((table<Empty, TypeParam>()), (table<Empty, TypeParam>()));
    EXPECT_NE((table<Empty, TypeParam>()), (table<Closed, TypeParam>()));
}

TEST(MissingMethod, AnswersENOSYSWhereAnErrorFits)
{
    Empty empty{};
    EXPECT_EQ(-FI_ENOSYS, (table<Empty, fi_ops>()->close(&empty.fid.fid)));
    EXPECT_EQ(-FI_ENOSYS, (table<Empty, fi_ops_msg>()->send(&empty.fid, nullptr, 0, nullptr, 0, nullptr)));
    EXPECT_EQ(-FI_ENOSYS, (table<Empty, fi_ops_tagged>()->inject(&empty.fid, nullptr, 0, 0, 0)));
    EXPECT_EQ(-FI_ENOSYS, (table<Empty, fi_ops_ep>()->cancel(&empty.fid.fid, nullptr)));
}

TEST(MissingMethod, AnswersZeroWhereTheResultIsACount)
{
    CounterHandle handle{};
    EXPECT_EQ(0u, (table<Counter, fi_ops_cntr>()->read(&handle.fid)));
    EXPECT_EQ(0u, (table<Counter, fi_ops_cntr>()->readerr(&handle.fid)));
    EXPECT_EQ(-FI_ENOSYS, (table<Counter, fi_ops_cntr>()->add(&handle.fid, 1)));
}

TEST(MissingMethod, AnswersNULLWhereTheResultIsAPointer)
{
    QueueHandle handle{};
    char text[8];
    EXPECT_EQ(nullptr, (table<Queue, fi_ops_eq>()->strerror(&handle.fid, 1, nullptr, text, sizeof text)));
}

TEST(MissingMethod, AnswersTheClasssOwnRefusal)
{
    Closed closed{};
    EXPECT_EQ(-FI_EOPBADSTATE,
              (table<Closed, fi_ops_msg>()->send(&closed.fid, nullptr, 0, nullptr, 0, nullptr)));
    EXPECT_EQ(-FI_EOPBADSTATE, (table<Closed, fi_ops>()->close(&closed.fid.fid)));
}

/// Remembers what arrived.
struct Recorder : EmptyHandle {
    using Handle = EmptyHandle;

    ssize_t tinject(const void* buf, std::size_t len, fi_addr_t dest, std::uint64_t tag) noexcept
    {
        seen = {buf, len, dest, tag};
        return 11;
    }
    ssize_t trecv(void* buf, std::size_t len, void* desc, fi_addr_t source, std::uint64_t tag,
                  std::uint64_t ignore, void* context) noexcept
    {
        seen = {buf, len, source, tag, desc, ignore, context};
        return -12;
    }
    int close() noexcept
    {
        closed++;
        return 13;
    }
    int tostr(char* buf, std::size_t len) const noexcept
    {
        std::strncpy(buf, "recorder", len);
        return 14;
    }

    struct Seen {
        const void* buf;
        std::size_t len;
        fi_addr_t addr;
        std::uint64_t tag;
        void* desc;
        std::uint64_t ignore;
        void* context;
    } seen{};
    int closed = 0;
    int more = 0; ///< the object is larger than its handle
};

TEST(PresentMethod, GetsItsArgumentsAndItsObjectThroughTheTypedHandle)
{
    Recorder recorder;
    char bytes[4];
    char desc;
    char context;
    auto* tagged = table<Recorder, fi_ops_tagged>();
    EXPECT_EQ(11, tagged->inject(&recorder.fid, bytes, 4, 5, 6));
    EXPECT_EQ(bytes, recorder.seen.buf);
    EXPECT_EQ(4u, recorder.seen.len);
    EXPECT_EQ(5u, recorder.seen.addr);
    EXPECT_EQ(6u, recorder.seen.tag);
    EXPECT_EQ(-12, tagged->recv(&recorder.fid, bytes, 1, &desc, 2, 3, 4, &context));
    EXPECT_EQ(1u, recorder.seen.len);
    EXPECT_EQ(2u, recorder.seen.addr);
    EXPECT_EQ(3u, recorder.seen.tag);
    EXPECT_EQ(4u, recorder.seen.ignore);
    EXPECT_EQ(&desc, recorder.seen.desc);
    EXPECT_EQ(&context, recorder.seen.context);
}

TEST(PresentMethod, GetsItsObjectThroughThePlainHandleToo)
{
    Recorder recorder;
    EXPECT_EQ(13, (table<Recorder, fi_ops>()->close(&recorder.fid.fid)));
    EXPECT_EQ(1, recorder.closed);
}

TEST(PresentMethod, MayBeConstWhereTheHandleIs)
{
    const Recorder recorder{};
    char text[16] = "";
    EXPECT_EQ(14, (table<Recorder, fi_ops>()->tostr(&recorder.fid.fid, text, sizeof text)));
    EXPECT_STREQ("recorder", text);
}

TEST(PresentMethod, LeavesTheOtherSlotsUnsupported)
{
    Recorder recorder;
    auto* tagged = table<Recorder, fi_ops_tagged>();
    EXPECT_EQ(-FI_ENOSYS, tagged->send(&recorder.fid, nullptr, 0, nullptr, 0, 0, nullptr));
    EXPECT_EQ(-FI_ENOSYS, (table<Recorder, fi_ops_msg>()->inject(&recorder.fid, nullptr, 0, 0)));
    for (void* slot : slots(*tagged))
        EXPECT_NE(nullptr, slot);
}

// A table is a constant: no code runs at start-up to make it.
static_assert(table_of<Recorder, fi_ops_tagged>.size == sizeof(fi_ops_tagged));

} // namespace
} // namespace fi::kit
