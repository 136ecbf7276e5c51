// SPDX-License-Identifier: BSD-2-Clause
// The ground for tests of a bad plugin: it stands between two good ones.
#pragma once

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "probing.hpp"

namespace fi::fakes {

// A directory in which a good plugin comes before and after the bad one (directories are read backwards), so
// that each test shows that the bad one hides neither.
class BadPlugin : public testing::Test {
  protected:
    BadPlugin()
    {
        plugins.add("libz-fi.so", "name=before\n");
        plugins.add("liba-fi.so", "name=after\n");
    }

    static constexpr const char* kBad = "libbad-fi.so";

    void expect_refused(const testing::Matcher<std::string>& reason)
    {
        const Outcome outcome = probe_path(plugins.path());
        EXPECT_EQ(outcome.exit_code, 0) << "signal " << outcome.signal << "\n" << outcome.log;
        EXPECT_EQ(outcome.field("file", kBad, kFileState), "refused");
        EXPECT_THAT(outcome.field("file", kBad, kFileReason), reason);
        EXPECT_EQ(outcome.column("provider", kName), "before after");
        expect_one_warning(outcome);
    }

    // B12: exactly one line, and it names the file.
    void expect_one_warning(const Outcome& outcome)
    {
        const std::string line = "plugin " + (plugins / kBad) + " refused: ";
        const size_t first = outcome.log.find(line);
        ASSERT_NE(first, std::string::npos) << outcome.log;
        EXPECT_EQ(outcome.log.find(line, first + 1), std::string::npos) << outcome.log;
        EXPECT_THAT(outcome.log, testing::HasSubstr("<warn>"));
    }

    std::string fake_bytes(size_t count = std::string::npos) const
    {
        return read_file(FI_FAKE_PLUGIN).substr(0, count);
    }

    std::string patched(size_t offset, std::string_view bytes) const
    {
        return fake_bytes().replace(offset, bytes.size(), bytes);
    }

    PluginDirectory plugins;
};

} // namespace fi::fakes
