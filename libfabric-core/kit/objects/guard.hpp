// SPDX-License-Identifier: BSD-2-Clause
//
// The one place where exceptions of set-up code become error numbers.
#pragma once

#include "kit/objects/refuse.hpp"

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

/// The same for a call that opens something: what it throws is logged, too. What it returns it has logged
/// itself.
template <class Body>
int guarded(const fi_provider& provider, fi_log_subsys subsys, RefusedCall call, Body&& body) noexcept
{
    bool returned = false;
    const int ret = guarded([&] {
        const int status = body();
        returned = true;
        return status;
    });
    return returned ? ret : refuse(provider, subsys, ret, call, "%s", fi_strerror(-ret));
}

} // namespace fi::kit
