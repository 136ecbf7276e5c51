// SPDX-License-Identifier: BSD-2-Clause
#include "printer.hpp"

#include "isolated.hpp"
#include "rules.hpp"

#include <cstdio>
#include <unistd.h>

namespace conform {
namespace {

std::string full_name(const testing::TestInfo& check)
{
    return std::string(check.test_suite_name()) + "." + check.name();
}

void print_indented(const std::string& text)
{
    std::size_t begin = 0;
    while (begin < text.size()) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        std::printf("            %.*s\n", static_cast<int>(end - begin), text.data() + begin);
        begin = end + 1;
    }
}

} // namespace

Printer::Printer() : terminal_(isatty(STDOUT_FILENO)) {}

void Printer::OnTestIterationStart(const testing::UnitTest& all, int)
{
    total_ = all.test_to_run_count();
}

void Printer::show_progress(const testing::TestInfo& check) const
{
    if (!terminal_)
        return;
    std::printf("[%d/%d] %s", number_, total_, full_name(check).c_str());
    std::fflush(stdout);
}

void Printer::hide_progress() const
{
    if (terminal_)
        std::fputs("\r\033[K", stdout);
}

void Printer::OnTestStart(const testing::TestInfo& check)
{
    number_++;
    complaints_.clear();
    skip_reason_.clear();
    show_progress(check);
}

void Printer::OnTestPartResult(const testing::TestPartResult& result)
{
    if (sent_to_parent(result))
        return;
    if (result.skipped())
        skip_reason_ = result.message();
    else if (result.failed())
        complaints_.push_back(
            (result.file_name() && *result.file_name()
                 ? std::string(result.file_name()) + ":" + std::to_string(result.line_number()) + ":\n"
                 : std::string()) +
            result.message());
}

void Printer::OnTestEnd(const testing::TestInfo& check)
{
    hide_progress();
    const testing::TestResult& result = *check.result();
    std::printf("%-10s  %s\n",
                result.Failed()    ? "BROKEN"
                : result.Skipped() ? "skipped"
                                   : "holds",
                full_name(check).c_str());
    if (result.Failed()) {
        for (const std::string& complaint : complaints_)
            print_indented(complaint);
        for (const std::string& rule : rules_in(check.name())) {
            broken_.insert(rule);
            print_indented(rule + ": " + std::string(rule_text(rule)));
        }
    } else if (result.Skipped()) {
        print_indented(skip_reason_);
    }
    std::fflush(stdout);
}

void Printer::OnTestIterationEnd(const testing::UnitTest& all, int)
{
    std::printf("\n%d checks: %d hold, %d broken, %d skipped\n", total_, all.successful_test_count(),
                all.failed_test_count(), all.skipped_test_count());
    if (broken_.empty())
        return;
    std::fputs("broken rules:", stdout);
    for (const std::string& rule : broken_)
        std::printf(" %s", rule.c_str());
    std::fputs("\n", stdout);
}

} // namespace conform
