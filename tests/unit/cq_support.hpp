// SPDX-License-Identifier: BSD-2-Clause
//
// Completion queues on their own: something to look at that a test steers, and entries that can be told
// apart.
#pragma once

#include "kit/objects/cq.hpp"
#include "test_parent.hpp"

#include <gtest/gtest.h>
#include <rdma/fabric.h>
#include <rdma/fi_errno.h>
#include <rdma/inline/cq.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace fi::kit {

struct QueueOptions {
    std::size_t size = 64;
    fi_cq_format format = FI_CQ_FORMAT_TAGGED;
    fi_wait_obj wait = FI_WAIT_NONE;
    std::uint32_t api = FI_VERSION(2, 6);
};

/// A queue without a domain around it.
template <class Lock>
struct AnyTestQueue {
    explicit AnyTestQueue(const QueueOptions& options = {})
    {
        fi_cq_attr attr{};
        attr.size = options.size;
        attr.format = options.format;
        attr.wait_obj = options.wait;
        EXPECT_EQ(0, CompletionQueueBase::check(test_provider, attr));
        queue = new CompletionQueue<Lock>(lock, siblings, attr, options.api, nullptr);
        cq = &queue->fid;
    }
    ~AnyTestQueue() { EXPECT_EQ(0, fi_close(&cq->fid)); }
    AnyTestQueue(const AnyTestQueue&) = delete;
    AnyTestQueue& operator=(const AnyTestQueue&) = delete;

    Lock lock;
    TestParent siblings;
    CompletionQueue<Lock>* queue;
    fid_cq* cq;
};
using TestQueue = AnyTestQueue<NoLock>;

/// A success whose every member is made of `number`; its tag is the number.
inline fi_hot_completion success(std::uint64_t number)
{
    fi_hot_completion made{};
    made.op_context = reinterpret_cast<void*>(number * 16 + 1);
    made.flags = number * 16 + 2;
    made.len = number * 16 + 3;
    made.buf = reinterpret_cast<void*>(number * 16 + 4);
    made.data = number * 16 + 5;
    made.tag = number;
    made.source = number * 16 + 6;
    return made;
}

inline fi_hot_completion failure(std::uint64_t number, int err)
{
    fi_hot_completion made = success(number);
    made.err = err;
    made.prov_errno = err;
    return made;
}

/// Counts how often it is given back.
struct TestRecord : CompletionRecord {
    TestRecord()
    {
        recycle = [](CompletionRecord* record) noexcept { static_cast<TestRecord*>(record)->recycled++; };
    }
    int recycled = 0;
};

struct FakeSource {
    FakeSource() : fd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
    ~FakeSource() { ::close(fd); }
    FakeSource(const FakeSource&) = delete;
    FakeSource& operator=(const FakeSource&) = delete;

    ProgressSource as_source()
    {
        return {
            .self = this,
            .look =
                [](void* self, bool all) noexcept {
                    auto& source = *static_cast<FakeSource*>(self);
                    source.looks++;
                    source.looks_at_all += all;
                    for (; source.completes > 0; source.completes--)
                        source.queue->push(success(static_cast<std::uint64_t>(source.looks)));
                    return source.busy.load();
                },
            .watch =
                [](void* self, fi_hot_watch* out, std::size_t room) noexcept {
                    auto& source = *static_cast<FakeSource*>(self);
                    for (std::size_t i = 0; i < std::min(room, source.words.size()); i++)
                        out[i] = {&source.words[i], source.words[i]};
                    return source.words.size();
                },
            .arm =
                [](void* self) noexcept {
                    auto& source = *static_cast<FakeSource*>(self);
                    source.arms++;
                    return !source.busy.load();
                },
            .wait_fd = fd,
        };
    }

    int fd;
    std::atomic<int> looks{0};
    int looks_at_all = 0;
    std::vector<std::uint64_t> words; ///< watched
    std::atomic<int> arms{0};
    std::atomic<bool> busy{false};
    std::atomic<int> completes{0}; ///< entries that the next look pushes
    CompletionQueueBase* queue = nullptr;
};

} // namespace fi::kit
