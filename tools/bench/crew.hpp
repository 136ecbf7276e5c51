// SPDX-License-Identifier: BSD-2-Clause
// The processes of a run: the partner, forked here or reached on a server, and the idle peers, forked here.
// They are forked before any library is opened, and none outlives the driver.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>

#include <sys/types.h>

#include "control.hpp"
#include "options.hpp"
#include "raw.hpp"

namespace fi::tools::bench {

struct Member {
    pid_t pid = -1; // -1: not ours
    Control control;
};

class Crew {
  public:
    // partner_cpu: where a forked partner goes. Throws Failure.
    Crew(const Options& options, std::optional<int> partner_cpu);
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;
    // Ends what still runs: by closing its control connection, and by a signal if that is not enough.
    ~Crew();

    [[nodiscard]] Control& partner() { return members_.front().control; }
    [[nodiscard]] bool partner_is_here() const { return members_.front().pid > 0; }
    [[nodiscard]] std::size_t idlers() const { return members_.size() - 1; }
    [[nodiscard]] Control& idler(std::size_t k) { return members_[k + 1].control; }
    [[nodiscard]] Line* line() const { return line_.get(); } // nullptr without a forked partner

    // Throws Failure when one has ended or failed.
    void look();
    // Ends all in good order; progress is called while they close.
    void finish(const std::function<void()>& progress);
    // How processes have ended, for a message about a failure: "the partner was killed by signal 9"; else
    // empty.
    [[nodiscard]] std::string obituary();

  private:
    void enlist(const Options& options, const std::string& who, std::optional<int> cpu);

    struct Unmap {
        void operator()(Line* line) const;
    };
    std::unique_ptr<Line, Unmap> line_;
    std::deque<Member> members_; // the partner first
};

// Connects to a server. Throws Failure.
[[nodiscard]] Control connect_to_server(const Options& options);

// Serves clients, one after the other, each in a process of its own. Returns the exit status.
[[nodiscard]] int run_server(const Options& options, std::optional<int> cpu);

} // namespace fi::tools::bench
