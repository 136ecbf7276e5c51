// SPDX-License-Identifier: BSD-2-Clause
// The command line of fi_pingpong, as upstream 2.6 has it; -T is ours. Both sides must be given the same
// series of sizes, so what sizes_to_run returns is part of the protocol.

#include "options.hpp"

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <strings.h>
#include <unistd.h>

namespace fi::tools::pingpong {
namespace {

void usage(const char* program)
{
    std::fprintf(stderr, "Usage:\n  %s [OPTIONS]\t\t\twait for a client\n", program);
    std::fprintf(stderr, "  %s [OPTIONS] <srv_addr>\t\trun against the server there\n", program);
    std::fputs("\nMessages go back and forth between two processes; both report their speed.\n"
               "\nOptions:\n"
               " -B <src_port>        control port of this side (server: 47592, client: any)\n"
               " -P <dst_port>        control port of the server (47592)\n"
               " -d <domain>          name of the domain\n"
               " -f <fabric>          name of the fabric\n"
               " -s <address>         local address of the endpoint\n"
               " -p <provider>        name of the provider\n"
               " -e <ep_type>         msg, rdm or dgram (dgram)\n"
               " -I <number>          messages each way per size (10)\n"
               " -S <size>            one size in bytes, or 'all' (a series of six)\n"
               " -c                   check what arrives\n"
               " -m <mode>            msg or tagged (msg)\n"
               " -T <seconds>         give up on a silent peer after so long (30)\n"
               " -v                   tell what is done, on stderr\n"
               " -6                   control connection over IPv6\n"
               " -h                   show these lines\n",
               stderr);
}

// Upstream goes on with the negative error code as the number, and scripts may pass odd values that way.
int number(const char* text)
{
    char* end = nullptr;
    errno = 0;
    const long value = std::strtol(text, &end, 10);
    int error = errno;
    if (error == 0 && (end == text || *end != '\0'))
        error = EINVAL;
    if (error == 0 && (value < 0 || value > INT_MAX))
        error = ERANGE;
    if (error == 0)
        return static_cast<int>(value);
    std::fprintf(stderr, "Error parsing \"%s\": %s\n", text, std::strerror(error));
    return -error;
}

bool take_endpoint_type(Options& options, const char* name)
{
    if (strcasecmp(name, "msg") == 0)
        options.ep_type = FI_EP_MSG;
    else if (strcasecmp(name, "rdm") == 0)
        options.ep_type = FI_EP_RDM;
    else if (strcasecmp(name, "dgram") == 0)
        options.ep_type = FI_EP_DGRAM;
    else {
        std::fprintf(stderr, "Unknown endpoint : %s\n", name);
        return false;
    }
    return true;
}

void take_size(Options& options, const char* text)
{
    if (strcasecmp(text, "all") == 0) {
        options.sizes = Sizes::All;
    } else {
        options.sizes = Sizes::One;
        options.size = number(text);
    }
}

bool take_measure(Options& options, int letter, const char* argument)
{
    switch (letter) {
    case 'I':
        options.iterations = static_cast<std::uint64_t>(std::max(number(argument), 0));
        return true;
    case 'S':
        take_size(options, argument);
        return true;
    case 'c':
        options.check = true;
        return true;
    case 'm':
        options.tagged = strcasecmp(argument, "msg") != 0;
        return true;
    case 'T':
        options.patience = std::chrono::seconds(std::max(number(argument), 1));
        return true;
    case 'v':
        options.verbose = true;
        return true;
    default:
        return false;
    }
}

bool take(Options& options, int letter, const char* argument)
{
    switch (letter) {
    case 'B':
        options.source_port = static_cast<std::uint16_t>(number(argument));
        return true;
    case 'P':
        options.server_port = static_cast<std::uint16_t>(number(argument));
        return true;
    case '6':
        options.ipv6 = true;
        return true;
    case 'd':
        options.domain = argument;
        return true;
    case 'f':
        options.fabric = argument;
        return true;
    case 's':
        options.source = argument;
        return true;
    case 'p':
        options.provider = argument;
        return true;
    default:
        return take_measure(options, letter, argument);
    }
}

} // namespace

std::optional<Options> parse(int argc, char** argv)
{
    Options options;
    optind = 0; // tests call this more than once; 0 restarts glibc's scan
    for (int letter; (letter = getopt(argc, argv, "B:P:d:f:s:p:e:I:S:cm:T:v6h")) != -1;) {
        if (letter == 'e') {
            if (!take_endpoint_type(options, optarg))
                return std::nullopt;
        } else if (!take(options, letter, optarg)) {
            usage(argv[0]);
            return std::nullopt;
        }
    }
    if (optind < argc)
        options.server = argv[optind];
    if (options.role() == Role::Server && options.source_port == 0)
        options.source_port = kDefaultPort;
    if (options.server_port == 0)
        options.server_port = kDefaultPort;
    return options;
}

std::vector<std::size_t> sizes_to_run(const Options& options, std::size_t max_message)
{
    constexpr std::size_t kLargest = (1U << 22) + (1U << 21);
    std::vector<std::size_t> sizes;
    const auto add = [&](std::size_t size) {
        if (size <= max_message)
            sizes.push_back(size);
    };
    switch (options.sizes) {
    case Sizes::One:
        if (options.size >= 0)
            add(static_cast<std::size_t>(options.size));
        break;
    case Sizes::Short:
        for (const std::size_t size : {64, 256, 1024, 4096, 65536, 1048576})
            add(size);
        break;
    case Sizes::All:
        add(0);
        add(1);
        for (std::size_t power = 2; power <= kLargest; power *= 2) {
            add(power);
            add(power + power / 2);
        }
        break;
    }
    return sizes;
}

} // namespace fi::tools::pingpong
