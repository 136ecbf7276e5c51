// SPDX-License-Identifier: BSD-2-Clause
#include "check.hpp"

#include "isolated.hpp"
#include "rules.hpp"

namespace conform {
namespace {

std::vector<Known>& registered()
{
    static std::vector<Known> checks;
    return checks;
}

class Case final : public testing::Test {
  public:
    explicit Case(MakeCheck make) : make_(std::move(make)) {}
    void TestBody() override
    {
        isolated([this] { make_()->run(); });
    }

  private:
    MakeCheck make_;
};

/// "checks/messages.cpp" is the group "messages".
std::string group_of(const std::string& file)
{
    const std::size_t slash = file.rfind('/');
    const std::string base = file.substr(slash == std::string::npos ? 0 : slash + 1);
    return base.substr(0, base.rfind('.'));
}

} // namespace

const std::vector<Known>& known_checks()
{
    return registered();
}

void register_check(const char* file, int line, const std::string& name, MakeCheck make)
{
    const std::string group = group_of(file);
    registered().push_back({group + "." + name, rules_in(name)});
    testing::RegisterTest(group.c_str(), name.c_str(), nullptr, nullptr, file, line,
                          [make = std::move(make)]() -> testing::Test* { return new Case(make); });
}

} // namespace conform
