// SPDX-License-Identifier: BSD-2-Clause
// fi_info --why: a provider that is missing from the list has a reason, and the library can be asked for it.
// One block per provider, in the order in which the providers were asked, one line per objection.

#include "output.hpp"

#include <cstdio>
#include <cstring>

namespace fi::tools::info {
namespace {

bool same_provider(const fi_reason& left, const fi_reason& right)
{
    return left.provider && right.provider && std::strcmp(left.provider, right.provider) == 0;
}

} // namespace

void print_reasons(const Query& query)
{
    const Reasons reasons(query);
    const fi_reason* previous = nullptr;
    for (const fi_reason& reason : reasons.all()) {
        if (!previous || !same_provider(*previous, reason))
            std::printf("%s:\n", reason.provider ? reason.provider : "(unknown)");
        previous = &reason;
        if (reason.attribute)
            std::printf("    %s: %s\n", reason.attribute, reason.text);
        else
            std::printf("    %s\n", reason.text);
    }
}

} // namespace fi::tools::info
