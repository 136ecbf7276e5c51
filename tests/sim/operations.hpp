// SPDX-License-Identifier: BSD-2-Clause
//
// What a schedule remembers of each operation that an endpoint has accepted.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <rdma/fi_errno.h>
#include <rdma/fi_tagged.h>
#include <sys/uio.h>
#include <vector>

namespace fi::kit::sim {

constexpr int kAnybody = -1;

/// Memory of one schedule, given back all at once.
class Arena {
  public:
    unsigned char* get(std::size_t size)
    {
        if (used_ + size > room_) {
            room_ = std::max<std::size_t>(size, 256 * 1024);
            used_ = 0;
            if (next_ == blocks_.size())
                blocks_.push_back({std::make_unique<unsigned char[]>(room_), room_});
            room_ = blocks_[next_].size;
            if (room_ < size) {
                blocks_[next_] = {std::make_unique<unsigned char[]>(size), size};
                room_ = size;
            }
            next_++;
        }
        used_ += size;
        return blocks_[next_ - 1].bytes.get() + used_ - size;
    }
    void reset() noexcept { next_ = used_ = room_ = 0; }

  private:
    struct Block {
        std::unique_ptr<unsigned char[]> bytes;
        std::size_t size;
    };
    std::vector<Block> blocks_;
    std::size_t next_ = 0;
    std::size_t used_ = 0;
    std::size_t room_ = 0;
};

/// Byte `at` of message number `id`.
constexpr unsigned char byte_of(std::uint32_t id, std::size_t at) noexcept
{
    return static_cast<unsigned char>((id * 0x9e3779b1u + at * 0x85ebu) >> 7);
}

/// The context that the API gets is the operation itself.
struct Operation {
    fi_context2 context{};
    std::uint32_t id = 0;
    std::uint32_t owner = 0; ///< number of the endpoint, counting all that there have been
    bool is_send = false;
    bool tagged = false;
    bool reported = false;  ///< success makes an entry
    bool completed = false; ///< its entry has been read
    bool cancelled = false; ///< fi_cancel() has said 0
    bool must_fail = false; ///< what it depends on has died before it could end
    bool may_fail = false;  ///< likewise, but it may have ended before
    std::uint64_t tag = 0;
    iovec iov[4]{};
    std::uint32_t segments = 0;
    unsigned char* buffer = nullptr; ///< with kGuard bytes before and behind
    std::size_t size = 0;            ///< bytes of the message, or of the receive's buffer

    static constexpr std::size_t kGuard = 8;
};

struct Receive;

struct Send : Operation {
    enum class State : std::uint8_t { Waiting, Carried, Lost };

    int to = 0; ///< name
    State state = State::Waiting;
    bool inject = false;
    bool silent = false; ///< has gone the hot way: nothing is ever said of it again
    bool has_data = false;
    std::uint64_t data = 0;
    std::uint8_t level = 0;         ///< FI_FRAME_DELIVERY, FI_FRAME_MATCH or 0: when it ends
    std::uint64_t transfer = 0;     ///< its handle, if its message has one and has left
    bool arrived = false;           ///< the header has
    bool whole = false;             ///< all bytes have, without having been asked for
    const void* way = nullptr;      ///< the link that it has arrived by, while there is that
    std::uint32_t receiver = 0;     ///< endpoint that it has arrived at
    const Receive* taker = nullptr; ///< that has matched
};

struct Receive : Operation {
    int from = kAnybody; ///< name
    std::uint64_t ignore = 0;
    const Send* matched = nullptr;
    std::uint64_t matched_since = 0; ///< time of the message's arrival
    std::uint64_t matched_identity = 0;
    int matched_name = 0;
    std::uint64_t matched_version = 0; ///< of the address vector
};

} // namespace fi::kit::sim
