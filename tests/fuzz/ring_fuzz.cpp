// SPDX-License-Identifier: BSD-2-Clause
//
// Shared memory written by a malicious peer: frames with wild members, slots and counters overwritten at any
// place, files that it tries to cut short, bells at any time - against the port, the engine and an
// application.
#include "application.hpp"
#include "enemy.hpp"

#include <fcntl.h>

namespace fuzz {
namespace {

class Enemy {
  public:
    explicit Enemy(unsigned host) : to_port_(host) {}
    void connect() { to_port_.connect(); }

    void act(Input& input)
    {
        const std::uint8_t move = input.byte();
        if (move % 16 == 0)
            connect();
        if (!to_port_.up())
            return;
        switch (move % 8) {
        case 1:
        case 2:
        case 3:
            put(input);
            break;
        case 4:
            scribble(to_port_.theirs(), input);
            break;
        case 5:
            scribble(to_port_.ours(), input);
            break;
        case 6:
            counters(input);
            break;
        default:
            if (input.byte() % 4) {
                const auto bell = input.piece(input.byte() % 3);
                send_packet(to_port_.socket(), bell.data(), bell.size(), {});
            } else {
                require(ftruncate(to_port_.theirs_fd(), 0) != 0, "nobody can cut the memory short");
            }
        }
    }

  private:
    /// A frame in its place, as a real peer would put it, but with members of the input's choice.
    void put(Input& input)
    {
        fi_frame frame{};
        frame.kind = static_cast<std::uint8_t>(input.byte() % 8);
        frame.flags = input.byte();
        frame.tag = input.byte() % 4u;
        frame.transfer = input.byte();
        if (input.byte() % 8 == 0)
            frame.transfer |= input.number<std::uint64_t>();
        std::vector<unsigned char> payload;
        if (frame.kind == FI_FRAME_PULL) {
            const std::uint64_t pull[] = {input.byte(), input.length()};
            payload.assign(reinterpret_cast<const unsigned char*>(pull),
                           reinterpret_cast<const unsigned char*>(pull + 2));
        } else if (frame.kind == FI_FRAME_OFFER) {
            offer(payload, input);
        } else {
            payload.resize(input.length() % (shm::kMaxPayload + 1));
        }
        frame.length = static_cast<std::uint32_t>(payload.size());
        const iovec whole{payload.data(), payload.size()};
        if (to_port_.writer().put(frame, &whole, 1) == 0)
            to_port_.writer().reopen();
    }
    /// A message that lies here, or nowhere.
    void offer(std::vector<unsigned char>& payload, Input& input)
    {
        std::uint64_t words[9] = {input.length()};
        const std::size_t places = input.byte() % 5;
        for (std::size_t i = 0; i < places; i++) {
            words[1 + 2 * i] =
                input.byte() % 2 ? reinterpret_cast<std::uint64_t>(block_) : input.number<std::uint64_t>();
            words[2 + 2 * i] = input.length();
        }
        payload.assign(reinterpret_cast<const unsigned char*>(words),
                       reinterpret_cast<const unsigned char*>(words + 1 + 2 * places));
    }
    static void scribble(shm::RingMemory* ring, Input& input)
    {
        // Mostly in the first slots, where something is read next.
        const std::uint8_t where = input.byte();
        const std::size_t at = where < 128 ? offsetof(shm::RingMemory, slots) + input.byte() * 16u
                                           : input.number<std::uint32_t>() % sizeof *ring;
        const auto bytes = input.piece(1 + input.byte() % 64);
        std::memcpy(reinterpret_cast<unsigned char*>(ring) + at, bytes.data(),
                    std::min(bytes.size(), sizeof *ring - at));
    }
    /// What the port's own writer believes about its reader.
    void counters(Input& input)
    {
        shm::RingMemory& ring = *to_port_.ours();
        const std::uint8_t which = input.byte();
        const std::uint64_t value = which & 4 ? input.number<std::uint64_t>() : input.byte();
        if (which % 4 == 0)
            __atomic_store_n(&ring.slots_taken, value, __ATOMIC_RELEASE);
        else if (which % 4 == 1)
            __atomic_store_n(&ring.bulk_taken, value * 64, __ATOMIC_RELAXED);
        else if (which % 4 == 2)
            __atomic_store_n(&ring.parked, static_cast<std::uint32_t>(value), __ATOMIC_RELAXED);
        else
            __atomic_store_n(&to_port_.theirs()->waits, static_cast<std::uint32_t>(value), __ATOMIC_RELAXED);
    }

    Connection to_port_;
    unsigned char block_[4096] = {};
};

} // namespace
} // namespace fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace fuzz;
    Input input(data, size);
    const int before = open_descriptors();
    {
        Application<shm::Port> application(shm::PortConfig{&test_provider, hello_of(1), false});
        Enemy peers[] = {Enemy(2), Enemy(3)};
        for (unsigned host = 2; host < 5; host++)
            application.know(address_of(host));
        for (Enemy& peer : peers)
            peer.connect();
        application.step();
        for (int moves = 0; moves < 300 && !input.empty(); moves++) {
            const int move = input.byte() % (Application<shm::Port>::kMoves + 8);
            if (move < Application<shm::Port>::kMoves)
                application.act(move, input);
            else
                peers[move % 2].act(input);
        }
    }
    require(open_descriptors() == before, "no descriptor stays");
    return 0;
}
