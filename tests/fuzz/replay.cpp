// SPDX-License-Identifier: BSD-2-Clause
//
// Runs a fuzz target without a fuzzer: over every input that has been kept, and over as many changed ones,
// the same each time. This is how every build and every sanitizer sees the targets.
#include "input.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <random>
#include <string>
#include <vector>

namespace {

using Bytes = std::vector<std::uint8_t>;

std::vector<Bytes> corpus()
{
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(FI_TEST_CORPUS))
        files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    std::vector<Bytes> inputs;
    for (const auto& path : files) {
        std::ifstream file(path, std::ios::binary);
        inputs.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
    return inputs;
}

void run(const Bytes& input)
{
    // A copy of exactly that size, so that reading past the end is seen.
    const std::vector<std::uint8_t> exact(input);
    LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

TEST(Corpus, RunsThrough)
{
    const auto inputs = corpus();
    ASSERT_GE(inputs.size(), 5u) << "in " FI_TEST_CORPUS;
    for (const Bytes& input : inputs)
        run(input);
}

TEST(Corpus, RunsThroughWithBytesChangedAndPartsExchanged)
{
    const auto inputs = corpus();
    std::mt19937_64 random(7);
    for (int round = 0; round < 300; round++) {
        Bytes input = inputs[random() % inputs.size()];
        const Bytes& other = inputs[random() % inputs.size()];
        if (!input.empty() && !other.empty() && random() % 2) {
            input.resize(random() % input.size());
            input.insert(input.end(), other.begin() + static_cast<std::ptrdiff_t>(random() % other.size()),
                         other.end());
        }
        for (std::uint64_t edits = random() % 8; edits > 0 && !input.empty(); edits--)
            input[random() % input.size()] = static_cast<std::uint8_t>(random());
        run(input);
    }
}

} // namespace
