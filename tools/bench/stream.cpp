// SPDX-License-Identifier: BSD-2-Clause
// Messages one way, as fast as they go. At most a window of them is not acknowledged, and the receiver has
// posted a window of receives: so none is unexpected and memory is bounded whatever the library's own flow
// control does. An acknowledgement is a message of 8 bytes after each half window.

#include <chrono>
#include <cstring>

#include "session.hpp"
#include "stream.hpp"

namespace fi::tools::bench {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::uint64_t kNoteBytes = 8;
constexpr std::uint64_t kNotesPosted =
    4; // acknowledgements under way: two, and one for the end of the warm-up

class Sender {
  public:
    Sender(Session& session, const Job& job)
        : session_(session), channel_(session.channel()), job_(job), plan_(job, session.config().window),
          notes_(plan_.count())
    {
        for (; posted_ < std::min(kNotesPosted, notes_); posted_++)
            channel_.post(static_cast<std::uint32_t>(posted_), session_.note(posted_), kNoteBytes);
    }

    // Until so many messages of the run have been sent and acknowledged.
    void run_to(std::uint64_t target)
    {
        while (acknowledged_ < target) {
            while (sent_ < target && sent_ - acknowledged_ < session_.config().window)
                send();
            take_note();
        }
    }

  private:
    void send()
    {
        const std::uint64_t k = sent_ % session_.config().window;
        if (session_.config().check && k == 0)
            channel_.finish_sends(); // the buffers are written anew
        channel_.send(session_.prepare(k, sent_, job_.size), job_.size);
        sent_++;
    }
    void take_note()
    {
        const Arrival arrival = channel_.receive();
        std::uint64_t count = 0;
        std::memcpy(&count, session_.note(arrival.index).data, sizeof count);
        if (count <= acknowledged_ || count > sent_)
            fail("the receiver acknowledged {} of {} messages after {}", count, sent_, acknowledged_);
        acknowledged_ = count;
        if (posted_ < notes_) {
            posted_++;
            channel_.post(arrival.index, session_.note(arrival.index), kNoteBytes);
        }
    }

    Session& session_;
    Channel& channel_;
    const Job& job_;
    const AckPlan plan_;
    const std::uint64_t notes_;
    std::uint64_t posted_ = 0;
    std::uint64_t sent_ = 0;
    std::uint64_t acknowledged_ = 0;
};

} // namespace

double drive_stream(Session& session, const Job& job)
{
    Sender sender(session, job);
    sender.run_to(job.warmup);
    const auto begin = Clock::now();
    sender.run_to(job.total());
    const std::chrono::duration<double> time = Clock::now() - begin;
    session.channel().finish_sends();
    return time.count();
}

void serve_stream(Session& session, const Job& job)
{
    Channel& channel = session.channel();
    const AckPlan plan(job, session.config().window);
    Checker checker(session.config().check ? job.total() : 0);
    std::uint64_t posted = 0;
    for (; posted < std::min(session.config().window, job.total()); posted++)
        channel.post(static_cast<std::uint32_t>(posted), session.incoming(posted), job.size);
    std::uint64_t due = plan.after(0);
    for (std::uint64_t got = 1; got <= job.total(); got++) {
        const Arrival arrival = channel.receive();
        session.verify(checker, arrival, job.size);
        if (posted < job.total()) {
            posted++;
            channel.post(arrival.index, session.incoming(arrival.index), job.size);
        }
        if (got == due) {
            channel.finish_sends(); // the note is written anew
            std::memcpy(session.note(0).data, &got, sizeof got);
            channel.send(session.note(0), kNoteBytes);
            due = plan.after(got);
        }
    }
    channel.finish_sends();
}

} // namespace fi::tools::bench
