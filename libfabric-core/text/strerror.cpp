// SPDX-License-Identifier: BSD-2-Clause
//
// fi_strerror, fi_errno(3): the text of an error code, of either sign. Codes below 256 are errno's and have
// libc's text; strerror itself is not used because its buffer for unknown codes may be shared between
// threads.
#include <cstring>
#include <iterator>

#include <rdma/fi_errno.h>

#include "api/export.hpp"

namespace {

constexpr const char* kTexts[] = {
    "Unspecified error",
    "Provided buffer is too small",
    "Operation not permitted in current state",
    "Error available",
    "Flags not supported",
    "Missing or unavailable event queue",
    "Invalid resource domain",
    "Missing or unavailable completion queue",
    "CRC error",
    "Truncation error",
    "Required key not available",
    "Missing or unavailable address vector",
    "Queue has been overrun",
    "Receiver not ready, no receive buffers available",
    "Memory registration limit exceeded",
    "Host unreacheable due to firewall", // spelled as in every released version
};
static_assert(FI_EOTHER == 256 && FI_EFIREWALLADDR == FI_EOTHER + std::size(kTexts) - 1);

thread_local char unknown_errno[64];

} // namespace

// Any int is allowed; what is no error code has the text of FI_EOTHER. The text is constant or, for an errno
// that libc does not know, valid until the thread's next call. Thread safe.
extern "C" FI_EXPORT const char* fi_strerror(int errnum)
{
    const unsigned code = errnum < 0 ? 0u - static_cast<unsigned>(errnum) : static_cast<unsigned>(errnum);
    if (code < FI_EOTHER)
        return strerror_r(static_cast<int>(code), unknown_errno, sizeof unknown_errno);
    const unsigned index = code - FI_EOTHER;
    return index < std::size(kTexts) ? kTexts[index] : kTexts[0];
}
