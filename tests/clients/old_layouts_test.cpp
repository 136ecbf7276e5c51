// SPDX-License-Identifier: BSD-2-Clause
// struct fi_info and what hangs on it grew with nearly every symbol version. A program that was linked when a
// structure was small hands the library small structures, and whatever lies behind them in its memory is none
// of the library's business. Here each structure ends exactly where an unreadable page begins, so one byte
// read too many is a crash; the functions are looked up by version as an old program's dynamic linker would.
// Sizes are those of x86-64.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <string>

namespace {

// Bytes of each structure as of one symbol version.
struct Layout {
    const char* version;
    size_t info, tx, rx, ep, domain, fabric;
};

constexpr Layout kLayouts[] = {
    {"FABRIC_1.0", 112, 72, 64, 80, 120, 32}, {"FABRIC_1.1", 112, 72, 64, 96, 184, 32},
    {"FABRIC_1.2", 120, 72, 64, 96, 184, 32}, {"FABRIC_1.3", 120, 80, 64, 96, 192, 32},
    {"FABRIC_1.7", 120, 80, 64, 96, 200, 32}, {"FABRIC_1.8", 120, 80, 64, 96, 208, 32},
    {"FABRIC_1.9", 120, 80, 64, 96, 224, 32},
};
constexpr const Layout& kNewest = kLayouts[std::size(kLayouts) - 1];

// A zeroed block of `size` bytes whose end is the end of readable memory.
class Guarded {
  public:
    explicit Guarded(size_t size) : page_(static_cast<size_t>(sysconf(_SC_PAGESIZE)))
    {
        map_ = mmap(nullptr, 2 * page_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (map_ == MAP_FAILED)
            throw std::bad_alloc();
        start_ = static_cast<char*>(map_) + page_ - size;
        mprotect(static_cast<char*>(map_) + page_, page_, PROT_NONE);
    }
    ~Guarded() { munmap(map_, 2 * page_); }
    Guarded(const Guarded&) = delete;
    Guarded& operator=(const Guarded&) = delete;

    char* bytes() const { return start_; }
    template <typename T>
    T* as() const
    {
        return reinterpret_cast<T*>(start_);
    }

  private:
    size_t page_;
    void* map_;
    char* start_;
};

// One fi_info in the layout of a version, all attributes present, a value in many members.
class OldInfo {
  public:
    explicit OldInfo(const Layout& layout)
        : info_(layout.info), tx_(layout.tx), rx_(layout.rx), ep_(layout.ep), domain_(layout.domain),
          fabric_(layout.fabric)
    {
        auto* info = get();
        info->caps = FI_MSG;
        info->mode = ~0ULL;
        info->tx_attr = tx_.as<fi_tx_attr>();
        info->rx_attr = rx_.as<fi_rx_attr>();
        info->ep_attr = ep_.as<fi_ep_attr>();
        info->domain_attr = domain_.as<fi_domain_attr>();
        info->fabric_attr = fabric_.as<fi_fabric_attr>();
        info->tx_attr->rma_iov_limit = 11;
        info->rx_attr->iov_limit = 12;
        info->ep_attr->type = FI_EP_RDM;
        info->ep_attr->rx_ctx_cnt = 13;
        info->domain_attr->name = domain_name_;
        info->domain_attr->rx_ctx_cnt = 14;
        info->fabric_attr->prov_name = provider_name_;
        if (layout.ep >= sizeof(fi_ep_attr)) {
            info->ep_attr->auth_key = key_;
            info->ep_attr->auth_key_size = sizeof key_;
        }
        if (layout.domain >= 184) {
            info->domain_attr->auth_key = key_;
            info->domain_attr->auth_key_size = sizeof key_;
            info->domain_attr->mr_cnt = 15;
        }
        if (layout.tx >= sizeof(fi_tx_attr))
            info->tx_attr->tclass = FI_TC_BULK_DATA;
        // Members that the 1.17 headers do not have; marked through the last byte of the structure.
        if (layout.domain > sizeof(fi_domain_attr))
            domain_.bytes()[layout.domain - 8] = 16;
    }

    fi_info* get() const { return info_.as<fi_info>(); }

