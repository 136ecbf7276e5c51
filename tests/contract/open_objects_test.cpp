// SPDX-License-Identifier: BSD-2-Clause
//
// Queries and the objects that are already open: what an entry points to, and hints that name an object.
#include "pair.hpp"

namespace contract {
namespace {

Info query(const fi_info* hints)
{
    fi_info* found = nullptr;
    const int ret = fi_getinfo(FI_VERSION(2, 6), nullptr, nullptr, 0, hints, &found);
    EXPECT_EQ(ret, found ? 0 : -FI_ENODATA);
    return Info(found);
}

TEST(OpenObjects, C35_AnEntryPointsToTheFirstThatIsOpenAndToNoneOnceItIsClosed)
{
    const Info hints = hints_for({});
    const Info before = query(hints.get());
    ASSERT_TRUE(before);
    EXPECT_EQ(before->fabric_attr->fabric, nullptr);
    EXPECT_EQ(before->domain_attr->domain, nullptr);
    {
        const Node first, second;
        const Info during = query(hints.get());
        EXPECT_EQ(during->fabric_attr->fabric, first.fabric.get());
        EXPECT_EQ(during->domain_attr->domain, first.domain.get());
    }
    const Info after = query(hints.get());
    EXPECT_EQ(after->fabric_attr->fabric, nullptr);
    EXPECT_EQ(after->domain_attr->domain, nullptr);
}

TEST(OpenObjects, C34_AHintThatNamesAnOpenObjectLimitsResultsToIt)
{
    const Node first, second;
    const Info hints = hints_for({});
    hints->fabric_attr->fabric = second.fabric.get();
    hints->domain_attr->domain = second.domain.get();
    const Info found = query(hints.get());
    ASSERT_TRUE(found);
    for (const fi_info* entry = found.get(); entry; entry = entry->next) {
        EXPECT_EQ(entry->fabric_attr->fabric, second.fabric.get());
        EXPECT_EQ(entry->domain_attr->domain, second.domain.get());
    }
}

TEST(OpenObjects, C34_AnObjectThatIsNotOpenIsNoneOfOurs)
{
    const Node node;
    fid_domain stranger{};
    const Info hints = hints_for({});
    hints->domain_attr->domain = &stranger;
    EXPECT_FALSE(query(hints.get()));
}

} // namespace
} // namespace contract
