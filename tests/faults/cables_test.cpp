// SPDX-License-Identifier: BSD-2-Clause
//
// A cable that fails while a message is on its way.
#include "world.hpp"

namespace faults {
namespace {

class Cables : public Network {};

TEST_F(Cables, B41_ACableThatFailsInMidTransferEndsItInErrorsAndTroublesNobodyElse)
{
    Host one, two, three;
    one.connect(two, "v2", "10.2.0.1/24", "10.2.0.2/24");
    one.connect(three, "v3", "10.3.0.1/24", "10.3.0.3/24");
    const Machine a(one, {.anywhere = true}), b(two), c(three);
    const fi_addr_t to_b = a.insert(b), to_c = a.insert(c);

    const auto sent = contract::pattern(64 << 20, 5);
    std::vector<unsigned char> got(sent.size());
    ASSERT_EQ(b.receive(got, 2), 0);
    ASSERT_EQ(a.send(sent, to_b, 1), 0);
    drive({&a, &b}, [&] { return got[1 << 20] == sent[1 << 20] && sent[1 << 20] != 0; });
    ASSERT_NE(got.back(), sent.back()) << "it is over already";
    one.ip("link set v2 down");

    // Meanwhile the other peer is served.
    Completion at_a, at_b;
    bool a_failed = false, b_failed = false;
    std::vector<unsigned char> small(8), answer(8);
    while (!HasFailure() && !(a_failed && b_failed)) {
        ASSERT_EQ(c.receive(answer, 4), 0);
        ASSERT_EQ(a.send(small, to_c, 3), 0);
        bool done = false;
        drive({&a, &b, &c}, [&] {
            Completion entry;
            while (a.read(entry)) {
                if (entry.failed) {
                    EXPECT_EQ(entry.error.op_context, contract::context(1));
                    a_failed = true;
                    at_a = entry;
                }
                entry = {};
            }
            if (b.read(entry) && entry.failed) {
                b_failed = true;
                at_b = entry;
            }
            Completion of_c;
            if (c.read(of_c)) {
                EXPECT_FALSE(of_c.failed);
                done = true;
            }
            return done;
        });
    }
    EXPECT_GT(at_a.error.err, 0);
    EXPECT_GT(at_b.error.err, 0);

    // With the cable back, so is everything else.
    one.ip("link set v2 up");
    one.wait_for_carrier("v2");
    expect_message(a, b, to_b, 100000);
}

// As long as a host answers the probes of a full stream its application may compute; then the host goes too.
TEST_F(Cables, B41_ACableThatFailsWhileTheStreamIsFullEndsWhatIsInIt)
{
    Host one, two;
    one.connect(two, "v2", "10.2.0.1/24", "10.2.0.2/24");
    const Machine a(one, {.anywhere = true}), b(two);
    const fi_addr_t to_b = a.insert(b);
    expect_message(a, b, to_b, 8);
    const auto sent = contract::pattern(16'000, 5);
    Completion done;
    std::size_t open = 0;
    const auto fill_for = [&](std::chrono::milliseconds time) {
        const auto end = std::chrono::steady_clock::now() + time;
        while (std::chrono::steady_clock::now() < end) {
            open += a.send(sent, to_b, 1) == 0;
            if (a.read(done)) {
                EXPECT_FALSE(done.failed);
                open--;
            }
        }
    };
    fill_for(std::chrono::seconds(2)); // nobody drives `b`
    ASSERT_GT(open, 0u);
    one.ip("link set v2 down");
    for (; open > 0; open--) {
        done = next({&a});
        EXPECT_TRUE(done.failed);
    }
}

} // namespace
} // namespace faults
