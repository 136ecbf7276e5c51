// SPDX-License-Identifier: BSD-2-Clause
// fi_log, fi_log_enabled, fi_log_ready and the FI_LOG_* variables. Captures and imported logs:
// log_hand_over_test.cpp; what it allocates: log_allocations_test.cpp.
#include <atomic>
#include <cerrno>
#include <cstring>
#include <regex>
#include <sys/stat.h>
#include <thread>

#include <gtest/gtest.h>
#include <rdma/providers/fi_log.h>

#include "loader/registry.hpp"
#include "log/log.hpp"
#include "log_support.hpp"

namespace flog = fi::core::log;
using fi::test::contents;
using fi::test::Directory;
using fi::test::LogVariables;

namespace {

fi_provider prov = [] {
    fi_provider p{};
    p.name = "prov_x";
    return p;
}();

std::string enabled_levels(const fi_provider& p = prov, fi_log_subsys subsys = FI_LOG_AV)
{
    std::string levels;
    for (fi_log_level level : {FI_LOG_WARN, FI_LOG_TRACE, FI_LOG_INFO, FI_LOG_DEBUG})
        levels += fi_log_enabled(&p, level, subsys) ? '1' : '0';
    return levels;
}

// A new file to log to, with info enabled.
struct LoggedFile {
    Directory directory;
    std::string path = directory.file("log");
    LogVariables variables;
    LoggedFile(std::initializer_list<fi::test::Variables::value_type> more = {}) : variables(with(more)) {}
    std::string text() const { return contents(path); }

  private:
    fi::test::Variables with(fi::test::Variables more)
    {
        more.insert(more.begin(), {{"FI_LOG_LEVEL", "info"}, {"FI_LOG_LOCATION", path}});
        return more;
    }
};

} // namespace

// A process of its own, in which nothing has read the variables yet.
TEST(LogDeathTest, WorksBeforeItIsInitialised)
{
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_EXIT(
        {
            setenv("FI_LOG_LEVEL", "info", 1);
            const int enabled = fi_log_enabled(&prov, FI_LOG_WARN, FI_LOG_CORE);
            fi_log(&prov, FI_LOG_WARN, FI_LOG_CORE, "early", 7, "%s\n", "a bird");
            flog::init();
            flog::init();
            const int later = fi_log_enabled(&prov, FI_LOG_INFO, FI_LOG_CORE);
            _exit(enabled == 0 && later == 1 ? 0 : 1);
        },
        testing::ExitedWithCode(0), "libfabric:[0-9]+:[0-9]+::prov_x:core:early\\(\\):7<warn> a bird");
}

TEST(Log, C284_UnsetLevelEnablesNothing)
{
    LogVariables none{};
    EXPECT_EQ(enabled_levels(), "0000");
    LogVariables others{{"FI_LOG_PROV", "prov_x"}, {"FI_LOG_SUBSYS", "av"}};
    EXPECT_EQ(enabled_levels(), "0000");
}

TEST(Log, C284_EachLevelIncludesTheOnesBeforeIt)
{
    for (auto [word, expected] : std::vector<std::pair<const char*, const char*>>{{"warn", "1000"},
                                                                                  {"TRACE", "1100"},
                                                                                  {"Info", "1110"},
                                                                                  {"debug", "1111"},
                                                                                  {"", "1000"},
                                                                                  {"loud", "1000"}}) {
        testing::internal::CaptureStderr();
        LogVariables level{{"FI_LOG_LEVEL", word}};
        EXPECT_EQ(enabled_levels(), expected) << word;
        const bool known = strlen(word) > 0 && strcmp(word, "loud") != 0;
        EXPECT_EQ(testing::internal::GetCapturedStderr().empty(), known) << word;
    }
}

