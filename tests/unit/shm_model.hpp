// SPDX-License-Identifier: BSD-2-Clause
//
// A model of one ring of kit/devices/shm and its two bells, small enough to look at every order in which its
// steps can happen.
//
// The writer and the reader are the programs of ring.hpp and of Port::park(), arm(), ring_bell(), one step
// for each access to shared memory. Each has a store buffer as an x86 processor has: what it stores is seen
// by itself at once and by the other one later, in order. That is where wake-ups get lost: who stores "there
// is something" and then looks whether the other one sleeps may look before the store is seen.
// Every state that can be reached is visited once.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace fi::kit::shm::model {

/// What the two programs do, and what can happen to them.
struct Rules {
    bool barrier = false;    ///< who stops looking makes every processor pass a barrier
    bool fences = false;     ///< both sides have a fence between store and look
    bool new_numbers = true; ///< each parking has a number of its own
    bool stamp_last = true;  ///< the stamp of a slot is stored behind its contents
    bool writer_may_die = false;
    std::uint8_t batch = 1; ///< slots that are given back together
};

struct Findings {
    std::size_t states = 0;
    bool lost_wake_up = false; ///< somebody sleeps for ever though there is something for it
    bool torn_frame = false;   ///< the reader took what was not written whole
    bool lost_frame = false;   ///< a dead writer's frame that was whole was not taken
};

class Model {
  public:
    explicit Model(const Rules& rules) : rules_(rules) {}

    /// Looks at everything, or until that has been found.
    Findings explore(bool Findings::*until = nullptr)
    {
        visit(State{});
        while (!open_.empty() && !(until && findings_.*until)) {
            const State state = open_.back();
            open_.pop_back();
            steps_ = 0;
            step_buffer(state, state.writer_buffer, &State::writer_buffer);
            step_buffer(state, state.reader_buffer, &State::reader_buffer);
            if (!state.dead)
                step_writer(state);
            step_reader(state);
            if (rules_.writer_may_die && !state.dead && state.writer != W::Done) {
                State next = state;
                next.dead = true;
                go(next);
            }
            if (steps_ == 0 && state.reader != R::Done)
                findings_.lost_wake_up = true;
        }
        findings_.states = seen_.size();
        return findings_;
    }

  private:
    static constexpr std::uint8_t kSlots = 2;
    static constexpr std::uint8_t kMessages = 4; ///< two laps
    enum Word : std::uint8_t {
        Stamp,
        A = Stamp + kSlots,
        B = A + kSlots,
        Parked = B + kSlots,
        Taken,
        Waits,
        Words
    };
    enum class W : std::uint8_t {
        Check,
        Refresh,
        First,
        Second,
        Third,
        Fence,
        Look,
        Ring,
        Wait,
        Barrier,
        Again,
        Sleep,
        Wake,
        Done
    };
    enum class R : std::uint8_t {
        Poll,
        TakeA,
        TakeB,
        Publish,
        Fence,
        Look,
        Ring,
        Park,
        Barrier,
        Again,
        Sleep,
        Unpark,
        Done
    };
    struct Buffer {
        std::uint8_t count;
        std::uint8_t word[6];
        std::uint8_t value[6];
    };
    /// Bytes only, so that a state is its own key.
    struct State {
        std::uint8_t memory[Words] = {};
        Buffer writer_buffer{};
        Buffer reader_buffer{};
        W writer = W::Check;
        R reader = R::Poll;
        std::uint8_t put = 0;   ///< messages whose stamp has been stored
        std::uint8_t known = 0; ///< of Taken, to the writer
        std::uint8_t seen = 0;  ///< of Parked, to the writer
        std::uint8_t rung = 0;  ///< parking for which the bell has been rung
        std::uint8_t next = 0;  ///< messages taken
        std::uint8_t published = 0;
        std::uint8_t parkings = 0;
        std::uint8_t reader_bell = 0;
        std::uint8_t writer_bell = 0;
        bool to_park = false; ///< after publishing
        bool dead = false;    ///< the writer
        bool ended = false;   ///< and the reader knows it
    };
    static_assert(sizeof(State) == Words + 2 * sizeof(Buffer) + 2 + 9 + 3,
                  "no padding: it would be part of the key");

    static std::uint8_t slot(std::uint8_t message) { return message % kSlots; }
    static std::uint8_t lap(std::uint8_t message) { return static_cast<std::uint8_t>(message / kSlots + 1); }
    static std::uint8_t load(const State& state, const Buffer& own, std::uint8_t word)
    {
        for (std::uint8_t i = own.count; i-- > 0;)
            if (own.word[i] == word)
                return own.value[i];
        return state.memory[word];
    }
    /// False: the buffer is full, and has to become emptier first.
    static bool store(Buffer& own, int word, std::uint8_t value)
    {
        if (own.count == 6)
            return false;
        own.word[own.count] = static_cast<std::uint8_t>(word);
        own.value[own.count++] = value;
        return true;
    }
    static void drain_one(State& state, Buffer& buffer)
    {
        state.memory[buffer.word[0]] = buffer.value[0];
        buffer.count--;
        std::memmove(buffer.word, buffer.word + 1, buffer.count);
        std::memmove(buffer.value, buffer.value + 1, buffer.count);
        buffer.word[buffer.count] = buffer.value[buffer.count] = 0;
    }
    static void drain(State& state, Buffer& buffer)
    {
        while (buffer.count)
            drain_one(state, buffer);
    }

    void visit(const State& state)
    {
        if (seen_.insert(std::string(reinterpret_cast<const char*>(&state), sizeof state)).second)
            open_.push_back(state);
    }
    void go(const State& next)
    {
        steps_++;
        visit(next);
    }
    void step_buffer(const State& state, const Buffer& buffer, Buffer State::*which)
    {
        if (!buffer.count)
            return;
        State next = state;
        drain_one(next, next.*which);
        go(next);
    }

