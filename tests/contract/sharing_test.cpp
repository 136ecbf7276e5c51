// SPDX-License-Identifier: BSD-2-Clause
//
// Receives that several endpoints share: fi_srx_context() (D23, C114, C157).
#include "pair.hpp"

#include <deque>

namespace contract {
namespace {

/// Two endpoints of one domain on one shared receive context, each with a queue of its own, and two senders.
class Sharing : public testing::TestWithParam<bool> {
  protected:
    Sharing() : base_(wish(), false)
    {
        std::size_t size = 0;
        fid_ep* raw = nullptr;
        EXPECT_EQ(fi_srx_context(base_.domain.get(), base_.info->rx_attr, &raw, this), 0);
        shared.reset(raw);
        for (auto& end : ends) {
            fi_cq_attr attr{};
            attr.format = FI_CQ_FORMAT_TAGGED;
            fid_cq* queue = nullptr;
            EXPECT_EQ(fi_cq_open(base_.domain.get(), &attr, &queue, nullptr), 0);
            end.queue.reset(queue);
            EXPECT_EQ(fi_endpoint(base_.domain.get(), base_.info.get(), &raw, nullptr), 0);
            end.ep.reset(raw);
            EXPECT_EQ(fi_ep_bind(raw, &queue->fid, FI_TRANSMIT | FI_RECV), 0);
            EXPECT_EQ(fi_ep_bind(raw, &base_.av->fid, 0), 0);
            EXPECT_EQ(fi_ep_bind(raw, &shared->fid, 0), 0);
            EXPECT_EQ(fi_enable(raw), 0);
            size = 0;
            EXPECT_EQ(fi_getname(&raw->fid, nullptr, &size), -FI_ETOOSMALL);
            end.name.resize(size);
            EXPECT_EQ(fi_getname(&raw->fid, end.name.data(), &size), 0);
        }
        for (int i = 0; i < 2; i++) {
            senders[i] = std::make_unique<Node>();
            to[i] = senders[i]->insert(ends[i].name);
            from[i] = base_.insert(senders[i]->name());
        }
    }
    static Wish wish()
    {
        Wish shares;
        shares.caps |= FI_MULTI_RECV | FI_TAGGED_MULTI_RECV;
        return shares;
    }
    [[nodiscard]] static bool tagged() { return GetParam(); }

    struct End {
        Owned<fid_cq> queue;
        Owned<fid_ep> ep;
        std::vector<char> name;
    };
    ssize_t receive(void* bytes, std::size_t size, void* context, std::uint64_t flags = 0,
                    fi_addr_t source = FI_ADDR_UNSPEC)
    {
        const iovec iov{bytes, size};
        const std::size_t count = bytes ? 1 : 0;
        if (tagged()) {
            const fi_msg_tagged msg{&iov, nullptr, count, source, 0, 0, context, 0};
            return fi_trecvmsg(shared.get(), &msg, flags);
        }
        const fi_msg msg{&iov, nullptr, count, source, context, 0};
        return fi_recvmsg(shared.get(), &msg, flags);
    }
    void send(int which, std::vector<unsigned char> message)
    {
        const auto& bytes = under_way_.emplace_back(std::move(message));
        Node& node = *senders[which];
        EXPECT_EQ(tagged()
                      ? fi_tsend(node.ep.get(), bytes.data(), bytes.size(), nullptr, to[which], 0, nullptr)
                      : fi_send(node.ep.get(), bytes.data(), bytes.size(), nullptr, to[which], nullptr),
                  0);
    }
    void progress()
    {
        for (auto& node : senders)
            if (node)
                Pair::progress(*node);
        for (auto& end : ends)
            if (end.queue)
                fi_cq_read(end.queue.get(), nullptr, 0);
    }
    Completion next(int which)
    {
        Completion done;
        const auto limit = std::chrono::steady_clock::now() + kPatience;
        while (!read_one(ends[which].queue.get(), done)) {
            progress();
            if (std::chrono::steady_clock::now() > limit) {
                ADD_FAILURE() << "no completion at endpoint " << which;
                break;
            }
        }
        return done;
    }
    /// Lets everybody work for a while.
    void idle()
    {
        for (int i = 0; i < 300; i++)
            progress();
    }

