// SPDX-License-Identifier: BSD-2-Clause
#include "outcome.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <nlohmann/json.hpp>

#include "words.hpp"

namespace fi::tools::bench {
namespace {

using Ordered = nlohmann::ordered_json;

// Three digits that count, without an exponent.
std::string number(double value)
{
    const int decimals = value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3;
    return words("{:.{}f}", value, decimals);
}

// Messages are shown in millions.
double shown(Workload workload, double value)
{
    return workload == Workload::Rate ? value / 1e6 : value;
}
const char* shown_unit(Workload workload)
{
    return workload == Workload::Rate ? "M/s" : unit_of(workload);
}

using Row = std::vector<std::string>;

std::string aligned(const std::vector<Row>& rows)
{
    std::vector<std::size_t> widths;
    for (const Row& row : rows)
        for (std::size_t i = 0; i < row.size(); i++) {
            if (i == widths.size())
                widths.push_back(0);
            widths[i] = std::max(widths[i], row[i].size());
        }
    std::string text;
    for (const Row& row : rows) {
        for (std::size_t i = 0; i < row.size(); i++)
            text += words("{}{:>{}}", i ? "  " : "", row[i], widths[i]);
        text += '\n';
    }
    return text;
}

// The limits that any of the figures has, in the order of their coming.
std::vector<std::pair<std::string, Workload>> columns(const std::vector<const Figure*>& figures)
{
    std::vector<std::pair<std::string, Workload>> names;
    for (const Figure* figure : figures)
        for (const Beside& beside : figure->limits)
            if (beside.missing.empty() &&
                std::ranges::find(names, beside.name, [](auto& n) { return n.first; }) == names.end())
                names.emplace_back(beside.name, beside.as);
    return names;
}

std::string section(Workload workload, const std::vector<const Figure*>& figures)
{
    const auto names = columns(figures);
    Row head{"bytes", words("{} {}", name_of(workload), shown_unit(workload)), "min", "max"};
    for (const auto& [name, as] : names) {
        head.push_back(words("{} {}", name, shown_unit(as)));
        head.push_back(workload == Workload::Rate && as == Workload::Latency ? "in it" : "ratio");
    }
    std::vector<Row> rows{head};
    for (const Figure* figure : figures) {
        const auto [low, high] = std::ranges::minmax(figure->rounds);
        Row row{words("{}", figure->size), number(shown(workload, median(figure->rounds))),
                number(shown(workload, low)), number(shown(workload, high))};
        for (const auto& entry : names) {
            const auto found = std::ranges::find(figure->limits, entry.first, &Beside::name);
            const bool there = found != figure->limits.end() && found->missing.empty();
            row.push_back(there ? number(shown(found->as, median(found->rounds))) : "-");
            row.push_back(there ? number(median(found->ratios)) : "-");
        }
        rows.push_back(row);
    }
    return aligned(rows);
}

std::string absences(const Outcome& outcome)
{
    std::map<std::string, std::string> reasons;
    for (const Figure& figure : outcome.figures)
        for (const Beside& beside : figure.limits)
            if (!beside.missing.empty())
                reasons.emplace(beside.name, beside.missing);
    std::string text;
    for (const auto& [name, reason] : reasons)
        text += words("not measured: {}: {}\n", name, reason);
    return text;
}

std::string cores(const std::vector<int>& cpus)
{
    return cpus.size() == 1 ? words("core {}", cpus[0]) : words("cores {} and {}", cpus[0], cpus[1]);
}

std::string heading(const Outcome& outcome, const Options& options)
{
    const Config& config = options.config;
    std::string text = words("{} {}, provider {}, domain {}\n", outcome.library, outcome.version,
                             outcome.provider, outcome.domain);
    text += words("{} messages, threading {}, progress {}, {} idle peers, {}",
                  config.tagged ? "tagged" : "untagged", config.threading, config.progress, config.peers,
                  outcome.cpus.empty() ? "not pinned" : cores(outcome.cpus));
    if (!options.memory)
        text += words(", window {}, {} rounds of {} ms", config.window, options.rounds, options.time.count());
    text += '\n';
    if (config.check)
        text += "messages are filled and compared: the figures are about that too\n";
    return text;
}

Ordered limit_json(const Beside& beside)
{
    Ordered json{{"name", beside.name}};
    if (!beside.missing.empty()) {
        json["missing"] = beside.missing;
        return json;
    }
    json["unit"] = unit_of(beside.as);
    json["median"] = median(beside.rounds);
    json["ratio"] = median(beside.ratios);
    json["rounds"] = beside.rounds;
    json["ratios"] = beside.ratios;
    return json;
}

Ordered figure_json(const Figure& figure)
{
    Ordered limits = Ordered::array();
    for (const Beside& beside : figure.limits)
        limits.push_back(limit_json(beside));
    const auto [low, high] = std::ranges::minmax(figure.rounds);
    return {{"workload", name_of(figure.workload)},
            {"size", figure.size},
            {"unit", unit_of(figure.workload)},
            {"median", median(figure.rounds)},
            {"min", low},
            {"max", high},
            {"rounds", figure.rounds},
            {"count", figure.count},
            {"injected", figure.injected},
            {"limits", limits}};
}

} // namespace

const char* unit_of(Workload workload)
{
    return workload == Workload::Latency ? "us" : workload == Workload::Rate ? "messages/s" : "MB/s";
}

double median(std::vector<double> values)
{
    std::ranges::sort(values);
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::string table(const Outcome& outcome, const Options& options)
{
    std::string text = heading(outcome, options);
    for (const Workload workload : options.workloads) {
        std::vector<const Figure*> figures;
        for (const Figure& figure : outcome.figures)
            if (figure.workload == workload)
                figures.push_back(&figure);
        text += '\n' + section(workload, figures);
    }
    if (outcome.resident)
        text += words("\nresident, an idle endpoint: {} KiB\nresident, a peer: {} KiB\n",
                      number(outcome.resident->endpoint / 1024), number(outcome.resident->peer / 1024));
    const std::string missing = absences(outcome);
    return missing.empty() ? text : text + '\n' + missing;
}

std::string json(const Outcome& outcome, const Options& options)
{
    const Config& config = options.config;
    Ordered figures = Ordered::array();
    for (const Figure& figure : outcome.figures)
        figures.push_back(figure_json(figure));
    Ordered all{
        {"library", outcome.library},
        {"version", outcome.version},
        {"provider", outcome.provider},
        {"fabric", outcome.fabric},
        {"domain", outcome.domain},
        {"server", options.server},
        {"messages", config.tagged ? "tagged" : "untagged"},
        {"inject", config.inject},
        {"threading", config.threading},
        {"progress", config.progress},
        {"window", config.window},
        {"peers", config.peers},
        {"check", config.check},
        {"cpus", outcome.cpus},
        {"time_ms", options.time.count()},
        {"figures", figures},
    };
    if (outcome.resident)
        all["resident"] = {{"endpoint_bytes", outcome.resident->endpoint},
                           {"peer_bytes", outcome.resident->peer}};
    return all.dump(2) + '\n';
}

} // namespace fi::tools::bench
