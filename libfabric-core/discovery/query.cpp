// SPDX-License-Identifier: BSD-2-Clause
//
// The walk itself. Two kinds of caller come through here: applications, and utility providers that look for a
// lower layer from inside their own getinfo, on the same thread. The latter mark their flags with internal
// bits, and what shapes an answer for applications (FI_PROVIDER on layered names, name hints, order) is left
// out for them.
#include "discovery/query.hpp"

#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include <rdma/fi_errno.h>

#include "api/boundary.hpp"
#include "api/info.hpp"
#include "discovery/answer.hpp"
#include "discovery/layering.hpp"
#include "discovery/reasons.hpp"
#include "log/log.hpp"

namespace fi::core::query {
namespace {

using loader::Provider;
using loader::ProviderType;

constexpr uint64_t kNotForApplications = layering::kInternal | layering::kCoreOnly | layering::kHiddenToo;

/// The provider whose getinfo runs on this thread, NULL outside: a query made meanwhile is a nested one.
thread_local const fi_provider* asking = nullptr;

class Asking {
  public:
    explicit Asking(const fi_provider* provider) : outer_(std::exchange(asking, provider)) {}
    ~Asking() { asking = outer_; }
    Asking(const Asking&) = delete;
    Asking& operator=(const Asking&) = delete;

  private:
    const fi_provider* outer_;
};

const char* name_hint(const Request& request)
{
    return request.hints && request.hints->fabric_attr ? request.hints->fabric_attr->prov_name : nullptr;
}

/// Cuts a list that leads back into itself, which would otherwise be taken, and freed, for ever. True if it
/// did.
bool cut_cycle(fi_info* list)
{
    fi_info* slow = list;
    fi_info* fast = list;
    do {
        if (!fast || !fast->next)
            return false;
        slow = slow->next;
        fast = fast->next->next;
    } while (slow != fast);

    // As many steps lead from the start to where the cycle begins as from the meeting point.
    fi_info* begin = list;
    while (begin != slow) {
        begin = begin->next;
        slow = slow->next;
    }
    fi_info* last = begin;
    while (last->next != begin)
        last = last->next;
    last->next = nullptr;
    return true;
}

/// The provider's own answer; *list may hold entries only with 0. An exception that leaves a C++ plugin is
/// that plugin's failure and nobody else's.
int call(const fi_provider& provider, const Request& request, fi_info** list)
{
    const Asking mark(&provider);
    try {
        return provider.getinfo(request.version, request.node, request.service, request.flags, request.hints,
                                list);
    } catch (...) {
        return -FI_EOTHER;
    }
}

class Walk {
  public:
    Walk(std::span<const Provider> providers, const Filter& filter, const Request& request,
         Findings* findings)
        : providers_(providers), filter_(filter), request_(request), hint_(name_hint(request)),
          findings_(findings)
    {
    }

    fi_info* run()
    {
        for (const Provider& provider : providers_)
            if (eligible(provider))
                ask(provider);
        if (!(request_.flags & kNotForApplications))
            shape(answer_, filter_, request_.hints, findings_);
        return link(std::move(answer_));
    }

  private:
    bool eligible(const Provider& provider)
    {
        const fi_provider& impl = *provider.impl;
        if (!impl.getinfo)
            return false;
        if (provider.type == ProviderType::Offload && !(request_.flags & layering::kOffloadToo))
            return false;
        if (!(request_.flags & layering::kHiddenToo)) {
            if (!provider.active)
                return no(provider, "", [&] { return "is inactive: " + provider.why_inactive; });
            if (filter_.hides(provider))
                return no(provider, "", [&] { return "left out by FI_PROVIDER=" + filter_.text(); });
        }
        if (!hint_.admits(provider, request_.flags, providers_))
            return no(provider, "fabric_attr->prov_name", [&] { return not_admitted(provider); });
        if (impl.fi_version < request_.version) {
            FI_CORE_WARN(FI_LOG_CORE, "%s is not asked: it implements API %u.%u, asked is %u.%u\n", impl.name,
                         FI_MAJOR(impl.fi_version), FI_MINOR(impl.fi_version), FI_MAJOR(request_.version),
                         FI_MINOR(request_.version));
            return no(provider, "", [&] {
                return "implements API " + reasons::version_text(impl.fi_version) + ", asked is " +
                       reasons::version_text(request_.version);
            });
        }
        return true;
    }

    std::string not_admitted(const Provider& provider) const
    {
        const char* asked = name_hint(request_);
        if (!asked)
            return "nothing goes on top of " + std::string(provider.impl->name) + " unless it is named";
        return "asked " + std::string(asked) + ", offered " + provider.impl->name;
    }

