// SPDX-License-Identifier: BSD-2-Clause
//
// An endpoint that plays messages of all sizes with many others at once and checks everything that comes.
//
// What a message holds follows from its tag alone: a piece of a block of random bytes that all processes
// inherit. So data is sent from where it lies and compared where it arrived, and neither costs anything
// beside the library's own work.
#pragma once

#include "../contract/pair.hpp"
#include "processes.hpp"

#include <map>
#include <memory>
#include <random>

namespace faults {

constexpr std::size_t kLongest = 1'500'000; ///< bytes

/// The bytes of the message with that tag. Made by the first call, which is to be the parent's.
const unsigned char* content(std::uint64_t tag);

class Player {
  public:
    /// id: of this player, below 2^31, part of the tags that it sends.
    Player(std::uint32_t id, std::uint64_t seed, const contract::Wish& wish = {});

    [[nodiscard]] contract::Node& node() { return node_; }
    void add(std::uint32_t id, const std::vector<char>& name);
    /// Sends what may be sent and takes what has come; lets others run for a moment when nothing has.
    void play();
    /// Sends nothing more to that peer: it has been killed.
    void mourn(std::uint32_t id) { peers_.at(id).alive = false; }
    /// Whether every operation that only this peer could have finished has finished. A receive for it alone
    /// is one if it `was_there` after that was posted; else such a receive may wait for it to come back.
    [[nodiscard]] bool settled(std::uint32_t id, bool was_there);
    /// After settled(): forgets it, having cancelled what it never came for.
    void remove(std::uint32_t id);

    [[nodiscard]] std::uint64_t received_from(std::uint32_t id) const { return peers_.at(id).received; }
    /// Messages of a peer that never came though later ones did: none, unless it died over them.
    [[nodiscard]] std::uint64_t missing_from(std::uint32_t id) { return missing_[id]; }
    [[nodiscard]] std::uint64_t received() const { return received_; }
    [[nodiscard]] std::uint64_t failed() const { return failed_; }

  private:
    struct Peer;
    struct Operation {
        enum class Kind { Any, From, Send };
        Kind kind;
        Peer* peer;
        bool posted = false;                     ///< a completion is due
        std::unique_ptr<unsigned char[]> buffer; ///< untouched: memory nobody writes to takes no time
        std::size_t size = 0;                    ///< bytes of it
        std::uint64_t place = 0;                 ///< in the order of posting
    };
    /// Messages of one sender, by the place of their receives: matching keeps their order, completing need
    /// not.
    using Matched = std::map<std::uint64_t, std::uint32_t>;
    struct Peer {
        std::uint32_t id;
        fi_addr_t address = FI_ADDR_UNSPEC;
        bool alive = true;
        std::uint32_t next_out = 0;
        std::uint64_t received = 0;
        std::vector<Operation> sends;
        Operation from; ///< a receive for a message that this peer never sends
    };

    static Operation receive(Operation::Kind kind, Peer* peer, std::size_t size);
    std::size_t random_size();
    void send_to(Peer& peer);
    void post(Operation& operation);
    void take(const contract::Completion& done);
    void check(const contract::Completion& done, const Operation& operation);
    void count_missing();
    bool read();

    std::uint32_t id_;
    std::mt19937_64 random_;
    std::map<std::uint32_t, Peer> peers_;
    std::map<std::uint32_t, Matched> matched_; ///< by sender
    std::map<std::uint32_t, std::uint32_t> due_;
    std::map<std::uint32_t, std::uint64_t> missing_;
    std::vector<Operation> any_;
    std::uint64_t places_ = 0;
    std::uint64_t received_ = 0;
    std::uint64_t failed_ = 0;
    contract::Node node_; ///< closed before what it refers to goes
};

} // namespace faults