TEST(Log, KnowsNoLevelOrSubsystemOutsideTheEnumerations)
{
    LogVariables all{{"FI_LOG_LEVEL", "debug"}};
    for (int level : {-1, 4, 5, 32, 35})
        EXPECT_EQ(fi_log_enabled(&prov, static_cast<fi_log_level>(level), FI_LOG_CORE), 0) << level;
    for (int subsys : {-1, 10, 32})
        EXPECT_EQ(fi_log_enabled(&prov, FI_LOG_WARN, static_cast<fi_log_subsys>(subsys)), 0) << subsys;
}

TEST(Log, C284_SubsystemsAreAListThatMayBeNegated)
{
    auto enabled = [] {
        std::string flags;
        for (int subsys = FI_LOG_CORE; subsys <= FI_LOG_CNTR; ++subsys)
            flags += enabled_levels(prov, static_cast<fi_log_subsys>(subsys))[0];
        return flags;
    };
    for (auto [list, expected] :
         std::vector<std::pair<const char*, const char*>>{{"core", "1000000000"},
                                                          {"fabric,domain", "0110000000"},
                                                          {"ep_ctrl,ep_data,cntr", "0001100001"},
                                                          {"^av,cq", "1111100111"}}) {
        LogVariables v{{"FI_LOG_LEVEL", "warn"}, {"FI_LOG_SUBSYS", list}};
        EXPECT_EQ(enabled(), expected) << list;
    }
}

TEST(Log, SaysThatASubsystemDoesNotExist)
{
    testing::internal::CaptureStderr();
    LogVariables v{{"FI_LOG_LEVEL", "warn"}, {"FI_LOG_SUBSYS", "core,endpoint"}};
    EXPECT_NE(testing::internal::GetCapturedStderr().find("no subsystem 'endpoint'"), std::string::npos);
}

TEST(Log, C284_ProvidersAreAListThatMayBeNegated)
{
    {
        LogVariables v{{"FI_LOG_PROV", "tcp,prov_x"}};
        EXPECT_FALSE(flog::provider_filtered("tcp"));
        EXPECT_FALSE(flog::provider_filtered("prov_x"));
        EXPECT_TRUE(flog::provider_filtered("prov_"));
        EXPECT_TRUE(flog::provider_filtered("TCP"));
    }
    {
        LogVariables v{{"FI_LOG_PROV", "^tcp,prov_x"}};
        EXPECT_TRUE(flog::provider_filtered("tcp"));
        EXPECT_TRUE(flog::provider_filtered("prov_x"));
        EXPECT_FALSE(flog::provider_filtered("shm"));
    }
    LogVariables unset{};
    EXPECT_FALSE(flog::provider_filtered("tcp"));
}

TEST(Log, IsClosedToAProviderThatWasRegisteredAsFiltered)
{
    LogVariables v{{"FI_LOG_LEVEL", "debug"}};
    fi_provider filtered{};
    filtered.name = "filtered";
    EXPECT_EQ(enabled_levels(filtered), "1111");
    const fi::core::loader::ProviderScratch scratch = {0, true, false};
    memcpy(&filtered.context, &scratch, sizeof scratch);
    EXPECT_EQ(enabled_levels(filtered), "0000");
    EXPECT_EQ(enabled_levels(), "1111");
}

TEST(Log, WritesLinesInTheReleasedFormat)
{
    LoggedFile log;
    const std::string before = std::to_string(time(nullptr));
    fi_log(&prov, FI_LOG_INFO, FI_LOG_EP_DATA, "some_func", 42, "%d apples\n", 3);
    const std::string after = std::to_string(time(nullptr));
    const std::string pid = std::to_string(getpid());
    auto line = [&](const std::string& now) {
        return "libfabric:" + pid + ":" + now + "::prov_x:ep_data:some_func():42<info> 3 apples\n";
    };
    EXPECT_TRUE(log.text() == line(before) || log.text() == line(after)) << log.text();
}

