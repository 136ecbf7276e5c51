// SPDX-License-Identifier: BSD-2-Clause
//
// First packets of local peers: any bytes, with any descriptors, or none. The port refuses them or is
// connected; either way it keeps no descriptor that it did not ask for and serves the next one.
#include "application.hpp"
#include "enemy.hpp"

#include <fcntl.h>

namespace fuzz {
namespace {

Fd memory(std::size_t size, unsigned seals)
{
    Fd fd(memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    require(ftruncate(fd.get(), static_cast<off_t>(size)) == 0, "a file has a size");
    fcntl(fd.get(), F_ADD_SEALS, seals);
    return fd;
}

Fd some_descriptor(std::uint8_t kind)
{
    constexpr unsigned kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
    switch (kind % 8) {
    case 0:
        return Fd(open("/dev/null", O_RDWR | O_CLOEXEC));
    case 1:
        return memory(sizeof(shm::RingMemory), 0);
    case 2:
        return memory(sizeof(shm::RingMemory), F_SEAL_GROW);
    case 3:
        return memory(sizeof(shm::RingMemory) - 1, kSeals);
    case 4:
        return memory(sizeof(shm::RingMemory) * 2, kSeals);
    case 5: // may not be written
        return memory(sizeof(shm::RingMemory), kSeals | F_SEAL_WRITE);
    default:
        return memory(sizeof(shm::RingMemory), kSeals);
    }
}

std::vector<unsigned char> packet(Input& input)
{
    Preamble preamble;
    const std::uint8_t how = input.byte();
    if (how & 1)
        preamble.version = input.number<std::uint32_t>();
    if (how & 2)
        preamble.ring_bytes = input.number<std::uint32_t>();
    if (how & 4)
        preamble.probe = input.number<std::uint64_t>();
    preamble.has_barrier = how >> 3 & 1;
    const auto* first = reinterpret_cast<const unsigned char*>(&preamble);
    std::vector<unsigned char> bytes(first, first + sizeof preamble);
    if (how & 16) {
        const auto any = input.piece(input.length());
        bytes.insert(bytes.end(), any.begin(), any.end());
    } else {
        const std::string hello = encode(hello_of(2 + (how >> 5) % 3));
        bytes.insert(bytes.end(), hello.begin(), hello.end());
    }
    for (int edits = input.byte() % 4; edits > 0; edits--)
        bytes[input.number<std::uint16_t>() % bytes.size()] = input.byte();
    bytes.resize(input.byte() % 4 ? bytes.size() : input.number<std::uint16_t>() % (bytes.size() + 1));
    return bytes;
}

} // namespace
} // namespace fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace fuzz;
    Input input(data, size);
    const int before = open_descriptors();
    {
        Application<shm::Port> application(shm::PortConfig{&test_provider, hello_of(1), false});
        application.know(address_of(2));
        std::vector<Fd> callers;
        for (int moves = 0; moves < 16 && !input.empty(); moves++) {
            Fd socket = call(address_of(1));
            require(socket.get() >= 0, "the port still listens");
            std::vector<Fd> owned;
            std::vector<int> passed;
            for (int count = input.byte() % 6; count > 0; count--) {
                owned.push_back(some_descriptor(input.byte()));
                passed.push_back(owned.back().get());
            }
            const auto bytes = packet(input);
            send_packet(socket.get(), bytes.data(), bytes.size(), passed);
            if (input.byte() % 4)
                callers.push_back(std::move(socket));
            application.act(input.byte() % Application<shm::Port>::kMoves, input);
            application.step();
        }
    }
    require(open_descriptors() == before, "no descriptor stays");
    return 0;
}
