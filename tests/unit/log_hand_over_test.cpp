// SPDX-License-Identifier: BSD-2-Clause
// Who else may have the log: a capture of one thread, and an application that imports its own.
#include <atomic>
#include <cstring>
#include <memory>
#include <thread>

#include <gtest/gtest.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_ext.h>
#include <rdma/providers/fi_log.h>

#include "loader/registry.hpp"
#include "log/log.hpp"
#include "log_support.hpp"

namespace flog = fi::core::log;
using fi::test::LogVariables;

namespace {

fi_provider prov = [] {
    fi_provider p{};
    p.name = "prov_x";
    return p;
}();

constexpr uint32_t kVersion = FI_VERSION(2, 6);

void log_line(const char* text, fi_log_level level = FI_LOG_INFO)
{
    fi_log(&prov, level, FI_LOG_CORE, "f", 1, "%s\n", text);
}

// What an application's log functions were told.
struct Told {
    std::string lines;
    std::atomic<int> calls{0};
    uint64_t flags = 0;
    int answer = 1;
} told;

int told_enabled(const fi_provider*, fi_log_level, fi_log_subsys, uint64_t flags)
{
    told.flags = flags;
    return told.answer;
}

int told_ready(const fi_provider*, fi_log_level, fi_log_subsys, uint64_t flags, uint64_t* showtime)
{
    told.flags = flags;
    *showtime = 99;
    return told.answer;
}

void told_log(const fi_provider* p, fi_log_level level, fi_log_subsys subsys, const char* func, int line,
              const char* msg)
{
    told.lines += std::string(p->name) + " " + std::to_string(level) + " " + std::to_string(subsys) + " " +
                  func + " " + std::to_string(line) + " " + msg;
}

void counting_log(const fi_provider*, fi_log_level, fi_log_subsys, const char*, int, const char*)
{
    ++told.calls;
}

// An application's log; what fi_import_log does, without the name look-up of fi_open.
struct ApplicationLog {
    fi_ops_log ops{sizeof(fi_ops_log), told_enabled, told_ready, told_log};
    fid_logging object{};

    ApplicationLog()
    {
        object.fid.fclass = FI_CLASS_LOG;
        object.ops = &ops;
    }
    static fid* log_object()
    {
        fid* out = nullptr;
        EXPECT_EQ(flog::open_logging(kVersion, nullptr, 0, 0, &out, nullptr), 0);
        return out;
    }
    int import_into(fid* log, uint64_t flags = 0) { return fi_import_fid(log, &object.fid, flags); }
    int import() { return import_into(log_object()); }
    int close() { return fi_close(&object.fid); }
};

class Import : public testing::Test {
  protected:
    void SetUp() override
    {
        told.lines.clear();
        told.calls = 0;
        told.flags = 0;
        told.answer = 1;
    }
};

} // namespace

TEST(Capture, KeepsLinesInsteadOfPrintingThem)
{
    LogVariables none{};
    testing::internal::CaptureStderr();
    flog::Capture capture;
    EXPECT_EQ(fi_log_enabled(&prov, FI_LOG_WARN, FI_LOG_AV), 1);
    EXPECT_EQ(fi_log_enabled(&prov, FI_LOG_TRACE, FI_LOG_AV), 1);
    EXPECT_EQ(fi_log_enabled(&prov, FI_LOG_INFO, FI_LOG_AV), 1);
    EXPECT_EQ(fi_log_enabled(&prov, FI_LOG_DEBUG, FI_LOG_AV), 0);
    FI_INFO(&prov, FI_LOG_CORE, "refused %s\n", "caps");
    FI_CORE_WARN(FI_LOG_CORE, "from the core\n");
    ASSERT_EQ(capture.lines().size(), 2u);
    EXPECT_EQ(capture.lines()[0].provider, "prov_x");
    EXPECT_EQ(capture.lines()[0].level, FI_LOG_INFO);
    EXPECT_EQ(capture.lines()[0].text, "refused caps");
    EXPECT_EQ(capture.lines()[1].provider, "core");
    EXPECT_EQ(capture.lines()[1].level, FI_LOG_WARN);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Capture, EndsWithItsLife)
{
    LogVariables none{};
    {
        flog::Capture capture;
    }
    EXPECT_EQ(fi_log_enabled(&prov, FI_LOG_WARN, FI_LOG_AV), 0);
    LogVariables info{{"FI_LOG_LEVEL", "debug"}};
    {
        flog::Capture capture;
    }
    EXPECT_EQ(fi_log_enabled(&prov, FI_LOG_DEBUG, FI_LOG_AV), 1);
}

