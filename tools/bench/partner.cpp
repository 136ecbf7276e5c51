// SPDX-License-Identifier: BSD-2-Clause
// A request is {"do": what, ...}. A measurement is answered twice: when this side is ready, and when it has
// done its half. Requests may come over a network: whatever they hold is checked, and the library to open is
// never among it.

#include "partner.hpp"

#include <memory>

#include <unistd.h>

#include "failure.hpp"
#include "job_json.hpp"
#include "pin.hpp"
#include "session.hpp"
#include "watchdog.hpp"

namespace fi::tools::bench {
namespace {

class Partner {
  public:
    Partner(Control& control, const Place& place) : control_(control), place_(place), patience_(control) {}

    void run()
    {
        for (;;) {
            const Json request = control_.receive("request", progress());
            const std::string what = request.at("do");
            if (what == "end")
                break;
            obey(what, request);
        }
        session_.reset();
        control_.send(Json::object());
    }

  private:
    std::function<void()> progress()
    {
        if (!session_)
            return {};
        return [this] { session_->endpoint().progress(); };
    }

    Session& session()
    {
        if (!session_)
            fail("a request came before the one to open the endpoint");
        return *session_;
    }

    void obey(const std::string& what, const Json& request)
    {
        if (what == "open") {
            Config config = request.at("config");
            check_bounds(config);
            if (!place_.address.empty())
                config.address = place_.address;
            library_ = std::make_unique<Library>(place_.library);
            session_.emplace(*library_, control_, config);
            control_.send({{"name", session_->endpoint().name()},
                           {"provider", session_->endpoint().info().fabric_attr->prov_name}});
        } else if (what == "greet") {
            control_.send(Json::object());
            session().greet(request.at("name"), request.at("first"));
            control_.send(Json::object());
        } else if (what == "memory")
            control_.send({{"pid", getpid()},
                           {"address", reinterpret_cast<std::uintptr_t>(session().outgoing(0).data)}});
        else if (what == "tcp")
            connect_tcp();
        else
            measure(what, request.at("job"));
    }

    // A refusal is an answer, not the end: the run goes on without this limit.
    void connect_tcp()
    {
        try {
            const RawTcp::Listener listener(control_);
            control_.send({{"port", listener.port()}});
            tcp_.emplace(listener.accept(control_.patience()));
            control_.send(Json::object());
        } catch (const Failure& failure) {
            control_.send({{"missing", failure.what()}});
        }
    }

    void measure(const std::string& what, const Job& job)
    {
        check_bounds(job, session().config());
        control_.send(Json::object());
        if (what == "latency")
            serve_latency(session(), job);
        else if (what == "stream")
            serve_stream(session(), job);
        else if (what == "line" && place_.line)
            serve_line(*place_.line, job, patience_);
        else if (what == "tcp-latency" && tcp_)
            tcp_->serve_latency(job, patience_);
        else if (what == "tcp-stream" && tcp_)
            tcp_->serve_stream(job, patience_);
        else
            fail("'{}' cannot be done here", what);
        control_.send(Json::object());
    }

    Control& control_;
    const Place& place_;
    Patience patience_;
    std::unique_ptr<Library> library_;
    std::optional<Session> session_;
    std::optional<RawTcp> tcp_;
};

} // namespace

int serve(Control& control, const Place& place)
{
    std::string failed;
    try {
        watchdog::start(2 * control.patience());
        if (place.cpu)
            pin(*place.cpu);
        Partner(control, place).run();
        return EXIT_SUCCESS;
    } catch (const std::exception& error) {
        failed = error.what();
    }
    try {
        control.send({{"error", failed}});
    } catch (const std::exception&) {
        // The driver has gone: nobody is left to tell.
    }
    return EXIT_FAILURE;
}

} // namespace fi::tools::bench
