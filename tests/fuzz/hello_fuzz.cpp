// SPDX-License-Identifier: BSD-2-Clause
//
// The first bytes of a connection, from anybody: either refused with words, or a hello that says the same
// again when it is written anew.
#include "input.hpp"
#include "kit/devices/hello.hpp"

#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace fi::kit;
    if (size < kHelloHeader)
        return 0;
    const char* why = nullptr;
    const auto wanted = hello_size(data, why);
    fuzz::require(wanted.has_value() == (why == nullptr), "what is refused is refused with words");
    if (!wanted || *wanted > size)
        return 0;
    fuzz::require(*wanted <= kMaxHello, "a hello is bounded");
    const std::vector<unsigned char> exact(data, data + *wanted);
    const auto hello = decode(exact.data(), exact.size());
    if (!hello)
        return 0;
    fuzz::require(!hello->names.empty(), "somebody who says hello has a name");
    const std::string again = encode(*hello);
    const auto same = decode(reinterpret_cast<const unsigned char*>(again.data()), again.size());
    fuzz::require(same && same->identity == hello->identity && same->names == hello->names,
                  "a hello survives being written anew");
    return 0;
}
