// SPDX-License-Identifier: BSD-2-Clause
//
// The message protocol over any device: matching, eager and offered messages, completions, and what happens
// when a peer dies.
//
// What is hard: messages of any size, posted or not, in order per peer, over a channel that can stop taking
// frames at any moment and die at any other - with exactly one completion for every operation that was
// accepted. The shape that keeps it tractable: the engine is the only place with state about operations; the
// device only moves frames (device.hpp).
//
// Up to kEagerLimit a message goes out whole. A longer one is offered; when it has matched, the receiver
// pulls it, naming where its bytes shall go and how many it wants, so nothing large is ever buffered and an
// offer can wait for its receive for ever.
//
// Not thread safe: Endpoint takes the domain's lock where the threading model needs one. The code is spread
// over several files: send.hpp and receive.hpp for the two directions, acknowledge.hpp and fence.hpp for
// sends that wait for more than the transport, unexpected.hpp for messages without a receive,
// multi_receive.hpp and peek.hpp for receives of other kinds, sharing.hpp for receives that several endpoints
// share, peers.hpp for connecting, and deaths.hpp for what is left to do when a peer ends.
#pragma once

#include "kit/engine/receive_context.hpp"
#include "kit/objects/av.hpp"
#include "kit/objects/counter.hpp"

#include <atomic>
#include <cstring>
#include <mutex>
#include <rdma/hot/endpoint.h>
#include <rdma/providers/fi_log.h>
#include <rdma/providers/fi_prov.h>
#include <unordered_map>

namespace fi::kit {

constexpr std::uint64_t kMaxMessage = std::uint64_t{1}
                                      << 40; ///< bytes; far above what memory holds, far below overflow
constexpr std::size_t kAckLimit = 65536;     ///< acknowledgements that may wait for room, of an endpoint
constexpr std::size_t kUnexpectedLimit =
    4 * 1024 * 1024; ///< bytes of memory, bookkeeping included, kept per peer before its link is paused
constexpr std::size_t kUnexpectedWhilePulling =
    4; ///< times that, while receives wait for bytes from the peer: more than socket buffers hold by default

/// A send of any kind, as the API functions hand it down.
struct SendArgs {
    const iovec* iov;
    std::size_t segments;
    fi_addr_t dest;
    std::uint64_t tag;
    std::uint64_t data;
    void* context;
    std::uint8_t frame_flags; ///< enum fi_frame_flags
    bool inject;              ///< the buffer is the caller's again on return
    bool report;              ///< success makes a completion
    bool fence = false;       ///< begins when all earlier sends to that peer have completed
};

struct ReceiveArgs {
    const iovec* iov;
    std::size_t segments;
    fi_addr_t source; ///< FI_ADDR_UNSPEC: any
    std::uint64_t tag;
    std::uint64_t ignore;
    void* context;
    bool tagged;
    bool report;
    std::uint64_t special = 0; ///< FI_MULTI_RECV alone, or FI_PEEK, FI_CLAIM, FI_DISCARD
    std::uint64_t least = 0;   ///< FI_MULTI_RECV: FI_OPT_MIN_MULTI_RECV, bytes
};

inline constexpr char kNothingClaimed[] = "no message has been claimed under that context";

/// Where completions go and which limits hold; fixed when the endpoint is enabled.
struct EngineConfig {
    const fi_provider* provider;
    CompletionQueueBase* transmit_queue;
    CompletionQueueBase* receive_queue;
    AddressVector* addresses;
    std::size_t transmit_size; ///< operations
    std::size_t receive_size;
    bool report_source;                  ///< FI_SOURCE
    bool report_unknown;                 ///< FI_SOURCE_ERR
    std::uint32_t addr_format;           ///< of the addresses that this reports
    CounterBase* send_counter = nullptr; ///< optional, as all counters
    CounterBase* receive_counter = nullptr;
    bool sends = true;                               ///< FI_SEND
    void* shared_receives = nullptr;                 ///< optional: a ReceiveContext of this type of engine
    bool report_receives = false;                    ///< those of it report here, whatever their flags say
    std::size_t unexpected_limit = kUnexpectedLimit; ///< bytes
};

/// What an engine holds at one moment.
struct EngineCensus {
    std::size_t sends = 0; ///< records whose operation, or its completion, is under way
    std::size_t receives = 0;
    std::size_t acknowledgements = 0; ///< that wait for room
    std::size_t posted = 0;           ///< receives without a message
    std::size_t unexpected = 0;       ///< messages without a receive
    std::size_t claimed = 0;          ///< messages that only their claimer gets
    std::size_t paused = 0;           ///< links that wait because of unexpected ones
    std::size_t pending = 0;          ///< frames that wait for room
    std::size_t references = 0;       ///< to peers, but for those of addresses
};

template <class PortType>
class Engine {
  public:
    using Link = typename PortType::Link;

