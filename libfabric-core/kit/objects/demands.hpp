// SPDX-License-Identifier: BSD-2-Clause
//
// The kinds of demand that a hint can make of an offer. One call is the whole check of one attribute: it
// compares, and refuses with both values spelled if they do not fit. Which attribute is of which kind is
// offer.cpp's business.
#pragma once

#include "kit/objects/refusal.hpp"

#include <cstdint>
#include <rdma/fabric.h>
#include <string>
#include <strings.h>
#include <utility>

namespace fi::kit {

class Demands {
  public:
    explicit Demands(const fi_provider& prov) : refusals_(prov) {}

    bool passed() const { return !refusals_.any(); }

    /// Both texts are made only if somebody reads them.
    template <class Asked, class Offered>
    void refuse_lazily(const char* attribute, Asked&& asked, Offered&& offered)
    {
        refusals_.add(attribute, std::forward<Asked>(asked), std::forward<Offered>(offered));
    }

    void refuse(const char* attribute, const std::string& asked, const std::string& offered)
    {
        refuse_lazily(
            attribute, [&] { return asked; }, [&] { return offered; });
    }

    /// A ceiling that is not exceeded. 0 asks for nothing.
    void at_most(const char* attribute, uint64_t asked, uint64_t offered,
                 std::string (*spell)(uint64_t) = show::number)
    {
        if (asked > offered)
            refuse_lazily(
                attribute, [&] { return spell(asked); }, [&] { return spell(offered); });
    }

    /// A choice that is equal; 0 is any.
    void same(const char* attribute, uint32_t asked, uint32_t offered, fi_type type)
    {
        if (asked && asked != offered)
            refuse_lazily(
                attribute, [&] { return show::name(asked, type); },
                [&] { return show::name(offered, type); });
    }

    /// A name that is equal but for case; NULL is any.
    void same_text(const char* attribute, const char* asked, const char* offered)
    {
        if (asked && (!offered || strcasecmp(asked, offered) != 0))
            refuse_lazily(
                attribute, [&] { return show::text(asked); }, [&] { return show::text(offered); });
    }

    /// An open object that is the same; NULL is any.
    void same_object(const char* attribute, const void* asked, const void* offered)
    {
        if (asked && asked != offered)
            refuse_lazily(
                attribute, [&] { return show::pointer(asked); }, [&] { return show::pointer(offered); });
    }

    /// A set that the offer has whole. Only the missing part of it is spelled: lists are long.
    void covered(const char* attribute, uint64_t asked, uint64_t offered, fi_type type)
    {
        if (asked & ~offered)
            refuse_lazily(
                attribute, [&] { return show::flags(asked & ~offered, type); },
                [&] { return show::flags(offered, type); });
    }

    /// The other way round: what the provider needs, the application must have said that it does.
    void needed(const char* attribute, uint64_t asked, uint64_t required, fi_type type)
    {
        if (required & ~asked)
            refuse_lazily(
                attribute, [&] { return show::flags(asked, type); },
                [&] { return show::flags(required, type); });
    }

    /// A model that does at least as much for the application.
    template <class Spell>
    void reaches(const char* attribute, int asked_rank, int offered_rank, uint32_t asked, uint32_t offered,
                 Spell spell)
    {
        if (asked_rank > offered_rank)
            refuse_lazily(
                attribute, [&] { return spell(asked); }, [&] { return spell(offered); });
    }

  private:
    Refusals refusals_;
};

} // namespace fi::kit
