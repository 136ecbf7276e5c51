// SPDX-License-Identifier: BSD-2-Clause
//
// What the log's tests share: variables for the time of one test, and the lines that went to a file.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <sstream>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "log/settings.hpp"

namespace fi::test {

using Variables = std::vector<std::pair<const char*, std::string>>;

// Puts FI_LOG_* variables in force; the end of its life puts "all unset" in force.
class LogVariables {
  public:
    LogVariables(std::initializer_list<Variables::value_type> variables) : LogVariables(Variables(variables))
    {
    }
    explicit LogVariables(Variables variables) : variables_(std::move(variables))
    {
        for (const auto& [name, value] : variables_)
            setenv(name, value.c_str(), 1);
        core::log::apply(core::log::Settings::read());
    }
    ~LogVariables()
    {
        for (const auto& [name, value] : variables_)
            unsetenv(name);
        core::log::apply(core::log::Settings::read());
    }

    LogVariables(const LogVariables&) = delete;
    LogVariables& operator=(const LogVariables&) = delete;

  private:
    Variables variables_;
};

// A fresh directory that is removed with all that is in it.
class Directory {
  public:
    Directory()
    {
        std::string name = (std::filesystem::temp_directory_path() / "fi_log_XXXXXX").string();
        if (!mkdtemp(name.data()))
            ADD_FAILURE() << "mkdtemp";
        path_ = name;
    }
    ~Directory() { std::filesystem::remove_all(path_); }

    std::string file(const std::string& name) const { return path_ / name; }
    std::string path() const { return path_; }

  private:
    std::filesystem::path path_;
};

inline std::string contents(const std::string& path)
{
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

} // namespace fi::test
