// SPDX-License-Identifier: BSD-2-Clause
#include "talk.hpp"

namespace faults {

void serve(const Talker& talker, const Channel& channel, std::size_t longest,
           const std::function<void(std::size_t)>& after)
{
    Bytes buffer(longest);
    std::size_t answered = 0;
    talker.receive(buffer, 1);
    while (!testing::Test::HasFailure()) {
        Completion done;
        if (!talker.read(done)) {
            if (const auto said = channel.try_receive())
                return;
            talker.progress();
            continue;
        }
        if (done.failed) { // a message that its sender did not live to finish
            talker.receive(buffer, 1);
            continue;
        }
        std::vector<char> name(kNameRoom);
        std::memcpy(name.data(), buffer.data(), kNameRoom);
        const fi_addr_t client = talker.insert(name);
        const Bytes answer(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(done.entry.len));
        talker.send(answer, client, 2, 8);
        (void)talker.next(); // also an error is an answer to a client that is gone
        talker.remove(client);
        talker.receive(buffer, 1);
        if (after)
            after(++answered);
    }
}

bool ask(const Talker& talker, fi_addr_t server, std::size_t size, unsigned number)
{
    Bytes question = contract::pattern(kNameRoom + size, number);
    std::vector<char> name = talker.name();
    name.resize(kNameRoom);
    std::memcpy(question.data(), name.data(), kNameRoom);
    Bytes answer(question.size());
    talker.receive(answer, number + 100, server, 8);
    talker.send(question, server, number + 200);
    bool sent = false;
    for (int left = 2; left > 0; left--) {
        const Completion done = talker.next();
        if (done.failed) {
            if (left == 2) { // the other one has not failed if the server was never there
                (void)fi_cancel(&talker.node().ep->fid, contract::context(number + 100));
                (void)talker.next();
            }
            return false;
        }
        sent = sent || done.entry.op_context == contract::context(number + 200);
    }
    EXPECT_TRUE(sent);
    EXPECT_TRUE(question == answer) << "message " << number;
    return true;
}

} // namespace faults
