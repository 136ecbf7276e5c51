// SPDX-License-Identifier: BSD-2-Clause
//
// Providers inside the test's own process. struct fi_provider holds bare function pointers, so each fake owns
// one of a fixed number of entry points that lead to its std::function; what a test wants a provider to do,
// it writes there.
#pragma once

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>

#include "api/info.hpp"
#include "discovery/query.hpp"
#include "loader/registry.hpp"

namespace fi::test {

using core::loader::Provider;
using core::loader::ProviderType;
using core::query::Request;

inline char* copy_of(const char* text)
{
    return text ? ::strdup(text) : nullptr;
}

/// An entry as a provider would build it; prov_name stays NULL.
inline fi_info* entry(fi_ep_type type = FI_EP_RDM, const char* domain = "domain",
                      const char* fabric = "fabric")
{
    fi_info* info = core::info::allocate();
    info->ep_attr->type = type;
    info->domain_attr->name = copy_of(domain);
    info->fabric_attr->name = copy_of(fabric);
    return info;
}

inline fi_info* chain(std::initializer_list<fi_info*> entries)
{
    fi_info* list = nullptr;
    fi_info** tail = &list;
    for (fi_info* info : entries) {
        *tail = info;
        tail = &info->next;
    }
    return list;
}

class FakeProvider {
  public:
    using GetInfo = std::function<int(const Request&, fi_info**)>;
    using Fabric = std::function<int(fi_fabric_attr*, fid_fabric**, void*)>;

    FakeProvider(std::string provider_name, ProviderType provider_type) : name(std::move(provider_name))
    {
        slot_ = take_slot(this);
        impl.version = FI_VERSION(1, 0);
        impl.fi_version = FI_VERSION(2, 6);
        impl.name = name.c_str();
        impl.getinfo = provider_type == ProviderType::Hook ? nullptr : entry_points()[slot_].first;
        impl.fabric = entry_points()[slot_].second;
        type = provider_type;
        answer = [](const Request&, fi_info** list) {
            *list = entry();
            return 0;
        };
    }
    ~FakeProvider() { owners()[slot_] = nullptr; }
    FakeProvider(const FakeProvider&) = delete;
    FakeProvider& operator=(const FakeProvider&) = delete;

    std::string name;
    fi_provider impl{};
    ProviderType type;
    bool active = true;
    bool layering_disabled = false;
    std::string why_inactive;
    GetInfo answer;
    Fabric open;
    std::atomic<int> asked{0};

    Provider registered() { return {&impl, type, active, layering_disabled, "", why_inactive}; }

  private:
    static constexpr size_t kSlots = 24;
    using EntryPoints = std::pair<decltype(fi_provider::getinfo), decltype(fi_provider::fabric)>;

    static std::array<FakeProvider*, kSlots>& owners()
    {
        static std::array<FakeProvider*, kSlots> all{};
        return all;
    }
    static size_t take_slot(FakeProvider* owner)
    {
        for (size_t slot = 0; slot < kSlots; ++slot)
            if (!owners()[slot]) {
                owners()[slot] = owner;
                return slot;
            }
        throw std::length_error("more fake providers than slots");
    }
    template <size_t Slot>
    static int enter_getinfo(uint32_t version, const char* node, const char* service, uint64_t flags,
                             const fi_info* hints, fi_info** list)
    {
        FakeProvider& self = *owners()[Slot];
        ++self.asked;
        return self.answer({version, node, service, flags, hints}, list);
    }
    template <size_t Slot>
    static int enter_fabric(fi_fabric_attr* attr, fid_fabric** fabric, void* context)
    {
        return owners()[Slot]->open(attr, fabric, context);
    }
    template <size_t... Slot>
    static std::array<EntryPoints, kSlots> make_entry_points(std::index_sequence<Slot...>)
    {
        return {EntryPoints{&enter_getinfo<Slot>, &enter_fabric<Slot>}...};
    }
    static const std::array<EntryPoints, kSlots>& entry_points()
    {
        static const auto all = make_entry_points(std::make_index_sequence<kSlots>{});
        return all;
    }

    size_t slot_;
};

/// A list of registered fakes; types are told as the loader tells them.
class Fakes {
  public:
    FakeProvider& core(const char* name) { return add(name, ProviderType::Core); }
    FakeProvider& utility(const char* name)
    {
        FakeProvider& fake = add(name, ProviderType::Utility);
        fake.layering_disabled = true;
        return fake;
    }
    FakeProvider& add(const char* name, ProviderType type) { return fakes_.emplace_back(name, type); }

    std::vector<Provider> list()
    {
        std::vector<Provider> all;
        for (FakeProvider& fake : fakes_)
            all.push_back(fake.registered());
        return all;
    }

  private:
    std::deque<FakeProvider> fakes_;
};

inline std::vector<std::string> names_of(const fi_info* list)
{
    std::vector<std::string> names;
    for (; list; list = list->next)
        names.emplace_back(list->fabric_attr->prov_name ? list->fabric_attr->prov_name : "(null)");
    return names;
}

} // namespace fi::test
