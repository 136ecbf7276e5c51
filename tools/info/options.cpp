// SPDX-License-Identifier: BSD-2-Clause
// The command line of fi_info. Compatible with upstream's tool, exit codes included: usage is status 1 and a
// name that no constant has is status 22, both before anything is queried. --json and --why are ours.

#include "options.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>

#include <getopt.h>

#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

#include "names.hpp"

namespace fi::tools::info {
namespace {

enum LongOnly { kVersion = 256, kJson, kWhy };

constexpr char kShortOptions[] = "hs:n:P:c:m:t:d:f:a:p:eg:i:lv";

const option kLongOptions[] = {
    {"help", no_argument, nullptr, 'h'},           {"src_addr", required_argument, nullptr, 's'},
    {"node", required_argument, nullptr, 'n'},     {"port", required_argument, nullptr, 'P'},
    {"caps", required_argument, nullptr, 'c'},     {"mode", required_argument, nullptr, 'm'},
    {"ep_type", required_argument, nullptr, 't'},  {"domain", required_argument, nullptr, 'd'},
    {"fabric", required_argument, nullptr, 'f'},   {"addr_format", required_argument, nullptr, 'a'},
    {"provider", required_argument, nullptr, 'p'}, {"env", no_argument, nullptr, 'e'},
    {"getenv", required_argument, nullptr, 'g'},   {"info", required_argument, nullptr, 'i'},
    {"list", no_argument, nullptr, 'l'},           {"verbose", no_argument, nullptr, 'v'},
    {"version", no_argument, nullptr, kVersion},   {"json", no_argument, nullptr, kJson},
    {"why", no_argument, nullptr, kWhy},           {nullptr, 0, nullptr, 0},
};

void usage(const char* program)
{
    std::printf("Usage: %s\n", program);
    std::fputs("  -h, --help\t\t\tshow these lines and exit\n"
               "  -s, --src_addr=ADDR\t\tlocal name or address to use\n"
               "  -n, --node=NAME\t\tname or address of the peer\n"
               "  -P, --port=PNUM\t\tport of the local address or the peer\n"
               "  -c, --caps=CAP1|CAP2..\tcapabilities that are needed: FI_MSG|FI_RMA...\n"
               "  -m, --mode=MOD1|MOD2..\tmode bits that are accepted, all without this option\n"
               "  -t, --ep_type=EPTYPE\t\tone endpoint type: FI_EP_MSG, FI_EP_DGRAM...\n"
               "  -d, --domain=DOMAIN\t\tname of the domain\n"
               "  -f, --fabric=FABRIC\t\tname of the fabric\n"
               "  -a, --addr_format=FMT\t\tone address format: FI_SOCKADDR, FI_ADDR_STR...\n"
               "  -p, --provider=PROV\t\tname of the provider, layered names included\n"
               "  -e, --env\t\t\tshow the variables that steer libfabric\n"
               "  -g, --getenv=SUBSTR\t\tshow the variables whose name contains SUBSTR\n"
               "  -i, --info=SUBSTR\t\tshow in full the entries whose text contains SUBSTR\n"
               "  -l, --list\t\t\tlist the providers; with -v, each plugin file and its state\n"
               "  -v, --verbose\t\t\tshow entries in full\n"
               "  --version\t\t\tshow the versions and exit\n"
               "  --json\t\t\tanswer in JSON\n"
               "  --why\t\t\t\tshow why each provider that gave nothing did so\n",
               stdout);
}

void version(const char* program)
{
    char library[128] = "";
    fi_tostr_r(library, sizeof library, "", FI_TYPE_VERSION);
    std::printf("%s: %s\nlibfabric: %s\nlibfabric api: %d.%d\n", program, FI_PACKAGE_VERSION, library,
                FI_MAJOR_VERSION, FI_MINOR_VERSION);
}

struct UnknownName {}; // already reported

std::uint64_t named(const char* what, std::string_view name,
                    std::optional<std::uint64_t> (*find)(std::string_view))
{
    if (const auto value = find(name))
        return *value;
    std::fprintf(stderr, "error: Unrecognized %s: %.*s\n", what, static_cast<int>(name.size()), name.data());
    throw UnknownName{};
}

// "A|B||C": the bits of A, B and C; empty parts stand for nothing.
std::uint64_t named_bits(const char* what, std::string_view list,
                         std::optional<std::uint64_t> (*find)(std::string_view))
{
    std::uint64_t bits = 0;
    while (!list.empty()) {
        const std::string_view name = list.substr(0, list.find('|'));
        list.remove_prefix(std::min(list.size(), name.size() + 1));
        if (!name.empty())
            bits |= named(what, name, find);
    }
    return bits;
}

// Options that become hints; false for any other letter.
bool take_hint(Options& options, int letter, const char* argument)
{
    switch (letter) {
    case 'c':
        options.caps |= named_bits("capability", argument, capability);
        break;
    case 'm':
        options.mode = named_bits("mode", argument, mode_bit);
        break;
    case 't':
        options.ep_type = static_cast<fi_ep_type>(named("endpoint type", argument, endpoint_type));
        break;
    case 'a':
        options.addr_format = static_cast<std::uint32_t>(named("address format", argument, address_format));
        break;
    case 'd':
        options.domain = argument;
        break;
    case 'f':
        options.fabric = argument;
        break;
    case 'p':
        options.provider = argument;
        break;
    default:
        return false;
    }
    options.use_hints = true;
    return true;
}

// False for a letter that is no option.
bool take(Options& options, int letter, const char* argument)
{
    switch (letter) {
    case 's':
        options.node = argument;
        options.flags |= FI_SOURCE;
        return true;
    case 'n':
        options.node = argument;
        return true;
    case 'P':
        options.service = argument;
        return true;
    case 'e':
        options.env = true;
        return true;
    case 'g':
        options.env_filter = argument;
        return true;
    case 'i':
        options.info_filter = argument;
        return true;
    case 'l':
        options.list = true;
        options.flags |= FI_PROV_ATTR_ONLY;
        return true;
    case 'v':
        options.verbose = true;
        return true;
    case kJson:
        options.json = true;
        return true;
    case kWhy:
        options.why = true;
        return true;
    default:
        return take_hint(options, letter, argument);
    }
}

char* copy(const std::string& text)
{
    // fi_freeinfo releases names with free().
    char* result = strdup(text.c_str());
    if (!result)
        throw std::bad_alloc();
    return result;
}

} // namespace

Parsed parse(int argc, char** argv)
{
    const char* program = argc > 0 ? argv[0] : "fi_info";
    Options options;
    optind = 0; // tests call this more than once; 0 restarts glibc's scan
    try {
        for (int letter; (letter = getopt_long(argc, argv, kShortOptions, kLongOptions, nullptr)) != -1;) {
            if (letter == kVersion) {
                version(program);
                return {std::nullopt, EXIT_SUCCESS};
            }
            if (!take(options, letter, optarg)) {
                usage(program);
                return {std::nullopt, EXIT_FAILURE};
            }
        }
    } catch (UnknownName) {
        return {std::nullopt, EINVAL};
    }
    return {std::move(options), EXIT_SUCCESS};
}

InfoList make_hints(const Options& options)
{
    if (!options.use_hints)
        return nullptr;
    InfoList hints(fi_allocinfo());
    if (!hints)
        throw std::bad_alloc();
    hints->caps = options.caps;
    hints->mode = options.mode.value_or(~0ULL);
    hints->domain_attr->mode = ~0ULL;
    // Bits 0 and 1 are the two choices of API 1.4 and exclude all others.
    hints->domain_attr->mr_mode = ~3;
    if (options.ep_type)
        hints->ep_attr->type = *options.ep_type;
    if (options.addr_format)
        hints->addr_format = *options.addr_format;
    if (options.domain)
        hints->domain_attr->name = copy(*options.domain);
    if (options.fabric)
        hints->fabric_attr->name = copy(*options.fabric);
    if (options.provider)
        hints->fabric_attr->prov_name = copy(*options.provider);
    return hints;
}

} // namespace fi::tools::info
