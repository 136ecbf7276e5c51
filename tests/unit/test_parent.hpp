// SPDX-License-Identifier: BSD-2-Clause
//
// A provider and a parent for objects that a test opens without a fabric and a domain.
#pragma once

#include "kit/objects/parent.hpp"

namespace fi::kit {

inline fi_provider test_provider = [] {
    fi_provider provider{};
    provider.name = "test";
    return provider;
}();

struct TestParent : Parent {
    TestParent() : Parent(test_provider) {}
};

} // namespace fi::kit
