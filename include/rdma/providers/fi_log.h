/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Log lines of providers. Nothing is printed unless FI_LOG_LEVEL is set; a line that is not wanted costs
 * one call and formats nothing. Messages end with their own newline. The macros keep errno, so that logging
 * never changes an error.
 */
#ifndef FI_LOG_H
#define FI_LOG_H

#include <errno.h>

#include <rdma/fabric.h>
#include <rdma/providers/fi_prov.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Levels: each includes those before. */
enum fi_log_level {
    FI_LOG_WARN,
    FI_LOG_TRACE,
    FI_LOG_INFO,
    FI_LOG_DEBUG,
};

/* What FI_LOG_SUBSYS chooses from. */
enum fi_log_subsys {
    FI_LOG_CORE,
    FI_LOG_FABRIC,
    FI_LOG_DOMAIN,
    FI_LOG_EP_CTRL,
    FI_LOG_EP_DATA,
    FI_LOG_AV,
    FI_LOG_CQ,
    FI_LOG_EQ,
    FI_LOG_MR,
    FI_LOG_CNTR,
};

/* Whether a line would be printed: 1 or 0. prov is never NULL here and below. */
int fi_log_enabled(const struct fi_provider* prov, enum fi_log_level level, enum fi_log_subsys subsys);

/*
 * fi_log_enabled at most once per interval (FI_LOG_INTERVAL, milliseconds): *showtime is the caller's
 * clock, first 0, and moves on when the answer is 1.
 */
int fi_log_ready(const struct fi_provider* prov, enum fi_log_level level, enum fi_log_subsys subsys,
                 uint64_t* showtime);

/* Prints without asking whether the line is enabled; 1023 bytes of message at most. */
void fi_log(const struct fi_provider* prov, enum fi_log_level level, enum fi_log_subsys subsys,
            const char* func, int line, const char* fmt, ...) FI_FORMAT_PRINTF(6, 7);

#define FI_LOG_WRITE_(prov, level, subsystem, ...)                                                           \
    do {                                                                                                     \
        int fi_log_errno_ = errno;                                                                           \
        fi_log(prov, level, subsystem, __func__, __LINE__, __VA_ARGS__);                                     \
        errno = fi_log_errno_;                                                                               \
    } while (0)

#define FI_LOG(prov, level, subsystem, ...)                                                                  \
    do {                                                                                                     \
        if (fi_log_enabled(prov, level, subsystem))                                                          \
            FI_LOG_WRITE_(prov, level, subsystem, __VA_ARGS__);                                              \
    } while (0)

/* At most one line per interval from each place in the source. */
#define FI_LOG_SPARSE(prov, level, subsystem, ...)                                                           \
    do {                                                                                                     \
        static uint64_t fi_log_showtime_;                                                                    \
        if (fi_log_ready(prov, level, subsystem, &fi_log_showtime_))                                         \
            FI_LOG_WRITE_(prov, level, subsystem, __VA_ARGS__);                                              \
    } while (0)

#define FI_WARN(prov, subsystem, ...) FI_LOG(prov, FI_LOG_WARN, subsystem, __VA_ARGS__)
#define FI_WARN_SPARSE(prov, subsystem, ...) FI_LOG_SPARSE(prov, FI_LOG_WARN, subsystem, __VA_ARGS__)
#define FI_TRACE(prov, subsystem, ...) FI_LOG(prov, FI_LOG_TRACE, subsystem, __VA_ARGS__)
#define FI_INFO(prov, subsystem, ...) FI_LOG(prov, FI_LOG_INFO, subsystem, __VA_ARGS__)

/* Lines of debug builds only: for places where even the question costs too much. */
#if defined(ENABLE_DEBUG) && ENABLE_DEBUG
#define FI_DBG(prov_name, subsystem, ...) FI_LOG(prov_name, FI_LOG_DEBUG, subsystem, __VA_ARGS__)
#define FI_DBG_TRACE(prov, subsystem, ...) FI_LOG(prov, FI_LOG_TRACE, subsystem, __VA_ARGS__)
#else
#define FI_DBG(prov_name, subsystem, ...)                                                                    \
    do {                                                                                                     \
    } while (0)
#define FI_DBG_TRACE(prov, subsystem, ...)                                                                   \
    do {                                                                                                     \
    } while (0)
#endif

/* The first enabled call at each place prints; an exchange, because two threads may be first at once. */
#define FI_WARN_ONCE(prov, subsystem, ...)                                                                   \
    do {                                                                                                     \
        static int fi_log_done_;                                                                             \
        if (!__atomic_load_n(&fi_log_done_, __ATOMIC_RELAXED) &&                                             \
            fi_log_enabled(prov, FI_LOG_WARN, subsystem) &&                                                  \
            !__atomic_exchange_n(&fi_log_done_, 1, __ATOMIC_RELAXED))                                        \
            FI_LOG_WRITE_(prov, FI_LOG_WARN, subsystem, __VA_ARGS__);                                        \
    } while (0)

#ifdef __cplusplus
}
#endif

#endif
