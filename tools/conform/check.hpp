// SPDX-License-Identifier: BSD-2-Clause
//
// A check: one rule of the API, or a few that are one behaviour, held against any provider through the public
// API. A group of rules is a file in checks/, and the file's name is the group's; a check's name begins with
// the numbers of its rules (docs/rules.md), so that whoever reads a result knows what was broken:
//
//     CHECK_MODELS(D54_TaggedAndUntaggedNeverMatchEachOther)
//     {
//         Pair pair(wish());
//         ...
//         EXPECT_EQ(...);
//     }
//
// The expectations are GoogleTest's. A check may be skipped in two ways: objects that need a capability which
// the provider does not claim skip it by themselves, with the reason (node.hpp); and GTEST_SKIP() << "why".
#pragma once

#include "node.hpp"

#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace conform {

class Check {
  public:
    explicit Check(fi_threading threading) : threading_(threading) {}
    virtual ~Check() = default;
    Check(const Check&) = delete;
    Check& operator=(const Check&) = delete;
    virtual void run() = 0;

  protected:
    /// The usual with these capabilities, under the threading model that this run of the check is about.
    [[nodiscard]] Wish wish(std::uint64_t caps = FI_MSG | FI_TAGGED) const
    {
        Wish plain;
        plain.threading = threading_;
        plain.caps = caps;
        return plain;
    }

  private:
    fi_threading threading_;
};

/// A check as it was registered.
struct Known {
    std::string name; ///< group.rules_and_behaviour, with "/safe" or "/domain" where it runs under both
    std::vector<std::string> rules;
};
const std::vector<Known>& known_checks();

using MakeCheck = std::function<std::unique_ptr<Check>()>;
void register_check(const char* file, int line, const std::string& name, MakeCheck make);

template <class T>
bool add(const char* file, int line, const std::string& name)
{
    register_check(file, line, name, [] { return std::make_unique<T>(FI_THREAD_SAFE); });
    return true;
}
template <class T>
bool add_models(const char* file, int line, const std::string& name)
{
    add<T>(file, line, name + "/safe");
    register_check(file, line, name + "/domain", [] { return std::make_unique<T>(FI_THREAD_DOMAIN); });
    return true;
}

/// A call that the API forbids got an error, and none that asks to try again. For rules that name no code.
inline bool refused(ssize_t ret)
{
    return ret < 0 && ret != -FI_EAGAIN;
}

} // namespace conform

#define FI_CONFORM_CHECK(name, how)                                                                          \
    namespace {                                                                                              \
    struct name final : ::conform::Check {                                                                   \
        using Check::Check;                                                                                  \
        void run() override;                                                                                 \
    };                                                                                                       \
    [[maybe_unused]] const bool name##_is_known = ::conform::how<name>(__FILE__, __LINE__, #name);           \
    }                                                                                                        \
    void name::run()

/// A check that runs once, with FI_THREAD_SAFE.
#define CHECK(name) FI_CONFORM_CHECK(name, add)
/// A check of the data path: runs with FI_THREAD_SAFE and with FI_THREAD_DOMAIN, which providers serve by
/// different code.
#define CHECK_MODELS(name) FI_CONFORM_CHECK(name, add_models)
#define EXPECT_REFUSED(call) EXPECT_PRED1(::conform::refused, call)
