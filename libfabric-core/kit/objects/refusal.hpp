// SPDX-License-Identifier: BSD-2-Clause
//
// Saying why an offer was refused.
//
// "No data available" is all that a failed query tells by itself. Each attribute that stands in the way is
// therefore logged as one line of a fixed form, which the core's fi_getreasons() takes apart again:
//
//     refused domain_attr->mr_mode: asked [ ], offered [ FI_MR_LOCAL ]
//
// Nothing is formatted unless somebody listens, so the success path pays one fi_log_enabled() per entry.
#pragma once

#include <cstdint>
#include <rdma/fabric.h>
#include <rdma/providers/fi_prov.h>
#include <string>

namespace fi::kit {

/// Values as a reason spells them. Names come from fi_tostr_r(); what it does not know is added as a number,
/// so that nothing that was asked for is invisible.
namespace show {
std::string number(uint64_t value);              ///< decimal
std::string hex(uint64_t value);                 ///< 0x and hexadecimal
std::string version(uint32_t value);             ///< major.minor
std::string flags(uint64_t value, fi_type type); ///< `[ FI_A, FI_B ]`, empty `[ ]`
std::string name(uint32_t value, fi_type type);  ///< one enumerator
std::string resource_mgmt(uint32_t value);       ///< enum fi_resource_mgmt, which fi_tostr_r() does not have
std::string contexts(uint64_t value);            ///< a count or FI_SHARED_CONTEXT
std::string pointer(const void* value);          ///< an object's handle
std::string text(const char* value);             ///< at most 128 printable characters; NULL is `(none)`
} // namespace show

/// The reasons of one decision. Lives on the stack of one query; not shared between threads.
class Refusals {
  public:
    /// The provider's name stands in the log line; `prov` must outlive this object.
    explicit Refusals(const fi_provider& prov) noexcept;

    /// Notes one refusal. `asked` and `offered` are called for their text only when somebody listens.
    template <class Asked, class Offered>
    void add(const char* attribute, Asked&& asked, Offered&& offered)
    {
        any_ = true;
        if (listened_to_)
            write(attribute, asked(), offered());
    }

    bool any() const noexcept { return any_; }

  private:
    void write(const char* attribute, const std::string& asked, const std::string& offered);

    const fi_provider& prov_;
    bool listened_to_;
    bool any_ = false;
};

} // namespace fi::kit
