// SPDX-License-Identifier: BSD-2-Clause
// The fake's answers to fi_getinfo: scripted entries, scripted failures and lies, and the nested query of a
// utility provider.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/providers/fi_log.h>

#include "fake.h"
#include "script.h"

enum { kText = 256 };

#define FAKE_CORE_ONLY (1ULL << 59) /* the core's internal flag on a utility provider's nested query */

static void free_list(struct fi_info* list)
{
    void (*freeinfo)(struct fi_info*) = NULL;
    *(void**)&freeinfo = fake_core_function("fi_freeinfo");
    if (freeinfo != NULL)
        freeinfo(list);
}

static const char* prov_name(const struct fi_info* info)
{
    return info != NULL && info->fabric_attr != NULL ? info->fabric_attr->prov_name : NULL;
}

static const char* shown(const char* text)
{
    return text != NULL ? text : "NULL";
}

static uint64_t number(const char* line, const char* key)
{
    char text[kText];
    return script_item(line, key, text, sizeof text) ? strtoull(text, NULL, 0) : 0;
}

static char* text_of(const char* line, const char* key)
{
    char text[kText];
    return script_item(line, key, text, sizeof text) ? strdup(text) : NULL;
}

static enum fi_ep_type ep_type(const char* line)
{
    char text[kText] = "rdm";
    script_item(line, "ep", text, sizeof text);
    return strcmp(text, "msg") == 0 ? FI_EP_MSG : strcmp(text, "dgram") == 0 ? FI_EP_DGRAM : FI_EP_RDM;
}

static struct fi_info* entry(const char* line)
{
    struct fi_info* info = calloc(1, sizeof *info);
    info->caps = number(line, "caps");
    info->mode = number(line, "mode");
    info->addr_format = (uint32_t)number(line, "addr");
    info->tx_attr = calloc(1, sizeof *info->tx_attr);
    info->rx_attr = calloc(1, sizeof *info->rx_attr);
    info->ep_attr = calloc(1, sizeof *info->ep_attr);
    info->domain_attr = calloc(1, sizeof *info->domain_attr);
    info->fabric_attr = calloc(1, sizeof *info->fabric_attr);
    info->ep_attr->type = ep_type(line);
    info->domain_attr->name = text_of(line, "domain");
    info->domain_attr->mr_mode = (int)number(line, "mr_mode");
    info->domain_attr->threading = (enum fi_threading)number(line, "threading");
    info->domain_attr->progress = (enum fi_progress)number(line, "progress");
    info->fabric_attr->name = text_of(line, "fabric");
    info->fabric_attr->prov_name = text_of(line, "prov");
    return info;
}

static bool wanted(const struct fi_info* info, const struct fi_info* hints)
{
    return hints == NULL || hints->ep_attr == NULL || hints->ep_attr->type == FI_EP_UNSPEC ||
           hints->ep_attr->type == info->ep_attr->type;
}

static struct fi_info* scripted_list(const struct fi_info* hints)
{
    struct fi_info* first = NULL;
    struct fi_info** end = &first;
    const char* line = NULL;
    for (size_t i = 0; (line = script_line("info", i)) != NULL; ++i) {
        *end = entry(line);
        if (wanted(*end, hints)) {
            end = &(*end)->next;
        } else {
            free_list(*end);
            *end = NULL;
        }
    }
    return first;
}

// A list that lies may be one that nobody can free; the leak checker shall not blame the core for it.
static void keep(struct fi_info* list)
{
    static struct kept {
        struct fi_info* list;
        struct kept* before;
    } * latest;
    struct kept* kept = malloc(sizeof *kept);
    if (kept == NULL)
        return;
    kept->list = list;
    kept->before = latest;
    latest = kept;
}

static void tell_lies(struct fi_info* list)
{
    if (script_says("lie", "no_fabric_attr")) {
        free(list->fabric_attr->prov_name);
        free(list->fabric_attr->name);
        free(list->fabric_attr);
        list->fabric_attr = NULL;
    } else if (script_says("lie", "cycle")) {
        struct fi_info* last = list;
        while (last->next != NULL)
            last = last->next;
        last->next = list;
    }
}

