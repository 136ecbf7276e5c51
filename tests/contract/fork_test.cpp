// SPDX-License-Identifier: BSD-2-Clause
//
// fork(): the child can do nothing with what it inherits, and nothing to it; it can open objects of its own;
// and a peer notices that a process is gone although a child of it lives.
#include "pair.hpp"

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

namespace contract {
namespace {

/// Runs `what` in a forked child and returns its exit status; -1: it was killed.
int in_child(const std::function<int()>& what)
{
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);
        _exit(what());
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// A message there and its completion.
void exchange(Pair& pair, std::uint64_t word)
{
    std::uint64_t got = 0;
    ASSERT_EQ(fi_trecv(pair.b.ep.get(), &got, sizeof got, nullptr, FI_ADDR_UNSPEC, 1, 0, nullptr), 0);
    pair.post([&] { return fi_tsend(pair.a.ep.get(), &word, sizeof word, nullptr, pair.to_b, 1, nullptr); });
    EXPECT_FALSE(pair.next(pair.b).failed);
    EXPECT_FALSE(pair.next(pair.a).failed);
    EXPECT_EQ(got, word);
}

TEST(Fork, ChildIsRefusedEveryInheritedObjectAndTheParentGoesOn)
{
    Wish wish;
    wish.threading = FI_THREAD_DOMAIN;
    Pair pair(wish);
    exchange(pair, 1);
    for (std::uint64_t round = 2; round < 20; round++) {
        const int wrong = in_child([&] {
            Node& mine = pair.a;
            std::uint64_t word = 0;
            fi_cq_tagged_entry entry;
            fi_cq_err_entry error{};
            std::size_t size = 0;
            fid_cq* cq = nullptr;
            fi_cq_attr attr{};
            const ssize_t refused = -FI_EOPBADSTATE;
            int failures = 0;
            failures += fi_tinject(mine.ep.get(), &word, sizeof word, pair.to_b, 1) != refused;
            failures += fi_send(mine.ep.get(), &word, sizeof word, nullptr, pair.to_b, nullptr) != refused;
            failures += fi_recv(mine.ep.get(), &word, sizeof word, nullptr, pair.to_b, nullptr) != refused;
            failures += fi_cancel(&mine.ep->fid, nullptr) != refused;
            failures += fi_getname(&mine.ep->fid, nullptr, &size) != refused;
            failures += fi_cq_read(mine.cq.get(), &entry, 1) != refused;
            failures += fi_cq_readerr(mine.cq.get(), &error, 0) != refused;
            failures += fi_av_insert(mine.av.get(), nullptr, 1, nullptr, 0, nullptr) != refused;
            failures += fi_cq_open(mine.domain.get(), &attr, &cq, nullptr) != refused;
            failures += fi_close(&mine.ep->fid) != 0;
            failures += fi_close(&mine.cq->fid) != 0;
            failures += fi_close(&mine.domain->fid) != 0;
            return failures;
        });
        EXPECT_EQ(wrong, 0);
        exchange(pair, round);
    }
}

TEST(Fork, ChildOpensObjectsOfItsOwn)
{
    Pair inherited;
    exchange(inherited, 1);
    EXPECT_EQ(in_child([] {
                  Pair own;
                  exchange(own, 2);
                  return testing::Test::HasFailure() ? 1 : 0;
              }),
              0);
    exchange(inherited, 3);
}

TEST(Fork, AProcessIsGoneForItsPeersThoughAChildOfItLives)
{
    Node survivor;
    int to_child[2], to_parent[2];
    ASSERT_EQ(pipe(to_child), 0);
    ASSERT_EQ(pipe(to_parent), 0);
    const std::vector<char> my_name = survivor.name();
    const pid_t doomed = fork();
    if (doomed == 0) {
        alarm(60);
        Node node;
        const fi_addr_t to_survivor = node.insert(my_name);
        const std::uint64_t hello = 1;
        while (fi_tinject(node.ep.get(), &hello, sizeof hello, to_survivor, 1) == -FI_EAGAIN)
            Pair::progress(node);
        if (fork() == 0) { // lives until the test closes its pipe
            char byte;
            close(to_child[1]);
            (void)!read(to_child[0], &byte, 1);
            _exit(0);
        }
        const std::vector<char> name = node.name();
        (void)!write(to_parent[1], name.data(), name.size());
        for (;;)
            Pair::progress(node);
    }
    std::uint64_t got = 0;
    Completion done;
    ASSERT_EQ(fi_trecv(survivor.ep.get(), &got, sizeof got, nullptr, FI_ADDR_UNSPEC, 1, 0, nullptr), 0);
    while (!read_one(survivor.cq.get(), done)) {
    }
    EXPECT_FALSE(done.failed);
    std::vector<char> name(my_name.size());
    ASSERT_EQ(read(to_parent[0], name.data(), name.size()), static_cast<ssize_t>(name.size()));
    const fi_addr_t to_doomed = survivor.insert(name);
    // Nobody over there posts a receive: this one can only end in an error.
    std::vector<char> large(1 << 20);
    ssize_t ret = 0;
    while ((ret = fi_tsend(survivor.ep.get(), large.data(), large.size(), nullptr, to_doomed, 2, nullptr)) ==
           -FI_EAGAIN)
        Pair::progress(survivor);
    ASSERT_EQ(ret, 0);
    kill(doomed, SIGKILL);
    const auto end = std::chrono::steady_clock::now() + kPatience;
    bool ended = false;
    while (!(ended = read_one(survivor.cq.get(), done)) && std::chrono::steady_clock::now() < end) {
    }
    ASSERT_TRUE(ended);
    EXPECT_TRUE(done.failed);
    for (const int fd : {to_child[0], to_child[1], to_parent[0], to_parent[1]})
        close(fd);
    waitpid(doomed, nullptr, 0);
}

} // namespace
} // namespace contract
