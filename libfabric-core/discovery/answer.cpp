// SPDX-License-Identifier: BSD-2-Clause
//
// From the providers' entries to the caller's list.
#include "discovery/answer.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <new>
#include <string>

#include "discovery/layering.hpp"

namespace fi::core::query {
namespace {

char* checked_copy(const std::string& text)
{
    char* copy = ::strdup(text.c_str());
    return copy ? copy : throw std::bad_alloc();
}

const char* or_nothing(const char* name)
{
    return name ? name : "";
}

const char* domain_name(const fi_info& entry)
{
    return entry.domain_attr ? entry.domain_attr->name : nullptr;
}

/// Takes out the entries that `unwanted` names a reason for, and notes the reason.
template <class Unwanted>
void take_out(Answer& answer, Findings* findings, Unwanted&& unwanted)
{
    std::erase_if(answer, [&](const info::Owned& entry) {
        Finding why;
        if (!unwanted(*entry, why))
            return false;
        if (findings) {
            why.provider = entry->fabric_attr->prov_name;
            add_once(*findings, std::move(why));
        }
        return true;
    });
}

/// An unnamed entry cannot be the one that was asked for by name.
bool differs(const char* asked, const char* offered, const char* attribute, Finding& why)
{
    if (!asked || (offered && layering::same_name(asked, offered)))
        return false;
    why.attribute = attribute;
    why.text = std::string("asked ") + asked + ", offered " + or_nothing(offered);
    return true;
}

bool is_rdm(const fi_info& entry, const char* prov_name)
{
    return entry.ep_attr && entry.ep_attr->type == FI_EP_RDM &&
           layering::same_name(entry.fabric_attr->prov_name, prov_name);
}

/// tcp offers reliable datagrams itself and through ofi_rxm. Programs take the first entry that fits, and the
/// layered one is the complete one, so tcp's own go just before it or, where it is missing, to the end.
void order_tcp(Answer& answer)
{
    const auto own = std::stable_partition(answer.begin(), answer.end(),
                                           [](const info::Owned& entry) { return !is_rdm(*entry, "tcp"); });
    const auto layered = std::find_if(answer.begin(), own,
                                      [](const info::Owned& entry) { return is_rdm(*entry, "tcp;ofi_rxm"); });
    std::rotate(layered, own, answer.end());
}

} // namespace

void sign(fi_info& entry, const loader::Provider& provider, uint32_t api_version)
{
    fi_fabric_attr& attr = *entry.fabric_attr;
    attr.prov_version = provider.impl->version;
    attr.api_version = api_version;
    // An lnx provider composes the name of its links itself.
    if (attr.prov_name && provider.type == loader::ProviderType::Lnx)
        return;
    std::string name = provider.impl->name;
    if (attr.prov_name)
        name = std::string(attr.prov_name) + layering::kDelimiter + name;
    char* copy = checked_copy(name);
    std::free(attr.prov_name);
    attr.prov_name = copy;
}

void shape(Answer& answer, const Filter& filter, const fi_info* hints, Findings* findings)
{
    const size_t first = findings ? findings->size() : 0;

    if (filter.given())
        take_out(answer, findings, [&](const fi_info& entry, Finding& why) {
            if (!filter.drops(entry.fabric_attr->prov_name))
                return false;
            why.text = "left out by FI_PROVIDER=" + filter.text();
            return true;
        });
    if (hints && hints->domain_attr && hints->domain_attr->name)
        take_out(answer, findings, [&](const fi_info& entry, Finding& why) {
            return differs(hints->domain_attr->name, domain_name(entry), "domain_attr->name", why);
        });
    if (hints && hints->fabric_attr && hints->fabric_attr->name)
        take_out(answer, findings, [&](const fi_info& entry, Finding& why) {
            return differs(hints->fabric_attr->name, entry.fabric_attr->name, "fabric_attr->name", why);
        });

    // A provider of which something stayed has nothing to explain.
    if (findings) {
        const auto stayed = [&](const Finding& finding) {
            return std::any_of(answer.begin(), answer.end(), [&](const info::Owned& entry) {
                return layering::same_name(entry->fabric_attr->prov_name, finding.provider);
            });
        };
        findings->erase(
            std::remove_if(findings->begin() + static_cast<ptrdiff_t>(first), findings->end(), stayed),
            findings->end());
    }
    order_tcp(answer);
}

fi_info* link(Answer answer) noexcept
{
    fi_info* list = nullptr;
    for (auto entry = answer.rbegin(); entry != answer.rend(); ++entry) {
        (*entry)->next = list;
        list = entry->release();
    }
    return list;
}

} // namespace fi::core::query
