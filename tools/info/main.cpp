// SPDX-License-Identifier: BSD-2-Clause
// fi_info: what an application would find with a given query, and why not more. The query runs first whatever
// is to be shown, as upstream's tool does, so its status is the exit status; two answers are still worth
// having when it fails: the reasons, and the state of the plugin files.

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <new>

#include <rdma/fi_errno.h>

#include "options.hpp"
#include "output.hpp"

namespace {

using namespace fi::tools::info;

int answer(const Options& options)
{
    const Query query = run(options);
    const View view = view_of(options);
    if (query.status != 0)
        std::fprintf(stderr, "fi_getinfo: %d (%s)\n", query.status, fi_strerror(-query.status));
    if (options.json)
        print_json(view, query);
    else if (query.status == 0 || view == View::Reasons || view == View::Plugins)
        print_text(view, query);
    return -query.status;
}

} // namespace

int main(int argc, char** argv)
{
    int code = 0;
    try {
        const Parsed parsed = parse(argc, argv);
        code = parsed.options ? answer(*parsed.options) : parsed.exit_code;
    } catch (const LibraryError& error) {
        std::fprintf(stderr, "%s: %d (%s)\n", error.call, -error.code, fi_strerror(error.code));
        code = error.code;
    } catch (const std::bad_alloc&) {
        std::fprintf(stderr, "fi_info: %s\n", fi_strerror(ENOMEM));
        code = ENOMEM;
    }
    // What did not fit into the buffer may have failed long before, and its errno is gone.
    errno = 0;
    if ((std::fflush(stdout) != 0 || std::ferror(stdout)) && code == 0) {
        code = errno ? errno : EIO;
        std::fprintf(stderr, "fi_info: stdout: %s\n", fi_strerror(code));
    }
    // The system keeps eight bits of a status; 256 must not become success.
    return code % 256 == 0 && code != 0 ? EXIT_FAILURE : code % 256;
}
