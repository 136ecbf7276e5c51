// SPDX-License-Identifier: BSD-2-Clause
// The one list of providers of this process. Everything that asks "which providers are there, in which order,
// and which file said what" asks here. Finding, checking and loading plugins is hidden behind the first call;
// docs/loader.md numbers the rules.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <rdma/providers/fi_prov.h>

namespace fi::core::loader {

/// What a provider is for, decided at registration from its name and slots (docs/loader.md, L40). The numbers
/// are part of the scratch area's layout and stay as they are.
enum class ProviderType : int { Core, Utility, Hook, Offload, Lnx };

/// The core's scratch area at the start of fi_provider.context. Written once, before the registry is
/// published; read by anyone.
struct __attribute__((may_alias)) ProviderScratch {
    int type;               ///< a ProviderType
    bool log_disabled;      ///< FI_LOG_PROV filters this provider's log lines
    bool layering_disabled; ///< no utility provider goes on top unless it is asked for by name
};
static_assert(sizeof(ProviderScratch) <= sizeof(fi_context));

/// The scratch area of a provider; all zero (a core provider, nothing disabled) for one that was never
/// registered.
inline const ProviderScratch& scratch_of(const fi_provider& provider)
{
    return *reinterpret_cast<const ProviderScratch*>(&provider.context);
}

struct Provider {
    fi_provider* impl; ///< the plugin's own object; lives as long as the process
    ProviderType type;
    bool active; ///< false: another provider of the same name won (FI_PROVIDER plays no part here)
    bool layering_disabled;
    std::string path;         ///< the plugin's file; empty when linked in
    std::string why_inactive; ///< empty when active
};

/// One plugin file that the search came across, or one element of FI_PROVIDER_PATH that could not be
/// searched.
struct PluginFile {
    enum class State { Active, Hidden, Refused };
    std::string path;        ///< empty when linked in
    std::string provider;    ///< empty when it never got so far as to say its name
    uint32_t version = 0;    ///< the provider's own version, 0 when unknown
    uint32_t fi_version = 0; ///< highest API version it implements, 0 when unknown
    State state = State::Refused;
    std::string reason; ///< why hidden or refused, dlerror() text included; a remark (slow start) or empty
                        ///< when active
};

class Registry {
  public:
    /// The process's registry. The first call defines the core's parameters, starts the log, searches, loads
    /// and registers; concurrent callers wait for it; later calls are one acquire load. Called from inside a
    /// plugin's fi_prov_ini on the thread that loads, it answers with an empty registry. Throws
    /// std::bad_alloc only; the next call then starts again. Nothing is torn down at exit: threads of
    /// providers may run until the very end.
    static const Registry& get();

    Registry(const Registry&) = delete;
    Registry& operator=(const Registry&) = delete;

    /// All registered providers in the order in which queries ask them, inactive ones included (provider_spi
    /// section 5).
    const std::vector<Provider>& providers() const { return providers_; }

    /// The active provider of that name, compared case-insensitively; nullptr if there is none.
    const Provider* find(std::string_view name) const;

    /// Every file the search found, in search order, then the providers linked in.
    const std::vector<PluginFile>& files() const { return files_; }

  private:
    friend class RegistryBuilder;
    Registry() = default;
    std::vector<Provider> providers_;
    std::vector<PluginFile> files_;
};

} // namespace fi::core::loader
