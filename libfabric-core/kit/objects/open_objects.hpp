// SPDX-License-Identifier: BSD-2-Clause
//
// Which fabrics and domains of a provider are open: a query may be limited to one, and an entry points to the
// first of its name (fi_fabric.3, fi_domain.3).
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <string>

namespace fi::kit {

/// A list of open objects of one class. Thread safe; never destroyed, because objects may outlive the end of
/// main().
class OpenObjects {
  public:
    template <class P>
    static OpenObjects& fabrics()
    {
        static OpenObjects& all = *new OpenObjects;
        return all;
    }
    template <class P>
    static OpenObjects& domains()
    {
        static OpenObjects& all = *new OpenObjects;
        return all;
    }

    /// `asked` if it is open under this name, the oldest of the name if nothing is asked for, else nullptr.
    /// Valid until somebody closes it.
    fid* choose(const char* name, const fid* asked) const noexcept;

  private:
    friend class OpenObject;
    OpenObjects();
    struct Contents;
    Contents& contents_;
};

/// Keeps an object on its list while this lives; a member of the object.
class OpenObject {
  public:
    /// A NULL name is the empty one. Throws std::bad_alloc.
    OpenObject(OpenObjects& list, fid* object, const char* name);
    ~OpenObject();
    OpenObject(const OpenObject&) = delete;
    OpenObject& operator=(const OpenObject&) = delete;

  private:
    OpenObjects& list_;
    fid* object_;
};

/// An offer that points to the open objects which a query is about, for acceptable() and answer(). Refers to
/// `offer`'s other parts: does not outlive it.
class PlacedOffer {
  public:
    template <class P>
    static PlacedOffer of(const fi_info& offer, const fi_info* hints) noexcept
    {
        return {OpenObjects::fabrics<P>(), OpenObjects::domains<P>(), offer, hints};
    }
    PlacedOffer(const PlacedOffer&) = delete;
    PlacedOffer& operator=(const PlacedOffer&) = delete;

    fi_info info;

  private:
    PlacedOffer(const OpenObjects& fabrics, const OpenObjects& domains, const fi_info& offer,
                const fi_info* hints) noexcept;
    fi_fabric_attr fabric_;
    fi_domain_attr domain_;
};

} // namespace fi::kit
