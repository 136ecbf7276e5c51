// SPDX-License-Identifier: BSD-2-Clause
#include "player.hpp"

#include <thread>

namespace faults {
namespace {

constexpr std::size_t kWindow = 6;   ///< sends at once to one peer
constexpr std::size_t kReceives = 5; ///< posted for anybody
constexpr std::size_t kBlock = 1'000'003;
constexpr std::uint64_t kNever = std::uint64_t{1} << 63; ///< tag of what nobody sends

} // namespace

const unsigned char* content(std::uint64_t tag)
{
    static const auto block = [] {
        std::vector<unsigned char> bytes(kBlock + kLongest);
        std::mt19937_64 random(1);
        for (std::size_t i = 0; i + 8 <= bytes.size(); i += 8) {
            const std::uint64_t word = random();
            std::memcpy(bytes.data() + i, &word, sizeof word);
        }
        return bytes;
    }();
    return block.data() + tag * 7919 % kBlock;
}

Player::Player(std::uint32_t id, std::uint64_t seed, const contract::Wish& wish)
    : id_(id), random_(seed), node_(wish)
{
    for (std::size_t i = 0; i < kReceives; i++)
        any_.push_back(receive(Operation::Kind::Any, nullptr, kLongest));
    for (Operation& operation : any_)
        post(operation);
}

Player::Operation Player::receive(Operation::Kind kind, Peer* peer, std::size_t size)
{
    return {kind, peer, false, std::make_unique_for_overwrite<unsigned char[]>(size), size};
}

void Player::add(std::uint32_t id, const std::vector<char>& name)
{
    Peer& peer = peers_[id];
    peer.id = id;
    peer.address = node_.insert(name);
    for (std::size_t i = 0; i < kWindow; i++)
        peer.sends.push_back({Operation::Kind::Send, &peer});
    peer.from = receive(Operation::Kind::From, &peer, 64);
    post(peer.from);
}

std::size_t Player::random_size()
{
    // Of each kind that travels differently; few of the long ones, for they take all the time.
    static constexpr struct {
        unsigned below; ///< of 64
        std::size_t up_to;
    } kinds[] = {{24, 33}, {32, 200}, {48, 4096}, {60, 70'000}, {63, 300'000}, {64, kLongest}};
    const auto drawn = random_() % 64;
    const auto* kind = kinds;
    while (drawn >= kind->below)
        kind++;
    return random_() % (kind->up_to + 1);
}

void Player::post(Operation& operation)
{
    ASSERT_FALSE(operation.posted);
    const bool from = operation.kind == Operation::Kind::From;
    const ssize_t ret = fi_trecv(node_.ep.get(), operation.buffer.get(), operation.size, nullptr,
                                 from ? operation.peer->address : FI_ADDR_UNSPEC, kNever,
                                 from ? 0 : ~std::uint64_t{0}, &operation);
    ASSERT_EQ(ret, 0);
    operation.posted = true;
    operation.place = places_++;
}

void Player::send_to(Peer& peer)
{
    for (Operation& operation : peer.sends) {
        if (operation.posted)
            continue;
        const std::uint64_t tag = std::uint64_t{id_} << 32 | peer.next_out;
        const std::size_t size = random_size();
        const bool inject = size <= 64 && random_() % 4 == 0;
        const ssize_t ret =
            inject ? fi_tinject(node_.ep.get(), content(tag), size, peer.address, tag)
                   : fi_tsend(node_.ep.get(), content(tag), size, nullptr, peer.address, tag, &operation);
        if (ret == -FI_EAGAIN)
            return;
        ASSERT_EQ(ret, 0) << fi_strerror(static_cast<int>(-ret));
        operation.posted = !inject;
        peer.next_out++;
    }
}

void Player::check(const contract::Completion& done, const Operation& operation)
{
    const auto from = static_cast<std::uint32_t>(done.entry.tag >> 32);
    const auto number = static_cast<std::uint32_t>(done.entry.tag);
    const auto at = matched_[from].emplace(operation.place, number).first;
    ASSERT_LE(done.entry.len, operation.size);
    ASSERT_EQ(std::memcmp(operation.buffer.get(), content(done.entry.tag), done.entry.len), 0)
        << "wrong bytes in message " << number << " from " << from << ", " << done.entry.len << " long";
    ASSERT_TRUE(at == matched_[from].begin() || std::prev(at)->second < number) << "overtaken by " << number;
    ASSERT_TRUE(std::next(at) == matched_[from].end() || std::next(at)->second > number)
        << "overtook " << number;
    received_++;
    const auto known = peers_.find(from);
    if (known != peers_.end())
        known->second.received++;
}

/// Counts what is missing among the messages whose receives, and all posted before, are over.
void Player::count_missing()
{
    std::uint64_t open = places_;
    for (const Operation& operation : any_)
        if (operation.posted)
            open = std::min(open, operation.place);
    for (auto& [from, messages] : matched_) {
        std::uint32_t& due = due_[from];
        while (!messages.empty() && messages.begin()->first < open) {
            missing_[from] += messages.begin()->second - due;
            due = messages.begin()->second + 1;
            messages.erase(messages.begin());
        }
    }
    std::erase_if(matched_, [](const auto& entry) { return entry.second.empty(); });
}

void Player::take(const contract::Completion& done)
{
    if (done.failed && !done.error.op_context) {
        failed_++; // an inject: it has no context of its own
        return;
    }
    auto& operation = *static_cast<Operation*>(done.failed ? done.error.op_context : done.entry.op_context);
    ASSERT_TRUE(operation.posted) << "completed twice";
    operation.posted = false;
    failed_ += done.failed;
    switch (operation.kind) {
    case Operation::Kind::Any:
        if (!done.failed)
            check(done, operation);
        count_missing();
        post(operation);
        break;
    case Operation::Kind::From:
        ASSERT_TRUE(done.failed) << "a message that nobody sends";
        break;
    case Operation::Kind::Send:
        if (done.failed)
            operation.peer->alive = false;
        break;
    }
    ASSERT_FALSE(done.failed && done.error.err == FI_ETRUNC);
}

bool Player::read()
{
    contract::Completion done;
    if (!contract::read_one(node_.cq.get(), done))
        return false;
    take(done);
    return true;
}

void Player::play()
{
    for (auto& [id, peer] : peers_)
        if (peer.alive)
            send_to(peer);
    int entries = 0;
    while (entries < 64 && read())
        entries++;
    if (entries == 0)
        std::this_thread::sleep_for(std::chrono::microseconds(20));
}

bool Player::settled(std::uint32_t id, bool was_there)
{
    const Peer& peer = peers_.at(id);
    for (const Operation& operation : peer.sends)
        if (operation.posted)
            return false;
    return !peer.from.posted || !was_there;
}

void Player::remove(std::uint32_t id)
{
    Peer& peer = peers_.at(id);
    if (peer.from.posted) {
        const ssize_t ret = fi_cancel(&node_.ep->fid, &peer.from);
        ASSERT_TRUE(ret == 0 || ret == -FI_ENOENT) << ret; // it may have failed by now
        while (peer.from.posted && !testing::Test::HasFailure())
            read();
    }
    ASSERT_EQ(fi_av_remove(node_.av.get(), &peer.address, 1, 0), 0);
    peers_.erase(id);
}

} // namespace faults
