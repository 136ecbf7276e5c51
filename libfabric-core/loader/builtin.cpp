// SPDX-License-Identifier: BSD-2-Clause
// The table of linked-in providers is one line per provider, written by the build (builtin_table.inc):
// FI_BUILTIN(name). A linked-in provider is the plugin's sources with fi_prov_ini renamed to
// fi_prov_ini_<name>.
#include "loader/builtin.hpp"

#define FI_BUILTIN(name) extern "C" fi_provider* fi_prov_ini_##name(void);
#include "loader/builtin_table.inc"
#undef FI_BUILTIN

namespace fi::core::loader {

std::span<const ProviderEntry> builtin_providers()
{
    static constexpr ProviderEntry kTable[] = {
#define FI_BUILTIN(name) fi_prov_ini_##name,
#include "loader/builtin_table.inc"
#undef FI_BUILTIN
        nullptr, // an array of zero entries is not C++
    };
    return std::span(kTable).first(std::size(kTable) - 1);
}

std::string default_directory()
{
    return FI_PROVIDER_DIR;
}

} // namespace fi::core::loader
