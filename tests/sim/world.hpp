// SPDX-License-Identifier: BSD-2-Clause
//
// One random schedule: a handful of endpoints over the memory device, everything that the device's contract
// allows happening by chance, and a watch over each step that knows what has to come of it.
//
// A seed decides all of it. World is the Network of the memory ports, so it answers what may happen and hears
// what has happened; from that it keeps, for each endpoint, the order in which sends have to leave and a
// Reference of what has to match what. What an endpoint reports is held against these as it is read.
//
// Two endpoints may come to use one name at the same time: one is restarted before the end of its former life
// has been noticed, or somebody uses another one's name. Which of them a receive from that name means depends
// on what the endpoint knew when. Where that has happened only the contents are checked, not the order.
#pragma once

#include "kit/engine/engine.hpp"
#include "memory_port.hpp"
#include "random.hpp"
#include "reference.hpp"
#include "test_parent.hpp"

#include <cstdarg>
#include <cstdio>
#include <deque>
#include <optional>
#include <set>

namespace fi::kit::sim {

/// How wild the schedule is: percentages, drawn from the seed.
struct Style {
    unsigned take, no_room, absent, slow_accept, gives_up, refuses, fetch, fetch_half, hot, spurious, whole;
    unsigned deaths, removals, closes, shortages, specials;
    std::size_t step;             ///< bytes that arrive at once, at most
    std::size_t unexpected_limit; ///< bytes
    std::size_t queue_size;       ///< entries
};

struct Options {
    std::uint64_t seed = 0;
    int steps = -1;     ///< stops doing new things after as many; -1: never
    bool trace = false; ///< says what happens
};

class World;

/// One endpoint and what has to come of it. A host is the sequence of its endpoints.
struct Node {
    Node(World& world, int host, std::uint32_t number, const std::vector<Address>& names);

    World& world;
    int host;
    std::uint32_t number;
    std::uint64_t identity = 0;
    NoLock lock;
    TestParent parent;
    fi_av_attr av_attr{};
    CompletionQueue<NoLock> queue;
    AddressVector addresses;
    fi_hot_ep hot{};
    memory::Port* port = nullptr;
    std::unique_ptr<Engine<memory::Port>> engine;

    fi_addr_t known[Reference::kNames];       ///< FI_ADDR_NOTAVAIL: not in the vector
    const Peer* main[Reference::kNames] = {}; ///< to whom sends to that name go; compared, never looked into
    std::deque<Send*> waiting[Reference::kNames]; ///< accepted and not yet with the port, in order
    std::uint64_t died_at[64] = {};               ///< when a link that was up to that endpoint died last
    std::uint64_t unreachable_at[Reference::kNames] = {};
    std::uint64_t joined_at = 0; ///< when two names were last found to be one endpoint's
    Reference reference;
    bool lenient = false;             ///< names have been contested: see above
    std::vector<const Send*> arrived; ///< while lenient
};

class World final : public memory::Network {
  public:
    World(const Options& options, Arena& arena);
    ~World() override;

    /// Empty: everything was as it has to be. Else what was not.
    const std::string& run();

    // memory::Network
    int refuses(const Address&) override;
    void made(memory::Link& link) override;
    Posted answer(const memory::Link& link) override;
    std::size_t hot_room(const memory::Link& link) override;
    bool looks_at(const memory::Link& link) override;
    bool accepts() override;
    bool comes_up(const memory::Link& link) override;
    bool gives_up(const memory::Link& link) override;
    bool carries(const memory::Link& link) override;
    std::size_t arriving(const memory::Link& link) override;
    bool says_writable(const memory::Link& link) override;
    memory::Fetch fetching(const memory::Link& link) override;
    bool hands_over(const memory::Link& link) override;
    std::uint64_t carried(const memory::Link& link, const fi_frame& frame) override;
    void arrived(const memory::Link& link, const memory::Frame& frame) override;
    void placed(const memory::Link& link, const memory::Frame& frame) override;
    void connected(const memory::Link& link) override;
    void dialling(const memory::Link& link) override;
    void unreachable(const Address& address) override;
    void dying(const memory::Link& link) override;
    void linking(bool begins) override;

  private:
    friend struct Node;

    // world.cpp: beginning, steps, end
    void choose_style();
    void open(int host);
    void step_something();
    void look(Node& node);
    void close(int host);
    void crash(int host);
    void break_something();
    void learn(Node& node, int name);
    void forget(Node& node, int name);
    // ending.cpp
    void settle();
    void finish();
    void check_left(Node& node);
    void list_links();
    void cancel_posted(Node& node);
    // sends.cpp
    void send(Node& node, int to);
    void sent(Node& node, Send& send, int error, std::uint64_t flags);
    bool reached(const Send& send);
    void acknowledges(const memory::Link& link, const fi_frame& frame);
    void check_ends();
    // traffic.cpp: receives, and the entries of all operations
    bool receive(Node& node, int from);
    bool receive_anything(Node& node, bool tagged);
    bool post(Node& node, Receive& receive);
    void cancel(Node& node);
    void collect(Node& node, std::size_t most);
    void received(Node& node, Receive& receive, const fi_cq_err_entry& entry, fi_addr_t source);
    void check_source(Node& node, const Receive& receive, fi_addr_t source);
    const char* differs(const Receive& receive, const fi_cq_err_entry& entry, const Send& send) const;
    void buffer(Operation& operation, std::size_t size);
    void spoil(const Operation& operation);
    bool intact(const Operation& operation) const;

    Node* node_of(const memory::Port* port);
    Node* numbered(std::uint32_t number); ///< nullptr: it is gone
    Node& any_node();
    int any_name() { return static_cast<int>(random_.below(name_count_)); }
    [[nodiscard]] int name_of(const Address& address) const;

    void note(const char* format, ...) __attribute__((format(printf, 2, 3)));
    void fail(const char* format, ...) __attribute__((format(printf, 2, 3)));

    Options options_;
    Random random_;
    Arena& arena_;
    Style style_{};
    bool calm_ = false; ///< nothing goes wrong and nothing is late any more
    std::uint64_t time_ = 1;
    std::string failure_;

    std::size_t name_count_ = 0;
    bool impostor_ = false;                   ///< somebody goes by another one's name
    std::vector<std::vector<Address>> names_; ///< of each host
    std::vector<Address> all_names_;
    std::vector<std::unique_ptr<Node>> hosts_;
    std::vector<bool> gone_; ///< by number of the endpoint
    std::deque<Send> sends_;
    std::deque<Receive> receives_;
    std::set<const memory::Link*> fresh_; ///< that have come up in this look
    std::set<const Peer*> dying_;         ///< who has lost a link that was up, in this look
    Node* calling_ = nullptr;             ///< whose engine is running
    const Receive* posting_ = nullptr;    ///< while it does: a receive that the model has yet to hear of
};

} // namespace fi::kit::sim
