// SPDX-License-Identifier: BSD-2-Clause
//
// fi_dupinfo, fi_freeinfo, fi_getinfo and fi_fabric under every symbol version, called in the real
// libfabric.so. An old caller's structures are laid out by hand, each ending exactly where a page ends that
// nobody may touch beyond.
#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <new>

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>

namespace {

struct Sizes {
    const char* version;
    size_t info, tx_attr, rx_attr, ep_attr, domain_attr, fabric_attr;
};
// How far the structures reached in the headers of each symbol version.
constexpr Sizes kSizes[] = {
    {"FABRIC_1.0", 112, 72, 64, 80, 120, 32}, {"FABRIC_1.1", 112, 72, 64, 96, 184, 32},
    {"FABRIC_1.2", 120, 72, 64, 96, 184, 32}, {"FABRIC_1.3", 120, 80, 64, 96, 192, 32},
    {"FABRIC_1.7", 120, 80, 64, 96, 200, 32}, {"FABRIC_1.8", 120, 80, 64, 96, 208, 32},
    {"FABRIC_1.9", 120, 80, 64, 96, 224, 32},
};

template <class Function>
Function* symbol(const char* name, const char* version)
{
    void* address = ::dlvsym(RTLD_DEFAULT, name, version);
    if (!address)
        ADD_FAILURE() << name << "@" << version << " is not exported";
    return reinterpret_cast<Function*>(address);
}

/// Memory of which the byte after the last is not readable.
class Edge {
  public:
    explicit Edge(size_t bytes)
    {
        const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
        map_ = static_cast<char*>(
            ::mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        length_ = 2 * page;
        if (map_ == MAP_FAILED || ::mprotect(map_ + page, page, PROT_NONE))
            throw std::bad_alloc();
        block_ = map_ + page - bytes;
        std::memset(block_, 0, bytes);
    }
    ~Edge() { ::munmap(map_, length_); }
    Edge(const Edge&) = delete;
    Edge& operator=(const Edge&) = delete;

    template <class Block>
    Block* as()
    {
        return reinterpret_cast<Block*>(block_);
    }

  private:
    char* map_;
    size_t length_;
    char* block_;
};

/// A nic that counts how often it is duplicated and closed.
struct CountingNic {
    fid_nic nic{};
    static inline int duplicated, closed, result;
    static inline fi_ops ops{};
    static inline CountingNic* copy = nullptr;

    CountingNic()
    {
        ops = {};
        ops.size = sizeof(fi_ops);
        ops.close = [](fid*) {
            ++closed;
            return 0;
        };
        ops.control = [](fid*, int command, void* out) {
            if (command != FI_DUP)
                return -FI_EINVAL;
            ++duplicated;
            if (result == 0)
                *static_cast<fid_nic**>(out) = &copy->nic;
            return result;
        };
        nic.fid.fclass = FI_CLASS_NIC;
        nic.fid.ops = &ops;
    }
    static void reset(CountingNic* the_copy, int the_result)
    {
        duplicated = closed = 0;
        copy = the_copy;
        result = the_result;
    }
};

class DupInfo : public testing::TestWithParam<Sizes> {
  protected:
    DupInfo()
    {
        dupinfo = symbol<fi_info*(const fi_info*)>("fi_dupinfo", GetParam().version);
        freeinfo = symbol<void(fi_info*)>("fi_freeinfo", GetParam().version);
    }

    /// An entry as a program of that version holds it: every block ends at the edge of readable memory.
    fi_info* lay_out()
    {
        const Sizes& size = GetParam();
        auto* info = place<fi_info>(size.info);
        info->next = info;
        info->caps = FI_MSG;
        info->mode = FI_CONTEXT;
        info->src_addr = source_;
        info->src_addrlen = sizeof(source_);
        info->dest_addr = destination_;
        info->dest_addrlen = sizeof(destination_);
        info->handle = &handle_;
        info->tx_attr = place<fi_tx_attr>(size.tx_attr);
        info->tx_attr->rma_iov_limit = 7;
        if (size.tx_attr > offsetof(fi_tx_attr, tclass))
            info->tx_attr->tclass = FI_TC_LOW_LATENCY;
        info->rx_attr = place<fi_rx_attr>(size.rx_attr);
        info->rx_attr->iov_limit = 8;
        info->ep_attr = place<fi_ep_attr>(size.ep_attr);
        info->ep_attr->rx_ctx_cnt = 9;
        info->domain_attr = place<fi_domain_attr>(size.domain_attr);
        info->domain_attr->name = domain_;
        info->domain_attr->max_ep_srx_ctx = 10;
        info->fabric_attr = place<fi_fabric_attr>(size.fabric_attr);
        info->fabric_attr->name = fabric_;
        info->fabric_attr->prov_name = provider_;
        info->fabric_attr->prov_version = 11;
        info->fabric_attr->api_version = 0xbad; // padding, to a program of FABRIC_1.0
        if (has_keys()) {
            info->ep_attr->auth_key = key_;
            info->ep_attr->auth_key_size = sizeof(key_);
            info->domain_attr->auth_key = key_;
            info->domain_attr->auth_key_size = sizeof(key_);
        }
        return info;
    }
    bool has_keys() const { return GetParam().ep_attr > offsetof(fi_ep_attr, auth_key); }

