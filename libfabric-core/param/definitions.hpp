// SPDX-License-Identifier: BSD-2-Clause
//
// The list of defined variables, for the files that implement fi_param_*; others use param.hpp.
#pragma once

#include <string>
#include <string_view>

#include "param/param.hpp"

namespace fi::core::param {

// FI_<PARAMETER> for the core, FI_<PROVIDER>_<PARAMETER> otherwise, in capitals whatever the locale.
std::string full_name(const fi_provider* provider, std::string_view parameter);

// Appends a definition. A name may be defined again; its first definition is the one that counts
// (provider_spi, 11).
void define(Definition definition);

// The type of the first definition of a full name.
std::optional<fi_param_type> type_of(std::string_view name);

} // namespace fi::core::param