TEST(Capture, SeesWhatTheVariablesExclude)
{
    LogVariables v{{"FI_LOG_LEVEL", "warn"}, {"FI_LOG_SUBSYS", "cq"}};
    fi_provider filtered{};
    filtered.name = "filtered";
    const fi::core::loader::ProviderScratch scratch = {0, true, false};
    memcpy(&filtered.context, &scratch, sizeof scratch);
    flog::Capture capture;
    EXPECT_EQ(fi_log_enabled(&filtered, FI_LOG_INFO, FI_LOG_AV), 1);
}

TEST(Capture, BelongsToOneThread)
{
    LogVariables none{};
    flog::Capture capture;
    std::thread([] { EXPECT_EQ(fi_log_enabled(&prov, FI_LOG_WARN, FI_LOG_AV), 0); }).join();
    EXPECT_EQ(fi_log_enabled(&prov, FI_LOG_WARN, FI_LOG_AV), 1);
}

TEST(Capture, GivesLinesToTheInnermost)
{
    flog::Capture outer;
    log_line("one");
    {
        flog::Capture inner;
        log_line("two");
        EXPECT_EQ(inner.lines().size(), 1u);
    }
    log_line("three");
    ASSERT_EQ(outer.lines().size(), 2u);
    EXPECT_EQ(outer.lines()[1].text, "three");
}

TEST(Capture, SeesRateLimitedLinesWithoutUsingThemUp)
{
    LogVariables v{{"FI_LOG_LEVEL", "warn"}, {"FI_LOG_INTERVAL", "1000000000"}};
    uint64_t showtime = 0;
    {
        flog::Capture capture;
        EXPECT_EQ(fi_log_ready(&prov, FI_LOG_WARN, FI_LOG_CORE, &showtime), 1);
        EXPECT_EQ(fi_log_ready(&prov, FI_LOG_WARN, FI_LOG_CORE, &showtime), 1);
        EXPECT_EQ(showtime, 0u);
    }
    EXPECT_EQ(fi_log_ready(&prov, FI_LOG_WARN, FI_LOG_CORE, &showtime), 1);
}

TEST(Prefix, NamesTheProviderBehindANestedQuery)
{
    LogVariables v{{"FI_LOG_LEVEL", "info"}};
    testing::internal::CaptureStderr();
    {
        flog::Prefix outer("ofi_rxm");
        {
            flog::Prefix inner("ofi_rxd");
            log_line("inner");
        }
        log_line("outer");
        std::thread([] { log_line("other thread"); }).join();
    }
    log_line("none");
    const std::string text = testing::internal::GetCapturedStderr();
    for (const char* part :
         {":ofi_rxd:prov_x:core:f():1<info> inner\n", ":ofi_rxm:prov_x:core:f():1<info> outer\n",
          "::prov_x:core:f():1<info> other thread\n", "::prov_x:core:f():1<info> none\n"})
        EXPECT_NE(text.find(part), std::string::npos) << part << text;
}

TEST_F(Import, C285_ReplacesAllThreeFunctionsUntilItIsClosed)
{
    LogVariables none{};
    ApplicationLog app;
    ASSERT_EQ(app.import(), 0);
    uint64_t showtime = 0;
    EXPECT_EQ(fi_log_enabled(&prov, FI_LOG_DEBUG, FI_LOG_CQ), 1);
    EXPECT_EQ(fi_log_ready(&prov, FI_LOG_WARN, FI_LOG_CQ, &showtime), 1);
    EXPECT_EQ(showtime, 99u);
    fi_log(&prov, FI_LOG_TRACE, FI_LOG_CQ, "func", 12, "%s\n", "message");
    EXPECT_EQ(told.lines, "prov_x 1 6 func 12 message\n");
    told.answer = 0;
    EXPECT_EQ(fi_log_enabled(&prov, FI_LOG_WARN, FI_LOG_CQ), 0);
    told.answer = 1;
    EXPECT_EQ(app.close(), 0);
    EXPECT_EQ(fi_log_enabled(&prov, FI_LOG_WARN, FI_LOG_CQ), 0);
    testing::internal::CaptureStderr();
    log_line("ours again");
    EXPECT_NE(testing::internal::GetCapturedStderr().find("ours again"), std::string::npos);
}

