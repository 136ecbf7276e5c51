/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Why is my device not there? Two questions that fi_getinfo leaves open: which plugin files were found and
 * what became of them, and what each provider objected to in a query that gave nothing. Not part of
 * upstream's API: the functions are in the symbol node LIBFABRIC_REPORT_1.0. Both are for set-up and
 * diagnosis, may be called from any thread, and allocate.
 */
#ifndef FI_REPORT_H
#define FI_REPORT_H

#include <stddef.h>
#include <stdint.h>

#include <rdma/fabric.h>

#ifdef __cplusplus
extern "C" {
#endif

enum fi_plugin_state {
    FI_PLUGIN_ACTIVE,  /* answers queries */
    FI_PLUGIN_HIDDEN,  /* loaded, not asked: another one of its name won, or FI_PROVIDER excludes it */
    FI_PLUGIN_REFUSED, /* not loaded, or rejected after loading */
};

struct fi_plugin {
    const char* path;     /* of the file; "" for a provider that is linked in */
    const char* provider; /* its name, NULL if it was never known */
    uint32_t version;     /* the provider's own, FI_VERSION encoding; 0 if unknown */
    uint32_t fi_version;  /* highest API version that it implements; 0 if unknown */
    enum fi_plugin_state state;
    const char* reason; /* why not active, for people; of an active one "" or a remark, as on a slow start */
};

/*
 * Lists every plugin file that was looked at and every provider that is linked in, in the order of the
 * search. Returns 0, or -FI_EINVAL, -FI_ENOMEM with outputs untouched. *plugins is one array of *count
 * entries, strings included, to be given to fi_freeplugins. With *count 0, *plugins is NULL.
 */
int fi_getplugins(struct fi_plugin** plugins, size_t* count);

/* Releases a list of fi_getplugins; NULL is fine. */
void fi_freeplugins(struct fi_plugin* plugins);

struct fi_reason {
    const char* provider;
    const char* attribute; /* what was refused, as "domain_attr->mr_mode"; NULL when not known */
    const char* text;      /* what was asked and what is offered, or the provider's own line; no newline */
};

/*
 * Runs the query once more, with fi_getinfo's arguments, and reports what providers said against it on this
 * thread, in the order they were asked; one provider may have several entries. Works with any provider that
 * logs its refusals; nothing is printed. Returns 0 also when the query now succeeds (then often with *count
 * 0), or -FI_ENOSYS for a version that fi_getinfo refuses, -FI_EINVAL, -FI_ENOMEM, with outputs untouched.
 * Ownership as above.
 */
int fi_getreasons(uint32_t version, const char* node, const char* service, uint64_t flags,
                  const struct fi_info* hints, struct fi_reason** reasons, size_t* count);

/* Releases a list of fi_getreasons; NULL is fine. */
void fi_freereasons(struct fi_reason* reasons);

#ifdef __cplusplus
}
#endif

#endif
