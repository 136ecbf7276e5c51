// SPDX-License-Identifier: BSD-2-Clause
//
// A hostile peer over TCP, past its hello: streams of frames and of what only looks like frames, against the
// engine and an application that posts, sends, cancels and forgets at any moment.
#include "application.hpp"
#include "stream_port.hpp"

namespace fuzz {
namespace {

Address address_of(int host)
{
    return *Address::parse("fi_sockaddr_in://10.0.0." + std::to_string(host) + ":1");
}

class Attack {
  public:
    Attack() : application_(StreamPort::Config{&prepared()})
    {
        for (int host = 2; host < 5; host++)
            application_.know(address_of(host));
    }

    void run(Input& input)
    {
        for (int moves = 0; moves < 400 && !input.empty(); moves++) {
            const int move = input.byte() % (Application<StreamPort>::kMoves + 7);
            if (move < Application<StreamPort>::kMoves)
                application_.act(move, input);
            else
                attack(move - Application<StreamPort>::kMoves, input);
        }
    }

  private:
    Wire& prepared()
    {
        wire_.names = {address_of(1)};
        return wire_;
    }
    tcp::Link* link(Input& input)
    {
        return wire_.links.empty() ? nullptr : wire_.links[input.byte() % wire_.links.size()].get();
    }
    void attack(int move, Input& input)
    {
        switch (move) {
        case 0: { // calls
            if (wire_.links.size() > 6)
                return;
            wire_.links.push_back(std::make_unique<tcp::Link>(tcp::Link::State::AwaitHello));
            tcp::Link& called = *wire_.links.back();
            const std::uint8_t who = input.byte();
            called.hello.identity[0] = who & 3;
            called.hello.names = {address_of(2 + (who >> 2) % 3)};
            if (who & 64)
                called.hello.names.push_back(address_of(2 + (who >> 4) % 3));
            wire_.called.push_back(&called);
            break;
        }
        case 1: // bytes of any kind
            if (tcp::Link* to = link(input)) {
                const auto bytes = input.piece(input.byte());
                wire_.incoming.emplace_back(to, std::vector<unsigned char>(bytes.begin(), bytes.end()));
            }
            break;
        case 2:
        case 3:
            if (tcp::Link* to = link(input))
                wire_.incoming.emplace_back(to, frame(input));
            break;
        case 4: // the end of a link
            if (tcp::Link* to = link(input)) {
                if (input.byte() % 2)
                    to->error = ECONNRESET;
                else
                    wire_.hung_up.push_back(to);
            }
            break;
        case 5:
            wire_.answer = static_cast<Posted>(input.byte() % 3);
            wire_.reachable = input.byte() % 4 != 0;
            break;
        default:
            wire_.delivers = true;
        }
    }
    /// A frame of a known kind, with plausible members.
    std::vector<unsigned char> frame(Input& input)
    {
        fi_frame header{};
        header.kind = static_cast<std::uint8_t>(input.byte() % 8);
        header.flags = input.byte();
        header.tag = input.byte() % 4u;
        header.transfer = wire_.handles.empty() ? 0 : wire_.handles[input.byte() % wire_.handles.size()];
        std::vector<unsigned char> payload;
        if (header.kind == FI_FRAME_PULL) {
            const fi_frame_pull pull{input.byte(), input.length()};
            payload.assign(reinterpret_cast<const unsigned char*>(&pull),
                           reinterpret_cast<const unsigned char*>(&pull + 1));
        } else if (header.kind == FI_FRAME_OFFER) {
            const std::uint64_t size = input.length() * (input.byte() % 3 == 0 ? 100'000u : 1u);
            payload.assign(reinterpret_cast<const unsigned char*>(&size),
                           reinterpret_cast<const unsigned char*>(&size + 1));
            payload.resize(payload.size() + input.byte() % 5 * sizeof(fi_frame_place));
        } else {
            payload.resize(input.length());
        }
        header.length = static_cast<std::uint32_t>(payload.size());
        const auto* bytes = reinterpret_cast<const unsigned char*>(&header);
        std::vector<unsigned char> all(bytes, bytes + sizeof header);
        all.insert(all.end(), payload.begin(), payload.end());
        return all;
    }

    Wire wire_;
    Application<StreamPort> application_;
};

} // namespace
} // namespace fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    fuzz::Input input(data, size);
    fuzz::Attack().run(input);
    return 0;
}
