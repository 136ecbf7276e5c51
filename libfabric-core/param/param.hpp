// SPDX-License-Identifier: BSD-2-Clause
//
// Run-time parameters: the FI_* variables that the core and the providers define, where their values come
// from, and who may see them. Values come from the environment or from <sysconfdir>/libfabric.conf; a
// provider only says what a variable is called and what it means.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <rdma/fabric.h>
#include <rdma/providers/fi_prov.h>

namespace fi::core::param {

// Defines the core's own variables (FI_PROVIDER, FI_LOG_LEVEL, ...) so that fi_getparams lists them and
// fi_param_get with a NULL provider knows them. Idempotent, thread safe; throws std::bad_alloc.
void define_core();

// getenv, but NULL in a program that runs with more rights than its caller (AT_SECURE): there, an environment
// variable must choose neither which code is loaded nor which file is written. Every variable that the
// library reads goes through here. The result is the environment's own storage; as with getenv, a concurrent
// setenv of the application is the application's race.
const char* environment(const char* name);

// The value of a variable by its full name ("FI_LOG_LEVEL"), whether it was defined or not. The environment
// wins over the configuration file unless FI_PREFER_SYSCONFIG is true. The environment is read anew at each
// call, the configuration file once per process. Thread safe.
std::optional<std::string> lookup(const char* name);

// The same value without a copy, NULL when unset. Storage: the environment's, or that of the configuration,
// which is never freed.
const char* value(const char* name);

// How a word is read: 0/false/no/off and 1/true/yes/on in any case, anything else is not a truth value.
std::optional<bool> truth(std::string_view word);

// Drops what a provider defined, for a provider that is not kept. Thread safe.
void forget(const fi_provider* provider);

// One defined variable as fi_getparams shows it.
struct Definition {
    const fi_provider* provider; // NULL: the core
    std::string name;            // the full name, FI_<PROVIDER>_<PARAMETER>
    fi_param_type type;
    std::string help;
};

// A copy of all definitions in the order in which they were made. Thread safe; throws std::bad_alloc.
std::vector<Definition> definitions();

} // namespace fi::core::param
