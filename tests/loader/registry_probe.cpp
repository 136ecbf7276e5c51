// SPDX-License-Identifier: BSD-2-Clause
// The registry alone, in a program of its own: the core is linked in, and this file answers in the build's
// place what the default directory is (DEFAULT_DIRECTORY in the environment) and which provider is linked in
// (LINKED=NAME:VERSION); CONFIGURATION names a configuration file. Being free of libfabric.so it can run
// setuid, where the dynamic linker ignores relative library paths. The argument is a command, and it prints
// lines of fields separated by tabs:
//
// list       secure 0|1
//            file PATH PROVIDER VERSION FI_VERSION STATE REASON
//            provider NAME TYPE active|hidden PATH WHY LAYERING_DISABLED LOG_DISABLED
//
// race       eight threads make the first call at once:   same 0|1   and the list
//
// fork       one thread makes the first call, another forks once the plugin starts whose trace is WATCH,
//            and the child makes a call too:              child EXIT_CODE
//
// symbols    which symbols plugins put into the program:  global NAME 0|1
//
// find NAME  find NAME PATH|none
#include <barrier>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

#include <rdma/fabric.h>

#include "loader/builtin.hpp"
#include "loader/registry.hpp"
#include "param/configuration.hpp"

using namespace fi::core::loader;

// Asked by the leak checker where there is one. It traces its own process, and a setuid program may not be
// traced.
extern "C" int __lsan_is_turned_off();
extern "C" int __lsan_is_turned_off()
{
    return getauxval(AT_SECURE) != 0 ? 1 : 0;
}

namespace {

int no_getinfo(uint32_t, const char*, const char*, uint64_t, const fi_info*, fi_info**)
{
    return -FI_ENODATA;
}

int no_fabric(fi_fabric_attr*, fid_fabric**, void*)
{
    return -FI_ENOSYS;
}

fi_provider linked_one;
char linked_name[64];

fi_provider* linked_ini()
{
    unsigned major = 0;
    unsigned minor = 0;
    sscanf(getenv("LINKED"), "%63[^:]:%u.%u", linked_name, &major, &minor);
    linked_one.name = linked_name;
    linked_one.version = FI_VERSION(major, minor);
    linked_one.fi_version = FI_VERSION(2, 6);
    linked_one.getinfo = no_getinfo;
    linked_one.fabric = no_fabric;
    return &linked_one;
}

std::string version_text(uint32_t version)
{
    return std::to_string(FI_MAJOR(version)) + "." + std::to_string(FI_MINOR(version));
}

void list(const Registry& registry)
{
    static constexpr const char* kStates[] = {"active", "hidden", "refused"};
    static constexpr const char* kTypes[] = {"core", "utility", "hook", "offload", "lnx"};
    printf("secure\t%lu\n", getauxval(AT_SECURE));
    for (const PluginFile& file : registry.files())
        printf("file\t%s\t%s\t%s\t%s\t%s\t%s\n", file.path.c_str(), file.provider.c_str(),
               version_text(file.version).c_str(), version_text(file.fi_version).c_str(),
               kStates[static_cast<int>(file.state)], file.reason.c_str());
    for (const Provider& provider : registry.providers()) {
        const ProviderScratch& scratch = scratch_of(*provider.impl);
        printf("provider\t%s\t%s\t%s\t%s\t%s\t%d\t%d\n", provider.impl->name, kTypes[scratch.type],
               provider.active ? "active" : "hidden", provider.path.c_str(), provider.why_inactive.c_str(),
               scratch.layering_disabled, scratch.log_disabled);
    }
}

void race()
{
    constexpr int kThreads = 8;
    std::barrier start(kThreads);
    std::vector<const Registry*> seen(kThreads);
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i)
        threads.emplace_back([&, i] {
            start.arrive_and_wait();
            seen[i] = &Registry::get();
            for (const Provider& provider : seen[i]->providers())
                if (scratch_of(*provider.impl).type < 0)
                    abort();
        });
    for (std::thread& thread : threads)
        thread.join();
    bool same = true;
    for (const Registry* registry : seen)
        same = same && registry == seen.front();
    printf("same\t%d\n", same);
    list(*seen.front());
}

bool started()
{
    return access(getenv("WATCH"), F_OK) == 0;
}

void fork_while_loading()
{
    std::thread loader([] { Registry::get(); });
    while (!started())
        std::this_thread::yield();
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);
        _exit(static_cast<int>(Registry::get().providers().size()));
    }
    int status = 0;
    waitpid(child, &status, 0);
    printf("child\t%d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
    loader.join();
}

void symbols()
{
    Registry::get();
    for (const char* name : {"fi_prov_ini", "fi_fake_nothing"})
        printf("global\t%s\t%d\n", name, dlsym(RTLD_DEFAULT, name) != nullptr);
}

void find(const char* name)
{
    const Provider* provider = Registry::get().find(name);
    printf("find\t%s\t%s\n", name, provider != nullptr ? provider->path.c_str() : "none");
}

} // namespace

namespace fi::core::loader {

std::span<const ProviderEntry> builtin_providers()
{
    static constexpr ProviderEntry kTable[] = {linked_ini};
    return std::span(kTable).first(getenv("LINKED") != nullptr ? 1 : 0);
}

std::string default_directory()
{
    const char* directory = getenv("DEFAULT_DIRECTORY");
    return directory != nullptr ? directory : "/nonexistent/libfabric";
}

} // namespace fi::core::loader

int main(int argc, char** argv)
{
    if (const char* file = getenv("CONFIGURATION"))
        fi::core::param::Configuration::replace(fi::core::param::Configuration::read(file));
    const std::string command = argc > 1 ? argv[1] : "";
    if (command == "list")
        list(Registry::get());
    else if (command == "race")
        race();
    else if (command == "fork")
        fork_while_loading();
    else if (command == "symbols")
        symbols();
    else if (command == "find" && argc > 2)
        find(argv[2]);
    else
        return 2;
    return 0;
}
