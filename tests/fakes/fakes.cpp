// SPDX-License-Identifier: BSD-2-Clause
// See fakes.hpp.
#include "fakes.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fi::fakes {

namespace {

constexpr unsigned kTimeLimit = 60; // seconds; only a hang gets there

std::string contents(int fd)
{
    std::string text;
    char buffer[4096];
    lseek(fd, 0, SEEK_SET);
    for (ssize_t n; (n = ::read(fd, buffer, sizeof buffer)) > 0;)
        text.append(buffer, static_cast<size_t>(n));
    return text;
}

std::vector<std::string> split(const std::string& text, char separator)
{
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, separator);)
        parts.push_back(part);
    return parts;
}

std::vector<std::string> child_environment(const Environment& wanted)
{
    std::vector<std::string> all;
    for (const char* name : {"PATH", "ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS"})
        if (const char* value = getenv(name); value != nullptr && !wanted.contains(name))
            all.push_back(std::string(name) + "=" + value);
    for (const auto& [name, value] : wanted)
        all.push_back(name + "=" + value);
    return all;
}

std::vector<char*> pointers(std::vector<std::string>& strings)
{
    std::vector<char*> list;
    for (std::string& string : strings)
        list.push_back(string.data());
    list.push_back(nullptr);
    return list;
}

bool has_key(const std::vector<std::string>& line, std::string_view key)
{
    if (line.size() > 1 && line[1].ends_with("/" + std::string(key)))
        return true;
    return std::find(line.begin() + 1, line.end(), key) != line.end();
}

} // namespace

PluginDirectory::PluginDirectory()
{
    std::string name = (std::filesystem::temp_directory_path() / "fi-plugins-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
        throw std::runtime_error("mkdtemp " + name);
    path_ = name;
}

PluginDirectory::~PluginDirectory()
{
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

std::string PluginDirectory::operator/(std::string_view name) const
{
    return path_ + "/" + std::string(name);
}

std::string PluginDirectory::add(const std::string& name, std::string_view script) const
{
    add_file(name + ".script", script);
    return add_copy(name, FI_FAKE_PLUGIN);
}

std::string PluginDirectory::add_copy(const std::string& name, const std::string& original) const
{
    std::filesystem::copy_file(original, *this / name);
    return *this / name;
}

std::string PluginDirectory::add_file(const std::string& name, std::string_view bytes) const
{
    std::ofstream file(*this / name, std::ios::binary);
    file << bytes;
    if (!file.flush())
        throw std::runtime_error("cannot write " + (*this / name));
    return *this / name;
}

std::string PluginDirectory::add_directory(const std::string& name) const
{
    std::filesystem::create_directory(*this / name);
    return *this / name;
}

std::string PluginDirectory::trace(const std::string& name) const
{
    return read_file(*this / (name + ".trace"));
}

std::vector<std::vector<std::string>> Outcome::all(std::string_view kind) const
{
    std::vector<std::vector<std::string>> found;
    for (const auto& line : lines)
        if (!line.empty() && line.front() == kind)
            found.push_back(line);
    return found;
}

std::string Outcome::field(std::string_view kind, std::string_view key, size_t index) const
{
    for (const auto& line : all(kind))
        if (has_key(line, key))
            return index < line.size() ? line[index] : std::string();
    return "<no such line>";
}

std::string Outcome::column(std::string_view kind, size_t index) const
{
    std::string joined;
    for (const auto& line : all(kind))
        joined += (joined.empty() ? "" : " ") + (index < line.size() ? line[index] : std::string());
    return joined;
}

Outcome run(const std::string& program, const std::vector<std::string>& arguments,
            const Environment& environment)
{
    const int out = memfd_create("stdout", MFD_CLOEXEC);
    const int err = memfd_create("stderr", MFD_CLOEXEC);
    std::vector<std::string> words = {program};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<std::string> variables = child_environment(environment);
    const std::vector<char*> argv = pointers(words);
    const std::vector<char*> envp = pointers(variables);

    const pid_t child = fork();
    if (child == 0) {
        dup2(out, STDOUT_FILENO);
        dup2(err, STDERR_FILENO);
        alarm(kTimeLimit);
        execve(program.c_str(), argv.data(), envp.data());
        _exit(127);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child)
        throw std::runtime_error("cannot run " + program);

    Outcome outcome;
    if (WIFEXITED(status))
        outcome.exit_code = WEXITSTATUS(status);
    else
        outcome.signal = WTERMSIG(status);
    for (const std::string& line : split(contents(out), '\n'))
        outcome.lines.push_back(split(line, '\t'));
    outcome.log = contents(err);
    close(out);
    close(err);
    return outcome;
}

std::string read_file(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace fi::fakes
