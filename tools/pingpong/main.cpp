// SPDX-License-Identifier: BSD-2-Clause
// fi_pingpong: the shortest proof that two processes can talk through a provider, and a first figure of how
// fast. The same program is server and client; it speaks to upstream's tool in either role.

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <utility>

#include <rdma/fi_errno.h>

#include "control.hpp"
#include "endpoint.hpp"
#include "messages.hpp"
#include "options.hpp"
#include "report.hpp"
#include "transfer.hpp"

namespace {

using namespace fi::tools::pingpong;

void run(const Options& options)
{
    if (options.sizes == Sizes::One && options.size < 0)
        fail_because("-S wants a number of bytes or 'all'", -FI_EINVAL);
    Control control = Control::open(options);
    Endpoint endpoint = open_endpoint(options, control);
    Transfer transfer(endpoint, control, options);
    bool headed = false;
    for (const std::size_t size : endpoint.sizes) {
        const Row row = transfer.run(size);
        if (row.sent == 0)
            continue;
        if (!std::exchange(headed, true))
            std::fputs(header_text().c_str(), stdout);
        std::fputs(row_text(row).c_str(), stdout);
        std::fflush(stdout);
    }
    finish(endpoint, control);
}

} // namespace

int main(int argc, char** argv)
{
    const auto options = parse(argc, argv);
    if (!options)
        return EXIT_FAILURE;
    if (options->verbose)
        enable_debug();
    try {
        run(*options);
    } catch (const Failure& failure) {
        return exit_status(failure.ret);
    } catch (const std::bad_alloc&) {
        std::fprintf(stderr, "[error] fi_pingpong: %s\n", fi_strerror(ENOMEM));
        return ENOMEM;
    }
    return std::fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