TEST_F(Import, IsToldThatAProviderIsFiltered)
{
    fi_provider filtered{};
    filtered.name = "filtered";
    const fi::core::loader::ProviderScratch scratch = {0, true, false};
    memcpy(&filtered.context, &scratch, sizeof scratch);
    ApplicationLog app;
    ASSERT_EQ(app.import(), 0);
    fi_log_enabled(&filtered, FI_LOG_WARN, FI_LOG_CORE);
    EXPECT_EQ(told.flags, FI_LOG_PROV_FILTERED);
    fi_log_enabled(&prov, FI_LOG_WARN, FI_LOG_CORE);
    EXPECT_EQ(told.flags, 0u);
    app.close();
}

TEST_F(Import, KeepsOurFunctionWhereTheApplicationHasNone)
{
    LogVariables v{{"FI_LOG_LEVEL", "warn"}, {"FI_LOG_INTERVAL", "1000000000"}};
    ApplicationLog app;
    app.ops.enabled = nullptr;
    app.ops.ready = nullptr;
    ASSERT_EQ(app.import(), 0);
    uint64_t showtime = 0;
    EXPECT_EQ(fi_log_enabled(&prov, FI_LOG_WARN, FI_LOG_CORE), 1);
    EXPECT_EQ(fi_log_enabled(&prov, FI_LOG_INFO, FI_LOG_CORE), 0);
    EXPECT_EQ(fi_log_ready(&prov, FI_LOG_WARN, FI_LOG_CORE, &showtime), 1);
    EXPECT_EQ(fi_log_ready(&prov, FI_LOG_WARN, FI_LOG_CORE, &showtime), 0);
    log_line("x");
    EXPECT_EQ(told.lines, "prov_x 2 0 f 1 x\n");
    app.close();
}

TEST_F(Import, OpensUnderItsConditionsOnly)
{
    fid* out = nullptr;
    int attr = 0;
    EXPECT_EQ(flog::open_logging(FI_VERSION(1, 12), nullptr, 0, 0, &out, nullptr), -FI_EINVAL);
    EXPECT_EQ(flog::open_logging(kVersion, &attr, sizeof attr, 0, &out, nullptr), -FI_EINVAL);
    EXPECT_EQ(flog::open_logging(kVersion, nullptr, 0, 1, &out, nullptr), -FI_EBADFLAGS);
    EXPECT_EQ(out, nullptr);
    EXPECT_EQ(flog::open_logging(FI_VERSION(1, 13), nullptr, 0, 0, &out, nullptr), 0);
    ASSERT_NE(out, nullptr);
    EXPECT_EQ(out->fclass, static_cast<size_t>(FI_CLASS_LOG));
    EXPECT_EQ(fi_close(out), 0);
}

TEST_F(Import, RefusesWhatIsNoLog)
{
    fid* log = ApplicationLog::log_object();
    ApplicationLog app;
    EXPECT_EQ(app.import_into(log, 1), -FI_EINVAL);
    app.object.fid.fclass = FI_CLASS_EQ;
    EXPECT_EQ(app.import_into(log), -FI_EINVAL);
    app.object.fid.fclass = FI_CLASS_LOG;
    app.ops.size = sizeof(fi_ops_log) - 1;
    EXPECT_EQ(app.import_into(log), -FI_EINVAL);
    app.object.ops = nullptr;
    EXPECT_EQ(app.import_into(log), -FI_EINVAL);
    LogVariables none{};
    EXPECT_EQ(fi_log_enabled(&prov, FI_LOG_WARN, FI_LOG_CORE), 0);
}

TEST_F(Import, C285_OpensOnceAndTheLastImportWins)
{
    LogVariables none{};
    fid* opened_earlier = ApplicationLog::log_object();
    ApplicationLog first, second;
    second.ops.log = counting_log;
    ASSERT_EQ(first.import(), 0);
    fid* out = nullptr;
    EXPECT_EQ(flog::open_logging(kVersion, nullptr, 0, 0, &out, nullptr), -FI_EALREADY);
    ASSERT_EQ(second.import_into(opened_earlier), 0);
    log_line("for the second");
    EXPECT_EQ(told.calls, 1);
    EXPECT_EQ(told.lines, "");
    EXPECT_EQ(first.close(), 0); // it has been replaced; the second stays
    log_line("for the second");
    EXPECT_EQ(told.calls, 2);
    EXPECT_EQ(second.close(), 0);
    EXPECT_EQ(fi_log_enabled(&prov, FI_LOG_WARN, FI_LOG_CORE), 0);
    EXPECT_EQ(ApplicationLog::log_object()->fclass, static_cast<size_t>(FI_CLASS_LOG));
}