    /// hot: the endpoint's structure, whose peer arrays the engine fills. Throws std::bad_alloc,
    /// std::system_error.
    template <class... PortArgs>
    Engine(fi_hot_ep& hot, const EngineConfig& config, PortArgs&&... port_args);
    ~Engine();
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    /// 0 or -fi_errno: -FI_EAGAIN when out of records or completion entries, -FI_EMSGSIZE, -FI_EINVAL for an
    /// address that is not in the address vector.
    ssize_t send(const SendArgs& args) noexcept;
    ssize_t receive(const ReceiveArgs& args) noexcept;
    /// The same as send() and receive() for what they can do at once; false: nothing has happened.
    bool send_slot(const SendArgs& args) noexcept;
    bool post_plain(const ReceiveArgs& args) noexcept;
    /// Ends one operation with that context in FI_ECANCELED. -FI_ENOENT: there is none that can still be
    /// cancelled.
    ssize_t cancel(const void* context) noexcept;
    /// The same for a receive context that several engines share. -FI_EOPBADSTATE: it would have to be
    /// reported now, and there is no engine.
    static ssize_t receive_shared(ReceiveContext<Engine>& context, const ReceiveArgs& args) noexcept;
    static ssize_t cancel_shared(ReceiveContext<Engine>& context, const void* what) noexcept;
    static void recycle_receive(CompletionRecord* record) noexcept
    {
        give_back(static_cast<Engine*>(record->owner)->rx_, *static_cast<ReceiveOp*>(record));
    }

    /// Advances everything that is likely to advance or, when `all`, that can. True: worth another look at
    /// the very next read.
    bool look(bool all) noexcept;
    [[nodiscard]] std::size_t watch(fi_hot_watch* out, std::size_t room) noexcept
    {
        return port_.watch(out, room);
    }
    bool arm() noexcept { return !rx_.starved && port_.arm(); }
    [[nodiscard]] int wait_fd() const noexcept { return port_.wait_fd(); }
    [[nodiscard]] const Address& name() const noexcept { return port_.name(); }
    [[nodiscard]] EngineCensus census() const noexcept;

    // Called by the port (device.hpp).
    bool delivered(LinkBase& link, const fi_frame& frame, const unsigned char* payload) noexcept;
    Destination arrived(LinkBase& link, const fi_frame& frame) noexcept;
    void filled(LinkBase& link) noexcept;
    void sent(Outgoing* outgoing) noexcept;
    void writable(LinkBase& link) noexcept;
    bool linked(Link& link) noexcept;
    void moved(LinkBase& from, LinkBase& to) noexcept;
    void ended(LinkBase& link) noexcept;
    void stuck(LinkBase& link) noexcept;
    void died(LinkBase& link, int error) noexcept;

