// SPDX-License-Identifier: BSD-2-Clause
// Rank, not load order: users reported slow providers listed first because their file happened to be found
// first, and older copies that vanished without a word. A loser is therefore kept, right behind the winner,
// with the sentence that says what beat it.
#include "loader/arrange.hpp"

#include <algorithm>

#include "loader/naming.hpp"

namespace fi::core::loader {

namespace {

struct Rival {
    const Contender* contender;
    std::string why_inactive;
};

// All contenders of one name, in registration order.
struct Group {
    size_t place;
    std::vector<Rival> rivals;
    size_t winner = 0;
};

std::string version_text(const Contender& contender)
{
    const uint32_t version = contender.impl->version;
    return std::to_string(FI_MAJOR(version)) + "." + std::to_string(FI_MINOR(version));
}

std::string origin(const Contender& contender)
{
    return contender.path.empty() ? "the one linked in" : contender.path;
}

std::string lost_to(const Contender& winner, const std::string& because)
{
    return "hidden by " + origin(winner) + ": " + because;
}

// The newcomer against the group's present winner; the loser learns why.
void contest(Group& group, size_t newcomer, bool first_found_wins)
{
    Rival& present = group.rivals[group.winner];
    Rival& fresh = group.rivals[newcomer];
    const Contender& old_one = *present.contender;
    const Contender& new_one = *fresh.contender;
    if (old_one.preferred) {
        fresh.why_inactive = lost_to(old_one, new_one.preferred ? "both are preferred, that one came first"
                                                                : "that one is preferred");
    } else if (new_one.preferred) {
        present.why_inactive = lost_to(new_one, "that one is preferred");
        group.winner = newcomer;
    } else if (first_found_wins) {
        fresh.why_inactive = lost_to(old_one, "found first, and FI_PROVIDER_PATH starts with '@'");
    } else if (new_one.impl->version > old_one.impl->version) {
        present.why_inactive =
            lost_to(new_one, "version " + version_text(new_one) + " over " + version_text(old_one));
        group.winner = newcomer;
    } else if (new_one.impl->version == old_one.impl->version) {
        fresh.why_inactive = lost_to(old_one, "same version " + version_text(old_one) + ", found first");
    } else {
        fresh.why_inactive =
            lost_to(old_one, "version " + version_text(old_one) + " over " + version_text(new_one));
    }
}

std::vector<Group> group_by_name(const std::vector<Contender>& contenders, bool first_found_wins)
{
    std::vector<Group> groups;
    for (const Contender& contender : contenders) {
        const auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& known) {
            return same_name(known.rivals.front().contender->impl->name, contender.impl->name);
        });
        if (group == groups.end()) {
            groups.push_back({place_of(contender.impl->name), {{&contender, {}}}});
        } else {
            group->rivals.push_back({&contender, {}});
            contest(*group, group->rivals.size() - 1, first_found_wins);
        }
    }
    return groups;
}

Provider make_provider(const Rival& rival, bool active)
{
    fi_provider* impl = rival.contender->impl;
    const ProviderType type = type_of(*impl);
    return {.impl = impl,
            .type = type,
            .active = active,
            .layering_disabled = layering_disabled_for(impl->name, type),
            .path = rival.contender->path,
            .why_inactive = active ? std::string() : rival.why_inactive};
}

} // namespace

std::vector<Provider> arrange(const std::vector<Contender>& contenders, bool first_found_wins)
{
    std::vector<Group> groups = group_by_name(contenders, first_found_wins);
    // Names without a place share the last one, and a stable sort leaves them in registration order.
    std::stable_sort(groups.begin(), groups.end(),
                     [](const Group& a, const Group& b) { return a.place < b.place; });

    std::vector<Provider> list;
    list.reserve(contenders.size());
    for (const Group& group : groups) {
        list.push_back(make_provider(group.rivals[group.winner], true));
        for (size_t i = 0; i < group.rivals.size(); ++i)
            if (i != group.winner)
                list.push_back(make_provider(group.rivals[i], false));
    }
    return list;
}

} // namespace fi::core::loader
