// SPDX-License-Identifier: BSD-2-Clause
#include <cerrno>
#include <chrono>
#include <cstring>

#include <sys/uio.h>

#include "failure.hpp"
#include "raw.hpp"

namespace fi::tools::bench {
namespace {

using Clock = std::chrono::steady_clock;

void await(const Line& line, std::uint64_t turn, Patience& patience)
{
    while (line.turn.load(std::memory_order_acquire) != turn)
        patience.pause("turn of the cache line");
    patience.reset();
}

// Seconds for job.count calls of once after job.warmup of them.
template <class Once>
double timed(const Job& job, const Once& once)
{
    for (std::uint64_t i = 0; i < job.warmup; i++)
        once();
    const auto begin = Clock::now();
    for (std::uint64_t i = 0; i < job.count; i++)
        once();
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

} // namespace

double drive_line(Line& line, const Job& job, Patience& patience)
{
    std::uint64_t turn = 0;
    return timed(job, [&] {
        line.turn.store(turn + 1, std::memory_order_release);
        turn += 2;
        await(line, turn, patience);
    });
}

void serve_line(Line& line, const Job& job, Patience& patience)
{
    for (std::uint64_t turn = 1; turn < 2 * job.total(); turn += 2) {
        await(line, turn, patience);
        line.turn.store(turn + 1, std::memory_order_release);
    }
}

double copy_memory(const std::byte* from, std::byte* to, const Job& job)
{
    return timed(job, [&] {
        std::memcpy(to, from, job.size);
        asm volatile("" ::: "memory"); // each copy counts, not the last alone
    });
}

double read_process(pid_t pid, std::uint64_t address, std::byte* to, const Job& job)
{
    return timed(job, [&] {
        const iovec local{to, job.size};
        const iovec remote{reinterpret_cast<void*>(address), job.size};
        const ssize_t got = process_vm_readv(pid, &local, 1, &remote, 1, 0);
        if (got < 0)
            throw Refused(std::strerror(errno));
        if (static_cast<std::uint64_t>(got) != job.size)
            throw Refused(words("it reads {} of {} bytes", got, job.size));
    });
}

} // namespace fi::tools::bench