TEST_F(Import, DoesNotNeedTheApplicationsFunctionTableAfterwards)
{
    ApplicationLog app;
    app.ops.log = counting_log;
    ASSERT_EQ(app.import(), 0);
    memset(&app.ops, 0, sizeof app.ops);
    log_line("x");
    EXPECT_EQ(told.calls, 1);
    app.close();
}

TEST_F(Import, DoesNotHearWhatACaptureKeeps)
{
    ApplicationLog app;
    app.ops.log = counting_log;
    ASSERT_EQ(app.import(), 0);
    {
        flog::Capture capture;
        log_line("captured");
        EXPECT_EQ(capture.lines().size(), 1u);
    }
    EXPECT_EQ(told.calls, 0);
    app.close();
}

namespace {

ApplicationLog* closing_app;

void self_closing_log(const fi_provider*, fi_log_level, fi_log_subsys, const char*, int, const char*)
{
    ++told.calls;
    closing_app->close();
}

std::atomic<bool> alive{false};

void watched_log(const fi_provider*, fi_log_level, fi_log_subsys, const char*, int, const char*)
{
    std::this_thread::yield();
    EXPECT_TRUE(alive);
    ++told.calls;
}

} // namespace

TEST_F(Import, MayBeClosedByItsOwnFunction)
{
    LogVariables none{};
    ApplicationLog app;
    app.ops.log = self_closing_log;
    closing_app = &app;
    ASSERT_EQ(app.import(), 0);
    log_line("last words");
    EXPECT_EQ(told.calls, 1);
    EXPECT_EQ(fi_log_enabled(&prov, FI_LOG_WARN, FI_LOG_CORE), 0);
}

// After the close returns, no thread is inside the application's functions and none will enter them.
TEST_F(Import, IsNotCalledAfterItsCloseReturned)
{
    // A line that was wanted before the close may be printed by our own function after it.
    fi::test::Directory directory;
    LogVariables v{{"FI_LOG_LOCATION", directory.file("log")}};
    std::atomic<bool> stop{false};
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t)
        threads.emplace_back([&] {
            while (!stop)
                FI_WARN(&prov, FI_LOG_CORE, "x\n");
        });
    for (int round = 0; round < 20; ++round) {
        auto app = std::make_unique<ApplicationLog>();
        // told_enabled would write to what the threads share.
        app->ops.enabled = [](const fi_provider*, fi_log_level, fi_log_subsys, uint64_t) { return 1; };
        app->ops.log = watched_log;
        alive = true;
        const int before = told.calls;
        fid* log = ApplicationLog::log_object();
        ASSERT_EQ(app->import_into(log), 0);
        while (told.calls < before + 10)
            std::this_thread::yield();
        ASSERT_EQ(app->close(), 0);
        alive = false;
        app.reset();
        std::this_thread::yield();
    }
    stop = true;
    for (std::thread& thread : threads)
        thread.join();
}

TEST(LogThreads, MayAskWhileEverythingChanges)
{
    std::atomic<bool> stop{false};
    std::vector<std::thread> threads;
    for (int t = 0; t < 2; ++t)
        threads.emplace_back([&] {
            while (!stop) {
                flog::Capture capture;
                flog::Prefix prefix("someone");
                FI_INFO(&prov, FI_LOG_CORE, "x\n");
                ASSERT_EQ(capture.lines().size(), 1u);
            }
        });
    threads.emplace_back([&] {
        while (!stop) {
            fi_log_enabled(&prov, FI_LOG_WARN, FI_LOG_CORE);
            flog::provider_filtered("x");
            flog::init();
        }
    });
    for (int round = 0; round < 50; ++round)
        LogVariables v{{"FI_LOG_LEVEL", "debug"}, {"FI_LOG_PROV", "a,b"}};
    stop = true;
    for (std::thread& thread : threads)
        thread.join();
    // What init() read in the last round may have been applied after that round's own ending.
    LogVariables none{};
    EXPECT_EQ(fi_log_enabled(&prov, FI_LOG_WARN, FI_LOG_CORE), 0);
}