  private:
    // send.hpp
    ssize_t send_short(Peer& peer, const SendArgs& args, const fi_frame& frame) noexcept;
    bool transmit(Peer& peer, Outgoing& outgoing) noexcept;
    void look_soon() noexcept;
    void pulled(LinkBase& link, const fi_frame& frame, const fi_frame_pull& pull) noexcept;
    void fetched(LinkBase& link, const fi_frame& frame) noexcept;
    SendOp* offered(LinkBase& link, const fi_frame& frame) noexcept;
    void begin_parts(SendOp& op) noexcept;
    void next_part(SendOp& op) noexcept;
    void all_sent(SendOp& op) noexcept;
    void finish_send(SendOp& op, int error, int prov_errno) noexcept;
    // fence.hpp
    bool hold(Peer& peer, SendOp& op) noexcept;
    void release_held(Peer& peer) noexcept;
    // acknowledge.hpp
    void acknowledge(Peer& peer, std::uint64_t transfer) noexcept;
    void acknowledged(LinkBase& link, const fi_frame& frame) noexcept;
    void end_ack(AckOp& ack) noexcept;
    // receive.hpp
    MatchQueue& queue(bool tagged) noexcept { return rx_.queue(tagged); }
    ssize_t receive_special(const ReceiveArgs& args, Peer* from) noexcept;
    static ReceiveOp* prepare(ReceiveContext<Engine>& context, const ReceiveArgs& args) noexcept;
    static void give_back(ReceiveContext<Engine>& context, ReceiveOp& op) noexcept;
    ReceiveOp* find_receive(MatchQueue& matching, std::uint64_t tag, const Peer* from) noexcept;
    void post(MatchQueue& matching, ReceiveOp& op) noexcept;
    ReceiveOp* match(MatchQueue& matching, std::uint64_t tag, const Peer* from, std::uint64_t size) noexcept;
    Destination arrived_eager(Peer& peer, Arrival& arrival) noexcept;
    Destination arrived_data(LinkBase& link) noexcept;
    void matched_offer(LinkBase& link) noexcept;
    void collect(ReceiveOp& op, LinkBase& link, const fi_frame& frame, std::uint64_t size,
                 const fi_frame_place* places, std::size_t place_count) noexcept;
    void take(ReceiveOp& op, Unexpected& message) noexcept;
    void finish_receive(ReceiveOp& op, Peer* from, const fi_frame& frame, std::uint64_t size) noexcept;
    void set_source(ReceiveOp& op, Peer& from) noexcept;
    void fail_receive(ReceiveOp& op, int error) noexcept;
    void release(ReceiveOp& op) noexcept;
    void conclude(ReceiveOp& op) noexcept;
    // multi_receive.hpp
    static void make_multi(ReceiveOp& op, std::uint64_t least) noexcept;
    static void fill_multi(MatchQueue& matching, ReceiveOp& op) noexcept;
    ReceiveOp* carve(MatchQueue& matching, ReceiveOp& buffer, std::uint64_t size) noexcept;
    void release_multi(ReceiveOp& buffer, int error) noexcept;
    ReceiveOp* end_part(ReceiveOp& part) noexcept;
    void end_multi(ReceiveOp& buffer) noexcept;
    void feed() noexcept;
    // peek.hpp
    void examine(const ReceiveArgs& args, MatchQueue& matching, ReceiveOp& op, Unexpected* message) noexcept;
    static Unexpected* find_claimed(MatchQueue& matching, const void* context) noexcept;
    void tell(ReceiveOp& op, const Unexpected& message) noexcept;
    void discard(ReceiveOp& op, Unexpected& message) noexcept;
    // sharing.hpp
    static Engine& engine_of(const Unexpected& message) noexcept
    {
        return *static_cast<Engine*>(message.engine);
    }
    void adopt(ReceiveOp& op) noexcept;
    bool is_from(const ReceiveOp& receive, const Peer* from) noexcept;
    static Unexpected* find_message(MatchQueue& matching, const ReceiveOp& receive) noexcept;
    void drop_messages() noexcept;
    void leave_context() noexcept;
    // unexpected.hpp
    bool over_limit(const Peer& peer, std::size_t payload) const noexcept;
    void keep(Peer& peer, Unexpected* message, const fi_frame& frame, std::size_t payload) noexcept;
    void pause(LinkBase& link) noexcept;
    void unpause(LinkBase& link) noexcept;
    void resume_paused(Peer& peer) noexcept;
    void resume_all() noexcept;
    void drop(Unexpected& message) noexcept;
    static void detach(Unexpected& message) noexcept;
    void lose(Unexpected& message, int error) noexcept;
    // peers.hpp
    Peer* peer_at(fi_addr_t addr) noexcept;
    Peer* peer_for(const Address& address) noexcept;
    bool connect(Peer& peer) noexcept;
    void point(fi_addr_t addr, LinkBase* link) noexcept;
    void point_all(const Peer& peer, LinkBase* link) noexcept;
    Peer* identify(Link& link, Peer* holder, bool& out_of_memory) noexcept;
    bool answered(Link& link) noexcept;
    static bool takes_what_waits(const Peer& peer, const Link& link) noexcept;
    void join(Peer& peer, Peer& holder) noexcept;
    bool lives_elsewhere(const Peer& peer, const Link& link) noexcept;
    Peer* add_stranger(const Link& link) noexcept;
    void adopt_stranger(Peer& peer) noexcept;
    void sweep() noexcept;
    void forget_removed() noexcept;
    fi_addr_t source_of(Peer& peer) noexcept;
    static void removed(void* self, fi_addr_t addr) noexcept;
    // deaths.hpp
    void ending(Peer& peer, int error) noexcept;
    bool is_awaited(const Peer& peer) noexcept;
    void fail_links(const Peer& peer, int error) noexcept;
    void fail_sends(Peer& peer, int error) noexcept;
    void fail_receives(Peer& peer, int error, bool was_up) noexcept;
    static bool is_answer(const Outgoing& outgoing) noexcept;
    void end_acks(Peer& peer) noexcept;

