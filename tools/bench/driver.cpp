// SPDX-License-Identifier: BSD-2-Clause
// Figures and limits are measured in turn, round after round, because machines change while one looks: a
// ratio is the median of ratios that were each measured within a fraction of a second.

#include "driver.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "failure.hpp"
#include "job_json.hpp"
#include "watchdog.hpp"

namespace fi::tools::bench {
namespace {

constexpr std::uint64_t kMostCounted = 1ULL << 32; // messages of one measurement
constexpr std::uint64_t kMostWarmup = 1000;        // messages
constexpr std::uint64_t kWorthCopying = 4096; // bytes; below, the copy is no part of a latency that one sees

// A figure in the unit of its workload, from the seconds that one message takes.
double figure_of(Workload workload, double seconds, std::uint64_t size)
{
    switch (workload) {
    case Workload::Latency:
        return seconds * 1e6;
    case Workload::Rate:
        return 1 / seconds;
    case Workload::Bandwidth:
        break;
    }
    return static_cast<double>(size) / seconds / 1e6;
}

} // namespace

Driver::Driver(const Options& options, Crew& crew, std::function<void(const std::string&)> told)
    : options_(options), crew_(crew), told_(std::move(told)),
      progress_([this] { session_.endpoint().progress(); }), library_(options.library),
      session_(library_, crew.partner(), options.config), patience_(crew.partner())
{
}

void Driver::introduce(Control& first, const std::string& first_name, Control& second,
                       const std::string& second_name)
{
    (void)second.ask({{"do", "greet"}, {"name", first_name}, {"first", false}}, "answer", progress_);
    (void)first.ask({{"do", "greet"}, {"name", second_name}, {"first", true}}, "answer", progress_);
    (void)first.receive("greeting's end", progress_);
    (void)second.receive("greeting's end", progress_);
}

void Driver::greet_here(Control& first, const std::string& first_name)
{
    (void)first.ask({{"do", "greet"}, {"name", session_.endpoint().name()}, {"first", true}}, "answer",
                    progress_);
    session_.greet(first_name, false);
    (void)first.receive("greeting's end", progress_);
}

void Driver::connect()
{
    told_("connecting");
    const auto open = [this](Control& control, const Config& config) {
        const Json answer = control.ask({{"do", "open"}, {"config", config}}, "answer to opening", progress_);
        return std::make_pair(answer.at("name").get<std::string>(), answer.at("provider").get<std::string>());
    };
    Control& partner = crew_.partner();
    Config for_server = options_.config;
    if (!crew_.partner_is_here())
        for_server.address.clear(); // its own addresses are its own matter
    const auto [partner_name, partner_provider] = open(partner, for_server);
    const std::string ours = session_.endpoint().info().fabric_attr->prov_name;
    if (partner_provider != ours)
        fail("the server found provider {}, this side {}: name one with --provider", partner_provider, ours);
    Config small = options_.config;
    small.largest = 8;
    small.window = std::min<std::uint64_t>(small.window, 8);
    small.check = false;
    std::int64_t after_first = 0;
    for (std::size_t k = 0; k < crew_.idlers(); k++) {
        Control& idler = crew_.idler(k);
        const std::string name = open(idler, small).first;
        introduce(idler, name, partner, partner_name);
        greet_here(idler, name);
        if (k == 0)
            after_first = resident_bytes(); // what is allocated once is in it
    }
    if (crew_.idlers() > 1)
        resident_.peer =
            static_cast<double>(resident_bytes() - after_first) / static_cast<double>(crew_.idlers() - 1);
    greet_here(partner, partner_name); // last: a channel talks to whom it greeted last
}

void Driver::measure_endpoint()
{
    constexpr std::size_t kMany = 8;
    const std::int64_t before = resident_bytes();
    for (std::size_t k = 0; k < kMany; k++)
        extra_.emplace_back(library_, options_.config);
    resident_.endpoint = static_cast<double>(resident_bytes() - before) / kMany;
}

void Driver::connect_tcp()
{
    Control& partner = crew_.partner();
    try {
        const Json answer = partner.ask({{"do", "tcp"}}, "answer", progress_);
        if (answer.contains("missing"))
            throw Failure(answer.at("missing").get<std::string>());
        try {
            tcp_.emplace(RawTcp::connect(partner, answer.at("port")));
        } catch (const Failure& failure) {
            tcp_missing_ = failure.what();
        }
        const Json accepted = partner.receive("TCP connection", progress_);
        if (accepted.contains("missing"))
            throw Failure(accepted.at("missing").get<std::string>());
    } catch (const Failure& failure) {
        partner.look(); // a partner that failed ends the run
        if (tcp_missing_.empty())
            tcp_missing_ = failure.what();
        tcp_.reset();
    }
}

Driver::Gauge Driver::together(const char* what, std::uint64_t size, std::function<double(const Job&)> here,
                               double messages)
{
    const auto run = [this, what, here = std::move(here)](const Job& job) {
        (void)crew_.partner().ask({{"do", what}, {"job", job}}, "answer", progress_);
        const double seconds = here(job);
        (void)crew_.partner().receive("end of the measurement", progress_);
        return seconds;
    };
    return {run, messages, {size, 0, 1}};
}

Driver::LimitGauge Driver::limit_of(Limit limit, Workload as, std::uint64_t size)
{
    const bool one_way = as == Workload::Latency;
    LimitGauge made{{name_of(limit), as, {}, {}, {}}, {}};
    switch (limit) {
    case Limit::Line:
        if (!crew_.line())
            made.beside.missing = "the partner runs on another machine";
        else
            made.gauge = together(
                "line", size,
                [this](const Job& job) {
                    // Both sides have left the line alone since the last measurement's end.
                    return drive_line(*crew_.line(), job, patience_);
                },
                2);
        break;
    case Limit::Tcp:
        made.beside.name = one_way ? "tcp one way" : "tcp stream";
        made.beside.missing = size == 0 ? "it has no empty messages" : tcp_missing_;
        if (one_way)
            made.gauge = together(
                "tcp-latency", size, [this](const Job& job) { return tcp_->drive_latency(job, patience_); },
                2);
        else
            made.gauge = together(
                "tcp-stream", size, [this](const Job& job) { return tcp_->drive_stream(job, patience_); }, 1);
        break;
    case Limit::Copy:
        made.gauge = {[this](const Job& job) {
                          return copy_memory(session_.outgoing(0).data, session_.incoming(0).data, job);
                      },
                      1,
                      {size, 0, 1}};
        break;
    case Limit::Read:
        if (!crew_.partner_is_here())
            made.beside.missing = "the partner runs on another machine";
        made.gauge = {[this](const Job& job) {
                          return read_process(memory_pid_, memory_address_, session_.incoming(0).data, job);
                      },
                      1,
                      {size, 0, 1}};
        break;
    }
    return made;
}

std::vector<Driver::LimitGauge> Driver::limits(Workload workload, std::uint64_t size)
{
    std::vector<LimitGauge> all;
    for (const Limit limit : options_.limits) {
        const bool between = limit == Limit::Line || limit == Limit::Tcp;
        switch (workload) {
        case Workload::Latency:
            if (between || size >= kWorthCopying)
                all.push_back(limit_of(limit, Workload::Latency, size));
            break;
        case Workload::Rate:
            if (between)
                all.push_back(limit_of(limit, Workload::Latency, size));
            if (limit == Limit::Tcp)
                all.push_back(limit_of(limit, Workload::Rate, size));
            break;
        case Workload::Bandwidth:
            if (limit != Limit::Line)
                all.push_back(limit_of(limit, Workload::Bandwidth, size));
            break;
        }
    }
    return all;
}

// Finds how many operations fill the time; that also warms everything up.
void Driver::calibrate(Gauge& gauge) const
{
    const double wanted = std::chrono::duration<double>(options_.time).count();
    double seconds = 0;
    gauge.job.warmup = 0;
    for (gauge.job.count = 1; gauge.job.count < kMostCounted;) {
        watchdog::feed();
        seconds = std::max(gauge.run(gauge.job), 1e-9);
        if (seconds >= wanted / 4)
            break;
        const double more = std::clamp(wanted / 2 / seconds, 2.0, 16.0);
        gauge.job.count = static_cast<std::uint64_t>(std::ceil(static_cast<double>(gauge.job.count) * more));
    }
    const double fitting = static_cast<double>(gauge.job.count) * wanted / seconds;
    gauge.job.count = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(fitting), 1, kMostCounted);
    gauge.job.warmup = std::clamp<std::uint64_t>(gauge.job.count / 10, 1, kMostWarmup);
}

