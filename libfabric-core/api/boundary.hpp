// SPDX-License-Identifier: BSD-2-Clause
//
// Set-up code may throw, C callers cannot catch: every exported function that can throw runs its body in
// here.
#pragma once

#include <new>
#include <utility>

#include <rdma/fi_errno.h>

namespace fi::core {

/// Runs `body` and returns its result; running out of memory becomes -FI_ENOMEM, any other exception
/// -FI_EOTHER.
template <class Body>
[[nodiscard]] int boundary(Body&& body) noexcept
{
    try {
        return std::forward<Body>(body)();
    } catch (const std::bad_alloc&) {
        return -FI_ENOMEM;
    } catch (...) {
        return -FI_EOTHER;
    }
}

} // namespace fi::core
