// SPDX-License-Identifier: BSD-2-Clause
// The library's answers that fi_info shows, owned. Both forms of output, text and JSON, read these.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <rdma/fabric.h>
#include <rdma/fi_report.h>

#include "options.hpp"

namespace fi::tools::info {

// A call of the library that must not fail, and did.
struct LibraryError {
    const char* call;
    int code; // positive
};

// One call of fi_getinfo and its outcome.
struct Query {
    const Options* options;
    InfoList hints;
    InfoList infos;
    int status = 0; // fi_getinfo's: 0 or negative
};

[[nodiscard]] Query run(const Options& options);

// Text of one value as fi_tostr gives it, never cut.
[[nodiscard]] std::string text_of(const void* value, fi_type type);
[[nodiscard]] std::string version_text(std::uint32_t version); // "major.minor"
[[nodiscard]] const char* param_type_text(fi_param_type type);
[[nodiscard]] const char* plugin_state_text(fi_plugin_state state);

// The entries that -i selects, all of them without it.
[[nodiscard]] std::vector<const fi_info*> selected_infos(const Query& query);

class Params {
  public:
    Params();
    ~Params();
    Params(const Params&) = delete;
    Params& operator=(const Params&) = delete;

    // Those that -g and -p leave, in the library's order.
    [[nodiscard]] std::vector<const fi_param*> selected(const Options& options) const;

  private:
    fi_param* params_ = nullptr;
    int count_ = 0;
};

class Plugins {
  public:
    Plugins();
    ~Plugins() { fi_freeplugins(plugins_); }
    Plugins(const Plugins&) = delete;
    Plugins& operator=(const Plugins&) = delete;
    [[nodiscard]] std::span<const fi_plugin> all() const { return {plugins_, count_}; }

  private:
    fi_plugin* plugins_ = nullptr;
    std::size_t count_ = 0;
};

class Reasons {
  public:
    explicit Reasons(const Query& query);
    ~Reasons() { fi_freereasons(reasons_); }
    Reasons(const Reasons&) = delete;
    Reasons& operator=(const Reasons&) = delete;
    [[nodiscard]] std::span<const fi_reason> all() const { return {reasons_, count_}; }

  private:
    fi_reason* reasons_ = nullptr;
    std::size_t count_ = 0;
};

} // namespace fi::tools::info
