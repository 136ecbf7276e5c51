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

} // namespace
} // namespace faults
