// SPDX-License-Identifier: BSD-2-Clause
//
// That the log allocates nothing where programs ask it all the time: this program counts what `new` hands
// out.
#include <new>

#include <gtest/gtest.h>
#include <rdma/providers/fi_log.h>

#include "log/log.hpp"
#include "log_support.hpp"

namespace flog = fi::core::log;

namespace {

long allocations = 0;

} // namespace

__attribute__((noinline)) void* operator new(size_t bytes)
{
    ++allocations;
    if (void* memory = malloc(bytes))
        return memory;
    throw std::bad_alloc();
}
__attribute__((noinline)) void operator delete(void* memory) noexcept
{
    free(memory);
}
__attribute__((noinline)) void operator delete(void* memory, size_t) noexcept
{
    free(memory);
}

TEST(Log, AllocatesNothingWhenItIsAskedOrWritten)
{
    fi_provider prov{};
    prov.name = "prov_x";
    const fi::test::Directory directory;
    const fi::test::LogVariables log{{"FI_LOG_LEVEL", "info"}, {"FI_LOG_LOCATION", directory.file("log")}};
    uint64_t showtime = 0;
    const long before = allocations;
    for (fi_log_level level : {FI_LOG_WARN, FI_LOG_DEBUG}) {
        fi_log_enabled(&prov, level, FI_LOG_CORE);
        fi_log_ready(&prov, level, FI_LOG_CORE, &showtime);
    }
    fi_log(&prov, FI_LOG_WARN, FI_LOG_CORE, "f", 1, "%d\n", 1);
    EXPECT_EQ(allocations, before);
    flog::Line counted{"a provider whose name is too long for the string itself", FI_LOG_WARN, ""};
    EXPECT_GT(allocations, before);
}
