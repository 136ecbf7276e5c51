// SPDX-License-Identifier: BSD-2-Clause
//
// A peer with several names, one of which leads nowhere.
#include "world.hpp"

#include <arpa/inet.h>

namespace faults {
namespace {

class Names : public Network {};

TEST_F(Names, APeerIsReachedByAnotherOfItsNamesWhenTheOneInUseLeadsNowhere)
{
    Host one, two;
    one.connect(two, "dead", "10.1.0.1/24", "10.1.0.2/24");
    one.connect(two, "live", "10.2.0.1/24", "10.2.0.2/24");
    // What is sent to this address is thrown away.
    one.ip("neighbour replace 10.1.0.2 lladdr 02:00:00:00:00:99 dev dead nud permanent");
    const Machine a(one, {.anywhere = true}), b(two, {.anywhere = true});
    auto name_of_b = b.node().name();
    in_addr first{};
    inet_pton(AF_INET, "10.1.0.2", &first);
    ASSERT_EQ(reinterpret_cast<sockaddr_in*>(name_of_b.data())->sin_addr.s_addr, first.s_addr);
    auto name_of_a = a.node().name();
    inet_pton(AF_INET, "10.2.0.1", &reinterpret_cast<sockaddr_in*>(name_of_a.data())->sin_addr);
    const fi_addr_t to_b = a.insert(b), to_a = b.insert(name_of_a);

    // They meet by the way that works, and lose each other.
    expect_message(b, a, to_a, 8);
    expect_message(a, b, to_b, 8);
    two.ip("link set live down");
    const auto lost = contract::pattern(1 << 20, 1); // so long that it takes both sides
    ASSERT_EQ(a.send(lost, to_b, 1), 0);
    ASSERT_TRUE(next({&a, &b}).failed);
    two.ip("link set live up");
    one.wait_for_carrier("live");
    // `a` knows the dead address only, and what `b` has told.
    expect_message(a, b, to_b, 8);
}

TEST_F(Names, TwoThatCallEachOtherAtOnceByDifferentCablesKnowThatItIsOnePeer)
{
    Host one, two;
    one.connect(two, "v1", "10.1.0.1/24", "10.1.0.2/24");
    one.connect(two, "v2", "10.2.0.1/24", "10.2.0.2/24");
    const Machine a(one, {.anywhere = true}), b(two, {.anywhere = true});
    auto name_of_b = b.node().name();
    auto name_of_a = a.node().name();
    inet_pton(AF_INET, "10.2.0.1", &reinterpret_cast<sockaddr_in*>(name_of_a.data())->sin_addr);
    const fi_addr_t to_b = a.insert(name_of_b), to_a = b.insert(name_of_a);
    const auto bytes = contract::pattern(1000, 1);
    std::vector<unsigned char> at_a(1000), at_b(1000);
    // Each takes messages of this peer only.
    const auto receive = [&](const Machine& machine, std::vector<unsigned char>& into, fi_addr_t from) {
        return machine.host().on([&] {
            return fi_trecv(machine.node().ep.get(), into.data(), into.size(), nullptr, from, 7, 0,
                            contract::context(2));
        });
    };
    for (int round = 0; round < 3; round++) {
        ASSERT_EQ(receive(a, at_a, to_b), 0);
        ASSERT_EQ(receive(b, at_b, to_a), 0);
        ASSERT_EQ(a.send(bytes, to_b, 1), 0);
        ASSERT_EQ(b.send(bytes, to_a, 1), 0);
        for (const Machine* machine : {&a, &b}) {
            const Machine* other = machine == &a ? &b : &a;
            for (int completions = 0; completions < 2; completions++) {
                const Completion one_of_two = next({machine, other});
                ASSERT_FALSE(one_of_two.failed) << fi_strerror(one_of_two.error.err);
                if (one_of_two.entry.op_context == contract::context(2)) {
                    EXPECT_EQ(one_of_two.source, machine == &a ? to_b : to_a);
                }
            }
        }
        EXPECT_TRUE(at_a == bytes);
        EXPECT_TRUE(at_b == bytes);
    }
}

} // namespace
} // namespace faults
