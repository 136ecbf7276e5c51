// SPDX-License-Identifier: BSD-2-Clause
//
// fi_conform: does a provider keep the rules of the API? For those who write one, and for those who wonder
// whether it is theirs or the provider's fault.
//
// GoogleTest runs the checks: filters, results in JUnit's form and skips with reasons are its own; what it
// lacks, a process and a deadline for each check, is in isolated.cpp.
#include "check.hpp"
#include "isolated.hpp"
#include "options.hpp"
#include "printer.hpp"
#include "rules.hpp"

#include <cstdio>
#include <cstring>

namespace {

using namespace conform;

/// GoogleTest's own options, as test runners give them, taken out of the arguments.
std::vector<std::string> take_gtest_arguments(std::vector<char*>& arguments)
{
    std::vector<std::string> theirs;
    std::vector<char*> ours;
    for (char* argument : arguments)
        if (std::strncmp(argument, "--gtest_", 8) == 0)
            theirs.emplace_back(argument);
        else
            ours.push_back(argument);
    arguments = ours;
    return theirs;
}

void start_gtest(std::vector<std::string> arguments, const Options& options)
{
    arguments.insert(arguments.begin(), "fi_conform");
    if (!options.filter.empty())
        arguments.push_back("--gtest_filter=" + options.filter);
    if (!options.junit.empty())
        arguments.push_back("--gtest_output=xml:" + options.junit);
    std::vector<char*> pointers;
    pointers.reserve(arguments.size() + 1);
    for (std::string& argument : arguments)
        pointers.push_back(argument.data());
    int count = static_cast<int>(pointers.size());
    pointers.push_back(nullptr);
    testing::InitGoogleTest(&count, pointers.data());
}

void list()
{
    for (const Known& check : known_checks()) {
        std::printf("%s\n", check.name.c_str());
        for (const std::string& rule : check.rules)
            std::printf("    %s: %s\n", rule.c_str(), std::string(rule_text(rule)).c_str());
    }
}

Exit run(const Options& options)
{
    running().deadline = options.deadline;
    running().in_process = options.in_process;
    try {
        choose(options.plugin);
        std::printf("%s: %s\n", options.plugin.c_str(), text_from_child(claims_text).c_str());
    } catch (const std::exception& error) {
        std::fprintf(stderr, "fi_conform: %s\n", error.what());
        return Exit::Unusable;
    }
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new Printer);
    const int status = RUN_ALL_TESTS();
    if (testing::UnitTest::GetInstance()->test_to_run_count() == 0) {
        std::fputs("fi_conform: no check matches the filter\n", stderr);
        return Exit::Unusable;
    }
    return status == 0 ? Exit::Held : Exit::Broken;
}

} // namespace

int main(int argc, char** argv)
{
    std::vector<char*> arguments(argv, argv + argc);
    const std::vector<std::string> theirs = take_gtest_arguments(arguments);
    const Parsed parsed = parse(arguments);
    if (parsed.done)
        return static_cast<int>(parsed.exit);
    if (parsed.options.list) {
        list();
        return static_cast<int>(Exit::Held);
    }
    start_gtest(theirs, parsed.options);
    return static_cast<int>(run(parsed.options));
}
