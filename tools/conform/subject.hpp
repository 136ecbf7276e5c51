// SPDX-License-Identifier: BSD-2-Clause
//
// The provider that is looked at: the plugin is loaded, its provider known by name, and what it claims is
// asked of fi_getinfo(). All but choose() is for the process of a check, which alone may call the library.
#pragma once

#include <cstdint>
#include <memory>
#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <string>

namespace conform {

struct FreeInfo {
    void operator()(fi_info* info) const { fi_freeinfo(info); }
};
using Info = std::unique_ptr<fi_info, FreeInfo>;

constexpr std::uint32_t kApi = FI_VERSION(2, 6);

/// Has the library load that plugin file, ahead of any other of its provider's name and without the default
/// directory. Before the library's first call. Throws std::runtime_error if there is no such file.
void choose(const std::string& path);

/// Has checks ask for the provider of that name, wherever the library finds it: for tests about one provider.
void use_provider(const std::string& name);

/// The name of the chosen plugin's provider. Throws std::runtime_error if it was refused or is hidden, with
/// the library's reason.
std::string provider_name();

/// Empty hints for that provider, with room for all attributes.
Info blank_hints();

/// fi_getinfo() without a node; NULL if nothing was found. Any other error is a failure of the check.
Info query(const fi_info* hints, std::uint32_t api = kApi, std::uint64_t flags = 0,
           const char* service = nullptr);

/// All that the provider lists for endpoints of that type when every mode is offered and nothing is asked;
/// NULL if there is none.
Info claims(fi_ep_type type);

/// Whether some entry of the list has all of these capabilities.
bool claimed(const fi_info* list, std::uint64_t caps);

/// The claims in words, some ten lines for each endpoint type and domain.
std::string claims_text();

/// "FI_MSG, FI_TAGGED" and the like.
std::string names_of(std::uint64_t bits, fi_type type);

} // namespace conform
