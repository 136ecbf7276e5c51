// SPDX-License-Identifier: BSD-2-Clause
// What fi_info prints. Each function writes its whole answer to stdout; none queries devices again, except
// that reasons take a second look. fi_info(1)
#pragma once

#include "options.hpp"
#include "sources.hpp"

namespace fi::tools::info {

enum class View { Short, Full, Providers, Plugins, Params, Reasons };

// Which answer the options ask for. --why goes first; then -e and -g, then -v and -i, then -l; -l with -v is
// the list of plugin files.
[[nodiscard]] View view_of(const Options& options);

void print_text(View view, const Query& query);
void print_reasons(const Query& query); // the text form of View::Reasons

// Prints one JSON object. Also after a failed query, whose error it then holds.
void print_json(View view, const Query& query);

} // namespace fi::tools::info