  private:
    std::deque<std::vector<unsigned char>> under_way_; // what was sent: it may be read until it has been
    Node base_;                                        // its own endpoint is never enabled
  protected:
    Owned<fid_ep> shared;
    End ends[2];
    std::unique_ptr<Node> senders[2];
    fi_addr_t to[2], from[2];
};
INSTANTIATE_TEST_SUITE_P(Kind, Sharing, testing::Bool(),
                         [](const auto& test) { return test.param ? "Tagged" : "Untagged"; });

TEST_P(Sharing, D23_AReceiveServesAnyEndpointAndEndsOnTheQueueOfTheOneThatGotTheMessage)
{
    for (const std::size_t size : {std::size_t{0}, std::size_t{100}, std::size_t{500'000}}) {
        const auto one = pattern(size, 1), two = pattern(size, 2);
        std::vector<unsigned char> got[2] = {std::vector<unsigned char>(size),
                                             std::vector<unsigned char>(size)};
        // Posted before the first message and after the second.
        ASSERT_EQ(receive(got[0].data(), size, context(1)), 0);
        send(1, one);
        const Completion first = next(1);
        EXPECT_EQ(first.entry.op_context, context(1));
        EXPECT_EQ(first.entry.len, size);
        EXPECT_EQ(first.source, from[1]);
        EXPECT_EQ(got[0], one);
        send(0, two);
        idle();
        ASSERT_EQ(receive(got[1].data(), size, context(2)), 0);
        EXPECT_EQ(next(0).entry.op_context, context(2));
        EXPECT_EQ(got[1], two);
    }
}

TEST_P(Sharing, D66_AReceiveOfOneSourceIsTheSameForAllWhoShareIt)
{
    unsigned char directed = 0, any = 0;
    ASSERT_EQ(receive(&directed, 1, context(1), 0, from[1]), 0);
    ASSERT_EQ(receive(&any, 1, context(2)), 0);
    send(0, {'0'});
    EXPECT_EQ(next(0).entry.op_context, context(2));
    send(1, {'1'});
    EXPECT_EQ(next(1).entry.op_context, context(1));
    EXPECT_EQ(directed, '1');
    EXPECT_EQ(any, '0');
}

TEST_P(Sharing, D68_OneBufferTakesTheMessagesOfAllEndpoints)
{
    std::vector<unsigned char> buffer(10);
    std::size_t least = 6, size = sizeof least;
    ASSERT_EQ(fi_setopt(&shared->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, &least, size), 0);
    least = 0;
    ASSERT_EQ(fi_getopt(&shared->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, &least, &size), 0);
    EXPECT_EQ(least, 6u);
    ASSERT_EQ(receive(buffer.data(), buffer.size(), context(1), FI_MULTI_RECV), 0);
    send(0, {'a', 'b'});
    const Completion first = next(0);
    EXPECT_EQ(first.entry.buf, buffer.data());
    send(1, {'c', 'd', 'e'});
    const Completion second = next(1);
    EXPECT_EQ(second.entry.buf, buffer.data() + 2);
    EXPECT_EQ(second.entry.flags & FI_MULTI_RECV, FI_MULTI_RECV) << "5 bytes are left";
    EXPECT_TRUE(std::equal(buffer.begin(), buffer.begin() + 2, "ab"));
}

TEST_P(Sharing, D85_D90_LookingAndDroppingIsToldWhereTheMessageCame)
{
    fi_context claim{};
    EXPECT_EQ(receive(nullptr, 0, context(1), FI_PEEK), 0);
    EXPECT_EQ(next(0).error.err, FI_ENOMSG);
    send(1, {'x'});
    idle();
    EXPECT_EQ(receive(nullptr, 0, &claim, FI_PEEK | FI_CLAIM), 0);
    EXPECT_EQ(next(1).entry.op_context, &claim);
    unsigned char got = 0;
    EXPECT_EQ(receive(&got, 1, context(7), FI_CLAIM), -FI_EINVAL);
    EXPECT_EQ(receive(&got, 1, &claim, FI_CLAIM), 0);
    EXPECT_EQ(next(1).entry.op_context, &claim);
    EXPECT_EQ(got, 'x');
}

TEST_P(Sharing, D98_ACancelledReceiveIsToldOnce)
{
    unsigned char got = 0;
    ASSERT_EQ(receive(&got, 1, context(5)), 0);
    EXPECT_EQ(fi_cancel(&shared->fid, context(5)), 0);
    const Completion done = next(0);
    EXPECT_EQ(done.error.err, FI_ECANCELED);
    EXPECT_EQ(fi_cancel(&shared->fid, context(5)), -FI_ENOENT);
}

TEST_P(Sharing, AnEndpointThatClosesLeavesTheReceivesToTheOthers)
{
    const auto large = pattern(500'000, 3);
    std::vector<unsigned char> got(large.size());
    unsigned char byte = 0;
    send(0, large); // kept by the one that closes
    idle();
    ends[0].ep.reset();
    ASSERT_EQ(receive(&byte, 1, context(1)), 0);
    send(1, {'y'});
    EXPECT_EQ(next(1).entry.op_context, context(1));
    EXPECT_EQ(byte, 'y');
}

TEST_P(Sharing, C157_ItsEndpointsTakeNoReceivesThemselvesAndKeepItOpen)
{
    unsigned char got = 0;
    EXPECT_EQ(fi_trecv(ends[0].ep.get(), &got, 1, nullptr, FI_ADDR_UNSPEC, 0, 0, nullptr), -FI_EOPNOTSUPP);
    EXPECT_EQ(fi_close(&shared->fid), -FI_EBUSY);
    EXPECT_EQ(fi_ep_bind(ends[0].ep.get(), &shared->fid, 0), -FI_EOPBADSTATE);
    ends[0].ep.reset();
    ends[1].ep.reset();
    EXPECT_EQ(receive(&got, 1, nullptr), 0) << "it waits for the next endpoint";
    EXPECT_EQ(receive(nullptr, 0, nullptr, FI_PEEK), -FI_EOPBADSTATE) << "nobody could tell the answer";
}

TEST(SharedContexts, C114_AnEndpointThatWasToShareIsNotEnabledWithoutAContext)
{
    const Info hints = hints_for({});
    hints->ep_attr->rx_ctx_cnt = FI_SHARED_CONTEXT;
    fi_info* raw = nullptr;
    ASSERT_EQ(fi_getinfo(FI_VERSION(2, 6), nullptr, nullptr, 0, hints.get(), &raw), 0);
    const Info info(raw);
    EXPECT_EQ(info->ep_attr->rx_ctx_cnt, FI_SHARED_CONTEXT);
    EXPECT_GT(info->domain_attr->max_ep_srx_ctx, 0u);
    const Node node({}, false);
    fid_ep* ep = nullptr;
    ASSERT_EQ(fi_endpoint(node.domain.get(), info.get(), &ep, nullptr), 0);
    const Owned<fid_ep> owned(ep);
    EXPECT_EQ(fi_ep_bind(ep, &node.cq->fid, FI_TRANSMIT | FI_RECV), 0);
    EXPECT_EQ(fi_ep_bind(ep, &node.av->fid, 0), 0);
    EXPECT_EQ(fi_enable(ep), -FI_EINVAL);
}

TEST(SharedContexts, TransmitContextsCannotBeShared)
{
    const Node node({}, false);
    fid_stx* stx = nullptr;
    EXPECT_EQ(fi_stx_context(node.domain.get(), node.info->tx_attr, &stx, nullptr), -FI_ENOSYS);
    const Info hints = hints_for({});
    hints->ep_attr->tx_ctx_cnt = FI_SHARED_CONTEXT;
    fi_info* found = nullptr;
    EXPECT_EQ(fi_getinfo(FI_VERSION(2, 6), nullptr, nullptr, 0, hints.get(), &found), -FI_ENODATA);
}

} // namespace
} // namespace contract
