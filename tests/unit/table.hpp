// SPDX-License-Identifier: BSD-2-Clause
//
// Tables of facts (tests/unit/data/*.tsv) for tests that compare with each of their rows.
#pragma once

#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace fi::test {

using Row = std::map<std::string, std::string>; // column name to cell

inline std::vector<std::string> cells(const std::string& line)
{
    std::vector<std::string> result;
    size_t from = 0;
    for (size_t tab; (tab = line.find('\t', from)) != std::string::npos; from = tab + 1)
        result.push_back(line.substr(from, tab - from));
    result.push_back(line.substr(from));
    return result;
}

// All rows of a table whose first line names the columns. Throws when it is missing or has no rows: a test
// over no rows would pass.
inline std::vector<Row> table(const std::string& name)
{
    std::ifstream file(std::string(FI_TEST_DATA) + "/" + name);
    std::string line;
    if (!std::getline(file, line))
        throw std::runtime_error("cannot read table " + name);
    const std::vector<std::string> columns = cells(line);
    std::vector<Row> rows;
    while (std::getline(file, line)) {
        std::vector<std::string> values = cells(line);
        values.resize(columns.size());
        Row& row = rows.emplace_back();
        for (size_t i = 0; i < columns.size(); ++i)
            row[columns[i]] = values[i];
    }
    if (rows.empty())
        throw std::runtime_error("no rows in table " + name);
    return rows;
}

} // namespace fi::test
