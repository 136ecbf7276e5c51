// SPDX-License-Identifier: BSD-2-Clause
// The fake plugin: a provider that does what the script beside its file says. It needs nothing but libc; the
// core's functions are looked up in whichever libfabric.so.1 the process has. Lines of a script, all
// optional:
//
// name=tcp                the provider's name; NULL for none, nothing for ""
// version=1.0             its own version
// fi_version=2.6          the API it implements
// ini=null|const|garbage  fi_prov_ini returns NULL, a constant object, a wild pointer
// ini=getinfo             it asks for providers first; traced as "nested ini CODE"
// ini=borrow:FILE         it returns the object of the plugin FILE
// ini_ms=1200             it sleeps so long; getinfo_ms: the same for getinfo
// getinfo=none|empty      no such function (a hook); success without a list
// getinfo=error:-22       failure; fabric=error:-22 likewise
// info=ep:rdm,domain:d0,fabric:f0,prov:x,caps:6,mode:0,mr_mode:0,addr:0,threading:0,progress:0
//                         one returned entry per line; left out when its ep is not the hints'
// lie=no_fabric_attr      the first entry has no fabric attributes
// lie=cycle               the list ends in itself
// lie=error_with_list     getinfo fails as getinfo=error:N says and returns the list all the same
// nested=1                a utility provider: returns what the core answers to its nested query
// log=warn|text           a log line at each getinfo (warn, trace, info, debug)
// fabric=none             no such function; cleanup=none likewise
//
// The trace, one line a call: "ini", "getinfo version=.. flags=0x.. node=.. service=.. prov=..",
// "nested result=CODE prov=..", "fabric name=.." (of a hook: "fabric over=PROVIDER"), "close", "cleanup".
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <rdma/fabric.h>
#include <rdma/providers/fi_prov.h>

#include "fake.h"
#include "script.h"

static struct fi_provider fake;
static const struct fi_provider constant = {.name = "constant", .fi_version = FI_VERSION(2, 6)};

void fake_sleep(const char* key)
{
    const uint64_t ms = script_number(key, 0);
    const struct timespec pause = {.tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms % 1000) * 1000000};
    if (ms > 0)
        nanosleep(&pause, NULL);
}

int fake_error(const char* key)
{
    const char* value = script_text(key, "");
    return strncmp(value, "error:", 6) == 0 ? atoi(value + 6) : 0;
}

void* fake_core_function(const char* name)
{
    void* core = dlopen("libfabric.so.1", RTLD_NOW | RTLD_NOLOAD);
    return core != NULL ? dlsym(core, name) : NULL;
}

struct fi_provider* fake_provider(void)
{
    return &fake;
}

static void fake_cleanup(void)
{
    trace("cleanup");
}

static struct fi_provider* borrowed(const char* file)
{
    void* handle = dlopen(file, RTLD_NOW);
    struct fi_provider* (*entry)(void) = NULL;
    if (handle != NULL)
        *(void**)&entry = dlsym(handle, "fi_prov_ini");
    return entry != NULL ? entry() : NULL;
}

static void ask_for_providers(void)
{
    fake_getinfo_fn getinfo = NULL;
    *(void**)&getinfo = fake_core_function("fi_getinfo");
    if (getinfo == NULL)
        return;
    struct fi_info* list = NULL;
    trace("nested ini %d", getinfo(FI_VERSION(2, 6), NULL, NULL, FI_PROV_ATTR_ONLY, NULL, &list));
}

__attribute__((visibility("default"))) struct fi_provider* fi_prov_ini(void)
{
    if (fake.fabric == NULL && fake.name == NULL)
        script_load();
    trace("ini");
    fake_sleep("ini_ms");

    fake.version = script_version("version", "1.0");
    fake.fi_version = script_version("fi_version", "2.6");
    fake.name = script_says("name", "NULL") ? NULL : script_text("name", "fake");
    fake.getinfo = script_says("getinfo", "none") ? NULL : fake_getinfo;
    fake.fabric = script_says("fabric", "none") ? NULL : fake_fabric;
    fake.cleanup = script_says("cleanup", "none") ? NULL : fake_cleanup;

    const char* ini = script_text("ini", "");
    if (strcmp(ini, "null") == 0)
        return NULL;
    if (strcmp(ini, "const") == 0)
        return (struct fi_provider*)(uintptr_t)&constant;
    if (strcmp(ini, "garbage") == 0)
        return (struct fi_provider*)16;
    if (strcmp(ini, "getinfo") == 0)
        ask_for_providers();
    if (strncmp(ini, "borrow:", 7) == 0)
        return borrowed(ini + 7);
    return &fake;
}
