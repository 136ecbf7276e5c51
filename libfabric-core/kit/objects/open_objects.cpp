// SPDX-License-Identifier: BSD-2-Clause
//
// The lists behind C34 and C35; see open_objects.hpp.

#include "kit/objects/open_objects.hpp"

#include <algorithm>
#include <mutex>
#include <strings.h>
#include <vector>

namespace fi::kit {

struct OpenObjects::Contents {
    struct Entry {
        fid* object;
        std::string name;
    };
    std::mutex lock;
    std::vector<Entry> entries; ///< oldest first
};

OpenObjects::OpenObjects() : contents_(*new Contents) {}

fid* OpenObjects::choose(const char* name, const fid* asked) const noexcept
{
    const std::lock_guard guard(contents_.lock);
    for (const Contents::Entry& entry : contents_.entries)
        if ((!asked || entry.object == asked) && strcasecmp(entry.name.c_str(), name ? name : "") == 0)
            return entry.object;
    return nullptr;
}

OpenObject::OpenObject(OpenObjects& list, fid* object, const char* name) : list_(list), object_(object)
{
    const std::lock_guard guard(list_.contents_.lock);
    list_.contents_.entries.push_back({object, name ? name : ""});
}

OpenObject::~OpenObject()
{
    const std::lock_guard guard(list_.contents_.lock);
    std::erase_if(list_.contents_.entries, [this](const auto& entry) { return entry.object == object_; });
}

PlacedOffer::PlacedOffer(const OpenObjects& fabrics, const OpenObjects& domains, const fi_info& offer,
                         const fi_info* hints) noexcept
    : info(offer), fabric_(*offer.fabric_attr), domain_(*offer.domain_attr)
{
    // A handle is the first member of its object's struct, and so is the fid of the handle.
    const fid_fabric* fabric = hints && hints->fabric_attr ? hints->fabric_attr->fabric : nullptr;
    const fid_domain* domain = hints && hints->domain_attr ? hints->domain_attr->domain : nullptr;
    fabric_.fabric =
        reinterpret_cast<fid_fabric*>(fabrics.choose(fabric_.name, reinterpret_cast<const fid*>(fabric)));
    domain_.domain =
        reinterpret_cast<fid_domain*>(domains.choose(domain_.name, reinterpret_cast<const fid*>(domain)));
    info.fabric_attr = &fabric_;
    info.domain_attr = &domain_;
}

} // namespace fi::kit
