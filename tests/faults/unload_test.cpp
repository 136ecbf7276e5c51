// SPDX-License-Identifier: BSD-2-Clause
//
// A program that is not linked to the library but loads and unloads it, over and over.
#include "processes.hpp"

#include <dlfcn.h>
#include <rdma/fabric.h>

namespace faults {
namespace {

TEST(Unload, B08_TheLibraryCanBeLoadedAndUnloadedOverAndOver)
{
    limit(120);
    Process process(
        [](const Channel&) {
            std::size_t open_before = 0;
            for (int i = 0; i < 100; i++) {
                state.numbers[0] = i;
                void* library = dlopen(FI_TEST_LIBRARY, RTLD_NOW | RTLD_LOCAL);
                ASSERT_NE(library, nullptr) << dlerror();
                const auto getinfo = reinterpret_cast<decltype(&fi_getinfo)>(dlsym(library, "fi_getinfo"));
                const auto freeinfo = reinterpret_cast<decltype(&fi_freeinfo)>(dlsym(library, "fi_freeinfo"));
                ASSERT_NE(getinfo, nullptr);
                ASSERT_NE(freeinfo, nullptr);
                if (i % 2) { // every other time it is not used at all
                    fi_info* found = nullptr;
                    ASSERT_EQ(getinfo(FI_VERSION(2, 6), nullptr, nullptr, 0, nullptr, &found), 0);
                    freeinfo(found);
                }
                EXPECT_EQ(dlclose(library), 0);
                if (i == 2)
                    open_before = descriptors();
            }
            EXPECT_EQ(descriptors(), open_before);
        },
        100);
    process.expect_success();
}

} // namespace
} // namespace faults
