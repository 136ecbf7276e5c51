// SPDX-License-Identifier: BSD-2-Clause
// What the user asked of fi_pingpong, as values. fi_pingpong(1)
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <rdma/fabric.h>

namespace fi::tools::pingpong {

inline constexpr std::uint16_t kDefaultPort = 47592;
inline constexpr std::chrono::seconds kDefaultPatience{30};

enum class Role { Server, Client };
enum class Sizes { Short, All, One };

struct Options {
    std::string server; // empty: this side is the server
    std::uint16_t source_port = 0;
    std::uint16_t server_port = 0;
    bool ipv6 = false;

    std::optional<std::string> domain;
    std::optional<std::string> fabric;
    std::optional<std::string> source;
    std::optional<std::string> provider;
    fi_ep_type ep_type = FI_EP_DGRAM;
    bool tagged = false;

    std::uint64_t iterations = 10;
    Sizes sizes = Sizes::Short;
    std::int64_t size = 0; // bytes, with Sizes::One; negative when it was no number
    bool check = false;
    bool verbose = false;
    std::chrono::seconds patience = kDefaultPatience; // without a sign of life of the other side

    [[nodiscard]] Role role() const { return server.empty() ? Role::Server : Role::Client; }
};

// Reads the command line; nullopt when usage was printed instead, and the exit status is then 1.
[[nodiscard]] std::optional<Options> parse(int argc, char** argv);

// The message sizes to run, in bytes, ascending: at most max_message, what the endpoint takes.
[[nodiscard]] std::vector<std::size_t> sizes_to_run(const Options& options, std::size_t max_message);

} // namespace fi::tools::pingpong
