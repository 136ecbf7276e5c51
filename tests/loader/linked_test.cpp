// SPDX-License-Identifier: BSD-2-Clause
// A library built with -Dlinked_providers=soft: rule L60 of docs/loader.md with the real provider. Part of
// such builds only.
#include <gtest/gtest.h>

#include "fakes.hpp"

using namespace fi::fakes;

TEST(LinkedIn, L60_SoftIsActiveWithoutAFileAndAnswers)
{
    const PluginDirectory empty;
    const Outcome outcome =
        run(FI_FAKE_PROBE, {"plugins", "getinfo", "prov=soft"}, {{"FI_PROVIDER_PATH", empty.path()}});
    EXPECT_EQ(outcome.column("plugin", 2), "soft");
    EXPECT_EQ(outcome.column("plugin", 1), "");
    EXPECT_EQ(outcome.column("plugin", 5), "active");
    EXPECT_EQ(outcome.field("info", "soft", 1), "soft");
    EXPECT_EQ(outcome.column("result", 2), "0 0");
}
