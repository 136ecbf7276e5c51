// SPDX-License-Identifier: BSD-2-Clause
// One message back and forth. The next receive but one is posted while a message is under way, so that
// posting is counted only where it is slower than the wire, and no message is ever unexpected.

#include <chrono>

#include "session.hpp"

namespace fi::tools::bench {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::uint32_t kPosted = 2;

class PingPong {
  public:
    PingPong(Session& session, const Job& job)
        : session_(session), channel_(session.channel()), job_(job),
          checker_(session.config().check ? job.total() : 0),
          left_to_send_(session.config().check ? 0 : kPosted)
    {
        for (; posted_ < std::min<std::uint64_t>(kPosted, job_.total()); posted_++)
            channel_.post(static_cast<std::uint32_t>(posted_), session_.incoming(posted_), job_.size);
    }

    void send(std::uint64_t number)
    {
        channel_.finish_sends(left_to_send_); // with checking, the buffer is written anew
        channel_.send(session_.prepare(0, number, job_.size), job_.size);
    }
    [[nodiscard]] Arrival receive()
    {
        const Arrival arrival = channel_.receive();
        session_.verify(checker_, arrival, job_.size);
        return arrival;
    }
    void post_again(Arrival arrival)
    {
        if (posted_ == job_.total())
            return;
        posted_++;
        channel_.post(arrival.index, session_.incoming(arrival.index), job_.size);
    }

  private:
    Session& session_;
    Channel& channel_;
    const Job& job_;
    Checker checker_;
    std::size_t left_to_send_;
    std::uint64_t posted_ = 0;
};

} // namespace

double drive_latency(Session& session, const Job& job)
{
    PingPong play(session, job);
    auto begin = Clock::now();
    play.send(0);
    for (std::uint64_t i = 0; i < job.total(); i++) {
        const Arrival arrival = play.receive();
        if (i + 1 == job.warmup)
            begin = Clock::now();
        if (i + 1 < job.total())
            play.send(i + 1);
        play.post_again(arrival);
    }
    const std::chrono::duration<double> time = Clock::now() - begin;
    session.channel().finish_sends();
    return time.count();
}

void serve_latency(Session& session, const Job& job)
{
    PingPong play(session, job);
    for (std::uint64_t i = 0; i < job.total(); i++) {
        const Arrival arrival = play.receive();
        play.send(i);
        play.post_again(arrival);
    }
    session.channel().finish_sends();
}

} // namespace fi::tools::bench
