// SPDX-License-Identifier: BSD-2-Clause
//
// The address vector, through the API's own calls where there are any.

#include "kit/objects/av.hpp"

#include "kit/objects/eq.hpp"
#include "test_parent.hpp"

#include <arpa/inet.h>
#include <atomic>
#include <gtest/gtest.h>
#include <memory>
#include <rdma/fi_domain.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <string>
#include <thread>
#include <vector>

namespace {

using fi::kit::Address;
using fi::kit::AddressVector;
using fi::kit::test_provider;
using fi::kit::TestParent;

/// The i-th of many different addresses.
sockaddr_in nth(uint32_t i)
{
    sockaddr_in out{};
    out.sin_family = AF_INET;
    out.sin_port = htons(7000);
    out.sin_addr.s_addr = htonl(0x0a000001 + i);
    return out;
}

Address address(const sockaddr_in& bytes)
{
    return Address::from(&bytes, sizeof(bytes)).value();
}

std::string text(const Address* one)
{
    return one ? one->text() : "none";
}

class Av : public testing::Test {
  protected:
    TestParent siblings;
    std::vector<fid_av*> open_;
    AddressVector* vector = nullptr;

    fid_av* open(fi_av_attr attr = {}, uint32_t format = FI_SOCKADDR_IN)
    {
        EXPECT_EQ(AddressVector::check(test_provider, attr), 0);
        vector = new AddressVector(siblings, attr, format, this);
        open_.push_back(&vector->fid);
        return open_.back();
    }
    static fi_av_attr typed(fi_av_type type)
    {
        fi_av_attr attr{};
        attr.type = type;
        return attr;
    }
    ~Av() override
    {
        for (fid_av* av : open_)
            EXPECT_EQ(fi_close(&av->fid), 0);
        EXPECT_EQ(siblings.children(), 0U);
    }
};

TEST_F(Av, AnObjectCarriesItsClassAndContext)
{
    fid_av* av = open();
    EXPECT_EQ(av->fid.fclass, size_t{FI_CLASS_AV});
    EXPECT_EQ(av->fid.context, this);
    EXPECT_EQ(siblings.children(), 1U);
}

TEST_F(Av, C173_TheCountOfInsertedAddressesIsReturnedAndFailuresAreMarked)
{
    sockaddr_in addresses[] = {nth(0), nth(1), nth(2), nth(3), nth(4)};
    addresses[1].sin_family = AF_INET6;
    addresses[2].sin_port = 0;
    addresses[3].sin_addr.s_addr = INADDR_ANY;
    fi_addr_t out[5] = {};
    EXPECT_EQ(fi_av_insert(open(), addresses, 5, out, 0, nullptr), 2);
    EXPECT_EQ(out[0], 0U);
    for (int failed : {1, 2, 3})
        EXPECT_EQ(out[failed], FI_ADDR_NOTAVAIL) << failed;
    EXPECT_EQ(out[4], 1U);
    EXPECT_EQ(*vector->at(1), address(addresses[4]));
}

TEST_F(Av, C174_TheLowestFreeIndexComesNext)
{
    fid_av* av = open(typed(FI_AV_TABLE));
    sockaddr_in many[6];
    for (uint32_t i = 0; i < 6; ++i)
        many[i] = nth(i);
    fi_addr_t out[6];
    ASSERT_EQ(fi_av_insert(av, many, 3, out, 0, nullptr), 3);
    ASSERT_EQ(fi_av_insert(av, many + 3, 3, out + 3, 0, nullptr), 3);
    for (fi_addr_t i = 0; i < 6; ++i)
        EXPECT_EQ(out[i], i);
    fi_addr_t gone[] = {4, 1, 3};
    ASSERT_EQ(fi_av_remove(av, gone, 3, 0), 0);
    ASSERT_EQ(fi_av_insert(av, many, 4, out, 0, nullptr), 4);
    EXPECT_EQ((std::vector<fi_addr_t>(out, out + 4)), (std::vector<fi_addr_t>{1, 3, 4, 6}));
}

TEST_F(Av, C175_ATableNeedsNoArrayForIndices)
{
    const sockaddr_in one = nth(0);
    EXPECT_EQ(fi_av_insert(open(typed(FI_AV_TABLE)), &one, 1, nullptr, 0, nullptr), 1);
    EXPECT_EQ(*vector->at(0), address(one));
    EXPECT_EQ(fi_av_insert(open(typed(FI_AV_MAP)), &one, 1, nullptr, 0, nullptr), -FI_EINVAL);
}

TEST_F(Av, C176_EachAddressHasItsOwnErrorIfAskedFor)
{
    sockaddr_in addresses[] = {nth(0), nth(1), nth(2)};
    addresses[1].sin_port = 0;
    int errors[3] = {-1, -1, -1};
    fid_av* av = open();
    EXPECT_EQ(fi_av_insert(av, addresses, 3, nullptr, FI_SYNC_ERR, errors), 2);
    EXPECT_EQ(errors[0], 0);
    EXPECT_EQ(errors[1], FI_EINVAL);
    EXPECT_EQ(errors[2], 0);
    EXPECT_EQ(fi_av_insert(av, addresses, 3, nullptr, FI_SYNC_ERR, nullptr), -FI_EINVAL);
}

TEST_F(Av, C177_InsertingNothingIsLegal)
{
    EXPECT_EQ(fi_av_insert(open(), nullptr, 0, nullptr, 0, nullptr), 0);
    EXPECT_EQ(fi_av_insert(open(), nullptr, 1, nullptr, 0, nullptr), -FI_EINVAL);
}

TEST_F(Av, C178_TextAddressesAreAnArrayOfPointers)
{
    fid_av* av = open({}, FI_ADDR_STR);
    const char* texts[] = {"fi_sockaddr_in://10.0.0.1:5", "rubbish", nullptr, "fi_sockaddr_in6://[::1]:6"};
    fi_addr_t out[4];
    EXPECT_EQ(fi_av_insert(av, texts, 4, out, 0, nullptr), 2);
    EXPECT_EQ(out[2], FI_ADDR_NOTAVAIL);
    char back[64];
    size_t size = sizeof(back);
    EXPECT_EQ(fi_av_lookup(av, out[3], back, &size), 0);
    EXPECT_STREQ(back, texts[3]);
    EXPECT_EQ(size, strlen(texts[3]) + 1);
    size = sizeof(back);
    EXPECT_STREQ(fi_av_straddr(av, texts[0], back, &size), texts[0]);
}

TEST_F(Av, C25_AMixedArrayIsWalkedByTheFamilyOfEachAddress)
{
    struct __attribute__((packed)) {
        sockaddr_in first = nth(0);
        sockaddr_in6 second{};
        sockaddr_in third = nth(2);
    } bytes;
    bytes.second.sin6_family = AF_INET6;
    bytes.second.sin6_port = htons(9);
    bytes.second.sin6_addr = IN6ADDR_LOOPBACK_INIT;
    EXPECT_EQ(fi_av_insert(open({}, FI_SOCKADDR_IP), &bytes, 3, nullptr, 0, nullptr), 3);
    EXPECT_EQ(text(vector->at(1)), "fi_sockaddr_in6://[::1]:9");
    EXPECT_EQ(*vector->at(2), address(nth(2)));
}

TEST_F(Av, C179_AnIndexThatIsNotThereIsInvalid)
{
    fid_av* av = open();
    const sockaddr_in pair[] = {nth(0), nth(1)};
    ASSERT_EQ(fi_av_insert(av, pair, 2, nullptr, 0, nullptr), 2);
    char buffer[64];
    for (fi_addr_t absent :
         {fi_addr_t{2}, fi_addr_t{63}, fi_addr_t{64}, fi_addr_t{1} << 40, FI_ADDR_UNSPEC}) {
        size_t size = sizeof(buffer);
        EXPECT_EQ(fi_av_lookup(av, absent, buffer, &size), -FI_EINVAL);
        EXPECT_EQ(size, sizeof(buffer)) << "outputs are set only on success";
        fi_addr_t some[] = {0, absent};
        EXPECT_EQ(fi_av_remove(av, some, 2, 0), -FI_EINVAL);
        EXPECT_NE(vector->at(0), nullptr) << "nothing was removed";
    }
    fi_addr_t gone = 1;
    EXPECT_EQ(fi_av_remove(av, &gone, 1, 0), 0);
    EXPECT_EQ(fi_av_remove(av, &gone, 1, 0), -FI_EINVAL);
    fi_addr_t twice[] = {0, 0};
    EXPECT_EQ(fi_av_remove(av, twice, 2, 0), -FI_EINVAL);
    EXPECT_EQ(fi_av_remove(av, twice, 0, 0), 0);
    EXPECT_EQ(fi_av_remove(av, twice, 0, FI_MORE), -FI_EBADFLAGS);
}

TEST_F(Av, C180_B21_AnAddressCanComeAndGoForEverWithoutUsingUpIndices)
{
    for (const fi_av_type type : {FI_AV_TABLE, FI_AV_MAP}) {
        fid_av* av = open(typed(type));
        const sockaddr_in keeper = nth(0), visitor = nth(1);
        fi_addr_t kept, index;
        ASSERT_EQ(fi_av_insert(av, &keeper, 1, &kept, 0, nullptr), 1);
        for (int round = 0; round < 10000; ++round) {
            ASSERT_EQ(fi_av_insert(av, &visitor, 1, &index, 0, nullptr), 1);
            ASSERT_EQ(index, 1U);
            ASSERT_EQ(fi_av_remove(av, &index, 1, 0), 0);
        }
        EXPECT_EQ(vector->find(address(keeper)), kept);
        EXPECT_EQ(vector->find(address(visitor)), FI_ADDR_NOTAVAIL);
    }
}

TEST_F(Av, B23_ADuplicateHasItsOwnIndexAndOutlivesTheFirst)
{
    fid_av* av = open();
    sockaddr_in three[] = {nth(0), nth(0), nth(1)};
    memset(three[1].sin_zero, 0x55, sizeof(three[1].sin_zero)); // padding makes no other address
    fi_addr_t out[3];
    ASSERT_EQ(fi_av_insert(av, three, 3, out, 0, nullptr), 3);
    EXPECT_NE(out[0], out[1]);
    EXPECT_EQ(vector->find(address(three[0])), out[0]);
    ASSERT_EQ(fi_av_remove(av, &out[0], 1, 0), 0);
    EXPECT_EQ(vector->find(address(three[0])), out[1]);
    EXPECT_EQ(*vector->at(out[1]), address(three[0]));
    ASSERT_EQ(fi_av_remove(av, &out[1], 1, 0), 0);
    EXPECT_EQ(vector->find(address(three[0])), FI_ADDR_NOTAVAIL);
}

TEST_F(Av, C182_B20_LookupFillsAShortBufferAndTellsTheFullSize)
{
    fid_av* av = open();
    const sockaddr_in one = nth(0);
    ASSERT_EQ(fi_av_insert(av, &one, 1, nullptr, 0, nullptr), 1);
    for (size_t room : {size_t{0}, size_t{1}, sizeof(one), sizeof(one) + 100}) {
        std::vector<char> buffer(room + 1, '#');
        size_t size = room;
        EXPECT_EQ(fi_av_lookup(av, 0, room ? buffer.data() : nullptr, &size), 0);
        EXPECT_EQ(size, sizeof(one));
        EXPECT_EQ(buffer[room], '#');
        EXPECT_EQ(memcmp(buffer.data(), &one, std::min(room, sizeof(one))), 0);
    }
    EXPECT_EQ(fi_av_lookup(av, 0, nullptr, nullptr), -FI_EINVAL);
}

TEST_F(Av, C192_B20_StraddrPrintsAnyAddressAndTellsTheFullSize)
{
    fid_av* av = open({}, FI_SOCKADDR_IP);
    const sockaddr_in one = nth(0);
    const std::string whole = "fi_sockaddr_in://10.0.0.1:7000";
    for (size_t room : {size_t{0}, size_t{1}, size_t{12}, whole.size(), whole.size() + 1, size_t{200}}) {
        std::vector<char> buffer(room + 1, '#');
        size_t size = room;
        EXPECT_EQ(fi_av_straddr(av, &one, buffer.data(), &size), buffer.data());
        EXPECT_EQ(size, whole.size() + 1);
        EXPECT_EQ(buffer[room], '#');
        if (room) {
            EXPECT_STREQ(buffer.data(), whole.substr(0, room - 1).c_str());
        }
    }
    sockaddr_in6 six{};
    six.sin6_family = AF_INET6;
    six.sin6_addr = IN6ADDR_LOOPBACK_INIT;
    char buffer[64];
    size_t size = sizeof(buffer);
    EXPECT_STREQ(fi_av_straddr(av, &six, buffer, &size), "fi_sockaddr_in6://[::1]:0");
}

TEST_F(Av, C183_AVectorInUseIsNotClosed)
{
    fid_av* av = open();
    const sockaddr_in one = nth(0);
    ASSERT_EQ(fi_av_insert(av, &one, 1, nullptr, 0, nullptr), 1);
    vector->use();
    EXPECT_EQ(fi_close(&av->fid), -FI_EBUSY);
    vector->unuse();
    vector->listen({this, [](void*, fi_addr_t) noexcept {}});
    EXPECT_EQ(fi_close(&av->fid), -FI_EBUSY);
    vector->unlisten(this); // the entry needs no removal: the fixture closes
}

TEST_F(Av, C184_TheTypeThatWasChosenIsWrittenBack)
{
    fi_av_attr attr{};
    auto* av = new AddressVector(siblings, attr, FI_SOCKADDR_IN, nullptr);
    EXPECT_EQ(attr.type, FI_AV_TABLE);
    EXPECT_EQ(fi_close(&av->fid.fid), 0);
    attr.type = FI_AV_MAP;
    av = new AddressVector(siblings, attr, FI_SOCKADDR_IN, nullptr);
    EXPECT_EQ(attr.type, FI_AV_MAP);
    EXPECT_EQ(fi_close(&av->fid.fid), 0);
}

TEST_F(Av, C186_TheCountInTheAttributesIsNoLimit)
{
    fi_av_attr attr{};
    attr.count = 2;
    fid_av* av = open(attr);
    constexpr uint32_t kMany = 20000;
    std::vector<sockaddr_in> many;
    for (uint32_t i = 0; i < kMany; ++i)
        many.push_back(nth(i));
    std::vector<fi_addr_t> out(kMany);
    const Address* first = nullptr;
    ASSERT_EQ(fi_av_insert(av, many.data(), 1, out.data(), 0, nullptr), 1);
    first = vector->at(0);
    ASSERT_EQ(fi_av_insert(av, many.data() + 1, kMany - 1, out.data() + 1, 0, nullptr), int{kMany - 1});
    EXPECT_EQ(vector->at(0), first) << "addresses do not move";
    for (uint32_t i = 0; i < kMany; ++i)
        ASSERT_EQ(*vector->at(out[i]), address(many[i])) << i;
}

TEST_F(Av, WhatNoEndpointCouldReachIsNotInserted)
{
    fi_av_attr attr{};
    fid_av* av = open(attr);
    const std::vector<sockaddr_in> same(AddressVector::kMostAddresses + 1, nth(0));
    int errors[2] = {-1, -1};
    ASSERT_EQ(fi_av_insert(av, same.data(), same.size() - 2, nullptr, 0, nullptr),
              static_cast<int>(same.size() - 2));
    fi_addr_t last[2] = {};
    EXPECT_EQ(fi_av_insert(av, same.data(), 2, last, FI_SYNC_ERR, errors), 1);
    EXPECT_EQ(last[0], AddressVector::kMostAddresses - 1);
    EXPECT_EQ(last[1], FI_ADDR_NOTAVAIL);
    EXPECT_EQ(errors[0], 0);
    EXPECT_EQ(errors[1], FI_ENOSPC);
    EXPECT_EQ(fi_av_remove(av, last, 1, 0), 0);
    EXPECT_EQ(fi_av_insert(av, same.data(), 1, last, 0, nullptr), 1) << "a slot that is free again";
}

TEST_F(Av, C187_TheReceiveContextInAnAddressIsIgnored)
{
    fi_av_attr attr{};
    attr.rx_ctx_bits = 4;
    fid_av* av = open(attr);
    const sockaddr_in pair[] = {nth(0), nth(1)};
    ASSERT_EQ(fi_av_insert(av, pair, 2, nullptr, 0, nullptr), 2);
    EXPECT_EQ(*vector->at(fi_rx_addr(1, 15, 4)), address(pair[1]));
    EXPECT_EQ(vector->at(FI_ADDR_UNSPEC), nullptr);
    EXPECT_EQ(vector->at(fi_rx_addr(2, 15, 4)), nullptr);
}

TEST_F(Av, C189_ServicesAreLookedUpAndAnAddressStringStandsAlone)
{
    fid_av* av = open();
    fi_addr_t out = 7;
    EXPECT_EQ(fi_av_insertsvc(av, "127.0.0.1", "5", &out, 0, nullptr), 1);
    EXPECT_EQ(text(vector->at(out)), "fi_sockaddr_in://127.0.0.1:5");
    EXPECT_EQ(fi_av_insertsvc(av, "fi_sockaddr_in://127.0.0.2:6", nullptr, &out, 0, nullptr), 1);
    EXPECT_EQ(text(vector->at(out)), "fi_sockaddr_in://127.0.0.2:6");
    EXPECT_EQ(fi_av_insertsvc(av, "fi_sockaddr_in://127.0.0.2:6", "6", &out, 0, nullptr), -FI_EINVAL);
    EXPECT_EQ(fi_av_insertsvc(av, nullptr, nullptr, &out, 0, nullptr), -FI_EINVAL);
    int error = 0;
    EXPECT_EQ(fi_av_insertsvc(av, "::1", "5", &out, FI_SYNC_ERR, &error), 0) << "the format is IPv4";
    EXPECT_EQ(out, FI_ADDR_NOTAVAIL);
    EXPECT_EQ(error, FI_ENODATA);
}

TEST_F(Av, C190_C191_ASymmetricJobIsInsertedNodeByNode)
{
    fid_av* av = open();
    fi_addr_t out[6];
    ASSERT_EQ(fi_av_insertsym(av, "127.0.0.255", 3, "65534", 2, out, 0, nullptr), 6);
    const char* const expected[] = {"127.0.0.255:65534", "127.0.0.255:65535", "127.0.1.0:65534",
                                    "127.0.1.0:65535",   "127.0.1.1:65534",   "127.0.1.1:65535"};
    for (int i = 0; i < 6; ++i)
        EXPECT_EQ(text(vector->at(out[i])), std::string("fi_sockaddr_in://") + expected[i]);
    // Ports end at 65535; the count says how far it went.
    ASSERT_EQ(fi_av_insertsym(av, "127.0.0.1", 1, "65535", 3, out, 0, nullptr), 1);
    EXPECT_EQ(out[1], FI_ADDR_NOTAVAIL);
    // 2130706433 is 127.0.0.1 to the resolver, and a name that ends in a number to us.
    ASSERT_EQ(fi_av_insertsym(av, "2130706433", 2, "9", 1, out, 0, nullptr), 2);
    EXPECT_EQ(text(vector->at(out[1])), "fi_sockaddr_in://127.0.0.2:9");
}

TEST_F(Av, C191_OnlyANameThatEndsInANumberHasASuccessor)
{
    fid_av* av = open();
    fi_addr_t out[2];
    int errors[2];
    EXPECT_EQ(fi_av_insertsym(av, "localhost", 2, "9", 1, out, FI_SYNC_ERR, errors), 1);
    EXPECT_EQ(out[1], FI_ADDR_NOTAVAIL);
    EXPECT_EQ(errors[1], FI_ENODATA);
    EXPECT_EQ(fi_av_insertsym(av, "255.255.255.255", 2, "9", 1, out, 0, nullptr), 1);
    EXPECT_EQ(fi_av_insertsym(av, "127.0.0.1", 0, "9", 1, out, 0, nullptr), 0);
    EXPECT_EQ(fi_av_insertsym(av, nullptr, 1, "9", 1, out, 0, nullptr), -FI_EINVAL);
    EXPECT_EQ(fi_av_insertsym(av, "127.0.0.1", SIZE_MAX, "9", 2, out, 0, nullptr), -FI_EINVAL);
}

TEST_F(Av, C193_C201_MoreMayBeSaidAndUnknownFlagsAreRefused)
{
    fid_av* av = open();
    const sockaddr_in one = nth(0);
    EXPECT_EQ(fi_av_insert(av, &one, 1, nullptr, FI_MORE, nullptr), 1);
    for (const uint64_t flag : {FI_AV_USER_ID, FI_FIREWALL_ADDR, FI_AUTH_KEY})
        EXPECT_EQ(fi_av_insert(av, &one, 1, nullptr, flag, nullptr), -FI_EBADFLAGS);
    EXPECT_EQ(fi_av_insert_auth_key(av, "k", 1, nullptr, 0), -FI_ENOSYS);
}

TEST(AvAttributes, C194_C199_WhatIsNotSupportedIsRefusedAtOpen)
{
    fi_av_attr attr{};
    attr.name = "shared";
    EXPECT_EQ(AddressVector::check(test_provider, attr), -FI_ENOSYS);
    attr = {};
    attr.flags = FI_READ;
    EXPECT_EQ(AddressVector::check(test_provider, attr), -FI_EINVAL);
    attr.flags = FI_AV_USER_ID;
    EXPECT_EQ(AddressVector::check(test_provider, attr), -FI_EBADFLAGS);
    attr = {};
    attr.rx_ctx_bits = 33;
    EXPECT_EQ(AddressVector::check(test_provider, attr), -FI_EINVAL);
    attr = {};
    attr.flags = FI_SYMMETRIC;
    attr.map_addr = &attr; // means nothing without a name (C195)
    EXPECT_EQ(AddressVector::check(test_provider, attr), 0);
}

TEST_F(Av, C196_C197_C198_ResultsGoToTheEventQueueIfTheVectorWasOpenedSo)
{
    TestParent queues;
    fi_eq_attr eq_attr{};
    auto* queue = new fi::kit::EventQueue(queues, eq_attr, FI_VERSION(2, 6), nullptr);
    fid_eq* eq = &queue->fid;
    fi_av_attr attr{};
    attr.flags = FI_EVENT;
    fid_av* av = open(attr);
    sockaddr_in three[] = {nth(0), nth(1), nth(2)};
    three[1].sin_port = 0;
    fi_addr_t out[3] = {};
    int context = 0;

    EXPECT_EQ(fi_av_insert(av, three, 3, out, 0, &context), -FI_ENOEQ);
    EXPECT_EQ(av->fid.ops->bind(&av->fid, &eq->fid, 1), -FI_EBADFLAGS);
    EXPECT_EQ(av->fid.ops->bind(&av->fid, &av->fid, 0), -FI_EINVAL);
    EXPECT_EQ(av->fid.ops->bind(&av->fid, &eq->fid, 0), 0);
    EXPECT_EQ(av->fid.ops->bind(&av->fid, &eq->fid, 0), -FI_EINVAL) << "one queue is enough";
    EXPECT_EQ(fi_close(&eq->fid), -FI_EBUSY);
    int errors[3];
    EXPECT_EQ(fi_av_insert(av, three, 3, out, FI_SYNC_ERR, errors), -FI_EINVAL) << "synchronous vectors only";

    EXPECT_EQ(fi_av_insert(av, three, 3, out, 0, &context), 0);
    EXPECT_EQ(out[1], FI_ADDR_NOTAVAIL);
    uint32_t event = 0;
    fi_eq_entry entry{};
    EXPECT_EQ(fi_eq_read(eq, &event, &entry, sizeof(entry), 0), -FI_EAVAIL);
    fi_eq_err_entry error{};
    EXPECT_GT(fi_eq_readerr(eq, &error, 0), 0);
    EXPECT_EQ(error.data, 1U);
    EXPECT_EQ(error.err, FI_EINVAL);
    EXPECT_EQ(error.context, &context);
    EXPECT_EQ(error.fid, &av->fid);
    EXPECT_EQ(fi_eq_read(eq, &event, &entry, sizeof(entry), 0), ssize_t{sizeof(entry)});
    EXPECT_EQ(event, uint32_t{FI_AV_COMPLETE});
    EXPECT_EQ(entry.data, 2U);
    EXPECT_EQ(entry.context, &context);
    EXPECT_EQ(entry.fid, &av->fid);

    EXPECT_EQ(fi_av_insert(av, three + 1, 1, out, 0, &context), 0);
    EXPECT_GT(fi_eq_readerr(eq, &error, 0), 0);
    EXPECT_EQ(fi_eq_read(eq, &event, &entry, sizeof(entry), 0), ssize_t{sizeof(entry)});
    EXPECT_EQ(entry.data, 0U) << "exactly one completion, even for nothing";
    EXPECT_EQ(fi_eq_read(eq, &event, &entry, sizeof(entry), 0), -FI_EAGAIN);

    open_.clear();
    EXPECT_EQ(fi_close(&av->fid), 0);
    EXPECT_EQ(fi_close(&eq->fid), 0);
}

TEST_F(Av, AnEndpointIsToldWhatComesAndGoes)
{
    struct Listener {
        AddressVector* vector;
        std::vector<std::string> heard;
        static void removed(void* self, fi_addr_t addr) noexcept
        {
            auto& me = *static_cast<Listener*>(self);
            me.heard.push_back("-" + std::to_string(addr) + text(me.vector->at(addr)));
        }
        static void inserted(void* self, fi_addr_t addr) noexcept
        {
            auto& me = *static_cast<Listener*>(self);
            me.heard.push_back("+" + std::to_string(addr) + text(me.vector->at(addr)));
        }
    };
    fid_av* av = open();
    const sockaddr_in one = nth(0);
    ASSERT_EQ(fi_av_insert(av, &one, 1, nullptr, 0, nullptr), 1);
    Listener listener{vector, {}}, deaf{vector, {}};
    vector->listen({&listener, Listener::removed, Listener::inserted});
    vector->listen({&deaf, Listener::removed});
    const uint64_t version = vector->version();
    ASSERT_EQ(fi_av_insert(av, &one, 1, nullptr, 0, nullptr), 1);
    EXPECT_NE(vector->version(), version);
    fi_addr_t gone = 0;
    ASSERT_EQ(fi_av_remove(av, &gone, 1, 0), 0);
    EXPECT_EQ(listener.heard, (std::vector<std::string>{"+1fi_sockaddr_in://10.0.0.1:7000", "-0none"}));
    EXPECT_EQ(deaf.heard, std::vector<std::string>{"-0none"});
    vector->unlisten(&listener);
    vector->unlisten(&deaf);
    ASSERT_EQ(fi_av_insert(av, &one, 1, nullptr, 0, nullptr), 1);
    EXPECT_EQ(listener.heard.size(), 2U);
}

TEST_F(Av, ReadersNeedNoLockWhileOthersInsertAndRemove)
{
    fid_av* av = open();
    const sockaddr_in first = nth(0);
    ASSERT_EQ(fi_av_insert(av, &first, 1, nullptr, 0, nullptr), 1);
    constexpr uint32_t kEach = 2000;
    std::atomic<bool> done{false};
    std::atomic<size_t> seen{0};
    std::thread reader([&] {
        do {
            EXPECT_EQ(*vector->at(0), address(first));
            for (fi_addr_t i = 1; i < 2 * kEach; i += 97)
                if (const Address* one = vector->at(i)) {
                    EXPECT_EQ(one->port(), 7000);
                    seen.fetch_add(1, std::memory_order_relaxed);
                }
        } while (!done.load());
    });
    const auto insert = [&](uint32_t base) {
        for (uint32_t i = 0; i < kEach; ++i) {
            const sockaddr_in one = nth(base + i);
            fi_addr_t out;
            ASSERT_EQ(fi_av_insert(av, &one, 1, &out, 0, nullptr), 1);
            ASSERT_EQ(vector->find(address(one)), out);
        }
    };
    std::thread writer(insert, 100000);
    insert(200000);
    writer.join();
    while (!seen.load())
        std::this_thread::yield();
    done = true;
    reader.join();
    EXPECT_NE(vector->at(2 * kEach), nullptr);
    EXPECT_EQ(vector->at(2 * kEach + 1), nullptr);
}

} // namespace
