// SPDX-License-Identifier: BSD-2-Clause
// The side that plans a run and keeps its time.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "crew.hpp"
#include "options.hpp"
#include "outcome.hpp"
#include "session.hpp"

namespace fi::tools::bench {

class Driver {
  public:
    // told hears what is being measured, for a terminal. All must outlive this. Throws Failure.
    Driver(const Options& options, Crew& crew, std::function<void(const std::string&)> told);

    // Every figure that the options ask for; then closes everything here and there. Throws Failure.
    [[nodiscard]] Outcome run();

  private:
    // Something that can be timed: seconds for job.count operations after job.warmup of them.
    struct Gauge {
        std::function<double(const Job&)> run;
        double messages = 1; // one after the other in one operation: two of a ping-pong
        Job job{};
    };
    struct LimitGauge {
        Beside beside;
        Gauge gauge;
    };

    void connect();
    void introduce(Control& first, const std::string& first_name, Control& second,
                   const std::string& second_name);
    void greet_here(Control& first, const std::string& first_name);
    void connect_tcp();
    void measure_endpoint();

    [[nodiscard]] Gauge together(const char* what, std::uint64_t size, std::function<double(const Job&)> here,
                                 double messages);
    [[nodiscard]] std::vector<LimitGauge> limits(Workload workload, std::uint64_t size);
    [[nodiscard]] LimitGauge limit_of(Limit limit, Workload as, std::uint64_t size);
    void calibrate(Gauge& gauge) const;
    [[nodiscard]] Figure measure(Workload workload, std::uint64_t size);

    const Options& options_;
    Crew& crew_;
    std::function<void(const std::string&)> told_;
    std::function<void()> progress_;
    Library library_;
    Session session_;
    std::deque<Endpoint> extra_; // kept: memory that they gave back would be taken for the peers
    Patience patience_;
    std::optional<RawTcp> tcp_;
    std::string tcp_missing_;
    Resident resident_;
    pid_t memory_pid_ = 0;
    std::uint64_t memory_address_ = 0;
};

} // namespace fi::tools::bench
