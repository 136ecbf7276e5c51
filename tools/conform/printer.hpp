// SPDX-License-Identifier: BSD-2-Clause
//
// What the tool shows while checks run and at the end.
#pragma once

#include <gtest/gtest.h>
#include <set>
#include <string>
#include <vector>

namespace conform {

class Printer final : public testing::EmptyTestEventListener {
  public:
    Printer();
    void OnTestIterationStart(const testing::UnitTest& all, int) override;
    void OnTestStart(const testing::TestInfo& check) override;
    void OnTestPartResult(const testing::TestPartResult& result) override;
    void OnTestEnd(const testing::TestInfo& check) override;
    void OnTestIterationEnd(const testing::UnitTest& all, int) override;

  private:
    void show_progress(const testing::TestInfo& check) const;
    void hide_progress() const;

    bool terminal_;
    int number_ = 0, total_ = 0;
    std::vector<std::string> complaints_; ///< of the running check
    std::string skip_reason_;
    std::set<std::string> broken_; ///< rules named by the checks that failed
};

} // namespace conform
