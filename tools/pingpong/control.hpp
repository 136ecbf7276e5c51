// SPDX-License-Identifier: BSD-2-Clause
// The TCP connection beside the fabric under test: it carries endpoint addresses, keeps the two sides in
// step, and tells when the other process is gone. The bytes are those of upstream's fi_pingpong, of any
// version.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "options.hpp"

namespace fi::tools::pingpong {

class Socket {
  public:
    Socket() = default;
    explicit Socket(int fd) : fd_(fd) {}
    Socket(Socket&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
    Socket& operator=(Socket&& other) noexcept;
    ~Socket();
    [[nodiscard]] int fd() const { return fd_; }

  private:
    int fd_ = -1;
};

// The address of an endpoint as it travels.
struct Name {
    std::uint32_t format = 0; // FI_SOCKADDR_IN ...
    std::vector<std::byte> bytes;
};

// Every call waits at most the options' patience and throws Failure, with its message printed, when the other
// side closes, breaks the protocol or stays silent. Used by one thread.
class Control {
  public:
    // Client: connects; -FI_ECONNREFUSED and the like are the Failure's code. Server: waits for a client,
    // without limit, since only the user knows when one will come.
    static Control open(const Options& options);

    Control(Role role, Socket socket, std::chrono::seconds patience)
        : role_(role), socket_(std::move(socket)), patience_(patience)
    {
    }

    void send_name(const Name& name);
    [[nodiscard]] Name receive_name();

    // Returns on neither side before it was called on both.
    void sync();

    // The messages that came back to the client, on both sides; the server's argument does not matter.
    [[nodiscard]] std::uint64_t exchange_count(std::uint64_t acked);

    // True once the other side has closed or lost the connection; never waits.
    [[nodiscard]] bool peer_gone() const;

    [[nodiscard]] Role role() const { return role_; }
    [[nodiscard]] std::chrono::seconds patience() const { return patience_; }

  private:
    void send(std::span<const std::byte> bytes);
    void receive(std::span<std::byte> bytes, const char* what);
    void expect(std::span<const char> message, const char* what);

    Role role_;
    Socket socket_;
    std::chrono::seconds patience_;
};

} // namespace fi::tools::pingpong
