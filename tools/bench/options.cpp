// SPDX-License-Identifier: BSD-2-Clause
// The command line. Each subcommand has its own copy of the options that it takes, so that `fi_bench latency
// --help` shows all of them and none besides.

#include "options.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <utility>

#include <CLI/CLI.hpp>

namespace fi::tools::bench {
namespace {

constexpr std::array kLimits{Limit::Line, Limit::Tcp, Limit::Copy, Limit::Read};
constexpr std::array<const char*, 4> kLimitWords{"line", "tcp", "memcpy", "readv"};
constexpr std::uint64_t kPeersForMemory = 64;
constexpr std::uint64_t kGreeting = 8; // bytes; nothing longer is sent
constexpr int kUsage = 2;              // exit status

// What needs more than a conversion before it is an option's value.
struct Raw {
    std::vector<std::string> limits;
    std::string cpus;
    bool untagged = false;
    bool no_inject = false;
    std::int64_t time = 50;
    std::int64_t timeout = 30;
};

void add_place(CLI::App& app, Options& options, Raw& raw)
{
    app.add_option("--library", options.library, "libfabric to measure: a path, or a name to search for")
        ->capture_default_str();
    app.add_option("--port", options.port, "port of the server's control connection")->capture_default_str();
    app.add_option("--cpus", raw.cpus,
                   "cores: of this process, or of it and its partner (0,1); none: not pinned");
    app.add_option("--timeout", raw.timeout, "seconds without a sign of life until it gives up")
        ->check(CLI::Range(1, 3600))
        ->capture_default_str();
}

void add_output(CLI::App& app, Options& options)
{
    app.add_flag("--json", options.json, "answer in JSON");
}

void add_endpoint(CLI::App& app, Config& config, Raw& raw)
{
    app.add_option("-p,--provider", config.provider, "name of the provider, as fi_info shows it");
    app.add_option("-f,--fabric", config.fabric, "name of the fabric");
    app.add_option("-d,--domain", config.domain, "name of the domain");
    app.add_option("--address", config.address, "local name or address of the endpoint");
    app.add_option("--threading", config.threading, "threading model")
        ->check(CLI::IsMember({"safe", "completion", "domain"}))
        ->capture_default_str();
    app.add_option("--progress", config.progress, "who makes operations go on")
        ->check(CLI::IsMember({"manual", "auto"}))
        ->capture_default_str();
    app.add_flag("--untagged", raw.untagged, "plain messages instead of tagged ones");
    app.add_flag("--no-inject", raw.no_inject, "no inject calls for small messages");
    app.add_option("-w,--window", config.window, "messages in flight (rate, bandwidth)")
        ->check(CLI::Range(std::uint64_t{1}, kLargestWindow))
        ->capture_default_str();
    app.add_option("--peers", config.peers, "idle processes that are connected with both sides meanwhile")
        ->check(CLI::Range(std::uint64_t{0}, kMostPeers))
        ->capture_default_str();
    app.add_flag("--check", config.check,
                 "fill every message and compare it; the figures then are about that too");
}

void add_run(CLI::App& app, Options& options, Raw& raw)
{
    app.add_option("server", options.server,
                   "host where `fi_bench server` runs; without it, both sides run here");
    app.add_option("-s,--sizes", options.sizes, "bytes of a message: 8,4k,1m")
        ->delimiter(',')
        ->transform(CLI::AsSizeValue(false));
    app.add_option("--limits", raw.limits,
                   "what to measure of the machine: line, tcp, memcpy, readv; or none")
        ->delimiter(',')
        ->check(CLI::IsMember({"line", "tcp", "memcpy", "readv", "none"}));
    app.add_option("--rounds", options.rounds, "measurements of each figure; their median is shown")
        ->check(CLI::Range(1, 10000))
        ->capture_default_str();
    app.add_option("--time", raw.time, "milliseconds of each measurement")
        ->check(CLI::Range(1, 60000))
        ->capture_default_str();
    app.add_flag("--no-process-vm", options.deny_process_vm,
                 "as where process_vm_readv is refused, in containers");
}

std::vector<int> cpus_from(const std::string& text)
{
    std::vector<int> cpus;
    if (text == "none")
        return cpus;
    for (const std::string& word : CLI::detail::split(text, ',')) {
        int cpu = -1;
        if (!CLI::detail::lexical_cast(word, cpu) || cpu < 0)
            throw CLI::ValidationError("--cpus", "'" + word + "' is no core's number");
        cpus.push_back(cpu);
    }
    if (cpus.size() > 2)
        throw CLI::ValidationError("--cpus", "there are two processes to pin");
    return cpus;
}

void finish(Options& options, const Raw& raw)
{
    options.config.tagged = !raw.untagged;
    options.config.inject = !raw.no_inject;
    options.time = std::chrono::milliseconds(raw.time);
    options.timeout = std::chrono::seconds(raw.timeout);
    if (!raw.cpus.empty())
        options.cpus = cpus_from(raw.cpus);
    if (!raw.limits.empty()) {
        options.limits.clear();
        for (std::size_t i = 0; i < kLimits.size(); i++)
            if (std::ranges::find(raw.limits, kLimitWords[i]) != raw.limits.end())
                options.limits.push_back(kLimits[i]);
    }
    for (const Workload workload : options.workloads)
        for (const std::uint64_t size : options.sizes_of(workload))
            options.config.largest = std::max(options.config.largest, size);
    if (options.memory) {
        options.limits.clear();
        options.config.largest = kGreeting;
        if (options.config.peers < 2)
            throw CLI::ValidationError("--peers", "an average wants two or more");
    }
    if (options.config.largest > kLargestMessage)
        throw CLI::ValidationError("--sizes",
                                   "messages longer than " + std::to_string(kLargestMessage) + " bytes");
    // A side that waits for the other's measurement must not take it for dead.
    if (4 * options.time > options.timeout)
        throw CLI::ValidationError("--timeout", "shorter than four times --time");
}

void build(CLI::App& app, Options& options, Raw& raw)
{
    app.require_subcommand(1);
    app.footer("Manual: fi_bench(1)");
    const std::pair<const char*, std::vector<Workload>> runs[] = {
        {"latency", {Workload::Latency}},
        {"rate", {Workload::Rate}},
        {"bandwidth", {Workload::Bandwidth}},
        {"all", {Workload::Latency, Workload::Rate, Workload::Bandwidth}},
    };
    const char* const what[] = {"time of a message, one way", "messages per second, one way",
                                "bytes per second, one way", "the three, one after the other"};
    for (std::size_t i = 0; i < std::size(runs); i++) {
        CLI::App* run = app.add_subcommand(runs[i].first, what[i]);
        add_run(*run, options, raw);
        add_endpoint(*run, options.config, raw);
        add_output(*run, options);
        add_place(*run, options, raw);
        run->callback([&options, workloads = runs[i].second] { options.workloads = workloads; });
    }
    CLI::App* memory = app.add_subcommand("memory", "resident memory of an endpoint and of a peer");
    add_endpoint(*memory, options.config, raw);
    add_output(*memory, options);
    add_place(*memory, options, raw);
    memory->callback([&options, memory] {
        options.memory = true;
        if (memory->count("--peers") == 0)
            options.config.peers = kPeersForMemory;
    });
    CLI::App* server = app.add_subcommand("server", "the other side, for clients on other hosts");
    server->add_option("--bind", options.bind, "address to listen on; all without it");
    server->add_flag("--once", options.once, "end after the first client");
    server->add_option("--address", options.config.address, "local name or address of the endpoint");
    add_place(*server, options, raw);
    server->callback([&options] { options.serve = true; });
}

} // namespace

const char* name_of(Workload workload)
{
    constexpr std::array kNames{"latency", "rate", "bandwidth"};
    return kNames[static_cast<std::size_t>(workload)];
}

const char* name_of(Limit limit)
{
    constexpr std::array kNames{"cache line", "tcp", "memcpy", "process_vm_readv"};
    return kNames[static_cast<std::size_t>(limit)];
}

std::vector<std::uint64_t> Options::sizes_of(Workload workload) const
{
    if (!sizes.empty())
        return sizes;
    switch (workload) {
    case Workload::Latency:
        return {8, 64, 4096, 65536, 1048576};
    case Workload::Rate:
        return {8, 64, 1024};
    case Workload::Bandwidth:
        break;
    }
    return {4096, 65536, 1048576, 4194304};
}

std::optional<Options> parse(int argc, const char* const* argv, int& status)
{
    Options options;
    Raw raw;
    CLI::App app("Measures what a libfabric makes of this machine, and what the machine itself does.",
                 "fi_bench");
    build(app, options, raw);
    try {
        app.parse(argc, argv);
        finish(options, raw);
    } catch (const CLI::ParseError& error) {
        // Help is an exception too, with status 0.
        status = app.exit(error) == 0 ? EXIT_SUCCESS : kUsage;
        return std::nullopt;
    }
    return options;
}

} // namespace fi::tools::bench
