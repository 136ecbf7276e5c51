// SPDX-License-Identifier: BSD-2-Clause
//
// The list syntax of FI_LOG_PROV and FI_LOG_SUBSYS: names separated by commas, the whole list negated by one
// leading
// `^`. Blanks are part of a name. An empty list holds the empty name, so it excludes everything.
#pragma once

#include <string>
#include <string_view>

namespace fi::core::log {

class NameFilter {
  public:
    // Lets everything pass.
    NameFilter() = default;
    explicit NameFilter(std::string_view list) : set_(true), negated_(list.starts_with('^'))
    {
        names_ = negated_ ? list.substr(1) : list;
    }

    bool passes(std::string_view name) const { return !set_ || holds(name) != negated_; }

    // Calls visit(name) for each name of the list.
    template <typename Visitor>
    void each(Visitor visit) const
    {
        std::string_view rest = names_;
        while (set_) {
            size_t comma = rest.find(',');
            visit(rest.substr(0, comma));
            if (comma == rest.npos)
                return;
            rest.remove_prefix(comma + 1);
        }
    }

  private:
    bool holds(std::string_view name) const
    {
        bool found = false;
        each([&](std::string_view entry) { found = found || entry == name; });
        return found;
    }

    bool set_ = false;
    bool negated_ = false;
    std::string names_;
};

} // namespace fi::core::log
