// SPDX-License-Identifier: BSD-2-Clause
//
// From log lines to reasons.
#include "discovery/findings.hpp"

#include <algorithm>

#include "discovery/layering.hpp"

namespace fi::core {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

std::string_view trimmed(std::string_view text)
{
    const size_t begin = text.find_first_not_of(kBlanks);
    if (begin == text.npos)
        return {};
    return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

} // namespace

Finding read_line(std::string_view provider, std::string_view line)
{
    constexpr std::string_view kRefused = "refused ";
    line = trimmed(line);
    if (line.starts_with(kRefused)) {
        const std::string_view rest = line.substr(kRefused.size());
        const size_t colon = rest.find(": ");
        // An attribute is one word; a sentence that happens to begin so stays a sentence.
        if (colon != rest.npos && rest.find(' ') > colon)
            return {std::string(provider), std::string(rest.substr(0, colon)),
                    std::string(trimmed(rest.substr(colon + 2)))};
    }
    return {std::string(provider), {}, std::string(line)};
}

void add_once(Findings& findings, Finding finding)
{
    if (std::find(findings.begin(), findings.end(), finding) == findings.end())
        findings.push_back(std::move(finding));
}

void collect(std::string_view provider, std::span<const log::Line> lines, Findings& findings)
{
    for (const log::Line& line : lines) {
        if (line.provider == "core" || trimmed(line.text).empty())
            continue;
        std::string name;
        if (!layering::same_name(line.provider, provider))
            name.append(line.provider).append(1, layering::kDelimiter);
        name.append(provider);
        add_once(findings, read_line(name, line.text));
    }
}

} // namespace fi::core