    /// A put is three stores: two halves of the contents, and the stamp.
    bool put_part(State& next, int part) const
    {
        const std::uint8_t at = slot(next.put);
        const int stamp_at = rules_.stamp_last ? 2 : 0;
        if (part == stamp_at)
            return store(next.writer_buffer, Stamp + at, lap(next.put));
        return store(next.writer_buffer, (part == (rules_.stamp_last ? 0 : 1) ? A : B) + at,
                     static_cast<std::uint8_t>(next.put + 1));
    }

    void step_writer(const State& state)
    {
        State next = state;
        Buffer& own = next.writer_buffer;
        switch (state.writer) {
        case W::Check:
            next.writer = state.put == kMessages             ? W::Done
                          : state.put - state.known < kSlots ? W::First
                                                             : W::Refresh;
            break;
        case W::Refresh:
            next.known = load(state, own, Taken);
            next.writer = state.put - next.known < kSlots ? W::First : W::Wait;
            break;
        case W::First:
        case W::Second:
        case W::Third: {
            const int part = static_cast<int>(state.writer) - static_cast<int>(W::First);
            if (!put_part(next, part))
                return;
            next.writer = static_cast<W>(static_cast<int>(state.writer) + 1);
            if (state.writer == W::Third)
                next.put++;
            break;
        }
        case W::Fence:
            if (rules_.fences && own.count)
                return;
            next.writer = W::Look;
            break;
        case W::Look:
            next.seen = load(state, own, Parked);
            next.writer = next.seen && next.seen != state.rung ? W::Ring : W::Check;
            break;
        case W::Ring: // a system call, whose locks empty the buffer
            if (own.count)
                return;
            next.rung = state.seen;
            next.reader_bell = 1;
            next.writer = W::Check;
            break;
        case W::Wait:
            if (!store(own, Waits, 1))
                return;
            next.writer = W::Barrier;
            break;
        case W::Barrier:
            if (own.count)
                return;
            if (rules_.barrier)
                drain(next, next.reader_buffer);
            next.writer = W::Again;
            break;
        case W::Again:
            next.writer = load(state, own, Taken) != state.known ? W::Wake : W::Sleep;
            break;
        case W::Sleep:
            if (!state.writer_bell)
                return;
            next.writer_bell = 0;
            next.writer = W::Wake;
            break;
        case W::Wake:
            if (!store(own, Waits, 0))
                return;
            next.writer = W::Refresh;
            break;
        case W::Done:
            return;
        }
        go(next);
    }

    [[nodiscard]] bool is_ready(const State& state) const
    {
        return load(state, state.reader_buffer, static_cast<std::uint8_t>(Stamp + slot(state.next))) ==
               lap(state.next);
    }
    void check_half(const State& state, int half)
    {
        const auto word = static_cast<std::uint8_t>(half + slot(state.next));
        if (load(state, state.reader_buffer, word) != state.next + 1)
            findings_.torn_frame = true;
    }

    void step_reader(const State& state)
    {
        State next = state;
        Buffer& own = next.reader_buffer;
        switch (state.reader) {
        case R::Poll:
            if (state.next == kMessages) {
                next.reader = R::Done;
            } else if (is_ready(state)) {
                next.reader = R::TakeA;
            } else if (state.ended) {
                findings_.lost_frame = findings_.lost_frame || state.next != state.put;
                next.reader = R::Done;
            } else {
                next.to_park = true;
                next.reader = state.next != state.published ? R::Publish : R::Park;
            }
            break;
        case R::TakeA:
            check_half(state, A);
            next.reader = R::TakeB;
            break;
        case R::TakeB:
            check_half(state, B);
            next.next++;
            next.to_park = false;
            next.reader = next.next - state.published >= rules_.batch ? R::Publish : R::Poll;
            break;
        case R::Publish:
            if (!store(own, Taken, state.next))
                return;
            next.published = state.next;
            next.reader = R::Fence;
            break;
        case R::Fence:
            if (rules_.fences && own.count)
                return;
            next.reader = R::Look;
            break;
        case R::Look:
            next.reader = load(state, own, Waits) ? R::Ring : state.to_park ? R::Park : R::Poll;
            break;
        case R::Ring:
            if (own.count)
                return;
            next.writer_bell = 1;
            next.reader = state.to_park ? R::Park : R::Poll;
            break;
        case R::Park:
            if (!store(own, Parked, rules_.new_numbers ? static_cast<std::uint8_t>(state.parkings + 1) : 1))
                return;
            next.parkings++;
            next.to_park = false;
            next.reader = R::Barrier;
            break;
        case R::Barrier:
            if (own.count)
                return;
            if (rules_.barrier)
                drain(next, next.writer_buffer);
            next.reader = R::Again;
            break;
        case R::Again:
            next.reader = is_ready(state) ? R::Unpark : R::Sleep;
            break;
        case R::Sleep: // until the bell, or the end of the socket, which is after all that the dead one
                       // stored
            if (!state.reader_bell && !(state.dead && !state.writer_buffer.count))
                return;
            next.ended = !state.reader_bell;
            next.reader_bell = 0;
            next.reader = R::Unpark;
            break;
        case R::Unpark:
            if (!store(own, Parked, 0))
                return;
            next.reader = R::Poll;
            break;
        case R::Done:
            return;
        }
        go(next);
    }

    Rules rules_;
    Findings findings_;
    std::unordered_set<std::string> seen_;
    std::vector<State> open_;
    int steps_ = 0;
};

} // namespace fi::kit::shm::model