TEST(Log, PutsTheCoresOwnLinesUnderItsName)
{
    LoggedFile log;
    FI_CORE_WARN(FI_LOG_MR, "%s\n", "a warning");
    FI_CORE_INFO(FI_LOG_CORE, "no arguments\n");
    FI_CORE_DBG(FI_LOG_CORE, "not enabled\n");
    const std::regex expected(
        "libfabric:[0-9]+:[0-9]+::core:mr:TestBody\\(\\):[0-9]+<warn> a warning\n"
        "libfabric:[0-9]+:[0-9]+::core:core:TestBody\\(\\):[0-9]+<info> no arguments\n");
    EXPECT_TRUE(std::regex_match(log.text(), expected)) << log.text();
}

TEST(Log, DoesNotAskForTheLevelWhenAProviderLogs)
{
    LoggedFile log;
    fi_log(&prov, FI_LOG_DEBUG, FI_LOG_CORE, "f", 1, "debug\n");
    EXPECT_NE(log.text().find("<debug> debug\n"), std::string::npos);
}

TEST(Log, TakesANullProviderForTheCore)
{
    LoggedFile log;
    EXPECT_EQ(fi_log_enabled(nullptr, FI_LOG_INFO, FI_LOG_CORE), 1);
    fi_log(nullptr, FI_LOG_INFO, FI_LOG_CORE, nullptr, 1, "x\n");
    EXPECT_NE(log.text().find("::core:core:():1<info> x\n"), std::string::npos) << log.text();
}

TEST(Log, CutsAMessageAt1023BytesAndEndsItsLine)
{
    for (size_t length : {1021u, 1022u, 1023u, 5000u}) {
        LoggedFile log;
        fi_log(&prov, FI_LOG_INFO, FI_LOG_CORE, "f", 1, "%s\n", std::string(length, 'm').c_str());
        const std::string text = log.text();
        const size_t message = text.find("<info> ") + 7;
        EXPECT_EQ(text.size() - message, std::min<size_t>(length + 1, 1023)) << length;
        EXPECT_TRUE(text.ends_with("m\n")) << length;
    }
}

TEST(Log, KeepsErrno)
{
    LoggedFile log;
    errno = ENOSPC;
    fi_log(&prov, FI_LOG_INFO, FI_LOG_CORE, "f", 1, "%s", "x\n");
    EXPECT_EQ(errno, ENOSPC);
}

