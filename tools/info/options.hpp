// SPDX-License-Identifier: BSD-2-Clause
// What the user asked of fi_info, as values: the rest of the tool never looks at argv. fi_info(1)
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <rdma/fabric.h>

namespace fi::tools::info {

struct Options {
    std::optional<std::string> node;
    std::optional<std::string> service;
    std::uint64_t flags = 0; // FI_SOURCE, FI_PROV_ATTR_ONLY

    std::uint64_t caps = 0;
    std::optional<std::uint64_t> mode; // unset: the application bears every duty
    std::optional<fi_ep_type> ep_type;
    std::optional<std::uint32_t> addr_format;
    std::optional<std::string> domain;
    std::optional<std::string> fabric;
    std::optional<std::string> provider;
    bool use_hints = false; // any of the seven above was given

    bool env = false;
    std::optional<std::string> env_filter;  // part of a variable's name, any case
    std::optional<std::string> info_filter; // part of an entry's text, any case
    bool list = false;
    bool verbose = false;
    bool json = false;
    bool why = false;
};

// Either options to work with, or the status to exit with at once: then everything is already printed.
struct Parsed {
    std::optional<Options> options;
    int exit_code = 0;
};

// Reads the command line with getopt_long, which may reorder argv. Operands are ignored.
[[nodiscard]] Parsed parse(int argc, char** argv);

struct FreeInfo {
    void operator()(fi_info* info) const { fi_freeinfo(info); }
};
using InfoList = std::unique_ptr<fi_info, FreeInfo>;

// The hints that the options describe; null when none was given. Throws std::bad_alloc.
[[nodiscard]] InfoList make_hints(const Options& options);

} // namespace fi::tools::info
