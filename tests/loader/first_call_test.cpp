// SPDX-License-Identifier: BSD-2-Clause
// The first calls into the library, from many threads at once: rule L70 of docs/loader.md. Meant for the
// thread sanitizer too, so it is one process with one test, which is the only way for a call to be the first.
#include <atomic>
#include <barrier>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <rdma/fabric.h>
#include <rdma/fi_report.h>

#include "fakes.hpp"

using namespace fi::fakes;

namespace {

size_t entries_of_getinfo()
{
    fi_info* list = nullptr;
    EXPECT_EQ(fi_getinfo(FI_VERSION(2, 6), nullptr, nullptr, 0, nullptr, &list), 0);
    size_t count = 0;
    for (const fi_info* info = list; info != nullptr; info = info->next)
        ++count;
    fi_freeinfo(list);
    return count;
}

size_t entries_of_getplugins()
{
    fi_plugin* list = nullptr;
    size_t count = 0;
    EXPECT_EQ(fi_getplugins(&list, &count), 0);
    fi_freeplugins(list);
    return count;
}

} // namespace

TEST(FirstCall, L70_ConcurrentCallsOfEveryKindSeeTheWholeList)
{
    const PluginDirectory plugins;
    plugins.add("liba-fi.so", "name=a\nini_ms=50\ninfo=ep:rdm,domain:d,fabric:f\n");
    plugins.add("libb-fi.so", "name=b\ninfo=ep:msg,domain:d,fabric:f\n");
    plugins.add_file("libc-fi.so", "text");
    ASSERT_EQ(setenv("FI_PROVIDER_PATH", plugins.path().c_str(), 1), 0);

    constexpr size_t kThreads = 8;
    std::barrier start(kThreads);
    std::vector<size_t> seen(kThreads);
    std::vector<std::thread> threads;
    for (size_t i = 0; i < kThreads; ++i)
        threads.emplace_back([&, i] {
            start.arrive_and_wait();
            seen[i] = i % 2 == 0 ? entries_of_getinfo() : entries_of_getplugins();
        });
    for (std::thread& thread : threads)
        thread.join();
    for (size_t i = 0; i < kThreads; ++i)
        EXPECT_EQ(seen[i], i % 2 == 0 ? 2U : 3U) << "thread " << i;
    EXPECT_EQ(plugins.trace("liba-fi.so").find("ini\n"), 0U);
    EXPECT_EQ(plugins.trace("liba-fi.so").find("ini\n", 1), std::string::npos);
}
