// SPDX-License-Identifier: BSD-2-Clause
//
// FI_PROGRESS_AUTO: the thread that makes the progress ends with its objects.
#include "pair.hpp"

namespace contract {
namespace {

Wish automatic()
{
    Wish wish;
    wish.progress = FI_PROGRESS_AUTO;
    return wish;
}

TEST(AutoProgress, ObjectsCloseInAnyStateOfTheThread)
{
    for (int round = 0; round < 50; round++) {
        Pair pair(automatic());
        std::uint64_t word = 1;
        fi_tinject(pair.a.ep.get(), &word, sizeof word, pair.to_b, 1);
        if (round % 2)
            Pair::progress(pair.b);
    }
}

} // namespace
} // namespace contract
