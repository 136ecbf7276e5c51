// SPDX-License-Identifier: BSD-2-Clause
//
// An application whose every move the fuzzer makes: it posts, sends, cancels and reads, and holds the engine
// to its promises - buffers are written inside their bounds only (which the address sanitizer sees), and each
// accepted operation completes at most once.
#pragma once

#include "../unit/test_parent.hpp"
#include "input.hpp"
#include "kit/engine/engine.hpp"

#include <memory>
#include <vector>

namespace fuzz {

using namespace fi::kit;

template <class Port>
class Application {
  public:
    template <class... PortArgs>
    explicit Application(PortArgs&&... port)
        : queue_(lock_, parent_, queue_attr(), FI_VERSION(2, 6), nullptr),
          addresses_(parent_, av_attr_, FI_SOCKADDR_IN, nullptr),
          engine_(std::make_unique<Engine<Port>>(hot_,
                                                 EngineConfig{&test_provider, &queue_, &queue_, &addresses_,
                                                              kOperations, kOperations, true, true,
                                                              FI_SOCKADDR_IN},
                                                 std::forward<PortArgs>(port)...))
    {
    }
    ~Application()
    {
        for (int i = 0; i < 4; i++)
            step();
        engine_.reset();
    }
    Application(const Application&) = delete;
    Application& operator=(const Application&) = delete;

    void know(const Address& address)
    {
        fi_addr_t addr = FI_ADDR_NOTAVAIL;
        require(addresses_.av_insert(address.data(), 1, &addr, 0, nullptr) == 1, "an address is inserted");
        known_.push_back(addr);
    }

    static constexpr int kMoves = 10;
    /// One move, chosen by `move` below kMoves, the rest by the input.
    void act(int move, Input& input)
    {
        switch (move) {
        case 0:
            receive(input, false, 0);
            break;
        case 1:
            receive(input, true, 0);
            break;
        case 2:
            receive(input, true, FI_MULTI_RECV);
            break;
        case 3:
            receive(input, true, input.byte() % 2 ? FI_PEEK : FI_PEEK | FI_CLAIM);
            break;
        case 4:
            receive(input, true, input.byte() % 2 ? FI_CLAIM : FI_CLAIM | FI_DISCARD);
            break;
        case 5:
            send(input, false);
            break;
        case 6:
            send(input, true);
            break;
        case 7:
            if (!operations_.empty())
                engine_->cancel(operations_[input.byte() % operations_.size()].get());
            break;
        case 8:
            if (!known_.empty()) {
                fi_addr_t& addr = known_[input.byte() % known_.size()];
                if (addr != FI_ADDR_NOTAVAIL)
                    addresses_.av_remove(&addr, 1, 0);
                addr = FI_ADDR_NOTAVAIL;
            }
            break;
        default:
            step();
        }
    }
    /// Lets the engine do its work, and reads what has completed.
    void step()
    {
        engine_->look(true);
        fi_cq_tagged_entry entry{};
        fi_addr_t source = 0;
        for (;;) {
            const ssize_t ret = queue_.cq_readfrom(&entry, 1, &source);
            if (ret == 1) {
                completed(entry.op_context, entry.flags, entry.len);
                continue;
            }
            if (ret != -FI_EAVAIL)
                return;
            fi_cq_err_entry error{};
            require(queue_.cq_readerr(&error, 0) == 1, "an error that is announced is there");
            completed(error.op_context, error.flags, error.len);
        }
    }

  private:
    static constexpr std::size_t kOperations = 32;
    struct Operation {
        std::unique_ptr<unsigned char[]> buffer;
        std::size_t size = 0;
        bool open = false;
        bool many = false; ///< more than one completion may come
    };

    static fi_cq_attr queue_attr()
    {
        fi_cq_attr attr{};
        attr.size = 16;
        attr.format = FI_CQ_FORMAT_TAGGED;
        return attr;
    }
    Operation& add(std::size_t size)
    {
        operations_.push_back(std::make_unique<Operation>());
        Operation& operation = *operations_.back();
        operation.buffer = std::make_unique_for_overwrite<unsigned char[]>(size);
        operation.size = size;
        return operation;
    }
    fi_addr_t who(Input& input)
    {
        const std::uint8_t which = input.byte();
        return which % 4 == 0 || known_.empty() ? FI_ADDR_UNSPEC : known_[which % known_.size()];
    }
    void receive(Input& input, bool tagged, std::uint64_t special)
    {
        const std::size_t size = special & (FI_PEEK | FI_DISCARD) ? 0 : input.length();
        Operation& operation = add(size);
        const iovec parts[] = {{operation.buffer.get(), size / 2},
                               {operation.buffer.get() + size / 2, size - size / 2}};
        const std::size_t segments = special ? 1 : 2;
        const iovec whole{operation.buffer.get(), size};
        operation.many = special == FI_MULTI_RECV;
        // A claim is for a message that a peek with that context has found.
        void* context = &operation;
        if ((special & FI_CLAIM) && !(special & FI_PEEK) && peeked_)
            context = peeked_;
        if (special & FI_PEEK)
            peeked_ = &operation;
        const std::uint8_t tag = input.byte();
        const bool was_open = static_cast<Operation*>(context)->open;
        if (was_open)
            return;
        if (engine_->receive({segments == 1 ? &whole : parts, segments, who(input), tag % 4u,
                              tag > 200 ? ~std::uint64_t{0} : 0, context, tagged, true, special, 16}) == 0) {
            static_cast<Operation*>(context)->open = true;
            if (context != &operation)
                static_cast<Operation*>(context)->size =
                    std::max(static_cast<Operation*>(context)->size, size);
        }
    }
    void send(Input& input, bool inject)
    {
        const std::size_t size = inject ? input.length() % (kMaxInject + 2) : input.length();
        Operation& operation = add(size);
        const iovec whole{operation.buffer.get(), size};
        const fi_addr_t to = who(input);
        const std::uint8_t how = input.byte();
        if (engine_->send({&whole, 1, to, how % 4u, 7, inject ? nullptr : &operation,
                           static_cast<std::uint8_t>(how & 4 ? FI_FRAME_TAGGED : 0), inject, !inject,
                           how > 220}) == 0)
            operation.open = !inject;
    }
    void completed(void* context, std::uint64_t flags, std::size_t length)
    {
        if (!context)
            return; // an inject that failed
        auto& operation = *static_cast<Operation*>(context);
        require(operation.open, "an operation completes once");
        if (!operation.many || (flags & FI_MULTI_RECV))
            operation.open = false;
        require((flags & FI_SEND) || length <= operation.size || (flags & FI_RECV) == 0 ||
                    length <= kMaxMessage,
                "no more is received than there is room for");
    }

    NoLock lock_;
    TestParent parent_;
    fi_av_attr av_attr_{};
    CompletionQueue<NoLock> queue_;
    AddressVector addresses_;
    fi_hot_ep hot_{};
    std::vector<std::unique_ptr<Operation>> operations_;
    std::vector<fi_addr_t> known_;
    Operation* peeked_ = nullptr;
    std::unique_ptr<Engine<Port>> engine_;
};

} // namespace fuzz