  private:
    Guarded info_, tx_, rx_, ep_, domain_, fabric_;
    char domain_name_[8] = "elder0";
    char provider_name_[8] = "elder";
    uint8_t key_[3] = {7, 8, 9};
};

void* library()
{
    static void* const handle = dlopen(LIBFABRIC_SO, RTLD_NOW);
    return handle;
}

template <typename Function>
Function* versioned(const char* name, const char* version)
{
    return reinterpret_cast<Function*>(dlvsym(library(), name, version));
}

class OldCaller : public testing::TestWithParam<Layout> {
  protected:
    void SetUp() override
    {
        ASSERT_NE(library(), nullptr) << dlerror();
        ASSERT_NE(getinfo, nullptr);
        ASSERT_NE(dupinfo, nullptr);
        ASSERT_NE(freeinfo, nullptr);
    }

    const Layout& layout = GetParam();
    decltype(&fi_getinfo) getinfo = versioned<decltype(fi_getinfo)>("fi_getinfo", layout.version);
    decltype(&fi_dupinfo) dupinfo = versioned<decltype(fi_dupinfo)>("fi_dupinfo", layout.version);
    decltype(&fi_freeinfo) freeinfo = versioned<decltype(fi_freeinfo)>("fi_freeinfo", layout.version);
};

bool all_zero(const void* block, size_t from, size_t to)
{
    const auto* bytes = static_cast<const char*>(block);
    return std::all_of(bytes + from, bytes + to, [](char byte) { return byte == 0; });
}

TEST_P(OldCaller, DupinfoReadsOnlyWhatTheCallersStructuresHold)
{
    const OldInfo old(layout);
    fi_info* copy = dupinfo(old.get());
    ASSERT_NE(copy, nullptr);
    EXPECT_EQ(copy->caps, FI_MSG);
    EXPECT_EQ(copy->tx_attr->rma_iov_limit, 11U);
    EXPECT_EQ(copy->rx_attr->iov_limit, 12U);
    EXPECT_EQ(copy->ep_attr->rx_ctx_cnt, 13U);
    EXPECT_EQ(copy->domain_attr->rx_ctx_cnt, 14U);
    EXPECT_STREQ(copy->domain_attr->name, "elder0");
    EXPECT_NE(copy->domain_attr->name, old.get()->domain_attr->name);
    EXPECT_STREQ(copy->fabric_attr->prov_name, "elder");
    freeinfo(copy);
}

TEST_P(OldCaller, DupinfoReturnsTheNewestLayoutWithAZeroTail)
{
    const OldInfo old(layout);
    fi_info* copy = dupinfo(old.get());
    ASSERT_NE(copy, nullptr);
    EXPECT_TRUE(all_zero(copy, layout.info, kNewest.info));
    EXPECT_TRUE(all_zero(copy->tx_attr, layout.tx, kNewest.tx));
    EXPECT_TRUE(all_zero(copy->ep_attr, layout.ep, kNewest.ep));
    EXPECT_TRUE(all_zero(copy->domain_attr, layout.domain, kNewest.domain));
    if (layout.domain > sizeof(fi_domain_attr)) {
        EXPECT_EQ(reinterpret_cast<char*>(copy->domain_attr)[layout.domain - 8], 16);
    }
    freeinfo(copy);
}

TEST_P(OldCaller, DupinfoCopiesKeysThatTheLayoutHas)
{
    const OldInfo old(layout);
    fi_info* copy = dupinfo(old.get());
    ASSERT_NE(copy, nullptr);
    if (layout.ep >= sizeof(fi_ep_attr)) {
        ASSERT_NE(copy->ep_attr->auth_key, nullptr);
        ASSERT_NE(copy->domain_attr->auth_key, nullptr);
        EXPECT_NE(copy->domain_attr->auth_key, old.get()->domain_attr->auth_key);
        EXPECT_EQ(copy->domain_attr->auth_key_size, 3U);
        EXPECT_EQ(memcmp(copy->ep_attr->auth_key, old.get()->ep_attr->auth_key, 3), 0);
        EXPECT_EQ(copy->domain_attr->mr_cnt, 15U);
    } else {
        EXPECT_EQ(copy->ep_attr->auth_key, nullptr);
        EXPECT_EQ(copy->domain_attr->auth_key, nullptr);
    }
    freeinfo(copy);
}

TEST_P(OldCaller, AllocatedHintsHaveTheNewestLayoutZeroed)
{
    fi_info* hints = dupinfo(nullptr);
    ASSERT_NE(hints, nullptr);
    ASSERT_TRUE(hints->tx_attr && hints->rx_attr && hints->ep_attr && hints->domain_attr &&
                hints->fabric_attr);
    EXPECT_EQ(hints->nic, nullptr);
    EXPECT_TRUE(all_zero(hints->tx_attr, 0, kNewest.tx));
    EXPECT_TRUE(all_zero(hints->rx_attr, 0, kNewest.rx));
    EXPECT_TRUE(all_zero(hints->ep_attr, 0, kNewest.ep));
    EXPECT_TRUE(all_zero(hints->domain_attr, 0, kNewest.domain));
    EXPECT_TRUE(all_zero(hints->fabric_attr, 0, kNewest.fabric));
    freeinfo(hints);
}

TEST_P(OldCaller, GetinfoUnderstandsHintsOfTheLayout)
{
    const OldInfo hints(layout);
    fi_info* found = nullptr;
    ASSERT_EQ(getinfo(FI_VERSION(1, 4), nullptr, nullptr, 0, hints.get(), &found), 0);
    ASSERT_NE(found, nullptr);
    EXPECT_STREQ(found->domain_attr->name, "elder0");
    EXPECT_EQ(found->fabric_attr->api_version, FI_VERSION(1, 4));
    // The plugin answers with the hints' traffic class: a layout without one means none.
    EXPECT_EQ(found->tx_attr->tclass, layout.tx >= sizeof(fi_tx_attr) ? FI_TC_BULK_DATA : FI_TC_UNSPEC);
    freeinfo(found);
}

TEST_P(OldCaller, NetworkCardsAreCopiedWhereTheLayoutHasThem)
{
    const OldInfo hints(layout);
    fi_info* found = nullptr;
    ASSERT_EQ(getinfo(FI_VERSION(1, 7), nullptr, nullptr, 0, hints.get(), &found), 0);
    ASSERT_NE(found->nic, nullptr);
    fi_info* copy = dupinfo(found);
    ASSERT_NE(copy, nullptr);
    if (layout.info >= sizeof(fi_info)) {
        EXPECT_NE(copy->nic, nullptr);
        EXPECT_NE(copy->nic, found->nic);
    } else {
        EXPECT_EQ(copy->nic, nullptr);
    }
    freeinfo(copy);
    freeinfo(found);
}

INSTANTIATE_TEST_SUITE_P(EveryVersion, OldCaller, testing::ValuesIn(kLayouts), [](const auto& layout) {
    std::string name = layout.param.version;
    std::replace(name.begin(), name.end(), '.', '_');
    return name;
});

uint32_t api_version_of_fabric_opened_by(const char* version)
{
    auto* open = versioned<decltype(fi_fabric)>("fi_fabric", version);
    // In 1.0 the last four bytes were padding, so whatever stands there is not an API version.
    const Guarded block(kNewest.fabric);
    char provider[] = "elder";
    char name[] = "elder-fabric";
    auto* attr = block.as<fi_fabric_attr>();
    attr->prov_name = provider;
    attr->name = name;
    attr->api_version = FI_VERSION(1, 9);
    fid_fabric* fabric = nullptr;
    if (open == nullptr || open(attr, &fabric, nullptr) != 0)
        return 0;
    const uint32_t api = fabric->api_version;
    fi_close(&fabric->fid);
    return api;
}

TEST(OldCallerOfFabric, IsTakenForApiVersionOneZero)
{
    EXPECT_EQ(api_version_of_fabric_opened_by("FABRIC_1.0"), FI_VERSION(1, 0));
}

TEST(OldCallerOfFabric, OfOneOneSaysItsApiVersionItself)
{
    EXPECT_EQ(api_version_of_fabric_opened_by("FABRIC_1.1"), FI_VERSION(1, 9));
}

TEST(OldCallerOfFabric, GetsAnErrorForNoAttributes)
{
    auto* open = versioned<decltype(fi_fabric)>("fi_fabric", "FABRIC_1.0");
    ASSERT_NE(open, nullptr);
    fid_fabric* fabric = nullptr;
    EXPECT_EQ(open(nullptr, &fabric, nullptr), -FI_EINVAL);
    EXPECT_EQ(fabric, nullptr);
}

} // namespace