    template <class Block>
    Block* place(size_t bytes)
    {
        return edges_.emplace_back(bytes).as<Block>();
    }

    fi_info* (*dupinfo)(const fi_info*);
    void (*freeinfo)(fi_info*);
    std::deque<Edge> edges_;
    char source_[5] = "src", destination_[9] = "dest", domain_[7] = "domain", fabric_[7] = "fabric",
         provider_[4] = "tcp";
    uint8_t key_[3] = {1, 2, 3};
    fid handle_{};
};

/// Authorisation keys came with FABRIC_1.1, nic with FABRIC_1.2.
class DupInfoWithKeys : public DupInfo {};
class DupInfoWithNic : public DupInfo {};

TEST_P(DupInfo, C4NullGivesAZeroedEntryWithAllBlocks)
{
    fi_info* info = dupinfo(nullptr);
    ASSERT_NE(info, nullptr);
    fi_info blocks_only;
    std::memset(&blocks_only, 0, sizeof(blocks_only)); // the gaps between members too, which {} may leave
    blocks_only.tx_attr = info->tx_attr;
    blocks_only.rx_attr = info->rx_attr;
    blocks_only.ep_attr = info->ep_attr;
    blocks_only.domain_attr = info->domain_attr;
    blocks_only.fabric_attr = info->fabric_attr;
    EXPECT_EQ(std::memcmp(info, &blocks_only, sizeof(fi_info)), 0);
    const auto zero = [](const auto* block) {
        std::array<unsigned char, sizeof(*block)> nothing{};
        return block && std::memcmp(block, nothing.data(), nothing.size()) == 0;
    };
    EXPECT_TRUE(zero(info->tx_attr));
    EXPECT_TRUE(zero(info->rx_attr));
    EXPECT_TRUE(zero(info->ep_attr));
    EXPECT_TRUE(zero(info->domain_attr));
    EXPECT_TRUE(zero(info->fabric_attr));
    freeinfo(info);
}

TEST_P(DupInfo, C2B10OldStructuresAreNotReadPastTheirEndAndTheTailIsZero)
{
    const Sizes& size = GetParam();
    fi_info* copy = dupinfo(lay_out());
    ASSERT_NE(copy, nullptr);
    EXPECT_EQ(copy->nic, nullptr);
    EXPECT_EQ(copy->tx_attr->rma_iov_limit, 7u);
    EXPECT_EQ(copy->tx_attr->tclass, size.tx_attr > 72 ? static_cast<uint32_t>(FI_TC_LOW_LATENCY) : 0u);
    EXPECT_EQ(copy->rx_attr->iov_limit, 8u);
    EXPECT_EQ(copy->ep_attr->rx_ctx_cnt, 9u);
    EXPECT_EQ(copy->domain_attr->max_ep_srx_ctx, 10u);
    EXPECT_EQ(copy->fabric_attr->prov_version, 11u);
    EXPECT_EQ(copy->fabric_attr->api_version, std::strcmp(size.version, "FABRIC_1.0") ? 0xbadu : 0u);
    const auto* domain = reinterpret_cast<const char*>(copy->domain_attr);
    for (size_t byte = size.domain_attr; byte < sizeof(fi_domain_attr); ++byte)
        EXPECT_EQ(domain[byte], 0) << byte;
    freeinfo(copy);
}

TEST_P(DupInfo, C5CopyOutlivesTheOriginalAndLeavesTheListBehind)
{
    fi_info* copy = dupinfo(lay_out());
    ASSERT_NE(copy, nullptr);
    edges_.clear();
    std::memset(source_, 'x', sizeof(source_));
    std::memset(destination_, 'x', sizeof(destination_));
    std::memset(domain_, 'x', sizeof(domain_));
    std::memset(fabric_, 'x', sizeof(fabric_));
    std::memset(provider_, 'x', sizeof(provider_));
    std::memset(key_, 9, sizeof(key_));
    EXPECT_EQ(copy->next, nullptr);
    EXPECT_EQ(copy->caps, FI_MSG);
    EXPECT_EQ(copy->mode, FI_CONTEXT);
    EXPECT_STREQ(static_cast<char*>(copy->src_addr), "src");
    EXPECT_STREQ(static_cast<char*>(copy->dest_addr), "dest");
    EXPECT_STREQ(copy->domain_attr->name, "domain");
    EXPECT_STREQ(copy->fabric_attr->name, "fabric");
    EXPECT_STREQ(copy->fabric_attr->prov_name, "tcp");
    if (has_keys()) {
        const uint8_t key[] = {1, 2, 3};
        ASSERT_EQ(copy->ep_attr->auth_key_size, sizeof(key));
        EXPECT_EQ(std::memcmp(copy->ep_attr->auth_key, key, sizeof(key)), 0);
        ASSERT_EQ(copy->domain_attr->auth_key_size, sizeof(key));
        EXPECT_EQ(std::memcmp(copy->domain_attr->auth_key, key, sizeof(key)), 0);
    } else {
        EXPECT_EQ(copy->ep_attr->auth_key, nullptr);
        EXPECT_EQ(copy->domain_attr->auth_key, nullptr);
    }
    freeinfo(copy);
}

TEST_P(DupInfo, C6HandleIsSharedNotCopied)
{
    fi_info* copy = dupinfo(lay_out());
    ASSERT_NE(copy, nullptr);
    EXPECT_EQ(copy->handle, &handle_);
    freeinfo(copy);
}

TEST_P(DupInfo, MissingBlocksStayMissing)
{
    auto* bare = place<fi_info>(GetParam().info);
    bare->caps = FI_RMA;
    bare->src_addrlen = 16;
    fi_info* copy = dupinfo(bare);
    ASSERT_NE(copy, nullptr);
    EXPECT_EQ(copy->caps, FI_RMA);
    EXPECT_EQ(copy->tx_attr, nullptr);
    EXPECT_EQ(copy->domain_attr, nullptr);
    EXPECT_EQ(copy->src_addr, nullptr);
    freeinfo(copy);
}

TEST_P(DupInfoWithKeys, C96KeysFromTheAddressVectorAreNotBytesToCopy)
{
    fi_info* info = lay_out();
    info->domain_attr->auth_key = nullptr;
    info->domain_attr->auth_key_size = FI_AV_AUTH_KEY;
    fi_info* copy = dupinfo(info);
    ASSERT_NE(copy, nullptr);
    EXPECT_EQ(copy->domain_attr->auth_key_size, FI_AV_AUTH_KEY);
    EXPECT_EQ(copy->domain_attr->auth_key, nullptr);
    freeinfo(copy);
}

TEST_P(DupInfoWithNic, C7NicIsDuplicatedByItsOwnerAndClosedWithTheCopy)
{
    CountingNic original, copied;
    CountingNic::reset(&copied, 0);
    fi_info* info = lay_out();
    info->nic = &original.nic;
    fi_info* copy = dupinfo(info);
    ASSERT_NE(copy, nullptr);
    EXPECT_EQ(copy->nic, &copied.nic);
    EXPECT_EQ(CountingNic::duplicated, 1);
    freeinfo(copy);
    EXPECT_EQ(CountingNic::closed, 1);
}

TEST_P(DupInfoWithNic, NicThatCannotBeDuplicatedIsSharedAndFailureFailsTheCopy)
{
    CountingNic original;
    CountingNic::reset(nullptr, -FI_ENOSYS);
    fi_info* info = lay_out();
    info->nic = &original.nic;
    fi_info* copy = dupinfo(info);
    ASSERT_NE(copy, nullptr);
    EXPECT_EQ(copy->nic, &original.nic);
    copy->nic = nullptr;
    freeinfo(copy);

    CountingNic::reset(nullptr, -FI_ENOMEM);
    EXPECT_EQ(dupinfo(info), nullptr);
    EXPECT_EQ(CountingNic::closed, 0) << "a failed copy closed the original's nic";
}

TEST_P(DupInfo, C7FreeTakesListsAndNull)
{
    freeinfo(nullptr);
    fi_info* first = dupinfo(nullptr);
    ASSERT_NE(first, nullptr);
    first->next = dupinfo(nullptr);
    freeinfo(first);
}

TEST_P(DupInfo, C1GetInfoRefusesVersionsAboveOursAndLeavesOutputAlone)
{
    auto* getinfo = symbol<int(uint32_t, const char*, const char*, uint64_t, const fi_info*, fi_info**)>(
        "fi_getinfo", GetParam().version);
    auto* untouched = reinterpret_cast<fi_info*>(0x10);
    fi_info* list = untouched;
    EXPECT_EQ(getinfo(FI_VERSION(2, 7), nullptr, nullptr, 0, lay_out(), &list), -FI_ENOSYS);
    EXPECT_EQ(list, untouched);
}

TEST_P(DupInfoWithNic, GetInfoOfOldHintsLeavesTheCallersNicOpen)
{
    auto* getinfo = symbol<int(uint32_t, const char*, const char*, uint64_t, const fi_info*, fi_info**)>(
        "fi_getinfo", GetParam().version);
    CountingNic original;
    CountingNic::reset(nullptr, -FI_ENOSYS);
    fi_info* hints = lay_out();
    hints->nic = &original.nic;
    fi_info* list = nullptr;
    EXPECT_EQ(getinfo(FI_VERSION(2, 7), nullptr, nullptr, 0, hints, &list), -FI_ENOSYS);
    EXPECT_EQ(CountingNic::closed, 0);
}

std::string suite_name(const testing::TestParamInfo<Sizes>& instance)
{
    std::string name = instance.param.version;
    std::replace(name.begin(), name.end(), '.', '_');
    return name;
}
INSTANTIATE_TEST_SUITE_P(Symbol, DupInfo, testing::ValuesIn(kSizes), suite_name);
INSTANTIATE_TEST_SUITE_P(Symbol, DupInfoWithKeys, testing::ValuesIn(kSizes + 1, std::end(kSizes)),
                         suite_name);
INSTANTIATE_TEST_SUITE_P(Symbol, DupInfoWithNic, testing::ValuesIn(kSizes + 2, std::end(kSizes)), suite_name);

TEST(SymbolVersions, C10DefaultsAreTheNewest)
{
    EXPECT_EQ(::dlsym(RTLD_DEFAULT, "fi_getinfo"), ::dlvsym(RTLD_DEFAULT, "fi_getinfo", "FABRIC_1.9"));
    EXPECT_EQ(::dlsym(RTLD_DEFAULT, "fi_dupinfo"), ::dlvsym(RTLD_DEFAULT, "fi_dupinfo", "FABRIC_1.9"));
    EXPECT_EQ(::dlsym(RTLD_DEFAULT, "fi_freeinfo"), ::dlvsym(RTLD_DEFAULT, "fi_freeinfo", "FABRIC_1.9"));
    EXPECT_EQ(::dlsym(RTLD_DEFAULT, "fi_fabric"), ::dlvsym(RTLD_DEFAULT, "fi_fabric", "FABRIC_1.1"));
    EXPECT_EQ(fi_version(), FI_VERSION(2, 6));
}

TEST(SymbolVersions, FabricWithoutAttributesIsInvalidInEveryVersion)
{
    using Fabric = int(fi_fabric_attr*, fid_fabric**, void*);
    fid_fabric* fabric = nullptr;
    EXPECT_EQ(symbol<Fabric>("fi_fabric", "FABRIC_1.0")(nullptr, &fabric, nullptr), -FI_EINVAL);
    EXPECT_EQ(symbol<Fabric>("fi_fabric", "FABRIC_1.1")(nullptr, &fabric, nullptr), -FI_EINVAL);
}

TEST(SymbolVersions, Fabric2TakesNoFlagsAndNeedsAnInfo)
{
    fid_fabric* fabric = nullptr;
    EXPECT_EQ(fi_fabric2(nullptr, &fabric, 0, nullptr), -FI_EINVAL);
    fi_info* info = fi_allocinfo();
    EXPECT_EQ(fi_fabric2(info, &fabric, 1, nullptr), -FI_EINVAL);
    EXPECT_EQ(fi_fabric2(info, &fabric, 0, nullptr), -FI_EINVAL) << "neither provider nor fabric is named";
    fi_freeinfo(info);
}

} // namespace
