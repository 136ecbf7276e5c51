// SPDX-License-Identifier: BSD-2-Clause
//
// The texts of refusals; see refusal.hpp for their form and readers.

#include "kit/objects/refusal.hpp"

#include <array>
#include <cstdio>
#include <rdma/providers/fi_log.h>

namespace fi::kit {
namespace show {
namespace {

constexpr size_t kLongestText = 128;

/// fi_tostr_r() for a value of at most 64 bits. MR modes are an int, formats and protocols 32 bits, flags 64:
/// the low bytes of a little-endian 64-bit variable serve as any of them.
std::string tostr(uint64_t value, fi_type type)
{
    static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
    std::array<char, 256> text{};
    const char* out = fi_tostr_r(text.data(), text.size(), &value, type);
    return out ? out : "";
}

/// Bits for which fi_tostr_r() has no name, though they may be refused.
std::string other_name(uint64_t bit, fi_type type)
{
    struct Name {
        fi_type type;
        uint64_t bit;
        const char* text;
    };
    static constexpr Name kNames[] = {
        {FI_TYPE_CAPS, FI_TAGGED_DIRECTED_RECV, "FI_TAGGED_DIRECTED_RECV"},
        {FI_TYPE_CAPS, FI_TAGGED_MULTI_RECV, "FI_TAGGED_MULTI_RECV"},
        {FI_TYPE_CAPS, FI_EXACT_DIRECTED_RECV, "FI_EXACT_DIRECTED_RECV"},
        {FI_TYPE_OP_FLAGS, FI_COMMIT_COMPLETE, "FI_COMMIT_COMPLETE"},
    };
    for (const Name& name : kNames)
        if (name.type == type && name.bit == bit)
            return name.text;
    return {};
}

} // namespace

std::string number(uint64_t value)
{
    return std::to_string(value);
}

std::string hex(uint64_t value)
{
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(value));
    return text.data();
}

std::string version(uint32_t value)
{
    return std::to_string(FI_MAJOR(value)) + "." + std::to_string(FI_MINOR(value));
}

std::string flags(uint64_t value, fi_type type)
{
    // Bit by bit: a whole list drops the bits that it has no name for without a word.
    std::string list;
    uint64_t nameless = 0;
    for (uint64_t rest = value; rest; rest &= rest - 1) {
        const uint64_t bit = rest & -rest;
        std::string one = tostr(bit, type);
        if (one.empty())
            one = other_name(bit, type);
        if (one.empty())
            nameless |= bit;
        else
            list += (list.empty() ? "" : ", ") + one;
    }
    if (nameless)
        list += (list.empty() ? "" : ", ") + hex(nameless);
    return list.empty() ? "[ ]" : "[ " + list + " ]";
}

std::string name(uint32_t value, fi_type type)
{
    const std::string known = tostr(value, type);
    return known.rfind("FI_", 0) == 0 ? known : number(value);
}

std::string resource_mgmt(uint32_t value)
{
    switch (value) {
    case FI_RM_UNSPEC:
        return "FI_RM_UNSPEC";
    case FI_RM_DISABLED:
        return "FI_RM_DISABLED";
    case FI_RM_ENABLED:
        return "FI_RM_ENABLED";
    default:
        return number(value);
    }
}

std::string contexts(uint64_t value)
{
    return value == FI_SHARED_CONTEXT ? "FI_SHARED_CONTEXT" : number(value);
}

std::string pointer(const void* value)
{
    return value ? hex(reinterpret_cast<uintptr_t>(value)) : "none";
}

std::string text(const char* value)
{
    if (!value)
        return "(none)";
    // The text comes from the application: it must not be able to break the one-line form.
    std::string out;
    for (; *value && out.size() < kLongestText; ++value)
        out += *value >= ' ' && *value <= '~' ? *value : '?';
    return *value ? out + "..." : out;
}

} // namespace show

Refusals::Refusals(const fi_provider& prov) noexcept
    : prov_(prov), listened_to_(fi_log_enabled(&prov, FI_LOG_INFO, FI_LOG_CORE) != 0)
{
}

void Refusals::write(const char* attribute, const std::string& asked, const std::string& offered)
{
    fi_log(&prov_, FI_LOG_INFO, FI_LOG_CORE, __func__, __LINE__, "refused %s: asked %s, offered %s\n",
           attribute, asked.c_str(), offered.c_str());
}

} // namespace fi::kit
