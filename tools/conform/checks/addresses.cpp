// SPDX-License-Identifier: BSD-2-Clause
//
// Address vectors.
#include "check.hpp"

namespace conform {
namespace {

Owned<fid_av> open_vector(const Node& node, fi_av_attr& attr)
{
    return open<fid_av>("fi_av_open",
                        [&](fid_av** out) { return fi_av_open(node.domain.get(), &attr, out, nullptr); });
}

CHECK(C184_TheTypeThatWasChosenIsWrittenBack)
{
    const Node node(wish());
    fi_av_attr attr{};
    const auto vector = open_vector(node, attr);
    EXPECT_TRUE(attr.type == FI_AV_TABLE || attr.type == FI_AV_MAP) << attr.type;
}

CHECK(C173_C177_AnInsertionReturnsHowManyWentIn)
{
    const Node node(wish()), other(wish());
    std::vector<char> names = node.name();
    const std::vector<char> second = other.name();
    EXPECT_EQ(fi_av_insert(node.av.get(), names.data(), 0, nullptr, 0, nullptr), 0);
    names.insert(names.end(), second.begin(), second.end());
    fi_addr_t addrs[2] = {FI_ADDR_NOTAVAIL, FI_ADDR_NOTAVAIL};
    EXPECT_EQ(fi_av_insert(node.av.get(), names.data(), 2, addrs, 0, nullptr), 2);
    EXPECT_NE(addrs[0], FI_ADDR_NOTAVAIL);
    EXPECT_NE(addrs[1], FI_ADDR_NOTAVAIL);
    EXPECT_NE(addrs[0], addrs[1]);
}

CHECK(C174_ATableCountsFromZeroAndFillsItsGaps)
{
    const Node node(wish());
    fi_av_attr attr{};
    attr.type = FI_AV_TABLE;
    const auto table = open_vector(node, attr);
    std::vector<Node> others;
    for (int i = 0; i < 4; i++)
        others.emplace_back(wish());
    const auto put = [&](const Node& other) {
        fi_addr_t addr = FI_ADDR_NOTAVAIL;
        EXPECT_EQ(fi_av_insert(table.get(), other.name().data(), 1, &addr, 0, nullptr), 1);
        return addr;
    };
    for (std::size_t i = 0; i < 3; i++)
        EXPECT_EQ(put(others[i]), i);
    fi_addr_t gap = 1;
    EXPECT_EQ(fi_av_remove(table.get(), &gap, 1, 0), 0);
    EXPECT_EQ(put(others[3]), 1u);
}

CHECK(C179_AnAddressThatIsNotThereCannotBeLookedUpOrRemoved)
{
    const Node node(wish());
    fi_addr_t addr = node.insert(node.name());
    ASSERT_EQ(fi_av_remove(node.av.get(), &addr, 1, 0), 0);
    char bytes[256];
    std::size_t size = sizeof bytes;
    EXPECT_EQ(fi_av_lookup(node.av.get(), addr, bytes, &size), -FI_EINVAL);
    EXPECT_EQ(fi_av_remove(node.av.get(), &addr, 1, 0), -FI_EINVAL);
}

CHECK(C182_ALookupGivesWhatWasInsertedCutToTheBuffer)
{
    const Node node(wish());
    const std::vector<char> name = node.name();
    const fi_addr_t addr = node.insert(name);
    std::vector<char> bytes(name.size() + 8, 0x5A);
    std::size_t size = bytes.size();
    ASSERT_EQ(fi_av_lookup(node.av.get(), addr, bytes.data(), &size), 0);
    ASSERT_EQ(size, name.size());
    EXPECT_TRUE(std::equal(name.begin(), name.end(), bytes.begin()));
    std::fill(bytes.begin(), bytes.end(), 0x5A);
    const std::size_t half = name.size() / 2;
    size = half;
    fi_av_lookup(node.av.get(), addr, bytes.data(), &size); // the manual names no code
    EXPECT_EQ(size, name.size());
    EXPECT_EQ(bytes[half], 0x5A);
}

CHECK(C186_MoreAddressesGoInThanWereAnnounced)
{
    const Node node(wish());
    fi_av_attr attr{};
    attr.count = 1;
    const auto vector = open_vector(node, attr);
    std::vector<Node> others;
    for (int i = 0; i < 8; i++) {
        others.emplace_back(wish());
        fi_addr_t addr = FI_ADDR_NOTAVAIL;
        ASSERT_EQ(fi_av_insert(vector.get(), others.back().name().data(), 1, &addr, 0, nullptr), 1);
    }
}

CHECK(C192_AnAddressAsTextTellsItsSize)
{
    const Node node(wish());
    const std::vector<char> name = node.name();
    char text[256];
    std::size_t size = sizeof text;
    EXPECT_EQ(fi_av_straddr(node.av.get(), name.data(), text, &size), text) << "of one never inserted, too";
    ASSERT_EQ(size, std::strlen(text) + 1);
    char cut[5] = {'?', '?', '?', '?', '?'};
    std::size_t room = 4, whole = size;
    fi_av_straddr(node.av.get(), name.data(), cut, &room);
    EXPECT_EQ(room, whole);
    EXPECT_EQ(cut[4], '?');
    EXPECT_EQ(std::strncmp(cut, text, 3), 0);
}

CHECK_MODELS(C180_B21_AnAddressCanBeRemovedAndInsertedAgain)
{
    Pair pair(wish());
    const auto name = pair.b.name();
    for (int i = 0; i < 200; i++) {
        pair.tinject(&i, sizeof i, 1);
        int got = -1;
        pair.trecv(&got, sizeof got, 1);
        ASSERT_FALSE(pair.next(pair.b).failed);
        ASSERT_EQ(got, i);
        ASSERT_EQ(fi_av_remove(pair.a.av.get(), &pair.to_b, 1, 0), 0);
        pair.to_b = pair.a.insert(name);
    }
}

} // namespace
} // namespace conform
