// SPDX-License-Identifier: BSD-2-Clause
// One plugin file turned into one provider object, or into the reason why not (docs/loader.md, L20-L39).
#pragma once

#include <string>

#include <rdma/providers/fi_prov.h>

namespace fi::core::loader {

struct LoadResult {
    fi_provider* provider = nullptr; ///< what fi_prov_ini returned; its own checks are still to be made
    std::string problem;             ///< why the file is refused; dlerror() text included
    std::string remark;              ///< accepted, but worth a warning (slow start)
};

/// Opens the file and calls its fi_prov_ini. Runs foreign code; to be called with the registry's mutex held.
/// The file stays mapped for the life of the process even when refused (RTLD_NODELETE): code that ran once
/// may have left pointers to itself anywhere.
LoadResult load_plugin(const std::string& path);

/// Calls an entry function found by other means (a provider linked in), with the same guard and clock.
LoadResult start_provider(fi_provider* (*entry)());

/// What examine() found out about a provider object.
struct Defects {
    bool readable = false; ///< its members may be looked at
    bool named = false;    ///< its name may be looked at
    std::string problem;   ///< why it cannot be registered; empty when it can
};

/// Checks a provider object that is not NULL. Looks at memory only after making sure that it can be read.
Defects examine(fi_provider* provider);

/// Tells a provider that started but was refused to give back what it holds. Nothing it throws gets out.
void clean_up(const fi_provider& provider);

} // namespace fi::core::loader
