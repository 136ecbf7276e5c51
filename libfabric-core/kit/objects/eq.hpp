// SPDX-License-Identifier: BSD-2-Clause
//
// The event queue: results of control operations, one event at a time, in order. Control calls are thread
// safe under every threading model, so it has a lock of its own; nothing here is on a hot path.
#pragma once

#include "kit/objects/parent.hpp"
#include "kit/ops/table.hpp"

#include <deque>
#include <mutex>
#include <vector>

namespace fi::kit {

struct EventQueueHandle {
    fid_eq fid;
};

class EventQueue : public EventQueueHandle, public Child {
  public:
    using Handle = EventQueueHandle;

    /// 0, or the refusal of attributes that cannot be served: -FI_EBADFLAGS, -FI_ENOSYS.
    static int check(const fi_provider& provider, const fi_eq_attr& attr) noexcept;
    /// Throws std::bad_alloc, std::system_error.
    EventQueue(Parent& fabric, const fi_eq_attr& attr, std::uint32_t api_version, void* context);
    ~EventQueue();

    ssize_t eq_read(std::uint32_t* event, void* buf, std::size_t len, std::uint64_t flags) noexcept;
    ssize_t eq_readerr(fi_eq_err_entry* buf, std::uint64_t flags) noexcept;
    ssize_t eq_write(std::uint32_t event, const void* buf, std::size_t len, std::uint64_t flags) noexcept;
    ssize_t eq_sread(std::uint32_t* event, void* buf, std::size_t len, int timeout,
                     std::uint64_t flags) noexcept;
    const char* eq_strerror(int prov_errno, const void* err_data, char* buf, std::size_t len) noexcept;
    int close() noexcept;
    int control(int command, void* arg) noexcept;

    /// Queues an event for the application; 0, -FI_ENOMEM or -FI_EOVERRUN.
    int post(std::uint32_t event, const void* entry, std::size_t len) noexcept;
    int post_error(const fi_eq_err_entry& error) noexcept;
    /// For fi_trywait(): 0 when sleeping cannot miss an event, else -FI_EAGAIN.
    int try_wait() noexcept;

  private:
    struct Event {
        std::uint32_t kind;
        bool is_error;
        fi_eq_err_entry error;
        std::vector<unsigned char> data; ///< the event, or the error's err_data
    };
    int append(Event event) noexcept;
    int no(int error, const char* call, const char* why) const noexcept;
    void pop() noexcept;

    std::mutex lock_;
    std::deque<Event> events_;
    std::vector<unsigned char>
        last_error_data_; ///< what err_data points to until the next readerr, for who brought no memory
    std::size_t capacity_;
    bool overrun_ = false; ///< an event was lost: the last one in the list says so, and stays
    bool writable_;
    fi_wait_obj wait_obj_;
    std::uint32_t api_version_;
    int wait_fd_ = -1; ///< eventfd, readable while events wait
};

} // namespace fi::kit
