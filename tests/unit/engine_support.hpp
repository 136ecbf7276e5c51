// SPDX-License-Identifier: BSD-2-Clause
//
// Endpoints without an API around them: engine, queue and address vector over the memory port, stepped by
// hand.
#pragma once

#include "kit/engine/engine.hpp"
#include "memory_port.hpp"
#include "test_parent.hpp"

#include <gtest/gtest.h>
#include <rdma/providers/fi_log.h>

namespace fi::kit {

/// One completion as the queue gave it.
struct Done {
    void* context;
    std::uint64_t flags;
    std::size_t len;
    std::uint64_t data;
    std::uint64_t tag;
    int err;
    std::size_t olen;
    fi_addr_t source;
    void* buf;
    std::string error_data;
};

struct NodeOptions {
    std::size_t queue_size = 1024;
    std::size_t operations = 1024;
    bool report_unknown = false;      ///< FI_SOURCE_ERR
    std::vector<Address> other_names; ///< beside 10.0.0.<host>
};

/// One endpoint; knows nobody until know() is called.
class Node {
  public:
    Node(memory::Network& network, int host, const NodeOptions& options = {})
        : queue(lock_, siblings_, queue_attr(options), FI_VERSION(2, 6), nullptr),
          addresses(siblings_, av_attr_, FI_SOCKADDR_IN, nullptr),
          engine_(std::make_unique<Engine<memory::Port>>(
              hot,
              EngineConfig{&test_provider, &queue, &queue, &addresses, options.operations, options.operations,
                           true, options.report_unknown, FI_SOCKADDR_IN},
              port_config(network, host, options)))
    {
        port_ = network.listeners.at(memory::address_of(host));
    }

    /// Inserts an address; gives what the application calls it.
    fi_addr_t know(const Address& address)
    {
        fi_addr_t addr = FI_ADDR_NOTAVAIL;
        EXPECT_EQ(1, addresses.av_insert(address.data(), 1, &addr, 0, nullptr));
        return addr;
    }
    fi_addr_t know(int host) { return know(memory::address_of(host)); }

    ssize_t send(fi_addr_t to, std::string_view bytes, void* context, std::uint64_t tag = 0)
    {
        const iovec iov{const_cast<char*>(bytes.data()), bytes.size()};
        return engine_->send({&iov, 1, to, tag, 0, context, FI_FRAME_TAGGED, false, true});
    }
    /// A send with more flags of its frame (FI_FRAME_DELIVERY, FI_FRAME_MATCH), or behind a fence.
    ssize_t send_flagged(fi_addr_t to, std::string_view bytes, void* context, int flags, bool fence = false,
                         bool inject = false)
    {
        const iovec iov{const_cast<char*>(bytes.data()), bytes.size()};
        return engine_->send({&iov, 1, to, 0, 0, context, static_cast<std::uint8_t>(FI_FRAME_TAGGED | flags),
                              inject, true, fence});
    }
    ssize_t inject(fi_addr_t to, std::string_view bytes, std::uint64_t tag = 0)
    {
        const iovec iov{const_cast<char*>(bytes.data()), bytes.size()};
        return engine_->send({&iov, 1, to, tag, 0, nullptr, FI_FRAME_TAGGED, true, false});
    }
    ssize_t receive(std::string& into, void* context, std::uint64_t tag = 0, fi_addr_t from = FI_ADDR_UNSPEC)
    {
        const iovec iov{into.data(), into.size()};
        return engine_->receive({&iov, 1, from, tag, 0, context, true, true});
    }

    /// Lets the port and the engine do one round, and collects what the queue has.
    void step()
    {
        engine_->look(true);
        collect();
    }
    void collect()
    {
        fi_cq_tagged_entry entry{};
        fi_addr_t source = 0;
        for (;;) {
            const ssize_t ret = queue.cq_readfrom(&entry, 1, &source);
            if (ret == 1) {
                done.push_back({entry.op_context, entry.flags, entry.len, entry.data, entry.tag, 0, 0, source,
                                entry.buf});
                continue;
            }
            if (ret != -FI_EAVAIL)
                return;
            fi_cq_err_entry error{};
            ASSERT_EQ(1, queue.cq_readerr(&error, 0));
            done.push_back({error.op_context, error.flags, error.len, error.data, error.tag, error.err,
                            error.olen, 0, error.buf,
                            std::string(static_cast<const char*>(error.err_data), error.err_data_size)});
        }
    }
    /// How many completions came for this context.
    [[nodiscard]] long count(const void* context) const
    {
        return std::count_if(done.begin(), done.end(),
                             [&](const Done& one) { return one.context == context; });
    }
    /// The only completion for this context; err -1 if there is none or more than one.
    [[nodiscard]] Done only(const void* context) const
    {
        const auto found =
            std::find_if(done.begin(), done.end(), [&](const Done& one) { return one.context == context; });
        return count(context) == 1 ? *found : Done{nullptr, 0, 0, 0, 0, -1, 0, 0, nullptr, {}};
    }
    /// How many entries of this context say nothing but that the buffer has been released.
    [[nodiscard]] std::size_t only_release(const void* context) const
    {
        return static_cast<std::size_t>(std::count_if(done.begin(), done.end(), [&](const Done& one) {
            return one.context == context && one.flags == FI_MULTI_RECV;
        }));
    }

    Engine<memory::Port>& engine() { return *engine_; }
    void close() { engine_.reset(); }
    memory::Network& network() { return *network_; }
    /// The links of the node's port.
    std::vector<memory::Link*> links() { return port_->links(); }

    std::vector<Done> done;

  private:
    static fi_cq_attr queue_attr(const NodeOptions& options)
    {
        fi_cq_attr attr{};
        attr.size = options.queue_size;
        attr.format = FI_CQ_FORMAT_TAGGED;
        return attr;
    }
    memory::Port::Config port_config(memory::Network& network, int host, const NodeOptions& options)
    {
        memory::Port::Config config{&network, {memory::address_of(host)}};
        config.names.insert(config.names.end(), options.other_names.begin(), options.other_names.end());
        network_ = &network;
        return config;
    }

    NoLock lock_;
    TestParent siblings_;
    fi_av_attr av_attr_{};
    memory::Network* network_ = nullptr;
    memory::Port* port_ = nullptr;

  public:
    CompletionQueue<NoLock> queue;
    AddressVector addresses;
    fi_hot_ep hot{};

  private:
    std::unique_ptr<Engine<memory::Port>> engine_;
};

/// Steps all nodes until nothing happens any more between them.
template <class First, class... N>
void settle(First& first, N&... nodes)
{
    for (int quiet = 0; quiet < 3; quiet++) {
        const std::uint64_t before = first.network().happened;
        first.step();
        (nodes.step(), ...);
        if (first.network().happened != before)
            quiet = -1;
    }
}

} // namespace fi::kit