    fi_hot_ep& hot_;
    EngineConfig config_;
    PortType port_;
    std::unique_ptr<ReceiveContext<Engine>> own_rx_;
    ReceiveContext<Engine>& rx_; ///< that one, or a shared one
    /// Gives a record back to the pool that it is from.
    template <auto pool>
    static void recycle(CompletionRecord* record) noexcept
    {
        auto& records = static_cast<Engine*>(record->owner)->*pool;
        records.put(static_cast<typename std::remove_reference_t<decltype(records)>::Record*>(record));
    }

    Pool<SendOp> sends_;
    Pool<AckOp> acks_;

    std::unordered_map<Address, std::unique_ptr<Peer>, AddressHash> peers_;
    std::vector<std::unique_ptr<Peer>> strangers_; ///< connected under a name that another endpoint has
    std::vector<Peer*> by_addr_;                   ///< fi_addr_t to peer, filled on first use
    bool sweep_due_ = false;                       ///< some peer may be of no use any more
    std::size_t paused_ = 0; ///< links that wait because their peer has too much unexpected

    // The hot arrays: every entry always leads to a channel, by default to the closed one.
    fi_hot_channel closed_channel_{};
    std::unique_ptr<fi_hot_channel*[]> closed_segment_;
    std::unique_ptr<fi_hot_channel**[]> segments_;
    std::vector<std::unique_ptr<fi_hot_channel*[]>> own_segments_;

    // Addresses removed by other threads, waiting to be forgotten by the thread that owns the data path.
    std::mutex removed_lock_;
    std::vector<fi_addr_t> removed_;  ///< each once; has room for as many as by_addr_ has
    std::vector<bool> removal_noted_; ///< by fi_addr_t, as long as by_addr_: it is in removed_
    std::atomic<bool> has_removed_{false};
};

} // namespace fi::kit

#include "kit/engine/acknowledge.hpp"
#include "kit/engine/census.hpp"
#include "kit/engine/deaths.hpp"
#include "kit/engine/fence.hpp"
#include "kit/engine/multi_receive.hpp"
#include "kit/engine/peek.hpp"
#include "kit/engine/peers.hpp"
#include "kit/engine/quick.hpp"
#include "kit/engine/receive.hpp"
#include "kit/engine/send.hpp"
#include "kit/engine/sharing.hpp"
#include "kit/engine/unexpected.hpp"
