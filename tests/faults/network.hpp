// SPDX-License-Identifier: BSD-2-Clause
//
// Hosts and the cables between them, inside one test program.
//
// A host is a network namespace; a thread is "on" the host that its sockets are made in, so one thread plays
// all sides, one call after the other, and what happens between two steps is up to the test. Cables are veth
// pairs. Nothing is left behind: namespaces and all in them end with the program.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace faults {

/// Whether this program can make hosts; else why not. main() finds out, before any thread is started.
bool can_make_hosts(std::string& why);

class Host {
  public:
    /// With loopback up and nothing else. Throws std::system_error.
    Host();
    ~Host();
    Host(const Host&) = delete;
    Host& operator=(const Host&) = delete;

    /// Calls `what` on this host and returns what it returns.
    template <class F>
    decltype(auto) on(F&& what) const
    {
        const Visit visit(*this);
        return what();
    }
    /// Runs `ip` here, once for each line of arguments; a failure fails the test.
    void ip(const std::string& lines) const;
    /// A cable to `other`: interface `name` there and here, with these addresses ("10.1.0.1/24"), both up and
    /// with carrier.
    void connect(Host& other, const std::string& name, const std::string& here,
                 const std::string& there) const;
    /// Waits until an interface has a carrier.
    void wait_for_carrier(const std::string& name) const;
    /// What a command prints, both streams; `*status` is its exit status.
    std::string output(const std::string& command, int* status = nullptr) const;

  private:
    class Visit {
      public:
        explicit Visit(const Host& host);
        ~Visit();
        Visit(const Visit&) = delete;
        Visit& operator=(const Visit&) = delete;

      private:
        int home_;
    };
    int fd_; ///< of the namespace
};

} // namespace faults
