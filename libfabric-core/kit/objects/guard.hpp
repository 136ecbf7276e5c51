// SPDX-License-Identifier: BSD-2-Clause
//
// The one place where exceptions of set-up code become error numbers.
#pragma once

#include <new>
#include <rdma/fi_errno.h>
#include <system_error>

namespace fi::kit {

/// Runs `body`, which returns 0 or -fi_errno and may throw; what it throws becomes -fi_errno too.
template <class Body>
int guarded(Body&& body) noexcept
{
    try {
        return body();
    } catch (const std::bad_alloc&) {
        return -FI_ENOMEM;
    } catch (const std::system_error& error) {
        return -error.code().value();
    } catch (...) {
        return -FI_EOTHER;
    }
}

} // namespace fi::kit
