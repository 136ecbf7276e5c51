// SPDX-License-Identifier: BSD-2-Clause
//
// A message of more than 2 GiB, which no system call copies in one piece. Its memory is one small file,
// mapped over and over, so that any machine has room for it.
#include "talk.hpp"

#include <sys/mman.h>
#include <unistd.h>

namespace faults {
namespace {

constexpr std::size_t kPiece = std::size_t{64} << 20;
constexpr std::size_t kSize = (std::size_t{2} << 30) + kPiece / 2 + 1; ///< bytes

class Aliased {
  public:
    Aliased() : fd_(memfd_create("piece", MFD_CLOEXEC))
    {
        EXPECT_EQ(ftruncate(fd_, kPiece), 0);
        data_ = static_cast<unsigned char*>(
            mmap(nullptr, kPieces * kPiece, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
        for (std::size_t i = 0; i < kPieces; i++)
            EXPECT_NE(
                mmap(data_ + i * kPiece, kPiece, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd_, 0),
                MAP_FAILED);
    }
    ~Aliased()
    {
        munmap(data_, kPieces * kPiece);
        close(fd_);
    }
    Aliased(const Aliased&) = delete;
    Aliased& operator=(const Aliased&) = delete;
    [[nodiscard]] unsigned char* data() const { return data_; }

  private:
    static constexpr std::size_t kPieces = (kSize + kPiece - 1) / kPiece;
    int fd_;
    unsigned char* data_;
};

void fill(unsigned char* piece)
{
    const auto some = contract::pattern(1'000'003, 5);
    for (std::size_t at = 0; at < kPiece; at += some.size())
        std::memcpy(piece + at, some.data(), std::min(some.size(), kPiece - at));
}

TEST(Huge, B56_AMessageLargerThanAnyOneCopyArrivesWhole)
{
    limit(240);
    Process receiver(
        [](const Channel& channel) {
            const Aliased memory;
            const Talker talker;
            ASSERT_EQ(fi_trecv(talker.node().ep.get(), memory.data(), kSize, nullptr, FI_ADDR_UNSPEC, 7, 0,
                               contract::context(1)),
                      0);
            channel.send(talker.name());
            EXPECT_EQ(talker.expect(1).entry.len, kSize);
            const auto expected = std::make_unique<unsigned char[]>(kPiece);
            fill(expected.get());
            EXPECT_EQ(std::memcmp(memory.data(), expected.get(), kPiece), 0);
        },
        200);
    const auto name = receiver.channel().receive();
    Process sender(
        [&](const Channel&) {
            const Aliased memory;
            fill(memory.data());
            const Talker talker;
            ASSERT_EQ(fi_tsend(talker.node().ep.get(), memory.data(), kSize, nullptr, talker.insert(name), 7,
                               contract::context(1)),
                      0);
            talker.expect(1);
        },
        200);
    sender.expect_success();
    receiver.expect_success();
}

} // namespace
} // namespace faults
