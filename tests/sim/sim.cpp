// SPDX-License-Identifier: BSD-2-Clause
//
// The engine over a simulated device: random schedules, each from a seed of its own (world.hpp).
//
//   sim --first N --count N      runs them; prints TAP and the first seed that fails
//   sim --seed N [--steps N] [--trace]     replays one, or its beginning
//   sim --count N --expect-fault           succeeds if one fails: for builds with a fault planted into the
//   engine
#include "world.hpp"

#include <charconv>
#include <cstdlib>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using fi::kit::sim::Arena;
using fi::kit::sim::Options;
using fi::kit::sim::World;

struct Arguments {
    std::uint64_t first = 0;
    std::uint64_t count = 1;
    int steps = -1;
    bool single = false;
    bool trace = false;
    bool expect_fault = false;
};

[[noreturn]] void usage()
{
    std::fputs("usage: sim --first N --count N [--expect-fault] | --seed N [--steps N] [--trace]\n", stderr);
    std::exit(2);
}

template <class N>
N number(const char* text)
{
    N value{};
    const std::string_view all = text ? text : "";
    const auto [end, error] = std::from_chars(all.data(), all.data() + all.size(), value);
    if (all.empty() || error != std::errc() || end != all.data() + all.size())
        usage();
    return value;
}

Arguments parse(char** argv)
{
    Arguments given;
    while (const char* word = *++argv) {
        const std::string_view option = word;
        if (option == "--trace")
            given.trace = true;
        else if (option == "--expect-fault")
            given.expect_fault = true;
        else if (option == "--first")
            given.first = number<std::uint64_t>(*++argv);
        else if (option == "--count")
            given.count = number<std::uint64_t>(*++argv);
        else if (option == "--steps")
            given.steps = number<int>(*++argv);
        else if (option == "--seed") {
            given.first = number<std::uint64_t>(*++argv);
            given.single = true;
        } else
            usage();
    }
    return given;
}

std::string failure(const Options& options, Arena& arena)
{
    World world(options, arena);
    return world.run();
}

/// The fewest steps with which that seed still fails.
int shortest(std::uint64_t seed, Arena& arena)
{
    int steps = 0;
    while (failure({seed, steps, false}, arena).empty())
        steps++;
    return steps;
}

/// 0: all went well; else prints what did not.
int run(const Arguments& given)
{
    Arena arena;
    for (std::uint64_t seed = given.first; seed - given.first < given.count; seed++) {
        const std::string what = failure({seed, given.steps, given.trace}, arena);
        if (what.empty())
            continue;
        std::printf("# seed %llu: %s\n", static_cast<unsigned long long>(seed), what.c_str());
        if (!given.single)
            std::printf("# replay: sim --seed %llu --steps %d --trace\n",
                        static_cast<unsigned long long>(seed), shortest(seed, arena));
        return 1;
    }
    return 0;
}

/// A fault may as well end the process: it is looked for in another one.
int run_apart(const Arguments& given)
{
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        const int result = run(given);
        std::fflush(stdout);
        _exit(result);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child)
        std::abort();
    return status;
}

} // namespace

int main(int, char** argv)
{
    const Arguments given = parse(argv);
    if (given.single)
        return run(given);
    [[maybe_unused]] const int niceness = nice(19); // it only computes; tests beside it wait for each other
    std::puts("1..1");
    const bool found = given.expect_fault ? run_apart(given) != 0 : run(given) != 0;
    std::printf("%s 1 - %llu schedules from seed %llu on%s\n", found == given.expect_fault ? "ok" : "not ok",
                static_cast<unsigned long long>(given.count), static_cast<unsigned long long>(given.first),
                given.expect_fault ? ", one of which finds the planted fault" : "");
    return found != given.expect_fault;
}
