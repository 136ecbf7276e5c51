/* SPDX-License-Identifier: BSD-2-Clause */
/* What the fake plugin's files share: entry and life (fake_provider.c), queries (fake_getinfo.c), fabrics
 * (fake_fabric.c). */
#ifndef FI_FAKES_FAKE_H
#define FI_FAKES_FAKE_H

#include <rdma/fabric.h>
#include <rdma/providers/fi_prov.h>

typedef int (*fake_getinfo_fn)(uint32_t, const char*, const char*, uint64_t, const struct fi_info*,
                               struct fi_info**);

struct fi_provider* fake_provider(void);

/* Sleeps for the milliseconds that this key of the script names. */
void fake_sleep(const char* key);

/* n of `key=error:n`, else 0. */
int fake_error(const char* key);

/* A function of the libfabric.so.1 in this process, or NULL when there is none (a program with the core
 * linked in). */
void* fake_core_function(const char* name);

int fake_getinfo(uint32_t version, const char* node, const char* service, uint64_t flags,
                 const struct fi_info* hints, struct fi_info** info);
int fake_fabric(struct fi_fabric_attr* attr, struct fid_fabric** fabric, void* context);

#endif
