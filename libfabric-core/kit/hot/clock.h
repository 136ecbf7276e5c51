/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The cheapest clock there is, for "has it been a while?" on hot paths.
 *
 * Ticks of the processor's constant-rate counter where there is one that user space may read, else
 * nanoseconds. Only differences mean anything; whoever needs a period in ticks measures it once
 * (kit/objects/clock.hpp).
 */
#ifndef FI_HOT_CLOCK_H
#define FI_HOT_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t fi_hot_clock(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t ticks;
    __asm__ __volatile__("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
#endif
}

#endif /* FI_HOT_CLOCK_H */
