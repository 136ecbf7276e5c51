// SPDX-License-Identifier: BSD-2-Clause
//
// What must match what: the rules of matching, said a second time and as plainly as possible, to hold the
// engine against.
//
// Receives are searched in the order in which they were posted, messages in the order in which they arrived
// (fi_tagged.3, fi_endpoint.3: ordering); tagged and untagged never meet; a receive that names a source takes
// what comes from the endpoint with that name. A message has arrived when its header has.
#pragma once

#include "operations.hpp"

#include <algorithm>
#include <array>

namespace fi::kit::sim {

struct Message {
    Send* send;
    std::uint64_t identity; ///< of the endpoint it is from
    int name;               ///< under which its link is known
    const void* peer;       ///< whatever the engine takes to be the sender: compared, never looked into
    bool offer;
    std::uint64_t since;
    std::uint64_t version; ///< of the address vector then
};

/// The matching of one endpoint.
class Reference {
  public:
    static constexpr int kNames = 16;

    Reference()
    {
        for (int i = 0; i < kNames; i++)
            same_[i] = i;
    }

    /// These names are one endpoint.
    void join(int a, int b) noexcept
    {
        const int from = same_[a];
        const int to = same_[b];
        for (int& name : same_)
            if (name == from)
                name = to;
    }
    [[nodiscard]] bool same(int a, int b) const noexcept { return same_[a] == same_[b]; }

    void arrived(const Message& message)
    {
        auto& posted = posted_[message.send->tagged];
        for (auto at = posted.begin(); at != posted.end(); ++at) {
            if (!eligible(**at, message))
                continue;
            match(**at, message);
            posted.erase(at);
            return;
        }
        unexpected_[message.send->tagged].push_back(message);
    }
    void post(Receive& receive)
    {
        auto& unexpected = unexpected_[receive.tagged];
        const auto at = find(receive);
        if (at == unexpected.end()) {
            posted_[receive.tagged].push_back(&receive);
            return;
        }
        match(receive, *at);
        unexpected.erase(at);
    }
    /// The message that a receive would get if it were posted now; nullptr: none.
    [[nodiscard]] const Send* waiting_for(const Receive& receive)
    {
        const auto at = find(receive);
        return at == unexpected_[receive.tagged].end() ? nullptr : at->send;
    }
    /// False: it has matched.
    bool cancel(Receive& receive) { return std::erase(posted_[receive.tagged], &receive) != 0; }

    /// A link has ended. `lost`: the message that was arriving on it, if any. `was_up`: and with it all that
    /// was open with that endpoint.
    void died(const Send* lost, const void* peer, int name, bool was_up)
    {
        for (auto& unexpected : unexpected_)
            std::erase_if(unexpected, [&](const Message& message) {
                return message.send == lost || (was_up && message.offer && message.peer == peer);
            });
        for (auto& posted : posted_)
            if (was_up)
                std::erase_if(posted, [&](Receive* receive) {
                    return receive->from != kAnybody && same(receive->from, name) &&
                           (receive->must_fail = true);
                });
    }

    [[nodiscard]] const std::vector<Receive*>& posted(bool tagged) const { return posted_[tagged]; }
    [[nodiscard]] const std::vector<Message>& unexpected(bool tagged) const { return unexpected_[tagged]; }

  private:
    std::vector<Message>::iterator find(const Receive& receive)
    {
        auto& unexpected = unexpected_[receive.tagged];
        return std::find_if(unexpected.begin(), unexpected.end(),
                            [&](const Message& message) { return eligible(receive, message); });
    }
    [[nodiscard]] bool eligible(const Receive& receive, const Message& message) const noexcept
    {
        return (!receive.tagged ||
                (receive.tag & ~receive.ignore) == (message.send->tag & ~receive.ignore)) &&
               (receive.from == kAnybody || same(receive.from, message.name));
    }
    static void match(Receive& receive, const Message& message) noexcept
    {
        receive.matched = message.send;
        message.send->taker = &receive;
        receive.matched_since = message.since;
        receive.matched_identity = message.identity;
        receive.matched_name = message.name;
        receive.matched_version = message.version;
    }

    std::array<std::vector<Receive*>, 2> posted_;
    std::array<std::vector<Message>, 2> unexpected_;
    std::array<int, kNames> same_;
};

} // namespace fi::kit::sim