// What a utility layer does: asks the core again, for core providers only, with its own name taken out of the
// hints and barred.
static int nested_query(uint32_t version, const char* node, const char* service, uint64_t flags,
                        const struct fi_info* hints, struct fi_info** info)
{
    fake_getinfo_fn getinfo = NULL;
    struct fi_info* (*dupinfo)(const struct fi_info*) = NULL;
    *(void**)&getinfo = fake_core_function("fi_getinfo");
    *(void**)&dupinfo = fake_core_function("fi_dupinfo");
    if (getinfo == NULL || dupinfo == NULL)
        return -FI_ENODATA;

    struct fi_info* lower = dupinfo(hints);
    const char* asked = prov_name(hints);
    if (lower == NULL || lower->fabric_attr == NULL)
        return -FI_ENOMEM;
    free(lower->fabric_attr->prov_name);
    lower->fabric_attr->prov_name = NULL;
    if (asked != NULL) {
        const char* own = fake_provider()->name;
        char name[kText] = "";
        const char* at = strstr(asked, own);
        const size_t before = at != NULL ? (size_t)(at - asked) : strlen(asked);
        snprintf(name, sizeof name, "%.*s%s^%s", (int)before, asked,
                 before > 0 && asked[before - 1] != ';' ? ";" : "", own);
        lower->fabric_attr->prov_name = strdup(name);
    }
    const int result = getinfo(version, node, service, flags | FAKE_CORE_ONLY, lower, info);
    trace("nested result=%d prov=%s", result, shown(prov_name(lower)));
    free_list(lower);
    return result;
}

static void write_log_lines(void)
{
    static const char* const names[] = {"warn", "trace", "info", "debug"};
    int (*enabled)(const struct fi_provider*, enum fi_log_level, enum fi_log_subsys) = NULL;
    void (*write)(const struct fi_provider*, enum fi_log_level, enum fi_log_subsys, const char*, int,
                  const char*, ...) = NULL;
    *(void**)&enabled = fake_core_function("fi_log_enabled");
    *(void**)&write = fake_core_function("fi_log");
    if (enabled == NULL || write == NULL)
        return;
    const char* line = NULL;
    for (size_t i = 0; (line = script_line("log", i)) != NULL; ++i) {
        const char* bar = strchr(line, '|');
        for (int level = FI_LOG_WARN; bar != NULL && level <= FI_LOG_DEBUG; ++level)
            if (strncmp(line, names[level], (size_t)(bar - line)) == 0 &&
                enabled(fake_provider(), (enum fi_log_level)level, FI_LOG_CORE))
                write(fake_provider(), (enum fi_log_level)level, FI_LOG_CORE, __func__, __LINE__, "%s\n",
                      bar + 1);
    }
}

int fake_getinfo(uint32_t version, const char* node, const char* service, uint64_t flags,
                 const struct fi_info* hints, struct fi_info** info)
{
    trace("getinfo version=%u.%u flags=0x%llx node=%s service=%s prov=%s", FI_MAJOR(version),
          FI_MINOR(version), (unsigned long long)flags, shown(node), shown(service), shown(prov_name(hints)));
    fake_sleep("getinfo_ms");
    write_log_lines();

    const int error = fake_error("getinfo");
    if (error != 0 && !script_says("lie", "error_with_list"))
        return error;
    *info = NULL;
    if (script_says("getinfo", "empty"))
        return 0;
    if (script_says("nested", "1"))
        return nested_query(version, node, service, flags, hints, info);
    *info = scripted_list(hints);
    if (*info == NULL)
        return -FI_ENODATA;
    if (script_says("lie", "no_fabric_attr") || script_says("lie", "cycle") || error != 0)
        keep(*info);
    tell_lies(*info);
    return error;
}