    /// Records why a provider contributes nothing, if anybody wants to know; false, so that a refusal reads
    /// as one.
    template <class Text>
    bool no(const Provider& provider, const char* attribute, Text&& text)
    {
        if (findings_)
            add_once(*findings_, {provider.impl->name, attribute, text()});
        return false;
    }

    void ask(const Provider& provider)
    {
        fi_info* list = nullptr;
        if (!findings_) {
            note_failure(provider, call(*provider.impl, request_, &list), list);
            take(provider, list);
            return;
        }
        const log::Capture capture;
        const int rc = call(*provider.impl, request_, &list);
        if (rc || !list) {
            const size_t before = findings_->size();
            collect(provider.impl->name, capture.lines(), *findings_);
            if (findings_->size() == before)
                no(provider, "", [rc] {
                    return rc ? "failed with \"" + std::string(fi_strerror(-rc)) + "\" and logged nothing"
                              : std::string("found nothing and logged nothing");
                });
        }
        if (rc == 0)
            take(provider, list);
    }

    void note_failure(const Provider& provider, int rc, fi_info*& list)
    {
        const char* name = provider.impl->name;
        if (rc) {
            // Entries beside an error code are not an answer, and a pointer left behind may be stale.
            list = nullptr;
            const char* asked = name_hint(request_);
            if (asked && layering::same_name(asked, name))
                FI_CORE_WARN(FI_LOG_CORE, "%s, asked for by name, has nothing: %s (%d)\n", name,
                             fi_strerror(-rc), rc);
            else
                FI_CORE_INFO(FI_LOG_CORE, "%s has nothing: %s (%d)\n", name, fi_strerror(-rc), rc);
        } else if (!list) {
            FI_CORE_WARN(FI_LOG_CORE, "%s reports success without a single entry\n", name);
        }
    }

    void take(const Provider& provider, fi_info* list)
    {
        if (cut_cycle(list))
            FI_CORE_WARN(FI_LOG_CORE, "%s returned a list that leads back into itself\n",
                         provider.impl->name);
        info::Owned rest(list);
        while (rest) {
            info::Owned entry(rest.release());
            rest.reset(std::exchange(entry->next, nullptr));
            if (!entry->fabric_attr) {
                FI_CORE_WARN(FI_LOG_CORE, "%s returned an entry without fabric_attr: dropped\n",
                             provider.impl->name);
                no(provider, "fabric_attr", [] { return std::string("missing in the provider's answer"); });
                continue;
            }
            sign(*entry, provider, request_.version);
            answer_.push_back(std::move(entry));
        }
    }

    std::span<const Provider> providers_;
    const Filter& filter_;
    const Request& request_;
    const layering::Hint hint_;
    Findings* findings_;
    Answer answer_;
};

/// FI_PROV_ATTR_ONLY: who is there, used or not; nobody is asked.
fi_info* attributes_only(std::span<const Provider> providers)
{
    Answer answer;
    for (const Provider& provider : providers) {
        info::Owned entry(info::allocate());
        if (!entry)
            throw std::bad_alloc();
        sign(*entry, provider, 0);
        answer.push_back(std::move(entry));
    }
    return link(std::move(answer));
}

} // namespace

int walk(std::span<const Provider> providers, const Filter& filter, const Request& request, fi_info** out,
         Findings* findings)
{
    if (request.version > fi_version())
        return -FI_ENOSYS;
    *out = nullptr;
    // Exactly this bit: with any other beside it the query is an ordinary one.
    *out = request.flags == FI_PROV_ATTR_ONLY ? attributes_only(providers)
                                              : Walk(providers, filter, request, findings).run();
    return *out ? 0 : -FI_ENODATA;
}

int getinfo(const Request& request, fi_info** out) noexcept
{
    if (!out)
        return -FI_EINVAL;
    const fi_provider* outer = asking;
    return boundary([&] {
        const loader::Registry& registry = loader::Registry::get();
        if (outer) {
            const log::Prefix prefix(outer->name);
            const Asking nobody(nullptr);
            return walk(registry.providers(), Filter::current(), request, out);
        }
        const Filter filter = Filter::current();
        reasons::warn_of_unknown(filter, registry.providers());
        const int rc = walk(registry.providers(), filter, request, out);
        if (rc == -FI_ENODATA && !(request.flags & kNotForApplications))
            reasons::warn(registry, filter, request);
        return rc;
    });
}

} // namespace fi::core::query
