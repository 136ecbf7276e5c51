// SPDX-License-Identifier: BSD-2-Clause
//
// Every attribute of fi_info refused once, through the library and a real provider: the query finds nothing,
// and the reason names the provider, the attribute, what was asked and what is offered.
#include "../unit/refusals.hpp"
#include "pair.hpp"

#include <algorithm>
#include <rdma/fi_report.h>
#include <set>

namespace contract {
namespace {

struct Reason {
    std::string provider, attribute, text;
};

std::vector<Reason> reasons_for(std::uint32_t api, const fi_info* hints)
{
    fi_reason* list = nullptr;
    std::size_t count = 0;
    EXPECT_EQ(fi_getreasons(api, nullptr, nullptr, 0, hints, &list, &count), 0);
    std::vector<Reason> reasons;
    for (std::size_t i = 0; i < count; i++)
        reasons.push_back({list[i].provider, list[i].attribute ? list[i].attribute : "", list[i].text});
    fi_freereasons(list);
    return reasons;
}

/// Soft needs nothing of its applications and counts to the end of 64 bits, so here there is nothing to
/// refuse.
const std::set<std::string> kUnlimited = {
    "mode",
    "domain_attr->mode",
    "domain_attr->mr_mode",
    "tx_attr->mode",
    "rx_attr->mode",
    "domain_attr->max_cntr_value",
    "domain_attr->max_err_cntr_value",
};

class Refusals : public testing::TestWithParam<fi::test::Refusal> {};

std::string name_of(const testing::TestParamInfo<fi::test::Refusal>& test)
{
    std::string name;
    for (const char* c = test.param.attribute; *c; c++)
        if (std::isalnum(static_cast<unsigned char>(*c)))
            name += *c;
        else if (name.back() != '_')
            name += '_';
    return name + "_" + std::to_string(test.index);
}
INSTANTIATE_TEST_SUITE_P(Soft, Refusals, testing::ValuesIn(fi::test::kRefusals), name_of);

TEST_P(Refusals, TheReasonNamesProviderAttributeQuestionAndOffer)
{
    const fi::test::Refusal& refusal = GetParam();
    const Info hints = hints_for({});
    fi_info* found = nullptr;
    ASSERT_EQ(fi_getinfo(refusal.api, nullptr, nullptr, 0, hints.get(), &found), 0)
        << "the hints are met before they change";
    const Info offered(found);
    const bool limited = refusal.ask(*hints, *offered);
    ASSERT_NE(limited, kUnlimited.count(refusal.attribute) != 0) << "kUnlimited says otherwise";
    if (!limited)
        return;
    EXPECT_EQ(fi_getinfo(refusal.api, nullptr, nullptr, 0, hints.get(), &found), -FI_ENODATA);
    EXPECT_EQ(found, nullptr) << "C12";
    const auto reasons = reasons_for(refusal.api, hints.get());
    const auto named = std::find_if(reasons.begin(), reasons.end(), [&](const Reason& reason) {
        return reason.provider == "soft" && reason.attribute == refusal.attribute;
    });
    std::string all;
    for (const Reason& reason : reasons)
        all += reason.provider + ": " + reason.attribute + ": " + reason.text + "\n";
    ASSERT_NE(named, reasons.end()) << all;
    EXPECT_NE(named->text.find("asked "), std::string::npos) << named->text;
    EXPECT_NE(named->text.find("offered "), std::string::npos) << named->text;
    // Objects that only look like objects belong to the test: nothing may free them with the hints.
    hints->fabric_attr->fabric = nullptr;
    hints->domain_attr->domain = nullptr;
}

TEST(Reasons, AQueryThatSucceedsHasNone)
{
    const Info hints = hints_for({});
    EXPECT_TRUE(reasons_for(FI_VERSION(2, 6), hints.get()).empty());
}

} // namespace
} // namespace contract
