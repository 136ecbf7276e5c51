// SPDX-License-Identifier: BSD-2-Clause
//
// fi_open and fi_import of the library's own objects (fi_provider(3); C285).
#include <gtest/gtest.h>

#include <rdma/fi_errno.h>
#include <rdma/fi_ext.h>

namespace {

constexpr uint32_t kApi = FI_VERSION(2, 6);

TEST(Open, C285NamesAreKnownInAnyCaseAndOthersAreNot)
{
    fid* opened = nullptr;
    EXPECT_EQ(fi_open(kApi, "nothing", nullptr, 0, 0, &opened, nullptr), -FI_ENOSYS);
    EXPECT_EQ(opened, nullptr);
    for (const char* name : {"mr_cache", "MR_CACHE", "logging", "Logging"}) {
        ASSERT_EQ(fi_open(kApi, name, nullptr, 0, 0, &opened, nullptr), 0) << name;
        EXPECT_EQ(fi_close(opened), 0);
    }
}

TEST(Open, C285OldVersionsAttributesAndFlagsAreRefused)
{
    fid* opened = nullptr;
    char attr = 0;
    for (const char* name : {"mr_cache", "logging"}) {
        EXPECT_EQ(fi_open(FI_VERSION(1, 12), name, nullptr, 0, 0, &opened, nullptr), -FI_EINVAL);
        EXPECT_EQ(fi_open(kApi, name, &attr, 1, 0, &opened, nullptr), -FI_EINVAL);
        EXPECT_EQ(fi_open(kApi, name, nullptr, 0, 1, &opened, nullptr), -FI_EBADFLAGS);
    }
    EXPECT_EQ(opened, nullptr);
}

class MemoryMonitor : public testing::Test {
  protected:
    struct Monitor {
        fi_ops_mem_monitor ops{};
        fid_mem_monitor fid{};
        Monitor()
        {
            ops.size = sizeof(ops);
            fid.fid.fclass = FI_CLASS_MEM_MONITOR;
            fid.export_ops = &ops;
        }
    };
    static int import(Monitor& monitor, uint64_t flags = 0, void* context = nullptr)
    {
        return fi_import(kApi, "mr_cache", nullptr, 0, flags, &monitor.fid.fid, context);
    }
};

TEST_F(MemoryMonitor, ImportOutlivesTheOpenedObjectAndEndsWithItsOwnClose)
{
    Monitor first, second;
    int context = 0;
    ASSERT_EQ(import(first, 0, &context), 0);
    EXPECT_EQ(first.fid.fid.context, &context);
    ASSERT_NE(first.fid.import_ops, nullptr);
    EXPECT_GE(first.fid.import_ops->size, sizeof(fi_ops_mem_notify));
    first.fid.import_ops->notify(&first.fid, &context, sizeof(context));

    EXPECT_EQ(import(second), -FI_EBUSY);
    EXPECT_EQ(fi_close(&first.fid.fid), 0);
    ASSERT_EQ(import(second), 0);
    EXPECT_EQ(fi_close(&second.fid.fid), 0);
}

TEST_F(MemoryMonitor, OtherClassesOldTablesAndFlagsAreRefused)
{
    Monitor other;
    other.fid.fid.fclass = FI_CLASS_MR;
    EXPECT_EQ(import(other), -FI_EINVAL);
    Monitor old;
    old.ops.size = sizeof(fi_ops_mem_monitor) - 1;
    EXPECT_EQ(import(old), -FI_EINVAL);
    Monitor bare;
    bare.fid.export_ops = nullptr;
    EXPECT_EQ(import(bare), -FI_EINVAL);

    Monitor good;
    fid* cache = nullptr;
    ASSERT_EQ(fi_open(kApi, "mr_cache", nullptr, 0, 0, &cache, nullptr), 0);
    EXPECT_EQ(fi_import_fid(cache, &good.fid.fid, 1), -FI_EINVAL);
    EXPECT_EQ(fi_close(cache), 0);
    EXPECT_EQ(good.fid.import_ops, nullptr);
}

} // namespace
