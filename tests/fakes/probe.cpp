// SPDX-License-Identifier: BSD-2-Clause
// A program that asks libfabric.so and prints the answers. Its arguments are commands, done in order, so that
// one process can show what changes between two calls. Each prints lines of fields separated by tabs ("-" for
// NULL) and, last, `result COMMAND CODE`:
//
// plugins                  plugin PATH PROVIDER VERSION FI_VERSION active|hidden|refused REASON
// attr-only                info PROVIDER VERSION FABRIC DOMAIN EP_TYPE API_VERSION
// getinfo [KEY=VALUE ...]  the same; keys: version=2.6 flags=0x0 node= service= prov= fabric= domain=
//                          ep=rdm|msg|dgram caps=0x0
// reasons [KEY=VALUE ...]  reason PROVIDER ATTRIBUTE TEXT
// fabric NAME              opens and closes that provider's fabric
// setenv NAME=VALUE        prints nothing; unsetenv NAME likewise
//
// The exit code is 0 unless a command is unknown.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_report.h>

namespace {

using Arguments = std::span<char*>;

struct Query {
    uint32_t version = FI_VERSION(2, 6);
    uint64_t flags = 0;
    const char* node = nullptr;
    const char* service = nullptr;
    fi_info* hints = nullptr;
};

std::string version_text(uint32_t version)
{
    return std::to_string(FI_MAJOR(version)) + "." + std::to_string(FI_MINOR(version));
}

const char* shown(const char* text)
{
    return text != nullptr ? text : "-";
}

const char* ep_name(const fi_info& info)
{
    switch (info.ep_attr != nullptr ? info.ep_attr->type : FI_EP_UNSPEC) {
    case FI_EP_RDM:
        return "rdm";
    case FI_EP_MSG:
        return "msg";
    case FI_EP_DGRAM:
        return "dgram";
    default:
        return "-";
    }
}

fi_ep_type ep_type(const std::string& name)
{
    return name == "msg"     ? FI_EP_MSG
           : name == "dgram" ? FI_EP_DGRAM
           : name == "rdm"   ? FI_EP_RDM
                             : FI_EP_UNSPEC;
}

void result(const char* command, int code)
{
    printf("result\t%s\t%d\n", command, code);
}

fi_info& hints_of(Query& query)
{
    if (query.hints == nullptr)
        query.hints = fi_allocinfo();
    return *query.hints;
}

void apply(Query& query, const std::string& key, const char* value)
{
    if (key == "version") {
        unsigned major = 0;
        unsigned minor = 0;
        sscanf(value, "%u.%u", &major, &minor);
        query.version = FI_VERSION(major, minor);
    } else if (key == "flags") {
        query.flags = strtoull(value, nullptr, 0);
    } else if (key == "node") {
        query.node = value;
    } else if (key == "service") {
        query.service = value;
    } else if (key == "prov") {
        hints_of(query).fabric_attr->prov_name = strdup(value);
    } else if (key == "fabric") {
        hints_of(query).fabric_attr->name = strdup(value);
    } else if (key == "domain") {
        hints_of(query).domain_attr->name = strdup(value);
    } else if (key == "ep") {
        hints_of(query).ep_attr->type = ep_type(value);
    } else if (key == "caps") {
        hints_of(query).caps = strtoull(value, nullptr, 0);
    }
}

// Takes the KEY=VALUE words that follow a command.
Query take_query(Arguments& rest)
{
    Query query;
    for (; !rest.empty() && strchr(rest[0], '=') != nullptr; rest = rest.subspan(1)) {
        char* equals = strchr(rest[0], '=');
        apply(query, std::string(rest[0], equals), equals + 1);
    }
    return query;
}

void print_list(const fi_info* list)
{
    for (; list != nullptr; list = list->next) {
        const fi_fabric_attr* fabric = list->fabric_attr;
        printf("info\t%s\t%s\t%s\t%s\t%s\t%s\n", shown(fabric->prov_name),
               version_text(fabric->prov_version).c_str(), shown(fabric->name),
               shown(list->domain_attr != nullptr ? list->domain_attr->name : nullptr), ep_name(*list),
               version_text(fabric->api_version).c_str());
    }
}

void getinfo(const char* command, Query query)
{
    fi_info* list = nullptr;
    const int code = fi_getinfo(query.version, query.node, query.service, query.flags, query.hints, &list);
    if (code == 0)
        print_list(list);
    result(command, code);
    fi_freeinfo(list);
    fi_freeinfo(query.hints);
}

void plugins()
{
    static constexpr const char* kStates[] = {"active", "hidden", "refused"};
    fi_plugin* list = nullptr;
    size_t count = 0;
    const int code = fi_getplugins(&list, &count);
    for (const fi_plugin& plugin : std::span(list, count))
        printf("plugin\t%s\t%s\t%s\t%s\t%s\t%s\n", plugin.path, shown(plugin.provider),
               version_text(plugin.version).c_str(), version_text(plugin.fi_version).c_str(),
               kStates[plugin.state], shown(plugin.reason));
    result("plugins", code);
    fi_freeplugins(list);
}

void reasons(Query query)
{
    fi_reason* list = nullptr;
    size_t count = 0;
    const int code =
        fi_getreasons(query.version, query.node, query.service, query.flags, query.hints, &list, &count);
    for (const fi_reason& reason : std::span(list, count))
        printf("reason\t%s\t%s\t%s\n", shown(reason.provider), shown(reason.attribute), shown(reason.text));
    result("reasons", code);
    fi_freereasons(list);
    fi_freeinfo(query.hints);
}

void fabric(char* name)
{
    char fabric_name[] = "probe";
    fi_fabric_attr attr{};
    attr.prov_name = name;
    attr.name = fabric_name;
    fid_fabric* opened = nullptr;
    const int code = fi_fabric(&attr, &opened, nullptr);
    if (code == 0)
        fi_close(&opened->fid);
    result("fabric", code);
}

bool run_next(Arguments& rest)
{
    const std::string command = rest[0];
    rest = rest.subspan(1);
    if (command == "plugins") {
        plugins();
    } else if (command == "attr-only") {
        getinfo("attr-only", {.flags = FI_PROV_ATTR_ONLY});
    } else if (command == "getinfo") {
        getinfo("getinfo", take_query(rest));
    } else if (command == "reasons") {
        reasons(take_query(rest));
    } else if (rest.empty()) {
        return false;
    } else if (command == "fabric") {
        fabric(rest[0]);
        rest = rest.subspan(1);
    } else if (command == "setenv") {
        putenv(rest[0]);
        rest = rest.subspan(1);
    } else if (command == "unsetenv") {
        unsetenv(rest[0]);
        rest = rest.subspan(1);
    } else {
        return false;
    }
    return true;
}

} // namespace

int main(int argc, char** argv)
{
    Arguments rest(argv + 1, static_cast<size_t>(argc - 1));
    while (!rest.empty())
        if (!run_next(rest))
            return 2;
    return 0;
}