TEST(Log, C284_CreatesItsFileForItsUserOnly)
{
    LoggedFile log;
    struct stat status;
    ASSERT_EQ(stat(log.path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST(Log, C284_CreatesItsFileWithTheModeThatIsAsked)
{
    const mode_t mask = umask(0);
    {
        LoggedFile log{{"FI_LOG_LOCATION_MODE", "0640"}};
        struct stat status;
        ASSERT_EQ(stat(log.path.c_str(), &status), 0);
        EXPECT_EQ(status.st_mode & 0777, 0640u);
    }
    umask(mask);
}

TEST(Log, C284_RefusesAFileThatExists)
{
    Directory directory;
    const std::string path = directory.file("precious");
    std::ofstream(path) << "data";
    testing::internal::CaptureStderr();
    LogVariables v{{"FI_LOG_LEVEL", "warn"}, {"FI_LOG_LOCATION", path}};
    fi_log(&prov, FI_LOG_WARN, FI_LOG_CORE, "f", 1, "goes to stderr\n");
    const std::string text = testing::internal::GetCapturedStderr();
    EXPECT_NE(text.find("cannot create " + path + ": File exists"), std::string::npos) << text;
    EXPECT_NE(text.find("goes to stderr\n"), std::string::npos) << text;
    EXPECT_EQ(contents(path), "data");
}

TEST(Log, SaysNothingAboutARefusedFileWhenNothingIsEnabled)
{
    testing::internal::CaptureStderr();
    LogVariables v{{"FI_LOG_LOCATION", "/nowhere/at/all"}, {"FI_LOG_INTERVAL", "often"}};
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Log, C284_MakesAFilePerProcessInADirectory)
{
    Directory directory;
    LogVariables v{{"FI_LOG_LEVEL", "warn"}, {"FI_LOG_LOCATION", directory.path()}};
    fi_log(&prov, FI_LOG_WARN, FI_LOG_CORE, "f", 1, "here\n");
    EXPECT_TRUE(contents(directory.file("ofi_" + std::to_string(getpid()) + ".log")).ends_with("here\n"));
}

TEST(Log, C284_KnowsStandardOutputAndError)
{
    for (const char* location : {"", "stderr", "stdout"}) {
        testing::internal::CaptureStdout();
        testing::internal::CaptureStderr();
        LogVariables v{{"FI_LOG_LEVEL", "warn"}, {"FI_LOG_LOCATION", location}};
        fi_log(&prov, FI_LOG_WARN, FI_LOG_CORE, "f", 1, "where\n");
        const std::string out = testing::internal::GetCapturedStdout();
        const std::string err = testing::internal::GetCapturedStderr();
        const bool to_stdout = strcmp(location, "stdout") == 0;
        EXPECT_EQ(out.ends_with("where\n"), to_stdout);
        EXPECT_EQ(err.ends_with("where\n"), !to_stdout);
    }
}

TEST(LogReady, IsTrueOncePerInterval)
{
    LogVariables v{{"FI_LOG_LEVEL", "warn"}, {"FI_LOG_INTERVAL", "1000000000"}};
    uint64_t showtime = 0;
    EXPECT_EQ(fi_log_ready(&prov, FI_LOG_WARN, FI_LOG_CORE, &showtime), 1);
    EXPECT_GE(showtime, 1000000000u);
    const uint64_t before = showtime;
    EXPECT_EQ(fi_log_ready(&prov, FI_LOG_WARN, FI_LOG_CORE, &showtime), 0);
    EXPECT_EQ(showtime, before);
}

TEST(LogReady, IsAlwaysTrueWithoutAnInterval)
{
    LogVariables v{{"FI_LOG_LEVEL", "warn"}, {"FI_LOG_INTERVAL", "0"}};
    uint64_t showtime = 0;
    EXPECT_EQ(fi_log_ready(&prov, FI_LOG_WARN, FI_LOG_CORE, &showtime), 1);
    EXPECT_EQ(fi_log_ready(&prov, FI_LOG_WARN, FI_LOG_CORE, &showtime), 1);
}

TEST(LogReady, LeavesTheClockAloneWhenTheLineIsNotEnabled)
{
    LogVariables v{{"FI_LOG_LEVEL", "warn"}, {"FI_LOG_INTERVAL", "0"}};
    uint64_t showtime = 0;
    EXPECT_EQ(fi_log_ready(&prov, FI_LOG_INFO, FI_LOG_CORE, &showtime), 0);
    EXPECT_EQ(showtime, 0u);
}

TEST(LogReady, ChoosesOneOfManyThreads)
{
    LogVariables v{{"FI_LOG_LEVEL", "warn"}, {"FI_LOG_INTERVAL", "1000000000"}};
    uint64_t showtime = 0;
    std::atomic<int> chosen{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 1000; ++i)
                chosen += fi_log_ready(&prov, FI_LOG_WARN, FI_LOG_CORE, &showtime);
        });
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(chosen, 1);
}

TEST(Log, KeepsLinesWholeWhenManyThreadsWrite)
{
    LoggedFile log;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([t] {
            const std::string message(100, static_cast<char>('a' + t));
            for (int i = 0; i < 200; ++i)
                if (fi_log_enabled(&prov, FI_LOG_INFO, FI_LOG_CORE))
                    fi_log(&prov, FI_LOG_INFO, FI_LOG_CORE, "f", 1, "%s\n", message.c_str());
        });
    for (std::thread& thread : threads)
        thread.join();
    std::istringstream lines(log.text());
    std::string line;
    int count = 0;
    while (std::getline(lines, line)) {
        const size_t message = line.find("<info> ") + 7;
        EXPECT_EQ(line.substr(message), std::string(100, line[message]));
        ++count;
    }
    EXPECT_EQ(count, 800);
}
