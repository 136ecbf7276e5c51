// SPDX-License-Identifier: BSD-2-Clause
//
// World: how a schedule begins, goes on and ends.
#include "world.hpp"

#include "shortage.hpp"

namespace fi::kit::sim {
namespace {

fi_cq_attr queue_attr(std::size_t size)
{
    fi_cq_attr attr{};
    attr.size = size;
    attr.format = FI_CQ_FORMAT_TAGGED;
    return attr;
}

constexpr std::size_t kOperations = 64; ///< records of an endpoint, each way

} // namespace

Node::Node(World& its_world, int its_host, std::uint32_t its_number, const std::vector<Address>& names)
    : world(its_world), host(its_host), number(its_number),
      queue(lock, parent, queue_attr(world.style_.queue_size), FI_VERSION(2, 6), nullptr),
      addresses(parent, av_attr, FI_SOCKADDR_IN, nullptr)
{
    std::fill_n(known, Reference::kNames, FI_ADDR_NOTAVAIL);
    const EngineConfig config{
        .provider = &test_provider,
        .transmit_queue = &queue,
        .receive_queue = &queue,
        .addresses = &addresses,
        .transmit_size = kOperations,
        .receive_size = kOperations,
        .report_source = true,
        .report_unknown = false,
        .addr_format = FI_SOCKADDR_IN,
        .unexpected_limit = world.style_.unexpected_limit,
    };
    engine = std::make_unique<Engine<memory::Port>>(hot, config, memory::Port::Config{&world, names});
    identity = world.endpoints;
    port = world.listeners.at(names.front());
}

World::World(const Options& options, Arena& arena) : options_(options), random_(options.seed), arena_(arena)
{
    arena_.reset();
}

World::~World()
{
    shortage_in = throwing_shortage_in = 0;
    for (auto& host : hosts_)
        if (host)
            host->port->crash([](const memory::Link&) { return 0u; });
}

void World::choose_style()
{
    const auto sometimes = [&](unsigned percent, unsigned most) {
        return random_.chance(percent) ? static_cast<unsigned>(random_.below(most + 1)) : 0;
    };
    style_ = {
        .take = sometimes(70, 100),
        .no_room = sometimes(70, 80),
        .absent = sometimes(50, 60),
        .slow_accept = sometimes(50, 80),
        .gives_up = sometimes(20, 30),
        .refuses = sometimes(10, 20),
        .fetch = sometimes(70, 100),
        .fetch_half = sometimes(40, 100),
        .hot = sometimes(50, 100),
        .spurious = sometimes(50, 60),
        .whole = sometimes(70, 100),
        .deaths = sometimes(50, 5),
        .removals = sometimes(50, 10),
        .closes = sometimes(30, 3),
        .shortages = sometimes(15, 20),
        .specials = sometimes(50, 50),
        .step = random_.any({3, 40, 700, 10'000}),
        .unexpected_limit = random_.any({1500, 6000, kUnexpectedLimit}),
        .queue_size = random_.any({2, 16, 256}),
    };
}

const std::string& World::run()
{
    choose_style();
    const int hosts = 3 + static_cast<int>(random_.below(3));
    impostor_ = random_.chance(5);
    for (int host = 0; host < hosts; host++) {
        names_.emplace_back();
        for (std::size_t i = 0; i <= random_.below(2); i++)
            names_.back().push_back(memory::address_of(host + 1, static_cast<std::uint16_t>(i + 1)));
        all_names_.insert(all_names_.end(), names_.back().begin(), names_.back().end());
    }
    name_count_ = all_names_.size();
    if (impostor_)
        names_[0].push_back(names_[1][0]);
    hosts_.resize(static_cast<std::size_t>(hosts));
    for (int host = 0; host < hosts; host++)
        open(host);
    for (auto& node : hosts_)
        for (std::size_t name = 0; name < name_count_; name++)
            if (random_.chance(80))
                learn(*node, static_cast<int>(name));
    const int steps = 20 + static_cast<int>(random_.below(random_.chance(20) ? 600 : 200));
    for (int i = 0; i < steps && failure_.empty() && i != options_.steps; i++)
        step_something();
    if (failure_.empty())
        finish();
    return failure_;
}

void World::open(int host)
{
    const auto number = static_cast<std::uint32_t>(gone_.size());
    gone_.push_back(false);
    auto& node = hosts_[static_cast<std::size_t>(host)];
    node = std::make_unique<Node>(*this, host, number, names_[static_cast<std::size_t>(host)]);
    node->lenient = impostor_;
    note("%u: opened at host %d, endpoint %llu", number, host,
         static_cast<unsigned long long>(node->identity));
}

void World::step_something()
{
    Node& node = any_node();
    const std::size_t what = random_.below(100);
    if (what < 26)
        send(node, any_name());
    else if (what < 50)
        receive(node, random_.chance(25) ? any_name() : kAnybody);
    else if (what < 78)
        look(node);
    else if (what < 90)
        collect(node, 1 + random_.below(8));
    else if (what < 94)
        cancel(node);
    else if (random_.chance(style_.removals * 5)) {
        const int name = any_name();
        if (node.known[name] == FI_ADDR_NOTAVAIL)
            learn(node, name);
        else
            forget(node, name);
    }
    if (random_.chance(style_.deaths))
        break_something();
    if (random_.chance(style_.closes)) {
        const int host = static_cast<int>(random_.below(hosts_.size()));
        if (!hosts_[static_cast<std::size_t>(host)])
            open(host);
        else if (random_.chance(50))
            close(host);
        else
            crash(host);
        bool anybody = false;
        for (auto& one : hosts_)
            anybody = anybody || one;
        if (!anybody)
            open(host);
    }
}

void World::look(Node& node)
{
    calling_ = &node;
    shortage_in =
        !calm_ && random_.chance(style_.shortages) ? 1 + static_cast<unsigned>(random_.below(4)) : 0;
    dying_.clear();
    fresh_.clear();
    node.engine->look(random_.chance(50));
    shortage_in = 0;
    calling_ = nullptr;
}

void World::break_something()
{
    Node& node = any_node();
    const auto links = node.port->links();
    if (links.empty())
        return;
    memory::Link& link = *links[random_.below(links.size())];
    if (link.error || link.ended)
        return;
    note("%u: link %p breaks", node.number, static_cast<const void*>(&link));
    switch (random_.below(4)) {
    case 0:
        memory::Port::cut(link);
        break;
    case 1:
        memory::Port::break_off(link, random_.below(4));
        break;
    case 2: // by the far end, which is found out when writing
        if (link.up && link.other && !link.other->ended)
            memory::Port::break_off(*link.other, random_.below(4));
        node.port->stop_sending(link, EPIPE);
        break;
    default:
        node.port->fail(link, EPIPE);
    }
}

void World::learn(Node& node, int name)
{
    const Address& address = all_names_[static_cast<std::size_t>(name)];
    if (node.addresses.av_insert(address.data(), 1, &node.known[name], 0, nullptr) != 1)
        fail("%u: name %d cannot be inserted", node.number, name);
    note("%u: knows name %d as %llu", node.number, name, static_cast<unsigned long long>(node.known[name]));
}

void World::forget(Node& node, int name)
{
    note("%u: forgets name %d", node.number, name);
    if (node.addresses.av_remove(&node.known[name], 1, 0))
        fail("%u: name %d cannot be removed", node.number, name);
    node.known[name] = FI_ADDR_NOTAVAIL;
}

/// In good order: what it has sent arrives; its own operations are over, with or without an entry.
void World::close(int host)
{
    auto& node = hosts_[static_cast<std::size_t>(host)];
    note("%u: closes", node->number);
    calling_ = node.get();
    node->engine.reset();
    calling_ = nullptr;
    collect(*node, SIZE_MAX);
    gone_[node->number] = true;
    for (const Send& send : sends_)
        if (send.owner == node->number)
            spoil(send);
    for (const Receive& receive : receives_)
        if (receive.owner == node->number)
            spoil(receive);
    node.reset();
}

void World::crash(int host)
{
    auto& node = hosts_[static_cast<std::size_t>(host)];
    note("%u: crashes", node->number);
    node->port->crash([&](const memory::Link&) { return random_.below(6); });
    close(host);
}

Node* World::node_of(const memory::Port* port)
{
    for (auto& node : hosts_)
        if (node && node->port == port)
            return node.get();
    return nullptr;
}

Node* World::numbered(std::uint32_t number)
{
    for (auto& node : hosts_)
        if (node && node->number == number)
            return node.get();
    return nullptr;
}

Node& World::any_node()
{
    for (;;)
        if (auto& node = hosts_[random_.below(hosts_.size())])
            return *node;
}

int World::name_of(const Address& address) const
{
    return static_cast<int>(std::find(all_names_.begin(), all_names_.end(), address) - all_names_.begin());
}

void World::note(const char* format, ...)
{
    if (!options_.trace)
        return;
    va_list args;
    va_start(args, format);
    std::vprintf(format, args);
    va_end(args);
    std::putchar('\n');
}

/// The first thing that goes wrong is what is told: the rest may follow from it.
void World::fail(const char* format, ...)
{
    if (!failure_.empty())
        return;
    char text[300];
    va_list args;
    va_start(args, format);
    std::vsnprintf(text, sizeof text, format, args);
    va_end(args);
    failure_ = text;
    note("FAILED %s", text);
}

} // namespace fi::kit::sim