Figure Driver::measure(Workload workload, std::uint64_t size)
{
    Figure figure{workload, size, 0, session_.channel().injects(size), {}, {}};
    Gauge gauge =
        workload == Workload::Latency
            ? together(
                  "latency", size, [this](const Job& job) { return drive_latency(session_, job); }, 2)
            : together(
                  "stream", size, [this](const Job& job) { return drive_stream(session_, job); }, 1);
    std::vector<LimitGauge> beside = limits(workload, size);
    const auto per_message = [](const Gauge& of, double seconds) {
        return seconds / static_cast<double>(of.job.count) / of.messages;
    };
    // A limit that cannot be measured is told in its place.
    const auto attempt = [](LimitGauge& limit, const auto& action) {
        if (!limit.beside.missing.empty())
            return;
        try {
            action();
        } catch (const Refused& refused) {
            limit.beside.missing = refused.what();
        }
    };
    told_(words("{} of {} bytes: warming up", name_of(workload), size));
    for (LimitGauge& limit : beside)
        attempt(limit, [&] { calibrate(limit.gauge); });
    calibrate(gauge);
    figure.count = gauge.job.count;
    for (unsigned round = 0; round < options_.rounds; round++) {
        told_(words("{} of {} bytes: round {} of {}", name_of(workload), size, round + 1, options_.rounds));
        watchdog::feed();
        crew_.look();
        const double seconds = per_message(gauge, gauge.run(gauge.job));
        figure.rounds.push_back(figure_of(workload, seconds, size));
        for (LimitGauge& limit : beside)
            attempt(limit, [&] {
                const double raw = per_message(limit.gauge, limit.gauge.run(limit.gauge.job));
                limit.beside.rounds.push_back(figure_of(limit.beside.as, raw, size));
                limit.beside.ratios.push_back(workload == Workload::Latency ? seconds / raw : raw / seconds);
            });
    }
    for (LimitGauge& limit : beside)
        figure.limits.push_back(std::move(limit.beside));
    return figure;
}

Outcome Driver::run()
{
    if (options_.memory)
        measure_endpoint();
    connect();
    const fi_info& info = session_.endpoint().info();
    Outcome outcome{library_.path(),
                    library_.version_text(),
                    info.fabric_attr->prov_name,
                    info.fabric_attr->name,
                    info.domain_attr->name,
                    {},
                    {},
                    std::nullopt};
    if (std::ranges::find(options_.limits, Limit::Tcp) != options_.limits.end())
        connect_tcp();
    const Json memory = crew_.partner().ask({{"do", "memory"}}, "answer", progress_);
    memory_pid_ = memory.at("pid");
    memory_address_ = memory.at("address");
    for (const Workload workload : options_.workloads)
        for (const std::uint64_t size : options_.sizes_of(workload))
            outcome.figures.push_back(measure(workload, size));
    if (options_.memory)
        outcome.resident = resident_;
    told_("closing");
    crew_.finish(progress_);
    return outcome;
}

} // namespace fi::tools::bench
